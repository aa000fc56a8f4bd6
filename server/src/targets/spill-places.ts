import type { Function } from '../ir/function.js';
import { isDefinition } from '../passes/occurrences.js';
import type { RelatedPlace } from '../text/problem.js';
import { span, type Span } from '../text/span.js';
import type { Spill } from './target.js';

/** Places in the source that findings about spills point at, the same for every machine. */
export const instructionSpan = (f: Function, instruction: number): Span =>
  instruction < 0 ? span(f.nameStart, f.nameEnd) : span(f.spanStart[instruction], f.spanEnd[instruction]);

/** The operand that first writes the register, or the instruction where that is not known. */
export function spilledAt(f: Function, { register, stores, peakInstruction }: Spill): Span {
  const i = stores.length > 0 ? stores[0] : peakInstruction;
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
    if (f.operandPlace[o] === register && isDefinition(f, o) && f.operandSpanStart[o] >= 0)
      return span(f.operandSpanStart[o], f.operandSpanEnd[o]);
  return instructionSpan(f, i);
}

/** Reloads that a finding names. */
const MOST_RELOADS = 8;

/** Why a register was spilled, and where it is reloaded. */
export const spillPlaces = (f: Function, spill: Spill): RelatedPlace[] => [
  {
    span: instructionSpan(f, spill.peakInstruction),
    message: 'the pressure that it had to give way to',
  },
  ...spill.reloads.slice(0, MOST_RELOADS).map((i) => ({
    span: instructionSpan(f, i),
    message: `${f.registerNames[spill.register]} is reloaded before this`,
  })),
];
