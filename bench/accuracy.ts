import { join } from 'node:path';
import { mechanisms } from '../server/src/targets/nvidia/code/code.js';
import { casesOf, generations, kernelRows, type Generation, type KernelRow } from './support/kernel-rows.js';
import { referenceInputs } from './support/reference-inputs.js';
import { f1, mean, rankCorrelation } from './support/statistics.js';
import { quantile, table } from './support/table.js';

/**
 * Ours beside what ptxas 13.0.88 reports for each kernel of the reference inputs, and what each mechanism of the
 * model is worth. A kernel at several architectures is one case (its errors averaged). `SPILLWAY_KERNELS` may name
 * a further folder with a `ptxas.tsv` of the same columns.
 */
const setsOf = (folder: string): readonly (readonly [name: string, folder: string])[] => [
  ['generated', join(folder, 'generated')],
  ['dev', join(folder, 'dev')],
  ...(process.env.SPILLWAY_KERNELS === undefined ? [] : [['further', process.env.SPILLWAY_KERNELS] as const]),
];

const relative = (row: KernelRow): number => Math.abs(row.ours - row.theirs) / row.theirs;
const isWithin = (row: KernelRow): boolean =>
  Math.abs(row.ours - row.theirs) <= Math.max(2, 0.1 * row.theirs);
const percent = (cases: readonly KernelRow[][], holds: (row: KernelRow) => boolean): number =>
  100 * mean(cases.map((group) => mean(group.map((row) => (holds(row) ? 1 : 0)))));

interface Figures {
  readonly kernels: number;
  readonly median: number;
  readonly p90: number;
  readonly within: number;
  readonly bias: number;
  readonly rank: number;
  readonly f1At32: number;
  readonly f1At64: number;
  readonly limits: number;
  readonly inRange: number;
}

function figuresOf(rows: readonly KernelRow[]): Figures {
  const free = casesOf(rows.filter((row) => row.configuration === 'def'));
  const errors = free.map((group) => mean(group.map(relative)));
  const spilling = (configuration: string): number =>
    f1(
      rows
        .filter((row) => row.configuration === configuration)
        .map((row) => ({ predicted: row.weSpill, actual: row.theySpill })),
    );
  return {
    kernels: free.length,
    median: 100 * quantile(errors, 0.5),
    p90: 100 * quantile(errors, 0.9),
    within: percent(free, isWithin),
    bias: 100 * mean(free.map((group) => mean(group.map((row) => (row.ours - row.theirs) / row.theirs)))),
    rank: rankCorrelation(
      free.map((group) => mean(group.map((row) => row.ours))),
      free.map((group) => mean(group.map((row) => row.theirs))),
    ),
    f1At32: spilling('r32'),
    f1At64: spilling('r64'),
    limits: percent(free, (row) => row.oursLimits === row.theirsLimits),
    inRange: percent(free, (row) => row.low <= row.theirs && row.theirs <= row.high),
  };
}

const head = [
  'architecture',
  'kernels',
  'median %',
  'p90 %',
  'within max(2, 10 %) %',
  'bias %',
  'rank corr.',
  'F1 at 32',
  'F1 at 64',
  'limits occupancy %',
  'in range %',
];
const cells = (generation: Generation, f: Figures): (string | number)[] => [
  generation,
  f.kernels,
  f.median,
  f.p90,
  f.within,
  f.bias,
  f.rank,
  f.f1At32,
  f.f1At64,
  f.limits,
  f.inRange,
];

const ofGeneration = (rows: readonly KernelRow[], generation: Generation): KernelRow[] =>
  rows.filter((row) => row.generation === generation);

/** What the issue of the model asks for, on `dev`. Where a figure misses it, the bench ends with 1. */
const gates: readonly (readonly [name: string, holds: (f: Figures, generation: Generation) => boolean])[] = [
  ['median error at most 9 %', (f) => f.median <= 9],
  ['within max(2, 10 %) at least 65 %', (f) => f.within >= 65],
  ['rank correlation at least 0.95', (f) => f.rank >= 0.95],
  ['F1 of spilling at 32 at least 0.80', (f) => f.f1At32 >= 0.8],
  ['F1 of spilling at 64 at least 0.80', (f) => f.f1At64 >= 0.8],
  [
    '"registers limit occupancy" right for at least 88 % on sm_80+',
    (f, generation) => generation === 'sm_75' || f.limits >= 88,
  ],
];

export function accuracy(): void {
  const folder = referenceInputs('accuracy', 'ptx');
  if (folder === undefined) return;
  const summary: (string | number)[][] = [];
  for (const [name, path] of setsOf(folder)) {
    const rows = kernelRows(path);
    console.log(`accuracy, ${name}: by family, registers without a limit`);
    console.log(familyTable(rows));
    console.log();
    for (const generation of generations) {
      const own = ofGeneration(rows, generation);
      if (own.length === 0) continue;
      const figures = figuresOf(own);
      summary.push([name, ...cells(generation, figures)]);
      if (name !== 'dev') continue;
      for (const [gate, holds] of gates) {
        if (holds(figures, generation)) continue;
        console.log(`missed on ${generation}: ${gate}`);
        process.exitCode = 1;
      }
    }
  }
  console.log('accuracy against ptxas 13.0.88: registers without a limit; F1 of spilling by limit');
  console.log(table(['set', ...head], summary));
}

function familyTable(rows: readonly KernelRow[]): string {
  const families = [...new Set(rows.map(({ family }) => family))].sort();
  return table(
    ['family', ...head.slice(0, 6)],
    families.flatMap((family) =>
      generations.flatMap((generation) => {
        const own = ofGeneration(rows, generation).filter((row) => row.family === family);
        return own.length === 0 ? [] : [[family, ...cells(generation, figuresOf(own)).slice(0, 6)]];
      }),
    ),
  );
}

/** Each kernel by itself: ours/theirs by architecture, the worst first; then those whose spilling is told wrong. */
export function kernels(): void {
  const folder = referenceInputs('kernels', 'ptx');
  if (folder === undefined) return;
  for (const [name, path] of setsOf(folder)) {
    console.log(`${name}: registers of each kernel without a limit, ours / ptxas by architecture`);
    const rows = kernelRows(path);
    const cases = casesOf(rows.filter(({ configuration }) => configuration === 'def'));
    const errorOf = (group: readonly KernelRow[]): number => mean(group.map(relative));
    for (const group of cases.sort((a, b) => errorOf(b) - errorOf(a))) {
      const figures = group.map((row) => `${row.arch} ${row.ours}/${row.theirs}`).join('  ');
      console.log(`  ${(100 * errorOf(group)).toFixed(0)} % ${group[0].file} ${group[0].kernel}: ${figures}`);
    }
    console.log(
      `\n${name}: kernels whose spilling under a limit is told wrong, ours / ptxas without a limit`,
    );
    for (const row of rows) {
      if (row.weSpill === row.theySpill) continue;
      const free = rows.find(
        (other) =>
          other.configuration === 'def' &&
          other.file === row.file &&
          other.kernel === row.kernel &&
          other.arch === row.arch,
      );
      const verdict = row.weSpill ? 'spills with us alone' : 'spills in ptxas alone';
      console.log(
        `  ${row.configuration} ${row.file} ${row.kernel} ${row.arch}: ${verdict}, ${free?.ours}/${free?.theirs}`,
      );
    }
  }
}

/** The summary with each mechanism of the model left out. */
export function ablation(): void {
  const folder = referenceInputs('ablation', 'ptx');
  if (folder === undefined) return;
  const rows: (string | number)[][] = [];
  for (const without of ['', ...mechanisms]) {
    const measured = kernelRows(join(folder, 'dev'), without === '' ? {} : { without });
    for (const generation of generations)
      rows.push([
        without === '' ? 'all' : `without ${without}`,
        ...cells(generation, figuresOf(ofGeneration(measured, generation))),
      ]);
  }
  console.log('ablation on dev: the model with one mechanism left out');
  console.log(table(['model', ...head], rows));
}
