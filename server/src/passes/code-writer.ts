import type { AllocatedFunction, CodeKind, Elision } from '../ir/allocated.js';
import type { Function } from '../ir/function.js';
import { IntList } from '../ir/int-list.js';

/**
 * Collects the code of an `AllocatedFunction` block by block, in any order, with code for the end of a block
 * (before its branch) and for blocks that split edges coming later, and puts it in order at the end.
 */
export class CodeWriter {
  private readonly kind: IntList;
  private readonly elision: IntList;
  private readonly instruction: IntList;
  private readonly register: IntList;
  private readonly slot: IntList;
  private readonly operandStart: IntList;
  private readonly place: IntList;
  /** Pieces `[begin, end)` of each block, in order. */
  private readonly pieces: (readonly [number, number])[][];
  private readonly successors: number[][];

  constructor(private readonly f: Function) {
    const buffer = (): IntList => new IntList(f.instructionCount + 16);
    this.kind = buffer();
    this.elision = buffer();
    this.instruction = buffer();
    this.register = buffer();
    this.slot = buffer();
    this.operandStart = buffer();
    this.place = new IntList(f.operandPlace.length + 16);
    this.pieces = Array.from({ length: f.blockCount }, () => []);
    this.successors = Array.from({ length: f.blockCount }, (_, b) =>
      Array.from(f.successors.subarray(f.successorStart[b], f.successorStart[b + 1])),
    );
  }

  get length(): number {
    return this.kind.length;
  }

  /** Starts an operation; its places follow with `operand`. */
  emit(kind: CodeKind, instruction: number, register: number, slot: number, elision: Elision): void {
    this.kind.push(kind);
    this.elision.push(elision);
    this.instruction.push(instruction);
    this.register.push(register);
    this.slot.push(slot);
    this.operandStart.push(this.place.length);
  }

  operand(place: number): void {
    this.place.push(place);
  }

  /** Says that the code from `begin` on is the block's next piece. */
  piece(block: number, begin: number): void {
    if (begin < this.length) this.pieces[block].push([begin, this.length]);
  }

  /** As `piece`, put before the last operation of the block. */
  pieceBeforeLast(block: number, begin: number): void {
    if (begin === this.length) return;
    const own = this.pieces[block];
    const [from, to] = own.pop()!;
    if (from < to - 1) own.push([from, to - 1]);
    own.push([begin, this.length], [to - 1, to]);
  }

  /** The code from `begin` on becomes a new block on the edge. */
  splitEdge(from: number, to: number, begin: number): void {
    const fresh = this.pieces.length;
    this.pieces.push([]);
    this.piece(fresh, begin);
    this.successors.push([to]);
    this.successors[from] = this.successors[from].map((s) => (s === to ? fresh : s));
  }

  finish(unitsUsed: Int32Array, slotUnits: Int32Array): AllocatedFunction {
    const blockCount = this.pieces.length;
    const count = this.length;
    const blockStart = new Int32Array(blockCount + 1);
    const successorStart = new Int32Array(blockCount + 1);
    const successors: number[] = [];
    const kind = new Uint8Array(count);
    const elision = new Uint8Array(count);
    const instruction = new Int32Array(count);
    const register = new Int32Array(count);
    const slot = new Int32Array(count);
    const operandStart = new Int32Array(count + 1);
    const operandPlace = new Int32Array(this.place.length);
    let at = 0;
    let operand = 0;
    for (let b = 0; b < blockCount; b++) {
      blockStart[b] = at;
      for (const [begin, end] of this.pieces[b]) {
        for (let k = begin; k < end; k++, at++) {
          kind[at] = this.kind.at(k);
          elision[at] = this.elision.at(k);
          instruction[at] = this.instruction.at(k);
          register[at] = this.register.at(k);
          slot[at] = this.slot.at(k);
          operandStart[at] = operand;
          const last = k + 1 < count ? this.operandStart.at(k + 1) : this.place.length;
          for (let o = this.operandStart.at(k); o < last; o++) operandPlace[operand++] = this.place.at(o);
        }
      }
      successorStart[b] = successors.length;
      for (const to of this.successors[b]) successors.push(to);
    }
    blockStart[blockCount] = at;
    successorStart[blockCount] = successors.length;
    operandStart[count] = operand;
    return {
      source: this.f,
      blockCount,
      blockStart,
      successorStart,
      successors: new Int32Array(successors),
      count,
      kind,
      elision,
      instruction,
      register,
      slot,
      operandStart,
      operandPlace,
      unitsUsed,
      slotUnits,
    };
  }
}
