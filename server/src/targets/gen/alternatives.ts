import type { Alternative } from '../target.js';
import type { GenCompilation, StrategyName } from './compilation.js';
import { registerBound } from './limits.js';
import { platformNames } from './platforms.js';

const strategies: readonly StrategyName[] = ['best', 'i965', 'beignet'];
/** Parts of the register file: what a pool, or a thread of a machine with half the file, would leave. */
const limits = [32, 48, 64, 80, 96, 112, 128];

/** Platforms, dispatch widths where the back-end chooses them, back-ends, and parts of the register file. */
export function alternatives({ source, program, code, strategy, stats }: GenCompilation): Alternative[] {
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
  const { most } = registerBound(source, program.platform);
  const values = [...new Set([...limits, stats.limit, most])]
    .filter((limit) => limit <= most)
    .sort((a, b) => a - b);
  // the most is what holds when nothing is set
  const registers = values.map((limit): Alternative => ({
    ...one(
      'register limit',
      String(limit),
      { maxRegisters: limit === most ? undefined : limit },
      limit === stats.limit,
    ),
    isOnScale: true,
  }));
  return [...platforms, ...widths, ...backEnds, ...(registers.length > 1 ? registers : [])];
}
