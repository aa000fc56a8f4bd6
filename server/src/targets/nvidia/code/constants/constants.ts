import { InstructionFlag, OperandFlag, type Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { controlFlow } from '../../../../passes/cfg.js';
import { dominates, dominatorsOf } from '../../../../passes/dominators.js';
import { isDefinition, isUse, kills } from '../../../../passes/occurrences.js';
import { GENERAL, type MachineCode, type Modelled } from '../code.js';
import { fold } from '../fold/fold.js';
import { formsOf } from '../fold/forms.js';
import { reads } from '../executed.js';
import { CodeWriter } from '../writer.js';
import { modifiersIn, operandText } from '../operands.js';
import { evaluate, modified } from './evaluate.js';

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
  /** By source register: the value it has after all that; undefined where it was written and nobody knows. */
  readonly after: ReadonlyMap<number, bigint | undefined>;
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
    const form = formsOf(f.opcodes)(f.opcode[i]);
    const values: bigint[] = [];
    const parts: Known[] = [];
    for (let o = f.operandStart[i] + 1; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0) {
        const value = r === NoRegister.Immediate ? numberOf(f, o) : undefined;
        if (value === undefined) return undefined;
        values.push(modified(value, modifiersIn(f.operandFlags[o]), form));
        continue;
      }
      const part = this.known.get(r);
      if (part === undefined || !isPlainRead(f, o) || !reaches(definer[r], i)) return undefined;
      values.push(modified(part.value, modifiersIn(f.operandFlags[o]), form));
      if (!parts.includes(part)) parts.push(part);
    }
    const executes = parts.flatMap((part) => part.executes);
    for (let k = code.executesStart[i]; k < code.executesStart[i + 1]; k++) executes.push(code.executes[k]);
    if (executes.length > MOST_EXECUTED || executes.some((number) => number < 0)) return undefined;
    const after = new Map<number, bigint | undefined>();
    for (const part of parts) for (const [r, value] of part.after) after.set(r, value);
    if (!this.areReadBefore(i, after)) return undefined;
    const value = evaluate(f.opcodes.text(f.opcode[i]), form, values);
    if (value === undefined) return undefined;
    const register = code.registerOrigin[result];
    after.set(register, value);
    return { register, value, executes, after };
  }

  /**
   * Whether what `i` executes reads the known values before it writes their registers: two copies of one register of
   * the source cannot both be handed on. Counts what it writes among what is `after`.
   */
  private areReadBefore(i: number, after: Map<number, bigint | undefined>): boolean {
    const { f } = this;
    const { source, executes, executesStart } = this.code;
    let unread: { known: Known; span: number }[] = [];
    for (let o = f.operandStart[i] + 1; o < f.operandStart[i + 1]; o++) {
      const known = this.known.get(f.operandPlace[o]);
      if (known !== undefined) unread.push({ known, span: f.operandSpanStart[o] });
    }
    const isThere = ({ known }: { known: Known }): boolean => after.get(known.register) === known.value;
    if (!unread.every(isThere)) return false;
    for (let k = executesStart[i]; k + 1 < executesStart[i + 1]; k++) {
      unread = unread.filter(({ known, span }) => !reads(source, executes[k], span, known.register));
      for (let o = source.operandStart[executes[k]]; o < source.operandStart[executes[k] + 1]; o++)
        if (source.operandPlace[o] >= 0 && isDefinition(source, o))
          after.set(source.operandPlace[o], undefined);
      // written once more as it was
      for (const { known } of unread)
        if (this.endsWith(i, k, known.executes)) after.set(known.register, known.value);
      if (!unread.every(isThere)) return false;
    }
    return true;
  }

  /** Whether what `i` executes up to place `k` of the list ends with `list`. */
  private endsWith(i: number, k: number, list: readonly number[]): boolean {
    const { executes, executesStart } = this.code;
    const from = k + 1 - list.length;
    return from >= executesStart[i] && list.every((number, n) => executes[from + n] === number);
  }
}

/** All of the register, not a part; nor another register's value that is equal to it. */
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
