import { basename, join } from 'node:path';
import { rowsOf } from '../test/support/corpus.js';
import { open } from './support/documents.js';
import { referenceInputs } from './support/reference-inputs.js';
import { f1, rankCorrelation } from './support/statistics.js';
import { quantile, table } from './support/table.js';

/**
 * Ours beside ptxas's registers for each kernel of the reference inputs. A kernel at several architectures is one
 * case (its errors averaged); sm_75, which allocates tightly, and sm_80 and newer are judged apart. A kernel that
 * stands in several files counts once.
 */
interface Row {
  readonly family: string;
  readonly kernel: string;
  readonly generation: 'sm_75' | 'sm_80+';
  readonly arch: string;
  readonly configuration: string;
  readonly theirs: number;
  readonly ours: number;
  readonly theySpill: boolean;
  readonly weSpill: boolean;
}

const limits: Readonly<Record<string, number>> = { r32: 32, r64: 64 };

function measure(folder: string): Row[] {
  const rows: Row[] = [];
  const documents = new Map<string, Map<string, ReturnType<typeof open>['units'][number]>>();
  for (const row of rowsOf(join(folder, 'ptxas.tsv'))) {
    if (row.is_entry !== '1' || row.regs === '' || (row.rc ?? '0') !== '0') continue;
    let units = documents.get(row.file);
    if (units === undefined) {
      const document = open(join(folder, row.file));
      units = new Map(
        document.units.flatMap((unit) => (unit.function?.isEntry ? [[unit.function.name, unit]] : [])),
      );
      documents.set(row.file, units);
    }
    const unit = units.get(row.kernel);
    if (unit?.function === undefined) continue;
    const compilation = documentTarget(row.file, folder).compile(unit.function, {
      arch: row.arch,
      ...(row.cfg in limits ? { maxRegisters: limits[row.cfg] } : {}),
    });
    rows.push({
      family: basename(row.file).split('.')[0],
      kernel: row.kernel,
      generation: row.arch === 'sm_75' ? 'sm_75' : 'sm_80+',
      arch: row.arch,
      configuration: row.cfg,
      theirs: Number(row.regs),
      ours: compilation.stats.registers.general ?? 0,
      theySpill: Number(row.spill_store) > 0,
      weSpill: compilation.stats.spills.registers > 0,
    });
  }
  return rows;
}

const targets = new Map<string, ReturnType<typeof open>['target']>();
function documentTarget(file: string, folder: string): ReturnType<typeof open>['target'] {
  let target = targets.get('ptx');
  if (target === undefined) {
    target = open(join(folder, file)).target;
    targets.set('ptx', target);
  }
  return target;
}

/** Rows of one kernel (one generation, one configuration) as one case. */
function cases(rows: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.generation} ${row.configuration} ${row.family.replace(/_sm\d+.*$/, '')} ${row.kernel}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else if (!group.some((other) => other.arch === row.arch)) group.push(row);
  }
  return [...groups.values()];
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const relative = (row: Row): number => Math.abs(row.ours - row.theirs) / row.theirs;
const within = (row: Row): boolean => Math.abs(row.ours - row.theirs) <= Math.max(2, 0.1 * row.theirs);

function summary(name: string, rows: readonly Row[]): (string | number)[][] {
  return (['sm_75', 'sm_80+'] as const).flatMap((generation) => {
    const own = rows.filter((row) => row.generation === generation);
    const free = cases(own.filter((row) => row.configuration === 'def'));
    if (free.length === 0) return [];
    const errors = free.map((group) => mean(group.map(relative)));
    const spill = (configuration: string): number =>
      f1(
        own
          .filter((row) => row.configuration === configuration)
          .map((row) => ({ predicted: row.weSpill, actual: row.theySpill })),
      );
    return [
      [
        name,
        generation,
        free.length,
        100 * quantile(errors, 0.5),
        100 * quantile(errors, 0.9),
        100 * mean(free.map((group) => mean(group.map((row) => (within(row) ? 1 : 0))))),
        rankCorrelation(
          free.map((group) => mean(group.map((row) => row.ours))),
          free.map((group) => mean(group.map((row) => row.theirs))),
        ),
        spill('r32'),
        spill('r64'),
      ],
    ];
  });
}

export function accuracy(): void {
  const folder = referenceInputs('accuracy', 'ptx');
  if (folder === undefined) return;
  const sets = ['generated', 'dev'].map((name) => ({ name, rows: measure(join(folder, name)) }));
  for (const { name, rows } of sets) {
    console.log(`${name}: registers of each kernel without a limit, ours / ptxas by architecture`);
    for (const group of cases(rows.filter((row) => row.configuration === 'def'))) {
      const figures = group.map((row) => `${row.arch} ${row.ours}/${row.theirs}`).join('  ');
      console.log(`  ${group[0].family} ${group[0].kernel}: ${figures}`);
    }
  }
  console.log(
    '\naccuracy against ptxas 13.0.88: relative error of the register count without a limit; F1 of spilling by limit',
  );
  console.log(
    table(
      [
        'set',
        'architecture',
        'kernels',
        'median %',
        'p90 %',
        'within max(2, 10 %) %',
        'rank corr.',
        'F1 at 32',
        'F1 at 64',
      ],
      [
        ...sets.flatMap(({ name, rows }) => summary(name, rows)),
        ...summary(
          'all',
          sets.flatMap(({ rows }) => rows),
        ),
      ],
    ),
  );
}
