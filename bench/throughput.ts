import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gpir } from '../server/src/languages/gpir/index.js';
import type { Environment } from '../server/src/languages/language.js';
import { filesOf } from '../test/support/corpus.js';
import { analyse, open } from './support/documents.js';
import {
  file,
  kernel,
  gpirProgram,
  header,
  longLine,
  manyKernels,
  manyRegisters,
} from './support/generate.js';
import { referenceInputs } from './support/reference-inputs.js';
import { table } from './support/table.js';

/** Milliseconds of the fastest of `runs` runs. */
function fastest(runs: number, action: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs; i++) {
    const began = performance.now();
    action();
    best = Math.min(best, performance.now() - began);
  }
  return best;
}

/** Reference inputs, each once: the same text for several architectures of `dev/` is left out. */
function inputs(): { path: string; text: string; arch: string }[] {
  const folder = referenceInputs('throughput', 'ptx');
  if (folder === undefined) return [];
  const seen = new Set<string>();
  return ['generated', 'dev']
    .flatMap((set) => filesOf(join(folder, set), '.ptx'))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const name = basename(path).split('.')[0];
      if (path.includes('dev') && seen.has(name)) return [];
      seen.add(name);
      const arch = /\.target\s+(sm_\d+\w?)/.exec(text)?.[1] ?? 'sm_75';
      return [{ path, text, arch: Number(/\d+/.exec(arch)?.[0]) < 75 ? 'sm_75' : arch }];
    });
}

function againstPtxas(): void {
  const files = inputs();
  if (files.length === 0) return;
  const lines = files.reduce((sum, { text }) => sum + text.split('\n').length, 0);
  const ours = fastest(3, () => {
    for (const { path, text } of files) analyse(open(path, text));
  });
  const rows: (string | number)[][] = [['spillway', files.length, lines, ours, (1000 * lines) / ours]];
  if (spawnSync('ptxas', ['--version']).status === 0) {
    let theirs = 0;
    let failed = 0;
    const began = performance.now();
    for (const { path, arch } of files) {
      const result = spawnSync('ptxas', ['-c', `-arch=${arch}`, path, '-o', '/dev/null'], {
        stdio: 'ignore',
      });
      if (result.status !== 0) failed++;
    }
    theirs = performance.now() - began;
    rows.push(['ptxas', files.length, lines, theirs, (1000 * lines) / theirs]);
    const start = fastest(5, () => spawnSync('ptxas', ['--version'], { stdio: 'ignore' })) * files.length;
    rows.push([
      'ptxas, less its start',
      files.length,
      lines,
      theirs - start,
      (1000 * lines) / (theirs - start),
    ]);
    console.log(
      `throughput: whole-file analysis of the reference inputs; ${(theirs / ours).toFixed(1)} times as fast as ptxas`,
    );
    if (failed > 0) console.log(`(ptxas refuses ${failed} of them)`);
  } else {
    console.log('throughput: whole-file analysis of the reference inputs (ptxas is not installed)');
  }
  console.log(table(['program', 'files', 'lines', 'ms', 'lines/s'], rows));
}

/** Each shape at growing sizes: the time for one unit of size must stay where it is. */
function shapes(): void {
  const instructions = (count: number): string => header + kernel('large', count, 7);
  const kinds: [string, readonly number[], (size: number) => string][] = [
    ['one kernel, instructions', [1_000, 10_000, 50_000], instructions],
    ['ordinary kernels, lines', [1_000, 10_000, 100_000], (lines) => file({ lines })],
    ['small kernels', [500, 5_000], manyKernels],
    ['registers in one kernel', [1_000, 10_000, 100_000], manyRegisters],
    ['bytes in one line', [10_000, 100_000, 1_000_000], longLine],
  ];
  const rows: (string | number)[][] = [];
  for (const [name, sizes, make] of kinds) {
    let smallest = 0;
    for (const size of sizes) {
      const text = make(size);
      const milliseconds = fastest(3, () => analyse(open('/bench/shape.ptx', text)));
      const each = (1000 * milliseconds) / size;
      if (size === sizes[0]) smallest = each;
      rows.push([name, size, milliseconds, each, each / smallest]);
    }
  }
  console.log(
    'growth: the last column is the time for one element beside that of the smallest size (1 is linear)',
  );
  console.log(table(['shape', 'size', 'ms', 'µs each', 'relative'], rows));
}

/** What an edit of one large program costs before its machine is asked. */
function gpirFrontEnd(): void {
  const text = gpirProgram(100_000);
  const lines = text.split('\n').length - 1;
  const rows: (string | number)[][] = [];
  let parsed = gpir.parse(text);
  let bound = gpir.bind(parsed, alone);
  const steps: [string, () => void][] = [
    ['parse', () => (parsed = gpir.parse(text))],
    ['bind', () => (bound = gpir.bind(parsed, alone))],
    ['lower', () => gpir.lower(bound)],
  ];
  for (const [name, step] of steps) {
    const milliseconds = fastest(10, step);
    rows.push([name, lines, milliseconds, (1000 * lines) / milliseconds]);
  }
  console.log('gpir, one program');
  console.log(table(['step', 'lines', 'ms', 'lines/s'], rows));
}

const alone: Environment = {
  earlier: () => [],
  later: () => [],
  names: () => [],
  setting: () => undefined,
  isFirst: true,
};

export function throughput(): void {
  againstPtxas();
  console.log();
  shapes();
  console.log();
  gpirFrontEnd();
}
