import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledForms } from '../../server/src/languages/ptx/isa/opcode.js';
import { hasSpecific, smNumber, versionRank } from '../../server/src/languages/ptx/isa/versions.js';
import { instructionEntries } from '../../server/src/languages/ptx/isa/tables/index.js';
import { problemsOf } from '../languages/ptx/bound.js';
import { kernel, mutate, prelude, samplesOf, type Sample } from './isa-samples.js';
import { numberOption, option, seed, times } from './options.js';
import { Random } from './random.js';

/**
 * The instruction tables against ptxas: right samples of every form and mutants of them, hundreds of kernels a
 * call, one instruction a kernel and a line, so that the lines of ptxas's errors tell which it refuses. Prints where
 * the verdicts differ, and in how many they agree.
 *   --seed N     the seed (printed)          --cap N      modifier combinations of a form (40)
 *   --mutants N  mutants of a sample (1)     --only OP    this opcode alone
 *   --show N     differences to print (60)   --target T   (sm_100a)     --version V  (9.0)
 */
const target = option('target', 'sm_100a');
const version = option('version', '9.0');
const only = option('only', '');
if (spawnSync('ptxas', ['--version']).status !== 0) {
  console.log('instruction tables: not tried, ptxas is not on the path');
  process.exit(0);
}
const random = new Random(seed);
const folder = mkdtempSync(join(tmpdir(), 'spillway-isa-'));
const batchSize = 400;
/** A call's operands are judged by the callee's parameters, not by the tables. */
const skipped = new Set(['call']);

function textOf(samples: readonly Sample[]): string {
  const header = `.version ${version}\n.target ${target}\n.address_size 64\n${prelude.module}\n`;
  return header + samples.map((sample, n) => kernel(n, sample.text)).join('\n') + '\n';
}
const firstLine = 5;

/** What ptxas says of each sample: undefined where it has no objection. */
function assembled(samples: readonly Sample[]): (string | undefined)[] {
  const verdicts: (string | undefined)[] = samples.map(() => undefined);
  const path = join(folder, 'batch.ptx');
  // The last kernel is wrong: ptxas then stops before it generates code, and its error says that all was read.
  writeFileSync(path, `${textOf(samples)}${kernel(samples.length, 'nonsense')}\n`);
  const { stdout, stderr } = spawnSync('ptxas', [`-arch=${target}`, '-c', path, '-o', join(folder, 'out')], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const output = stdout + stderr;
  let stop = samples.length;
  for (const [, line, kind, message] of output.matchAll(/line (\d+); (error|fatal)\s*:\s*(.*)/g)) {
    const at = Number(line) - firstLine;
    if (at < 0 || at >= samples.length) continue;
    verdicts[at] ??= message;
    if (kind === 'fatal') stop = Math.min(stop, at);
  }
  if (stop === samples.length && !output.includes("'nonsense'")) {
    if (samples.length === 1) return [output.trim()];
    const middle = samples.length >> 1;
    return [...assembled(samples.slice(0, middle)), ...assembled(samples.slice(middle))];
  }
  if (stop >= samples.length - 1) return verdicts;
  return [...verdicts.slice(0, stop + 1), ...assembled(samples.slice(stop + 1))];
}

function matched(samples: readonly Sample[]): (string | undefined)[] {
  const verdicts: (string | undefined)[] = samples.map(() => undefined);
  for (const problem of problemsOf(textOf(samples)))
    if (problem.severity === 'error')
      verdicts[problem.line - firstLine] ??= `${problem.code}: ${problem.message}`;
  return verdicts;
}

interface Score {
  tried: number;
  agreed: number;
}
const accepted: Score = { tried: 0, agreed: 0 };
const refused: Score = { tried: 0, agreed: 0 };
const differences = new Map<string, string[]>();

function compare(samples: readonly Sample[]): void {
  const theirs = assembled(samples);
  const ours = matched(samples);
  samples.forEach((sample, i) => {
    const score = theirs[i] === undefined ? accepted : refused;
    score.tried++;
    if ((theirs[i] === undefined) === (ours[i] === undefined)) {
      score.agreed++;
      return;
    }
    const list = differences.get(sample.entry) ?? [];
    list.push(
      theirs[i] === undefined
        ? `ptxas accepts   ${sample.text}\n      we say ${ours[i]}`
        : `ptxas refuses   ${sample.text}\n      it says ${theirs[i]}`,
    );
    differences.set(sample.entry, list);
  });
}

console.log(`seed ${seed}\ninstruction tables, .version ${version}, .target ${target}`);
const here = (gate: { isa?: string; sm?: number; only?: string }): boolean =>
  versionRank(gate.isa ?? '1.0') <= versionRank(version) &&
  (gate.sm ?? 0) <= (smNumber(target) ?? 0) &&
  (gate.only === undefined || hasSpecific(target, gate.only));
let batch: Sample[] = [];
for (const entry of instructionEntries()) {
  if (skipped.has(entry.opcode) || (only !== '' && entry.opcode !== only)) continue;
  const vocabulary = [...new Set(compiledForms(entry).flatMap((form) => [...form.modifiers.vocabulary]))];
  for (const [sample, form] of samplesOf(entry, numberOption('cap', 40), random)) {
    if (form.gates.every(here)) batch.push(sample);
    for (let k = 0; k < numberOption('mutants', 1) * times; k++)
      batch.push(mutate(sample, vocabulary, random));
    if (batch.length >= batchSize) {
      compare(batch);
      batch = [];
    }
  }
}
compare(batch);
rmSync(folder, { recursive: true });

let shown = 0;
for (const [entry, list] of [...differences].sort((a, b) => b[1].length - a[1].length)) {
  console.log(`${entry}: ${list.length} differences`);
  for (const text of list.slice(0, 6)) if (shown++ < numberOption('show', 60)) console.log(`    ${text}`);
}
const share = ({ tried, agreed }: Score): string =>
  `${agreed} of ${tried} (${((100 * agreed) / Math.max(1, tried)).toFixed(2)} %)`;
console.log(`accepted by ptxas: ${share(accepted)} agree; refused by ptxas: ${share(refused)} agree`);
process.exitCode = differences.size === 0 ? 0 : 1;
