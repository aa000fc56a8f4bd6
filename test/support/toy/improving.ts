import type { Compilation, Target } from '../../../server/src/targets/target.js';
import { toyTarget } from './target.js';

/**
 * A toy machine that has a better program for every function with a stall: the same one without stalls, found after
 * one step for each instruction. It tells of every step, so that tests can count them.
 */
export function improvingToy(onStep: () => void = () => undefined): Target {
  return {
    ...toyTarget,
    *compileInSteps(source, options): Generator<undefined, Compilation> {
      for (let i = 0; i < source.instructionCount; i++) yield undefined;
      return toyTarget.compile(source, options);
    },
    *improve(quick: Compilation): Generator<undefined, Compilation> {
      for (let i = 0; i < quick.source.instructionCount; i++) {
        onStep();
        yield undefined;
      }
      if (quick.stalls.length === 0) return quick;
      const { instructions } = quick.stats;
      return {
        ...quick,
        stalls: [],
        stats: { ...quick.stats, cycles: instructions, stallCycles: 0 },
        problems: [
          ...quick.problems,
          {
            code: 'stall/long',
            severity: 'hint',
            span: { start: quick.source.nameStart, end: quick.source.nameEnd },
            message: 'no stalls are left',
          },
        ],
      };
    },
  };
}
