import { basename, join } from 'node:path';
import { architectureOf, machine } from '../../server/src/targets/nvidia/architectures.js';
import { occupancyOf } from '../../server/src/targets/nvidia/occupancy.js';
import type { Stats, TargetOptions } from '../../server/src/targets/target.js';
import { rowsOf } from '../../test/support/corpus.js';
import { open } from './documents.js';

/** One kernel on one architecture under one limit: ours and ptxas's. */
export interface KernelRow {
  /** What the sources of one author's idea share: the file's name up to the first `-` or `.`. */
  readonly family: string;
  readonly file: string;
  readonly kernel: string;
  readonly generation: Generation;
  readonly arch: string;
  /** `def`, or `r32`, `r64` with `--maxrregcount`. */
  readonly configuration: string;
  readonly theirs: number;
  readonly ours: number;
  readonly low: number;
  readonly high: number;
  readonly theySpill: boolean;
  readonly weSpill: boolean;
  /** Whether registers limit the occupancy, at the launch bounds of the source or 256 threads a block. */
  readonly theirsLimits: boolean;
  readonly oursLimits: boolean;
}

/** sm_75, which allocates tightly, and what came after it are judged apart. */
export type Generation = 'sm_75' | 'sm_80+';
export const generations: readonly Generation[] = ['sm_75', 'sm_80+'];

const limits: Readonly<Record<string, number>> = { r32: 32, r64: 64 };

/** Compiles every entry that the folder's `ptxas.tsv` lists and that ptxas accepted. */
export function kernelRows(
  folder: string,
  options: TargetOptions = {},
  wanted: (configuration: string) => boolean = () => true,
): KernelRow[] {
  const rows: KernelRow[] = [];
  let openFile = '';
  let document: ReturnType<typeof open> | undefined;
  for (const row of rowsOf(join(folder, 'ptxas.tsv'))) {
    if (row.is_entry !== '1' || row.regs === '' || (row.rc ?? '0') !== '0' || !wanted(row.cfg)) continue;
    if (document === undefined || row.file !== openFile) document = open(join(folder, row.file));
    openFile = row.file;
    const unit = document.units.find((each) => each.function?.isEntry && each.function.name === row.kernel);
    if (unit?.function === undefined) continue;
    const limit = row.cfg in limits ? { maxRegisters: limits[row.cfg] } : {};
    const { stats } = document.target.compile(
      unit.function,
      { ...options, arch: row.arch, ...limit },
      document,
    );
    const ours = stats.registers.general ?? 0;
    const theirs = Number(row.regs);
    rows.push({
      family: basename(row.file).split(/[-.]/)[0],
      file: row.file,
      kernel: row.kernel,
      generation: row.arch === 'sm_75' ? 'sm_75' : 'sm_80+',
      arch: row.arch,
      configuration: row.cfg,
      theirs,
      ours,
      low: stats.registersRange?.[0] ?? ours,
      high: stats.registersRange?.[1] ?? ours,
      theySpill: Number(row.spill_store) > 0,
      weSpill: stats.spills.stores > 0,
      theirsLimits: registersLimit(row.arch, theirs, stats, Number(row.smem)),
      oursLimits: registersLimit(row.arch, ours, stats, Number(row.smem)),
    });
  }
  return rows;
}

function registersLimit(arch: string, registers: number, stats: Stats, sharedBytes: number): boolean {
  const architecture = architectureOf(arch);
  if (architecture === undefined) return false;
  const threads = Math.min(stats.occupancy?.threads ?? 256, machine.maxThreadsPerBlock);
  const launch = { registers, threads, threadsAssumed: false, sharedBytes };
  return occupancyOf(architecture, launch).limitedBy === 'registers';
}

/**
 * Rows of one kernel (one generation, one configuration) as one case: the same source at several architectures or
 * from several files of a name says one thing.
 */
export function casesOf(rows: readonly KernelRow[]): KernelRow[][] {
  const groups = new Map<string, KernelRow[]>();
  for (const row of rows) {
    const source = basename(row.file)
      .split('.')[0]
      .replace(/_sm\d+.*$/, '');
    const key = `${row.generation} ${row.configuration} ${source} ${row.kernel}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else if (!group.some((other) => other.arch === row.arch)) group.push(row);
  }
  return [...groups.values()];
}
