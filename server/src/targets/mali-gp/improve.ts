/**
 * Better schedules than the quick ones, block by block, the one with most words above its bound first: there is most
 * to gain. Bounded by the scheduler's steps, so that the same compilation always ends in the same one.
 */
import { assemble } from './compile.js';
import type { GpCompilation } from './compilation.js';
import { improveBlock } from './schedule/index.js';

export function* improve(compilation: GpCompilation): Generator<undefined, GpCompilation> {
  const { parts, blocks } = compilation;
  if (compilation.options['effort'] === 'quick') return compilation;
  const excess = blocks.map(({ schedule, bound }) => schedule.words.length - bound.words);
  const order = excess.map((_, b) => b).sort((a, b) => excess[b] - excess[a] || a - b);
  const schedules = parts.schedules.slice();
  for (const b of order) {
    if (excess[b] <= 0 || schedules[b].failed !== undefined) continue;
    schedules[b] = yield* improveBlock(blocks[b].task, schedules[b], { bound: blocks[b].bound.words });
  }
  if (schedules.every((schedule, b) => schedule === parts.schedules[b])) return compilation;
  yield undefined;
  return assemble({ ...parts, schedules });
}
