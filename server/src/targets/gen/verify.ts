import type { Violation } from '../../passes/check-allocation.js';
import { checkAllocation, checkSchedule } from './check/index.js';
import type { GenCompilation } from './compilation.js';
import type { Program } from './program.js';
import { compare } from './simulate/compare.js';

/**
 * The compiled program against its source, three ways: a proof that each read finds the value that the source means,
 * a proof that scheduling kept the order of what depends on each other, and both executed on the same inputs. None
 * shares code with allocators or schedulers.
 */
const MOST = 20;
const RUNS = { seeds: [1, 2], steps: 20_000 };

export function verify({ program, lowered, allocation, code }: GenCompilation): Violation[] {
  if (allocation === undefined || code === undefined) return [];
  const proven = checkAllocation(lowered, allocation, { most: MOST });
  if (proven.length > 0) return proven;
  const kept = checkSchedule(allocation.code, code, { most: MOST });
  if (kept.length > 0) return kept;
  return executed(program, code);
}

function executed(program: Program, code: Program): Violation[] {
  // a program of another width handles other lanes
  if (program.width !== code.width) return [];
  const difference = compare(program, code, RUNS);
  if (difference === undefined) return [];
  const { instruction, message } = difference;
  const origin = instruction < 0 ? -1 : code.instructions[instruction].origin;
  return [{ instruction: origin, code: instruction, message }];
}
