import { InstructionFlag, OperandFlag, type Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { controlFlow } from '../../../../passes/cfg.js';
import { dominates, dominatorsOf } from '../../../../passes/dominators.js';
import { isDefinition, isUse, kills } from '../../../../passes/occurrences.js';
import { GENERAL, type MachineCode, type Modelled } from '../code.js';
import { fold } from '../fold/fold.js';
import { formsOf } from '../fold/forms.js';
import { CodeWriter } from '../writer.js';
import { operandText } from '../operands.js';
import { evaluate } from './evaluate.js';

/**
 * Constants computed before the program runs: counters of loops that were unrolled, and what follows from them. An
 * instruction whose operands are all known becomes a move of its result, which executes what it stands for: the
 * instructions that computed the operands, and its own. What reads it folds once more.
 */
export function constants(code: MachineCode, context: Modelled): MachineCode {
  const found = new Search(code).run();
  return found.size === 0 ? code : fold(rewritten(code, found), context);
}

/** Source instructions that a move may execute; longer chains end in a register that the next one starts from. */
const MOST_EXECUTED = 24;

interface Known {
  /** The source's register, and its bits. */
  readonly register: number;
  readonly value: bigint;
  readonly executes: readonly number[];
  /** By source register: the value it has after all that. */
  readonly after: ReadonlyMap<number, bigint>;
}

class Search {
  private readonly known = new Map<number, Known>();
  private readonly definer: Int32Array;
  private readonly blockOf: Int32Array;
  private readonly f: Function;

  constructor(private readonly code: MachineCode) {
    const { f } = code;
    this.f = f;
    this.blockOf = new Int32Array(f.instructionCount);
    this.definer = new Int32Array(f.registerCount).fill(-1);
    for (let b = 0; b < f.blockCount; b++) this.blockOf.fill(b, f.blockStart[b], f.blockStart[b + 1]);
    for (let i = 0; i < f.instructionCount; i++)
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
        const r = f.operandPlace[o];
        if (r < 0 || !isDefinition(f, o)) continue;
        this.definer[r] = this.definer[r] === -1 && kills(f, o) && !isUse(f, o) ? i : -2;
      }
  }

  /** By instruction: what it is known to compute; moves of written numbers are left as they are. */
  run(): Map<number, Known> {
    const { f } = this;
    const found = new Map<number, Known>();
    let dominators: ReturnType<typeof dominatorsOf> | undefined;
    const reaches = (from: number, to: number): boolean => {
      const [a, b] = [this.blockOf[from], this.blockOf[to]];
      return a === b ? from < to : dominates((dominators ??= dominatorsOf(controlFlow(f))), a, b);
    };
    for (let i = 0; i < f.instructionCount; i++) {
      if (!this.readsKnown(i)) continue;
      const result = this.resultOf(i);
      const computed = result < 0 ? undefined : this.compute(i, result, reaches);
      if (computed === undefined) continue;
      this.known.set(result, computed);
      if ((f.instructionFlags[i] & InstructionFlag.Constant) === 0) found.set(i, computed);
    }
    return found;
  }

  private readsKnown(i: number): boolean {
    const { f, known } = this;
    for (let o = f.operandStart[i] + 1; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 ? r !== NoRegister.Immediate : !known.has(r)) return false;
    }
    return f.operandStart[i] + 1 < f.operandStart[i + 1];
  }

  /** The one general register that `i` writes, if nothing else does, or -1. */
  private resultOf(i: number): number {
    const { f, definer } = this;
    const o = f.operandStart[i];
    if (o === f.operandStart[i + 1]) return -1;
    const r = f.operandPlace[o];
    if (r < 0 || definer[r] !== i || f.registerClass[r] !== GENERAL) return -1;
    return this.code.registerOrigin[r] < 0 ? -1 : r;
  }

  private compute(
    i: number,
    result: number,
    reaches: (from: number, to: number) => boolean,
  ): Known | undefined {
    const { f, code, definer } = this;
    const values: bigint[] = [];
    const parts: Known[] = [];
    for (let o = f.operandStart[i] + 1; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0) {
        const value = r === NoRegister.Immediate ? numberOf(f, o) : undefined;
        if (value === undefined) return undefined;
        values.push(value);
        continue;
      }
      const part = this.known.get(r);
      if (part === undefined || !isPlainRead(f, o) || !reaches(definer[r], i)) return undefined;
      values.push(part.value);
      if (!parts.includes(part)) parts.push(part);
    }
    const executes = parts.flatMap((part) => part.executes);
    for (let k = code.executesStart[i]; k < code.executesStart[i + 1]; k++) executes.push(code.executes[k]);
    if (executes.length > MOST_EXECUTED || executes.some((number) => number < 0)) return undefined;
    const after = new Map<number, bigint>();
    for (const part of parts) for (const [r, value] of part.after) after.set(r, value);
    // two copies of one register of the source cannot both be handed to the last instruction
    if (parts.some(({ register, value }) => after.get(register) !== value)) return undefined;
    const value = evaluate(f.opcodes.text(f.opcode[i]), formsOf(f.opcodes)(f.opcode[i]), values);
    if (value === undefined) return undefined;
    const register = code.registerOrigin[result];
    after.set(register, value);
    return { register, value, executes, after };
  }
}

/** All of the register, not its negation or a part; nor another register's value that is equal to it. */
function isPlainRead(f: Function, o: number): boolean {
  const r = f.operandPlace[o];
  const flags = f.operandFlags[o];
  return (
    (flags & (OperandFlag.Use | OperandFlag.Guard | OperandFlag.Address | OperandFlag.Equal)) ===
      (OperandFlag.Use as number) &&
    !isDefinition(f, o) &&
    f.operandWidth[o] === f.registerWidth[r] &&
    (f.operandPayload?.[o] ?? 0) === 0
  );
}

/** The bits that an immediate says. */
function numberOf(f: Function, o: number): bigint | undefined {
  const text = operandText(f, o);
  if (/^-?\d+$/.test(text)) return BigInt.asUintN(64, BigInt(text));
  return /^0[fd][\da-f]+$/.test(text) ? BigInt(`0x${text.slice(2)}`) : undefined;
}

const hex = (value: bigint, digits: number): string => value.toString(16).padStart(digits, '0');

/** As a language writes a number of so many bits: integers in two's complement. */
function textOf(value: bigint, isFloat: boolean, bits: number): string {
  if (isFloat) return `${bits === 64 ? '0d' : '0f'}${hex(value, bits / 4)}`;
  return BigInt.asIntN(bits, value).toString();
}

function rewritten(code: MachineCode, found: ReadonlyMap<number, Known>): MachineCode {
  const { f } = code;
  const texts = f.operandTexts;
  if (texts === undefined) return code;
  const writer = new CodeWriter(code);
  for (let b = 0; b < f.blockCount; b++) {
    writer.sameBlock(b);
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      const known = found.get(i);
      if (known === undefined) {
        writer.copy(i);
        continue;
      }
      const o = f.operandStart[i];
      const bits = 32 * f.registerWidth[f.operandPlace[o]];
      const isFloat = formsOf(f.opcodes)(f.opcode[i]).kind === 'f';
      const flags = f.instructionFlags[i] | InstructionFlag.Constant;
      writer.head(i, known.executes, flags, `mov.${isFloat ? 'f' : 'b'}${bits}`);
      writer.operand(o, f.operandPlace[o]);
      const payload = texts.number(textOf(known.value, isFloat, bits));
      writer.operand(o + 1, NoRegister.Immediate, OperandFlag.Use, payload);
    }
  }
  return writer.finish();
}
