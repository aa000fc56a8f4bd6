/** Words that compute nothing, on the instruction that is behind them. */
import type { Problem } from '../../../text/problem.js';
import { count } from '../../../text/words.js';
import type { Compiled } from './index.js';
import { instructionSpan } from './spans.js';

/** The longest of a program, in words. */
const MOST = 8;

export function stallProblems({ source: f, stalls, model }: Compiled): Problem[] {
  return stalls
    .slice()
    .sort((a, b) => b.cycles - a.cycles || a.instruction - b.instruction)
    .slice(0, MOST)
    .map((stall) => ({
      code: 'stall/words',
      severity: 'hint',
      span: instructionSpan(f, stall.instruction),
      message: `${count(stall.cycles, 'word')} without an operation: ${stall.cause} (${model})`,
      ...(stall.producer >= 0 && {
        related: [{ span: instructionSpan(f, stall.producer), message: 'the producer' }],
      }),
    }));
}
