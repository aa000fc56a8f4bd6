import { InstructionFlag, OperandFlag, type Function } from '../../../../ir/function.js';
import {
  isDefinition,
  isUse,
  kills,
  occurrencesOf,
  type Occurrences,
} from '../../../../passes/occurrences.js';
import { GENERAL, type MachineCode, type CommonPass } from '../code.js';
import { CodeWriter } from '../writer.js';
import { formsOf, isInteger, Op, type Form } from './forms.js';

/**
 * 64-bit numbers of which only the low half is wanted. The machine has no 64-bit integers: a sum is two instructions
 * on two registers, and ptxas leaves out the second where nothing reads what it computes. Addresses in shared, local
 * and constant memory have 32 bits (`LDS R2, [R0]`, `LDL R3, [R1+0x40]`), whatever the text computes them with; sums,
 * products, left shifts and logic need only the low halves of their operands for the low half of their result.
 *
 * Backward from what is wanted, register by register; O(operands).
 */
export const narrow: CommonPass = (code) => {
  const wants = new Wants(code.f);
  const isNarrow = wants.narrowed();
  return isNarrow === undefined ? code : rewritten(code, isNarrow);
};

/** The low half of the result needs the low halves of the operands alone. */
const carriesLow = (op: Op): boolean =>
  op === Op.Add ||
  op === Op.Subtract ||
  op === Op.Multiply ||
  op === Op.MultiplyAdd ||
  op === Op.MultiplyAddWide ||
  op === Op.And ||
  op === Op.Or ||
  op === Op.Xor ||
  op === Op.Not ||
  op === Op.Negate ||
  op === Op.ShiftLeft ||
  op === Op.Select ||
  op === Op.Move;

/** Its low half can be computed by itself. */
const givesLow = ({ op, bits, fromBits, fromKind, kind }: Form): boolean =>
  carriesLow(op) ||
  op === Op.MultiplyWide ||
  (op === Op.Convert && bits === 64 && fromBits === 32 && isInteger(kind) && isInteger(fromKind));

class Wants {
  private readonly formOf: (opcode: number) => Form;
  private readonly occurrences: Occurrences;
  /** 1: all of the register is wanted. */
  private readonly isWhole: Uint8Array;
  private readonly pending: number[] = [];

  constructor(private readonly f: Function) {
    this.formOf = formsOf(f.opcodes);
    this.occurrences = occurrencesOf(f);
    this.isWhole = new Uint8Array(f.registerCount);
  }

  /** 1 for each register that can do with 32 bits; undefined where there is none. */
  narrowed(): Uint8Array | undefined {
    const { f, isWhole } = this;
    let candidates = 0;
    for (let r = 0; r < f.registerCount; r++) {
      if (f.registerClass[r] !== GENERAL || f.registerWidth[r] !== 2) isWhole[r] = 1;
      else candidates++;
    }
    if (candidates === 0) return undefined;
    for (let i = 0; i < f.instructionCount; i++) this.look(i);
    while (this.pending.length > 0) this.spread(this.pending.pop()!);
    const found = isWhole.map((whole) => 1 - whole);
    return found.includes(1) ? found : undefined;
  }

  private want(r: number): void {
    if (this.isWhole[r]) return;
    this.isWhole[r] = 1;
    this.pending.push(r);
  }

  private look(i: number): void {
    const { f, isWhole } = this;
    const form = this.formOf(f.opcode[i]);
    const isLow = this.readsLow(i, form);
    const isWide = form.bits === 64 || form.op === Op.MultiplyWide || form.op === Op.MultiplyAddWide;
    const gives = isWide && givesLow(form) && (f.instructionFlags[i] & InstructionFlag.Entry) === 0;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || f.registerWidth[r] !== 2) continue;
      if (isDefinition(f, o) && !(gives && kills(f, o))) this.want(r);
      if (!isUse(f, o) || isLow) continue;
      // of what hands halves on, the results say what is wanted
      if (gives && carriesLow(form.op) && !isWhole[f.operandPlace[f.operandStart[i]]]) continue;
      this.want(r);
    }
  }

  /** Whether the instruction reads the low half of its 64-bit operands whatever becomes of its result. */
  private readsLow(i: number, form: Form): boolean {
    const { f } = this;
    if (form.op === Op.Convert)
      return form.bits <= 32 && form.fromBits === 64 && isInteger(form.kind) && isInteger(form.fromKind);
    if (!form.isShort) return false;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (
        r >= 0 &&
        f.registerWidth[r] === 2 &&
        isUse(f, o) &&
        (f.operandFlags[o] & OperandFlag.Address) === 0
      )
        return false;
    }
    return true;
  }

  /** All of register `r` is wanted: then of the operands of what defines it, too. */
  private spread(r: number): void {
    const { f, occurrences } = this;
    for (let k = occurrences.start[r]; k < occurrences.start[r + 1]; k++) {
      if (!isDefinition(f, occurrences.operand[k])) continue;
      const i = occurrences.instruction[k];
      if (!carriesLow(this.formOf(f.opcode[i]).op)) continue;
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
        if (f.operandPlace[o] >= 0 && isUse(f, o)) this.want(f.operandPlace[o]);
    }
  }
}

function rewritten(code: MachineCode, isNarrow: Uint8Array): MachineCode {
  const { f } = code;
  const writer = new CodeWriter(code, undefined, (r) => (isNarrow[r] ? 1 : f.registerWidth[r]));
  const formOf = formsOf(f.opcodes);
  for (let b = 0; b < f.blockCount; b++) {
    writer.sameBlock(b);
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      const text = narrowText(f, i, formOf(f.opcode[i]), isNarrow);
      if (text === undefined) writer.copy(i);
      else {
        const isMove = text.startsWith('mov.') && f.operandStart[i + 1] - f.operandStart[i] === 2;
        const from = f.operandPlace[f.operandStart[i] + 1];
        // the low half of what stays wide is a part of it, and no copy
        const isCopy = isMove && from >= 0 && (isNarrow[from] === 1 || f.registerWidth[from] === 1);
        const flags = f.instructionFlags[i] & ~InstructionFlag.Copy;
        writer.head(i, undefined, isCopy ? flags | InstructionFlag.Copy : flags, text);
        for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) writer.operand(o, f.operandPlace[o]);
      }
    }
  }
  return writer.finish();
}

/** The opcode for 32 bits, where the result is narrow or a truncation has nothing to take away. */
function narrowText(f: Function, i: number, form: Form, isNarrow: Uint8Array): string | undefined {
  const to = f.operandPlace[f.operandStart[i]];
  if (to < 0) return undefined;
  const text = f.opcodes.text(f.opcode[i]);
  if (form.op === Op.Convert) {
    const from = f.operandPlace[f.operandStart[i] + 1];
    const isTruncated = form.bits === 32 && from >= 0 && isNarrow[from] === 1;
    return isTruncated || isNarrow[to] ? 'mov.b32' : undefined;
  }
  if (!isNarrow[to]) return undefined;
  if (form.op === Op.MultiplyWide || form.op === Op.MultiplyAddWide) return text.replace('.wide', '.lo');
  return text.startsWith('cvta') ? undefined : text.replace(/64$/, '32');
}
