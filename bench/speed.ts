import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LineIndex } from '../server/src/text/line-index.js';
import { filesOf } from '../test/support/corpus.js';
import { analyse, open } from './support/documents.js';
import { header, kernel } from './support/generate.js';
import { referenceInputs } from './support/reference-inputs.js';
import { quantile, table } from './support/table.js';

/**
 * The two gates of time. One `spillway stats` over the whole reference set, its start included, as `npx spillway` runs
 * it, beside ptxas on the same files one by one; its figure is the median of runs spread over those of ptxas, so that a
 * machine whose speed drifts is the same for both. And a line edited in a kernel of a thousand instructions, from the new
 * text to all figures and findings.
 */
const TIMES_PTXAS = 20;
const EDIT_MILLISECONDS = 30;
/** Calls of `stats`, of which the first one comes before ptxas, the last one after it. */
const RUNS = 5;

const root = fileURLToPath(new URL('../../', import.meta.url));

export function speed(): void {
  const rows = [...wholeSet(), oneLine()];
  console.log('speed: the gates of time');
  console.log(table(['what', 'measured', 'gate', ''], rows));
}

type Line = readonly [what: string, measured: string, gate: string, verdict: string];

function wholeSet(): Line[] {
  const folder = referenceInputs('speed', 'ptx');
  if (folder === undefined) return [];
  const files = filesOf(join(folder, 'dev'), '.ptx');
  const timed = (program: string, ...parameters: string[]): number => {
    const began = performance.now();
    const { status } = spawnSync(program, parameters, { stdio: 'ignore' });
    return status === null ? NaN : performance.now() - began;
  };
  const command = join(root, 'dist/spillway.js');
  if (!existsSync(command))
    return [[`${files.length} files, one call`, '', '', 'dist/ is missing: npm run bench makes it']];
  const call = (): number => timed(process.execPath, command, 'stats', '--format', 'json', ...files);
  const calls = [call()];
  if (spawnSync('ptxas', ['--version']).status !== 0)
    return [[`${files.length} files, one call`, `${calls[0].toFixed(0)} ms`, '', 'ptxas is not installed']];
  let theirs = 0;
  files.forEach((path, k) => {
    const arch = /\.target\s+(sm_\d+\w?)/.exec(readFileSync(path, 'latin1'))?.[1] ?? 'sm_75';
    theirs += timed('ptxas', `-arch=${arch}`, '-c', path, '-o', '/dev/null');
    if (calls.length < 1 + Math.floor(((RUNS - 1) * (k + 1)) / files.length)) calls.push(call());
  });
  const ours = quantile(calls, 0.5);
  const ratio = theirs / ours;
  return [
    [
      `${files.length} files: ptxas ${theirs.toFixed(0)} ms, one call of stats ${ours.toFixed(0)} ms (${Math.min(...calls).toFixed(0)} to ${Math.max(...calls).toFixed(0)})`,
      `${ratio.toFixed(1)} times`,
      `at least ${TIMES_PTXAS} times`,
      ratio >= TIMES_PTXAS ? 'held' : 'missed',
    ],
  ];
}

/** Edits before the first that counts: the server's code is new to the engine, which is still optimising it. */
const WARM_UP = 20;

/**
 * Half of the edits add an instruction in the middle, the others take it out. So many that several collections of the
 * whole heap fall among them: while one is under way, an edit takes up to twice as long.
 */
function oneLine(edits = 240): Line {
  const without = header + kernel('large', 1000, 7);
  const at = without.indexOf('\n', without.length >> 1) + 1;
  const added = '\tmad.lo.s32 \t%r5, %r2, 3, %r4;\n';
  const texts = [without, without.slice(0, at) + added + without.slice(at)];
  let document = open('/bench/edit.ptx', without);
  analyse(document);
  const times: number[] = [];
  for (let k = 1; k <= edits; k++) {
    const isAdded = k % 2 === 1;
    // another number each time, so that no result of before is found again
    const text = isAdded
      ? texts[1].replace('%r2, 3,', `%r2, ${k + 3},`)
      : texts[0].replace('+4]', `+${4 * k}]`);
    const began = performance.now();
    document = document.edited(k + 1, LineIndex.of(text), {
      old: { start: 0, end: document.text.length },
      fresh: { start: 0, end: text.length },
    });
    analyse(document);
    if (k > WARM_UP) times.push(performance.now() - began);
  }
  const median = quantile(times, 0.5);
  return [
    'one line of a kernel of 1 000 instructions, median (nine in ten)',
    `${median.toFixed(1)} ms (${quantile(times, 0.9).toFixed(1)})`,
    `below ${EDIT_MILLISECONDS} ms`,
    median < EDIT_MILLISECONDS ? 'held' : 'missed',
  ];
}
