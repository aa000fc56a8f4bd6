import { InstructionFlag, OperandFlag, type Function } from '../../../../ir/function.js';
import { ascending, IntList } from '../../../../ir/int-list.js';
import { NoRegister } from '../../../../ir/place.js';
import { controlFlow, type Cfg } from '../../../../passes/cfg.js';
import { hasEffect } from '../../../../passes/dead-code.js';
import { dominates, dominatorsOf, type Dominators } from '../../../../passes/dominators.js';
import {
  blocksOfInstructions,
  isDefinition,
  isUse,
  kills,
  occurrencesOf,
  type Occurrences,
} from '../../../../passes/occurrences.js';
import type { MachineCode } from '../code.js';
import { modifiersIn } from '../operands.js';
import { MOVE, writeDraft, type Added } from './draft-writer.js';
import { isComputed, isToldApart } from './told-apart.js';
import { formsOf, type Form } from './forms.js';

/** A bit of `Draft.modifier` beside `Modifier`: see `OperandFlag.Equal`. */
export const EQUAL = 32;

/** Definers that are no instruction. */
export const NOBODY = -1;
export const SEVERAL = -2;

/**
 * Machine code while it is rewritten: instructions that are dropped, that take in others (`absorb`), registers that
 * hold what another one holds (`same`), instructions to be added in front of others. `finish` writes it down.
 *
 * A register with one definition, whole and unconditional, is a value: where its definition dominates a use, it may be
 * computed at the use again, if its own operands are values. Others are left where they are.
 */
export class Draft {
  readonly f: Function;
  readonly cfg: Cfg;
  readonly dominators: Dominators;
  readonly blockOf: Int32Array;
  readonly formOf: (opcode: number) => Form;
  readonly opcode: Int32Array;
  readonly isDead: Uint8Array;
  /** By register: the instruction that alone defines it, or `NOBODY`, `SEVERAL`. */
  readonly definer: Int32Array;
  /** By register: the register that holds the same value and stands for it; itself at first. */
  readonly same: Int32Array;
  /** By register: operands that read it, those of dead instructions left out. */
  readonly uses: Int32Array;
  /** By instruction: its operands are numbers `first .. end` of the lists below. */
  readonly first: Int32Array;
  readonly end: Int32Array;
  readonly place: IntList;
  readonly modifier: IntList;
  /** Operand of the old code that it descends from. */
  readonly from: IntList;
  readonly flags: IntList;
  /** Number of its text in the old code's `operandTexts`. */
  readonly payload: IntList;
  readonly executes: IntList;
  readonly executesFirst: Int32Array;
  readonly executesEnd: Int32Array;
  /** By register: whether another one has the same origin (copies of a loop's body). */
  readonly isShared: Uint8Array;
  /** By instruction: dropped by `passThrough`. */
  readonly isThrough: Uint8Array;
  hasMoves = false;
  private occurrences: Occurrences | undefined = undefined;
  /** By instruction: it has taken in a value of a register for which others of one origin stand. */
  readonly hasSharedInside: Uint8Array;
  /** By register that several instructions write: the last one that the walk has passed. */
  private readonly lastWrite: Int32Array;
  readonly added: Added[] = [];

  constructor(readonly code: MachineCode) {
    const { f } = code;
    this.f = f;
    this.cfg = controlFlow(f);
    this.dominators = dominatorsOf(this.cfg);
    this.blockOf = blocksOfInstructions(f);
    this.formOf = formsOf(f.opcodes);
    this.opcode = f.opcode.slice();
    this.isDead = new Uint8Array(f.instructionCount);
    this.first = f.operandStart.slice(0, f.instructionCount);
    this.end = f.operandStart.slice(1);
    this.executesFirst = code.executesStart.slice(0, f.instructionCount);
    this.executesEnd = code.executesStart.slice(1);
    const operands = f.operandPlace.length;
    const spare = 16 + (operands >> 1);
    this.place = IntList.of(f.operandPlace, spare);
    this.modifier = IntList.of(modifiersOf(f), spare);
    this.from = IntList.of(ascending(operands), spare);
    this.flags = IntList.of(f.operandFlags, spare);
    this.payload = IntList.of(f.operandPayload ?? new Uint8Array(operands), spare);
    this.executes = IntList.of(code.executes, code.executes.length);
    this.same = ascending(f.registerCount);
    this.uses = new Int32Array(f.registerCount);
    this.definer = new Int32Array(f.registerCount).fill(NOBODY);
    this.lastWrite = new Int32Array(f.registerCount).fill(-1);
    this.isThrough = new Uint8Array(f.instructionCount);
    this.hasSharedInside = new Uint8Array(f.instructionCount);
    this.scan();
    this.isShared = sharedOrigins(code);
    // a constant that was computed executes copies of a loop's body
    for (let i = 0; i < f.instructionCount; i++) if (isComputed(this, i)) this.hasSharedInside[i] = 1;
  }

  private scan(): void {
    const { f, definer, cfg } = this;
    for (let i = 0; i < f.instructionCount; i++) {
      const isEntry = (f.instructionFlags[i] & InstructionFlag.Entry) !== 0;
      const isReached = cfg.orderOf[this.blockOf[i]] >= 0;
      if (!isReached) this.isDead[i] = 1;
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
        const r = f.operandPlace[o];
        if (r < 0 || !isReached) continue;
        if (isUse(f, o)) this.uses[r]++;
        if (!isDefinition(f, o)) continue;
        const isOnly = definer[r] === NOBODY && !isEntry && kills(f, o) && !isUse(f, o);
        definer[r] = isOnly ? i : SEVERAL;
      }
    }
    this.dropImproper();
  }

  /** A register that may be read before it was written holds no value. */
  private dropImproper(): void {
    const { f, definer } = this;
    for (let i = 0; i < f.instructionCount; i++) {
      if (this.isDead[i]) continue;
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
        const r = f.operandPlace[o];
        if (r >= 0 && definer[r] >= 0 && isUse(f, o) && !this.reaches(definer[r], i)) definer[r] = SEVERAL;
      }
    }
  }

  /** The register that stands for `register`. */
  canonical(register: number): number {
    const { same } = this;
    let r = register;
    while (same[r] !== r) r = same[r] = same[same[r]];
    return r;
  }

  form(i: number): Form {
    return this.formOf(this.opcode[i]);
  }

  /**
   * The instruction that computes what operand `o` reads, looking through moves, if it alone does so; or -1. It has run
   * whenever the operand is read.
   */
  valueOf(o: number): number {
    const r = this.place.at(o);
    if (r < 0 || r >= this.f.registerCount) return -1;
    return Math.max(-1, this.definer[this.beforeMoves(r)]);
  }

  /** The register that a chain of dropped moves has carried to `register`. */
  beforeMoves(register: number): number {
    let r = register;
    for (let d = this.definer[r]; d >= 0 && this.isThrough[d]; d = this.definer[r])
      r = this.place.at(this.first[d] + 1);
    return r;
  }

  /** Whether instruction `d` has run whenever `i` runs. */
  reaches(d: number, i: number): boolean {
    const from = this.blockOf[d];
    const to = this.blockOf[i];
    return from === to ? d < i : dominates(this.dominators, from, to);
  }

  isUseOperand(o: number): boolean {
    return (this.flags.at(o) & OperandFlag.Use) !== 0;
  }

  isValue(register: number): boolean {
    return this.definer[register] >= 0;
  }

  /** The payload text of operand `o`; '' where it has none. */
  text(o: number): string {
    const payload = this.payload.at(o);
    return payload === 0 ? '' : (this.f.operandTexts?.text(payload) ?? '');
  }

  opcodeText(i: number): string {
    return this.f.opcodes.text(this.opcode[i]);
  }

  flip(o: number, modifier: number): void {
    this.modifier.set(o, this.modifier.at(o) ^ modifier);
  }

  /** Exchanges two operands of an instruction. */
  exchange(a: number, b: number): void {
    for (const list of [this.place, this.modifier, this.from, this.flags, this.payload]) {
      const kept = list.at(a);
      list.set(a, list.at(b));
      list.set(b, kept);
    }
  }

  /** Whether all that read `register` have a form, as the code was at first, that the test accepts. */
  readersOf(register: number, test: (form: Form) => boolean): boolean {
    const { start, operand, instruction } = (this.occurrences ??= occurrencesOf(this.f));
    let readers = 0;
    for (let k = start[register]; k < start[register + 1]; k++) {
      if (!isUse(this.f, operand[k])) continue;
      readers++;
      if (!test(this.formOf(this.f.opcode[instruction[k]]))) return false;
    }
    return readers >= this.uses[this.canonical(register)];
  }

  /** The number of an opcode's text. */
  opcodeNumber(text: string): number {
    return this.f.opcodes.number(text);
  }

  /** Operand `o` says another number from now on. */
  setInteger(o: number, value: number): void {
    this.payload.set(o, this.f.operandTexts?.number(String(value)) ?? 0);
  }

  /** Operand `o` reads a predicate, or its negation. */
  invert(o: number, isInverted: boolean): void {
    this.payload.set(o, isInverted ? (this.f.operandTexts?.number('!') ?? 0) : 0);
  }

  /** The value of operand `o` where it is an integer that fits 53 bits. */
  integer(o: number): number | undefined {
    if (this.place.at(o) !== (NoRegister.Immediate as number)) return undefined;
    const text = this.text(o);
    if (text === '' || text.startsWith('0f') || text.startsWith('0d')) return undefined;
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : undefined;
  }

  isZero(o: number): boolean {
    if (this.place.at(o) !== (NoRegister.Immediate as number)) return false;
    const text = this.text(o);
    return text === '0' || text === '0f00000000' || text === '0d0000000000000000';
  }

  isGuarded(i: number): boolean {
    const last = this.end[i] - 1;
    return last >= this.first[i] && (this.f.operandFlags[this.from.at(last)] & OperandFlag.Guard) !== 0;
  }

  /** Nobody needs instruction `i` any more. */
  kill(i: number): void {
    if (this.isDead[i]) return;
    this.isDead[i] = 1;
    for (let o = this.first[i]; o < this.end[i]; o++)
      if (this.place.at(o) >= 0 && this.isUseOperand(o)) this.release(this.place.at(o));
  }

  private release(register: number): void {
    const r = this.canonical(register);
    this.uses[r]--;
    const d = this.definer[r];
    if (this.uses[r] === 0 && d >= 0 && this.hasNoOtherResult(d)) this.kill(d);
  }

  private hasNoOtherResult(i: number): boolean {
    if (hasEffect(this.f, i)) return false;
    for (let o = this.first[i]; o < this.end[i]; o++) {
      const r = this.place.at(o);
      if (r >= 0 && this.same[r] === r && isDefinition(this.f, this.from.at(o)) && this.uses[r] > 0)
        return false;
    }
    return true;
  }

  /** Instruction `i` hands its first source on: whoever reads its result reads that. Both must be values. */
  passThrough(i: number): void {
    this.isThrough[i] = 1;
    this.hasMoves = true;
    this.unite(this.place.at(this.first[i]), this.place.at(this.first[i] + 1));
    this.kill(i);
  }

  /**
   * From now on `register`, which is a value, is read as `other`, which holds the same. What computed `register` goes,
   * but a user may still take it in.
   */
  unite(register: number, other: number): void {
    const to = this.canonical(other);
    const r = this.canonical(register);
    if (r === to) return;
    this.same[r] = to;
    this.uses[to] += this.uses[r];
    const d = this.definer[r];
    if (d >= 0 && this.isDead[d] === 0 && this.hasNoOtherResult(d)) this.kill(d);
  }

  /** Source instructions that `i` executes so far. */
  executed(i: number): number {
    return this.executesEnd[i] - this.executesFirst[i];
  }

  /** What instruction `i` writes is another value from here on: to be told of each instruction of a block in order. */
  passed(i: number): void {
    for (let o = this.first[i]; o < this.end[i]; o++) {
      const r = this.place.at(o);
      if (r >= 0 && this.definer[r] < 0 && isDefinition(this.f, this.from.at(o))) this.lastWrite[r] = i;
    }
  }

  /** Whether `register` holds at `i`, which the walk has come to, what it held when `d` read it. */
  isUnchanged(register: number, d: number, i: number): boolean {
    const r = this.canonical(register);
    if (this.definer[r] >= 0) return true;
    const block = this.blockOf[i];
    if (this.blockOf[d] !== block) return false;
    const last = this.lastWrite[r];
    return last < d || this.blockOf[last] !== block;
  }

  /**
   * Whether `i`, which the walk has come to, may take in `d`, which computes its operand `o`: what `d` reads must still
   * be there, and execution must be able to tell all operands apart.
   */
  mayAbsorb(i: number, o: number, d: number): boolean {
    if ((this.flags.at(o) & OperandFlag.Equal) !== 0) return false;
    if (this.isGuarded(d) || !isToldApart(this, i, o, d)) return false;
    for (let k = this.first[d]; k < this.end[d]; k++) {
      const r = this.place.at(k);
      if (r >= 0 && this.isUseOperand(k) && !this.isUnchanged(r, d, i)) return false;
    }
    return true;
  }

  /**
   * Instruction `i` computes what `d` computes by itself, for its operand `o`. Operands of `d`, by number, come in the
   * place of `o`, with what `o` is modified by.
   */
  absorb(i: number, o: number, d: number, operands: readonly number[], modifier = 0): void {
    const register = this.place.at(o);
    const begin = this.place.length;
    for (let k = this.first[i]; k < this.end[i]; k++) {
      if (k !== o) {
        this.append(k, this.modifier.at(k));
        continue;
      }
      for (const taken of operands) {
        this.append(taken, this.modifier.at(taken) ^ modifier ^ this.modifier.at(o));
        if (this.place.at(taken) >= 0) this.uses[this.canonical(this.place.at(taken))]++;
      }
    }
    this.first[i] = begin;
    this.end[i] = this.place.length;
    this.prepend(i, register, d);
    if (this.hasSharedInside[d] || this.isShared[register]) this.hasSharedInside[i] = 1;
    this.release(register);
  }

  /** `d` and the moves between it and `register` are executed by `i`. */
  private prepend(i: number, register: number, d: number): void {
    const moves: number[] = [];
    for (let m = this.definer[register]; m !== d; m = this.definer[this.place.at(this.first[m] + 1)])
      moves.push(m);
    const begin = this.executes.length;
    this.appendExecuted(d);
    while (moves.length > 0) this.appendExecuted(moves.pop()!);
    this.appendExecuted(i);
    this.executesFirst[i] = begin;
    this.executesEnd[i] = this.executes.length;
  }

  /** What `i` executes so far stands in the list of what is being written once more. */
  appendExecuted(i: number): void {
    for (let k = this.executesFirst[i]; k < this.executesEnd[i]; k++) this.executes.push(this.executes.at(k));
  }

  /** Operand `o` stands once more behind the last one, modified by `modifier`. */
  append(o: number, modifier: number): void {
    this.place.push(this.place.at(o));
    this.modifier.push(modifier);
    this.from.push(this.from.at(o));
    this.flags.push(this.flags.at(o));
    this.payload.push(this.payload.at(o));
  }

  /** Computes the register once more in front of instruction `before`, as `like` does. Returns the new register. */
  again(before: number, like: number, register: number): number {
    const fresh = this.f.registerCount + this.added.length;
    this.added.push({ before, like, what: register });
    return fresh;
  }

  /** Moves the constant that operand `o` of `before` says to a new register, which the operand then reads. */
  move(before: number, o: number, width: number): number {
    const fresh = this.f.registerCount + this.added.length;
    this.added.push({ before, like: MOVE, what: this.from.at(o), payload: this.payload.at(o), width });
    this.place.set(o, fresh);
    return fresh;
  }

  /** The operand's register from now on; one of `again`, perhaps. */
  setPlace(o: number, register: number): void {
    const old = this.place.at(o);
    this.place.set(o, register);
    this.modifier.set(o, this.modifier.at(o) | EQUAL);
    if (old >= 0 && this.isUseOperand(o)) this.release(old);
  }

  finish(): MachineCode {
    return writeDraft(this);
  }
}

function modifiersOf(f: Function): Uint8Array {
  const modifiers = new Uint8Array(f.operandFlags.length);
  for (let o = 0; o < modifiers.length; o++) modifiers[o] = modifiersIn(f.operandFlags[o]);
  return modifiers;
}

function sharedOrigins({ f, registerOrigin }: MachineCode): Uint8Array {
  const shared = new Uint8Array(f.registerCount);
  let most = 0;
  for (const origin of registerOrigin) most = Math.max(most, origin + 1);
  const first = new Int32Array(most).fill(-1);
  for (let r = 0; r < f.registerCount; r++) {
    const origin = registerOrigin[r];
    if (origin < 0) continue;
    if (first[origin] < 0) first[origin] = r;
    else shared[r] = shared[first[origin]] = 1;
  }
  return shared;
}
