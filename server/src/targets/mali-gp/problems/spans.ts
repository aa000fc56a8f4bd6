/** Places in the source that findings point at. */
import type { Function } from '../../../ir/function.js';
import { isDefinition } from '../../../passes/occurrences.js';
import { span, type Span } from '../../../text/span.js';
import type { Compiled } from './index.js';

export const nameSpan = (f: Function): Span => span(f.nameStart, f.nameEnd);

export const instructionSpan = (f: Function, instruction: number): Span =>
  span(f.spanStart[instruction], f.spanEnd[instruction]);

/** The operand that an instruction defines, or the instruction. */
export function resultSpan(f: Function, instruction: number): Span {
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++)
    if (isDefinition(f, o) && f.operandSpanStart[o] >= 0)
      return span(f.operandSpanStart[o], f.operandSpanEnd[o]);
  return instructionSpan(f, instruction);
}

/** The program's name for its only block, else the block's first instruction. */
export function blockSpan({ source, blocks }: Compiled, block: number): Span {
  const first = blocks[block].task.block.sources.find((b) => source.blockStart[b] < source.blockStart[b + 1]);
  if (blocks.length === 1 || first === undefined) return nameSpan(source);
  return instructionSpan(source, source.blockStart[first]);
}

/** `%x`, or the text of the operation that computes a part of something. */
export function valueName(f: Function, instruction: number): string {
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++)
    if (f.operandPlace[o] >= 0 && isDefinition(f, o)) return f.registerNames[f.operandPlace[o]];
  return `a value of ${f.opcodes.text(f.opcode[instruction])}`;
}
