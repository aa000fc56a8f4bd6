import { InstructionFlag, OperandFlag } from '../../../../ir/function.js';
import { isVirtual, NoRegister } from '../../../../ir/place.js';
import { dominates } from '../../../../passes/dominators.js';
import { loopsOf, type Loops } from '../../../../passes/loops.js';
import type { CommonPass, MachineCode, Modelled } from '../code.js';
import { Draft } from './draft.js';
import { Op, Slots } from './forms.js';

/**
 * Constants and kernel parameters need no register where the instruction that reads them has a field for them: one
 * immediate or one word of a constant bank an instruction. Zero is a register of its own (RZ). Where there is no field,
 * or a second constant, the value is moved into a register in front of its first reader, and later readers that this
 * one dominates share it.
 *
 * Measured with ptxas 13.0 on disassembled kernels: up to sm_89 `IMAD.WIDE R2, R0, R11, c[0x0][0x160]` keeps the
 * parameter and moves the immediate; from sm_90 on, parameters of 64 bits are loaded (LDC.64) and the immediate stays.
 */
export const recompute: CommonPass = (code, context) => new Recomputation(code, context).run();

const enum Constancy {
  None,
  /** An immediate or the address of a variable. */
  Immediate,
  /** A kernel parameter or a dimension of the launch: in constant bank 0. */
  Bank,
  /** Costs an instruction wherever it is wanted: `%tid.x`. */
  Special,
}

/** Special registers that lie in constant bank 0. */
const launchDimension = /^%(?:n?tid|nctaid|n?ctaid)\./;
const isLaunchDimension = (name: string): boolean => launchDimension.test(name) && name.startsWith('%n');

interface Held {
  readonly register: number;
  readonly at: number;
}

class Recomputation {
  private readonly draft: Draft;
  /** By constant: where it was moved to a register last. */
  private readonly held = new Map<string, Held>();
  /** The same by text, for numbers that instructions themselves say. */
  private readonly heldTexts = new Map<number, Held>();
  private loops: Loops | undefined = undefined;
  private readonly constancy: Uint8Array;
  /** Texts of variables in local memory: they lie at the stack pointer, which every function has in R1. */
  private readonly locals = new Set<number>();

  constructor(
    code: MachineCode,
    private readonly context: Modelled,
  ) {
    this.draft = new Draft(code);
    this.constancy = this.constancies();
    const { attributes, operandTexts } = code.f;
    if (operandTexts !== undefined && typeof attributes.localVariables === 'string')
      for (const name of attributes.localVariables.split(' ')) this.locals.add(operandTexts.number(name));
  }

  private loadsWideParameters(): boolean {
    return this.context.isSince(90);
  }

  run(): MachineCode {
    const { draft } = this;
    const { f, cfg, isDead } = draft;
    for (const block of cfg.order)
      for (let i = f.blockStart[block]; i < f.blockStart[block + 1]; i++) {
        if (isDead[i] || this.constancyOfResult(i) !== Constancy.None) continue;
        this.take(i);
      }
    return draft.finish();
  }

  /** By register: what kind of constant it is. */
  private constancies(): Uint8Array {
    const { draft } = this;
    const { f } = draft;
    const found = new Uint8Array(f.registerCount);
    for (let i = 0; i < f.instructionCount; i++) {
      if ((f.instructionFlags[i] & InstructionFlag.Constant) === 0 || draft.isDead[i]) continue;
      const o = draft.first[i];
      const r = draft.place.at(o);
      if (r >= 0 && draft.definer[r] === i) found[r] = this.constancyOf(i);
    }
    return found;
  }

  private constancyOf(i: number): Constancy {
    const { draft } = this;
    if (draft.form(i).op === Op.ParameterLoad) return Constancy.Bank;
    if (draft.form(i).op !== Op.Move || draft.end[i] - draft.first[i] !== 2) return Constancy.None;
    const o = draft.first[i] + 1;
    switch (draft.place.at(o) as NoRegister) {
      case NoRegister.Immediate:
      case NoRegister.Symbol:
        return Constancy.Immediate;
      case NoRegister.SpecialConstant:
        return isLaunchDimension(draft.text(o)) ? Constancy.Bank : Constancy.Special;
      default:
        return Constancy.None;
    }
  }

  private constancyOfResult(i: number): Constancy {
    const r = this.draft.place.at(this.draft.first[i]);
    return r >= 0 && this.draft.definer[r] === i ? this.constancy[r] : Constancy.None;
  }

  private isZero(r: number): boolean {
    const { draft } = this;
    const d = draft.definer[r];
    return draft.form(d).op === Op.Move && draft.isZero(draft.first[d] + 1);
  }

  /** Whether RZ serves: not as an element of a vector, and as a pair only in arithmetic and single stores. */
  private readsZero(i: number, r: number): boolean {
    const { draft } = this;
    const { op, slots } = draft.form(i);
    if (op === Op.Store) return this.isSingleStore(i);
    return draft.f.registerWidth[r] === 1 || slots === Slots.One;
  }

  private isSingleStore(i: number): boolean {
    const { draft } = this;
    let data = 0;
    for (let o = draft.first[i]; o < draft.end[i]; o++)
      if ((draft.flags.at(o) & (OperandFlag.Address | OperandFlag.Guard)) === 0) data++;
    return data === 1;
  }

  private isLocal(d: number): boolean {
    const o = this.draft.first[d] + 1;
    return (
      this.draft.place.at(o) === (NoRegister.Symbol as number) && this.locals.has(this.draft.payload.at(o))
    );
  }

  /** Gives the constant operands of `i` a field or a register. */
  private take(i: number): void {
    const { draft } = this;
    const { slots } = draft.form(i);
    if (slots === Slots.None) this.takeAddress(i);
    let free = slots === Slots.One ? 1 : 0;
    if (free > 0) {
      const value = draft.first[i] + 1;
      if (isShift(draft.form(i).op) && this.wantsField(i, value)) this.holdText(i, value);
      // a parameter gets the field, and the number a register, where a register takes part as well
      if (draft.end[i] - draft.first[i] > 3 && this.hasBank(i)) this.holdTexts(i, 0);
      else {
        this.holdTexts(i, 1);
        free -= this.written(i);
      }
    }
    for (const bank of [true, false]) {
      for (let n = 0; n < draft.end[i] - draft.first[i]; n++) {
        const o = draft.first[i] + n;
        const r = draft.place.at(o);
        if (!isVirtual(r) || r >= this.constancy.length || !draft.isUseOperand(o)) continue;
        const kind = this.constancy[r] as Constancy;
        if (kind === Constancy.None || kind === Constancy.Special || (kind === Constancy.Bank) !== bank)
          continue;
        const d = draft.definer[r];
        const isFree = slots === Slots.All || this.isLocal(d) || (this.isZero(r) && this.readsZero(i, r));
        if (!isFree && (free <= 0 || !this.fits(i, n, r, kind))) {
          this.hold(i, o, r, d);
          continue;
        }
        if (!draft.mayAbsorb(i, o, d)) continue;
        if (!isFree) free--;
        draft.absorb(i, o, d, [draft.first[d] + 1]);
      }
    }
  }

  /** The address of a shared, local or constant variable is a number, or an offset from the stack pointer. */
  private takeAddress(i: number): void {
    const { draft } = this;
    for (let o = draft.first[i]; o < draft.end[i]; o++) {
      if ((draft.flags.at(o) & OperandFlag.Address) === 0) continue;
      const r = draft.place.at(o);
      if (
        !isVirtual(r) ||
        r >= this.constancy.length ||
        this.constancy[r] !== (Constancy.Immediate as number)
      )
        return;
      const d = draft.definer[r];
      const isVariable = draft.place.at(draft.first[d] + 1) === (NoRegister.Symbol as number);
      if (!isVariable || !draft.form(i).isShort || !draft.mayAbsorb(i, o, d)) return;
      const n = o - draft.first[i];
      draft.absorb(i, o, d, [draft.first[d] + 1]);
      draft.flags.set(draft.first[i] + n, OperandFlag.Address);
      return;
    }
  }

  private hasBank(i: number): boolean {
    const { draft } = this;
    for (let n = 1; n < draft.end[i] - draft.first[i]; n++) {
      const r = draft.place.at(draft.first[i] + n);
      if (r < 0 || r >= this.constancy.length || this.constancy[r] !== (Constancy.Bank as number)) continue;
      if (this.fits(i, n, r, Constancy.Bank)) return true;
    }
    return false;
  }

  /** Whether operand `n` of `i` has the field. */
  private fits(i: number, n: number, r: number, kind: Constancy): boolean {
    const { draft } = this;
    if (kind === Constancy.Bank && draft.f.registerWidth[r] > 1 && this.loadsWideParameters()) return false;
    return !(isShift(draft.form(i).op) && n === 1);
  }

  /** Numbers in the text of `i` that want the field. */
  private written(i: number): number {
    let count = 0;
    for (let o = this.draft.first[i]; o < this.draft.end[i]; o++) if (this.wantsField(i, o)) count++;
    return count;
  }

  private wantsField(i: number, o: number): boolean {
    const { draft } = this;
    const place = draft.place.at(o);
    if (place === NoRegister.Symbol) return draft.text(o) !== '';
    return place === NoRegister.Immediate && !draft.isZero(o) && !hasOwnField(draft, i, o - draft.first[i]);
  }

  /** Moves the numbers in the text of `i` to registers, all but the last `kept` of them. */
  private holdTexts(i: number, kept: number): void {
    const { draft } = this;
    let left = kept;
    for (let o = draft.end[i] - 1; o > draft.first[i]; o--)
      if (draft.place.at(o) === NoRegister.Immediate && this.wantsField(i, o) && left-- <= 0)
        this.holdText(i, o);
  }

  private holdText(i: number, o: number): void {
    const { draft } = this;
    const { kind, bits } = draft.form(i);
    const width = kind === 'f' && bits === 64 ? 2 : 1;
    const key = 2 * draft.payload.at(o) + width - 1;
    const known = this.heldTexts.get(key);
    if (known !== undefined && draft.reaches(known.at, i)) draft.place.set(o, known.register);
    else this.heldTexts.set(key, { register: draft.move(i, o, width), at: i });
  }

  /**
   * The last instruction in front of the loops that execute `i` in every round: a load from the constant bank takes
   * time, and is left there (sm_90; a move from it, as up to sm_89, is repeated instead).
   */
  private outside(i: number): number {
    const { f, blockOf, cfg, dominators } = this.draft;
    const { header } = (this.loops ??= loopsOf(cfg, dominators));
    let at = i;
    for (let b = blockOf[i]; header[b] >= 0 && this.isInEveryRound(b, header[b]);) {
      b = dominators.immediate[header[b]];
      while (b >= 0 && f.blockStart[b] === f.blockStart[b + 1]) b = dominators.immediate[b];
      if (b < 0) break;
      at = f.blockStart[b + 1] - 1;
    }
    return at;
  }

  private isInEveryRound(b: number, header: number): boolean {
    const { cfg, dominators } = this.draft;
    for (let e = cfg.predecessorStart[header]; e < cfg.predecessorStart[header + 1]; e++) {
      const from = cfg.predecessors[e];
      if (dominates(dominators, header, from) && !dominates(dominators, b, from)) return false;
    }
    return true;
  }

  /** Which constant it is: what its instruction says, or the instruction where that says nothing. */
  private keyOf(d: number): string {
    const { draft } = this;
    let key = `${draft.form(d).op} ${draft.form(d).bits} ${draft.f.registerWidth[draft.place.at(draft.first[d])]}`;
    for (let o = draft.first[d] + 1; o < draft.end[d]; o++) {
      const payload = draft.payload.at(o);
      if (payload === 0) return `${d}`;
      key += ` ${payload}`;
    }
    return key;
  }

  /** Operand `o` of `i` reads the constant from a register that is filled in front of `i` or above. */
  private hold(i: number, o: number, r: number, d: number): void {
    const { draft } = this;
    const key = this.keyOf(d);
    const known = this.held.get(key);
    if (known !== undefined && (known.at === i || draft.reaches(known.at, i))) {
      draft.setPlace(o, known.register);
      return;
    }
    const at =
      this.constancy[r] === (Constancy.Bank as number) && this.loadsWideParameters() ? this.outside(i) : i;
    const fresh = draft.again(at, d, r);
    this.held.set(key, { register: fresh, at });
    draft.setPlace(o, fresh);
  }
}

/** What is shifted must be a register. */
const isShift = (op: Op): boolean => op === Op.ShiftLeft || op === Op.ShiftRight || op === Op.Funnel;

/** Numbers that have fields of their own: the table of LOP3, the shift of LEA. */
function hasOwnField(draft: Draft, i: number, n: number): boolean {
  const { op } = draft.form(i);
  return n === 2 ? op === Op.ShiftAdd : n === 4 && op === Op.Logic3 && draft.opcodeText(i) === 'lop3.b32';
}
