import { OperandFlag, type Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { isUse } from '../../../../passes/occurrences.js';
import type { MachineCode } from '../code.js';
import type { CodeWriter } from '../writer.js';
import { advanceOf, numberOf, type Advance, type CountedLoop } from './counted.js';

/**
 * Registers of a loop of one block that only count along: advanced once by a number, read by addresses and by the
 * loop's test alone. Copies of the loop read them with an offset, and one addition behind the last copy advances them.
 */
export class Advances {
  /** Additions that were not written yet, by register. */
  private readonly pending = new Map<number, number>();

  constructor(
    private readonly byInstruction: ReadonlyMap<number, Advance & { instruction: number }>,
    private readonly byRegister: ReadonlyMap<number, Advance & { instruction: number }>,
  ) {}

  /** Writes instruction `i` of a copy if it has to do with such registers. */
  write(code: MachineCode, writer: CodeWriter, i: number, isLast: boolean): boolean {
    const advance = this.byInstruction.get(i);
    if (advance !== undefined) {
      const count = (this.pending.get(advance.register) ?? 0) + 1;
      const isDue = isLast || count === MOST_PENDING;
      this.pending.set(advance.register, isDue ? 0 : count);
      if (isDue) writeAdvance(code, writer, advance, count);
      return true;
    }
    const { f } = code;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const found = (f.operandFlags[o] & OperandFlag.Address) !== 0 && this.byRegister.get(f.operandPlace[o]);
      if (!found) continue;
      const count = this.pending.get(found.register) ?? 0;
      if (count === 0) return false;
      writeAccess(code, writer, i, o, found, count);
      return true;
    }
    return false;
  }
}

/** Offsets are not gathered further than over so many copies: what an access executes stays short. */
const MOST_PENDING = 16;

export function advancesOf(f: Function, loop: CountedLoop): Advances | undefined {
  if (loop.blocks.length !== 1) return undefined;
  const [block] = loop.blocks;
  const byRegister = new Map<number, Advance & { instruction: number }>();
  const byInstruction = new Map<number, Advance & { instruction: number }>();
  for (let i = f.blockStart[block]; i < f.blockStart[block + 1]; i++) {
    const advance = advanceOf(f, i);
    if (advance === undefined) continue;
    if (byRegister.has(advance.register)) byRegister.delete(advance.register);
    else byRegister.set(advance.register, { ...advance, instruction: i });
  }
  for (let i = f.blockStart[block]; i < f.blockStart[block + 1] && byRegister.size > 0; i++) {
    let addresses = 0;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const register = f.operandPlace[o];
      const found = register >= 0 ? byRegister.get(register) : undefined;
      if (found === undefined || found.instruction === i || (i === loop.compare && register === loop.counter))
        continue;
      const isAddress = isUse(f, o) && (f.operandFlags[o] & OperandFlag.Address) !== 0;
      if (!isAddress || ++addresses > 1 || !hasPlainOffset(f, i, o)) byRegister.delete(register);
    }
  }
  for (const advance of byRegister.values()) byInstruction.set(advance.instruction, advance);
  return byRegister.size === 0 ? undefined : new Advances(byInstruction, byRegister);
}

/** Nothing but a number is added to the register, or nothing. */
function hasPlainOffset(f: Function, i: number, address: number): boolean {
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
    if (o === address || (f.operandFlags[o] & OperandFlag.Address) === 0) continue;
    if (o !== address + 1 || numberOf(f, o) === undefined) return false;
  }
  return true;
}

function executedBefore(
  { executesStart, executes }: MachineCode,
  instruction: number,
  count: number,
): number[] {
  const list: number[] = [];
  for (let k = 0; k < count; k++)
    for (let e = executesStart[instruction]; e < executesStart[instruction + 1]; e++) list.push(executes[e]);
  return list;
}

function writeAdvance(
  code: MachineCode,
  writer: CodeWriter,
  advance: Advance & { instruction: number },
  count: number,
): void {
  const { f } = code;
  const { instruction, register, stepOperand, amount } = advance;
  writer.head(instruction, executedBefore(code, instruction, count));
  writer.operand(f.operandStart[instruction], register);
  writer.plainOperand(register, OperandFlag.Use);
  writer.operand(stepOperand, NoRegister.Immediate, undefined, numbered(f, amount * BigInt(count)));
}

/** An access whose address is `count` steps ahead of the register. */
function writeAccess(
  code: MachineCode,
  writer: CodeWriter,
  i: number,
  address: number,
  { instruction, register, step, stepOperand }: Advance & { instruction: number },
  count: number,
): void {
  const { f, executesStart, executes } = code;
  const list = executedBefore(code, instruction, count);
  for (let k = executesStart[i]; k < executesStart[i + 1]; k++) list.push(executes[k]);
  writer.head(i, list);
  const hasOffset =
    address + 1 < f.operandStart[i + 1] && (f.operandFlags[address + 1] & OperandFlag.Address) !== 0;
  const offset = (hasOffset ? (numberOf(f, address + 1) ?? 0n) : 0n) + step * BigInt(count);
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
    if (hasOffset && o === address + 1) continue;
    if (o !== address) {
      writer.operand(o, f.operandPlace[o]);
      continue;
    }
    writer.plainOperand(register, f.operandFlags[o]);
    writer.operand(
      hasOffset ? o + 1 : stepOperand,
      NoRegister.Immediate,
      OperandFlag.Address,
      numbered(f, offset),
    );
  }
}

const numbered = (f: Function, value: bigint): number => f.operandTexts?.number(String(value)) ?? 0;
