import { gpir } from '../../server/src/languages/gpir/index.js';
import { maliGp, type GpCompilation } from '../../server/src/targets/mali-gp/index.js';
import type { TargetOptions } from '../../server/src/targets/target.js';
import { defaultSettings, type Settings } from '../../server/src/workspace/settings.js';
import type { Snapshot } from '../../server/src/workspace/snapshot.js';
import { snapshotOf } from './snapshot.js';

export const gpirSnapshot = (text: string, settings: Partial<Settings> = {}): Snapshot =>
  snapshotOf(text, gpir, maliGp, { settings: { ...defaultSettings, ...settings } });

/** The quick compilation of a text of one program. */
export function compileGpir(text: string, options: TargetOptions = {}): GpCompilation {
  const source = gpirSnapshot(text).units.find((unit) => unit.function !== undefined)?.function;
  if (source === undefined) throw new Error('the text holds no program');
  return maliGp.compile(source, options);
}

/** What the search for a better program ends in. */
export function improved(compilation: GpCompilation): GpCompilation {
  const search = maliGp.improve?.(compilation);
  for (let step = search?.next(); step !== undefined; step = search?.next()) if (step.done) return step.value;
  return compilation;
}
