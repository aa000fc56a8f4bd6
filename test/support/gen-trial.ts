import { checkAllocation, checkSchedule } from '../../server/src/targets/gen/check/index.js';
import type { StrategyName } from '../../server/src/targets/gen/compilation.js';
import type { Program } from '../../server/src/targets/gen/program.js';
import { compare, type CompareOptions } from '../../server/src/targets/gen/simulate/compare.js';
import { strategies } from '../../server/src/targets/gen/strategies.js';
import { Random } from '../search/random.js';
import { randomProgram } from './random-gen.js';
import { assemble, smaller, type RandomProgram, type Shape } from './random-gen-tree.js';

/** One random program through one strategy: what is wrong with what comes out. */
export interface Trial {
  /** In words; undefined: nothing. */
  readonly fault?: string;
  readonly isAllocated: boolean;
  /** Scratch messages of the allocator's own. */
  readonly messages: number;
}

const STEPS = 3000;

/**
 * The shape of a seed. Sizes vary, so that some programs fit their registers and some need many spills; most are
 * small, since a fault that needs a large program is rare and a run of many small ones finds more. A large one takes
 * ten times as long as a small one.
 */
export function shapeOf(seed: number, dialect: Program['dialect'], width: 8 | 16, largeShare = 0.04): Shape {
  const random = new Random(seed ^ 0x5eed);
  const isLarge = random.chance(largeShare);
  const registers = isLarge ? 6 + random.below(7) : 2 + random.below(3);
  const statements = isLarge ? 8 + random.below(20) : 2 + random.below(5);
  const perValue = width / 8;
  // Messages and the operands of one instruction must fit whatever else is spilled; the pool takes eight.
  const least = dialect === 'vec4' ? 5 : dialect === 'scalar' ? 7 * perValue : 8 + 2 * perValue;
  const most = least + registers * perValue;
  return { dialect, width, registers, statements, room: least + random.below(Math.max(1, most - least)) };
}

export function tryProgram(source: Program, strategy: StrategyName, seed: number): Trial {
  const options: CompareOptions = { seeds: [seed], steps: STEPS };
  const { prepare, allocate, finish } = strategies[strategy][source.dialect];
  const prepared = prepare?.(source) ?? source;
  const wrong = (fault: string): Trial => ({ fault, isAllocated: true, messages: 0 });
  const { allocation, lowered } = allocate(prepared, {});
  if (allocation.kind === 'refused') return { isAllocated: false, messages: 0 };
  const refuted = checkAllocation(lowered, allocation, { most: 1 });
  if (refuted.length > 0) return wrong(`allocation: ${refuted[0].message}`);
  // A program that is made for another width is another program.
  const reference = lowered.width === source.width ? source : lowered;
  let code = allocation.code;
  // Scheduling takes as long as everything else together, and has a search of its own in every fourth program.
  if (seed % 4 === 0) for (const pass of finish) code = pass(code);
  const moved = checkSchedule(allocation.code, code, { most: 1 });
  if (moved.length > 0) return wrong(`schedule: ${moved[0].message}`);
  const different = compare(reference, code, options);
  if (different !== undefined)
    return wrong(`execution: ${different.message} (code ${different.instruction})`);
  const messages = code.instructions.filter(
    ({ opcode, origin }) => opcode.scratch !== undefined && origin < 0,
  ).length;
  return { isAllocated: true, messages };
}

/** As `tryProgram`; an exception is a fault, too. */
export function tryMade(made: RandomProgram, strategy: StrategyName, seed: number): Trial {
  try {
    return tryProgram(assemble(made), strategy, seed);
  } catch (error) {
    return {
      fault: `throws: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      isAllocated: true,
      messages: 0,
    };
  }
}

export const programOf = (seed: number, shape: Shape): RandomProgram =>
  randomProgram(new Random(seed), shape);

/** The smallest program found that still fails in the same way (allocation, schedule, execution, throws). */
export function shrink(
  made: RandomProgram,
  strategy: StrategyName,
  seed: number,
  attempts = 2000,
): { made: RandomProgram; fault: string } {
  const kindOf = (fault: string | undefined): string => fault?.split(':')[0] ?? '';
  let best = made;
  let fault = tryMade(made, strategy, seed).fault ?? '';
  let left = attempts;
  for (let found = true; found && left > 0;) {
    found = false;
    for (const candidate of smaller(best)) {
      if (--left <= 0) break;
      const trial = tryMade(candidate, strategy, seed);
      if (kindOf(trial.fault) !== kindOf(fault) || trial.fault === undefined) continue;
      best = candidate;
      fault = trial.fault;
      found = true;
      break;
    }
  }
  return { made: best, fault };
}
