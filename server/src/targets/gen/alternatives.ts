import type { Alternative } from '../target.js';
import type { GenCompilation, StrategyName } from './compilation.js';
import { platformNames } from './platforms.js';

const strategies: readonly StrategyName[] = ['best', 'i965', 'beignet'];
/** Parts of the register file: what a pool, or a thread of a machine with half the file, would leave. */
const limits = [32, 48, 64, 80, 96, 112, 128];

/** Platforms, dispatch widths where the back-end chooses them, back-ends, and parts of the register file. */
export function alternatives({ program, code, strategy, options, stats }: GenCompilation): Alternative[] {
  const one = (
    group: string,
    name: string,
    set: Alternative['options'],
    isPresent: boolean,
  ): Alternative => ({
    group,
    name,
    options: set,
    isPresent,
  });
  const platforms = platformNames.map((name) =>
    one('platform', name, { platform: name }, name === program.platform.name),
  );
  // what is allocated already is only looked at
  if (program.phase !== 'virtual') return platforms;
  const width = code?.width ?? program.width;
  const widths =
    program.dialect === 'selection'
      ? ['8', '16'].map((name) => one('dispatch width', name, { width: name }, name === String(width)))
      : [];
  const backEnds = strategies.map((name) => one('back-end', name, { strategy: name }, name === strategy));
  const values = [...new Set([...limits, stats.limit])].sort((a, b) => a - b);
  const registers = values
    .filter((limit) => limit <= program.registerLimit || limit === stats.limit)
    .map((limit): Alternative => ({
      ...one('register limit', String(limit), { maxRegisters: limit }, limit === stats.limit),
      isOnScale: true,
    }));
  const isWhole = options.maxRegisters === undefined;
  return [...platforms, ...widths, ...backEnds, ...registers.map((row) => undoing(row, isWhole))];
}

/** The value that holds when nothing is set is chosen by setting nothing. */
const undoing = (row: Alternative, isWhole: boolean): Alternative =>
  row.isPresent && isWhole ? { ...row, options: { maxRegisters: undefined } } : row;
