import type { BlockTask } from '../graph.js';
import type { BlockSchedule } from '../word.js';
import { emit } from './emit.js';
import { flatten } from './flat-block.js';
import { newScheduler, schedule } from './list.js';
import { byHeight } from './priorities.js';

export function scheduleBlock(task: BlockTask): BlockSchedule {
  const block = flatten(task);
  const scheduler = newScheduler(block);
  const length = schedule(scheduler, byHeight(block), 1e9);
  if (length < 0) throw new Error('gave up');
  return emit(scheduler.state, length);
}
