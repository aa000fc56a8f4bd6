import { OperandFlag, type Function } from '../ir/function.js';

/**
 * Where each virtual register occurs: an index from registers to operands, made in two linear passes (a counting
 * sort), so that whatever asks about one register looks at that register's operands only.
 */
export interface Occurrences {
  /** The occurrences of register r are numbers `start[r] .. start[r + 1]` of the arrays below, in text order. */
  readonly start: Int32Array;
  readonly operand: Int32Array;
  readonly instruction: Int32Array;
  /** Block of each instruction (not of each occurrence). */
  readonly blockOf: Int32Array;
}

export function occurrencesOf(f: Function): Occurrences {
  const { registerCount, instructionCount, operandStart, operandPlace } = f;
  const start = new Int32Array(registerCount + 1);
  const operands = operandStart[instructionCount];
  for (let o = 0; o < operands; o++) if (operandPlace[o] >= 0) start[operandPlace[o] + 1]++;
  for (let r = 0; r < registerCount; r++) start[r + 1] += start[r];
  const operand = new Int32Array(start[registerCount]);
  const instruction = new Int32Array(start[registerCount]);
  for (let i = 0; i < instructionCount; i++) {
    for (let o = operandStart[i]; o < operandStart[i + 1]; o++) {
      if (operandPlace[o] < 0) continue;
      const at = start[operandPlace[o]]++;
      operand[at] = o;
      instruction[at] = i;
    }
  }
  // each start has moved on to the next one
  start.copyWithin(1, 0, registerCount);
  start[0] = 0;
  return { start, operand, instruction, blockOf: blocksOfInstructions(f) };
}

export function blocksOfInstructions(f: Pick<Function, 'blockCount' | 'blockStart'>): Int32Array {
  const blockOf = new Int32Array(f.blockStart[f.blockCount]);
  for (let b = 0; b < f.blockCount; b++) blockOf.fill(b, f.blockStart[b], f.blockStart[b + 1]);
  return blockOf;
}

/**
 * True for an operand after which nothing of the register's old value is left: a definition that is neither
 * predicated nor partial and that writes the whole width.
 */
export function kills(f: Function, operand: number): boolean {
  const flags = f.operandFlags[operand];
  return (
    (flags & OperandFlag.Definition) !== 0 &&
    (flags & (OperandFlag.Partial | OperandFlag.Predicated)) === 0 &&
    f.operandWidth[operand] >= f.registerWidth[f.operandPlace[operand]]
  );
}

export const isUse = (f: Function, operand: number): boolean =>
  (f.operandFlags[operand] & OperandFlag.Use) !== 0;

export const isDefinition = (f: Function, operand: number): boolean =>
  (f.operandFlags[operand] & OperandFlag.Definition) !== 0;
