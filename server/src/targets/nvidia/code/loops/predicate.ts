import { InstructionFlag, OperandFlag, type Function, type OpcodeTable } from '../../../../ir/function.js';
import { isDefinition, isUse, kills } from '../../../../passes/occurrences.js';
import { classify } from '../../classify.js';
import type { CommonPass, MachineCode, Modelled } from '../code.js';
import { guardOf, operandText } from '../operands.js';
import { CodeWriter } from '../writer.js';

/**
 * Small branches become predicated instructions, and blocks that only follow each other become one, so that what
 * stood in several blocks is scheduled as one.
 *
 * Measured with ptxas 13.0 on one-sided and two-sided conditions around k instructions: a side
 * is predicated up to 8 instructions (7 on sm_90 and newer), up to 20 with a load from global memory among them;
 * neighbouring accesses to shared memory count as the vector that they become. Not with an atomic, a shuffle, a call
 * or a called sequence in it, and not where something in it is predicated already (a condition in a condition).
 */
export const predicate: CommonPass = (code, context) => {
  const { f } = code;
  if (f.blockCount < 2) return code;
  const regions = new Regions(f, context);
  return regions.convert() ? regions.write(code) : code;
};

const SIDE = 8;
const SIDE_NEWER = 7;
const SIDE_WITH_LOAD = 20;
/** The version from which one instruction fewer is predicated. */
const NEWER = 90;
/** Weights are quarters of an instruction. */
const UNIT = 4;

/** Instructions `from .. to` of the old code, under a guard: `branch` where it goes on, `~branch` where it branches. */
interface Stretch {
  readonly from: number;
  to: number;
  guard: number | undefined;
  next: Stretch | undefined;
}

/** What one look at the opcode says. */
interface Cost {
  readonly weight: number;
  readonly isBarred: boolean;
  readonly isLoad: boolean;
}

const UNCONVERTIBLE = new Set(
  'atom red shfl vote match activemask call bar barrier membar fence brx wmma mma ldmatrix stmatrix wgmma mbarrier redux elect setmaxnreg nanosleep tcgen05'.split(
    ' ',
  ),
);

function costOfText(opcodes: OpcodeTable, opcode: number): Cost {
  const text = opcodes.text(opcode);
  const [root] = text.split('.');
  const { unit, instructions } = classify(opcodes, opcode);
  const isShared = (root === 'ld' || root === 'st') && text.includes('.shared');
  const isLoad = root === 'ld' && !isShared && !text.includes('.param') && !text.includes('.const');
  const isBarred = unit === 'sequence' || UNCONVERTIBLE.has(root);
  return { weight: isShared ? 1 : UNIT * instructions, isBarred, isLoad };
}

const LEAVING =
  InstructionFlag.Call | InstructionFlag.Branch | InstructionFlag.Return | InstructionFlag.Entry;

const cache = new WeakMap<OpcodeTable, Cost[]>();

class Regions {
  private readonly head: (Stretch | undefined)[] = [];
  private readonly tail: (Stretch | undefined)[] = [];
  private readonly successors: number[][] = [];
  private readonly predecessors: Int32Array;
  /** Sum of the weights of a block, infinite where something in it cannot be predicated. */
  private readonly weight: Float64Array;
  private readonly hasLoad: Uint8Array;
  private readonly isGone: Uint8Array;
  /** By register: operands, and 1 where all stand in one side, the first of which writes it. */
  private readonly operands: Int32Array;
  private readonly isOwn: Uint8Array;
  /** Definitions in the first of two sides, after which the second writes the register in any case. */
  private readonly covered = new Set<number>();

  constructor(
    private readonly f: Function,
    private readonly context: Modelled,
  ) {
    const { blockCount } = f;
    this.predecessors = new Int32Array(blockCount);
    this.weight = new Float64Array(blockCount);
    this.hasLoad = new Uint8Array(blockCount);
    this.isGone = new Uint8Array(blockCount);
    this.operands = new Int32Array(f.registerCount);
    for (const place of f.operandPlace) if (place >= 0) this.operands[place]++;
    this.isOwn = new Uint8Array(f.registerCount);
    let costs = cache.get(f.opcodes);
    if (costs === undefined) cache.set(f.opcodes, (costs = []));
    this.predecessors[0] = 1;
    for (let b = 0; b < blockCount; b++) {
      const [from, to] = [f.blockStart[b], f.blockStart[b + 1]];
      const stretch = from < to ? { from, to, guard: undefined, next: undefined } : undefined;
      this.head.push(stretch);
      this.tail.push(stretch);
      const out = Array.from(f.successors.subarray(f.successorStart[b], f.successorStart[b + 1]));
      this.successors.push(out);
      for (const to of out) this.predecessors[to]++;
      for (let i = from; i < to; i++)
        this.count(b, i, (costs[f.opcode[i]] ??= costOfText(f.opcodes, f.opcode[i])));
    }
  }

  private count(b: number, i: number, { weight, isBarred, isLoad }: Cost): void {
    const { f } = this;
    const flags = f.instructionFlags[i];
    const isLast = i + 1 === f.blockStart[b + 1];
    if ((flags & InstructionFlag.Branch) !== 0 && isLast) return;
    const isPlain = (flags & LEAVING) === 0;
    if (isBarred || !isPlain || guardOf(f, i) >= 0) this.weight[b] = Infinity;
    else this.weight[b] += weight;
    if (isLoad) this.hasLoad[b] = 1;
  }

  /** From the last block up, so that what stands inside is whole before what stands around it. */
  convert(): boolean {
    let changed = false;
    for (let b = this.f.blockCount - 1; b >= 0; b--)
      while (!this.isGone[b] && (this.joinSides(b) || this.joinNext(b))) changed = true;
    return changed;
  }

  /** The conditional branch that ends a block, or -1. */
  private branchOf(b: number): number {
    const last = this.tail[b];
    if (last?.guard !== undefined || last === undefined || this.successors[b].length !== 2) return -1;
    const i = last.to - 1;
    const isBranch = (this.f.instructionFlags[i] & InstructionFlag.Branch) !== 0;
    return isBranch && guardOf(this.f, i) >= 0 ? i : -1;
  }

  private joinSides(b: number): boolean {
    const branch = this.branchOf(b);
    if (branch < 0) return false;
    const [on, taken] = this.successors[b];
    const isSide = (side: number): boolean => side !== b && this.isSide(side, branch);
    const after = this.successors[on];
    if (after[0] === taken && isSide(on)) {
      this.take(b, taken, [[on, branch]]);
      return true;
    }
    if (this.successors[taken][0] === on && isSide(taken)) {
      this.take(b, on, [[taken, ~branch]]);
      return true;
    }
    if (after.length !== 1 || after[0] !== this.successors[taken][0]) return false;
    const [join] = after;
    if (join === b || join === on || join === taken || !isSide(on) || !isSide(taken)) return false;
    this.take(b, join, [
      [on, branch],
      [taken, ~branch],
    ]);
    return true;
  }

  /** Only `b` leads to the block, it is small, and what it writes is not the guard. */
  private isSide(side: number, branch: number): boolean {
    if (this.predecessors[side] !== 1 || this.successors[side].length !== 1) return false;
    if (this.weight[side] > this.most(side) * UNIT) return false;
    const { f } = this;
    const guard = f.operandPlace[guardOf(f, branch)];
    for (let s = this.head[side]; s; s = s.next)
      for (let o = f.operandStart[s.from]; o < f.operandStart[s.to]; o++)
        if (f.operandPlace[o] === guard && isDefinition(f, o)) return false;
    return true;
  }

  /** The most instructions that a side may have. */
  private most(side: number): number {
    if (this.hasLoad[side]) return SIDE_WITH_LOAD;
    return this.weight[side] > SIDE_NEWER * UNIT && this.context.isSince(NEWER) ? SIDE_NEWER : SIDE;
  }

  /** The sides run under their guards in `b`, which goes on to `join` alone: one edge fewer leads there. */
  private take(b: number, join: number, sides: readonly (readonly [number, number])[]): void {
    this.dropLast(b);
    if (sides.length === 2) this.findCovered(sides[0][0], sides[1][0]);
    for (const [side, guard] of sides) {
      this.dropJump(side);
      this.findOwn(side);
      for (let s = this.head[side]; s; s = s.next) s.guard = guard;
      if (this.head[side]) this.weight[b] = Infinity;
      this.append(b, side);
    }
    this.successors[b] = [join];
    this.predecessors[join]--;
  }

  /**
   * What a side writes first and alone reads is never read where the guard does not hold: it may be written over
   * without regard to what it held before, as without a guard.
   */
  private findOwn(side: number): void {
    const { f } = this;
    const seen = new Map<number, number>();
    for (let s = this.head[side]; s; s = s.next)
      for (let i = s.from; i < s.to; i++) {
        // what an instruction reads comes before what it writes
        for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
          if (f.operandPlace[o] >= 0 && isUse(f, o) && !seen.has(f.operandPlace[o]))
            seen.set(f.operandPlace[o], -Infinity);
        for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
          const register = f.operandPlace[o];
          if (register < 0) continue;
          const count = (seen.get(register) ?? (kills(f, o) ? 0 : -Infinity)) + 1;
          seen.set(register, count);
          if (count === this.operands[register]) this.isOwn[register] = 1;
        }
      }
  }

  /**
   * What both sides write has a value whichever of them runs: nothing of the old one is left from the first
   * definition on, unless the second side reads it.
   */
  private findCovered(first: number, second: number): void {
    const { f } = this;
    const isRead = new Set<number>();
    const isWritten = new Set<number>();
    for (let s = this.head[second]; s; s = s.next)
      for (let i = s.from; i < s.to; i++) {
        for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
          if (isUse(f, o) && !isWritten.has(f.operandPlace[o])) isRead.add(f.operandPlace[o]);
        for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
          if (f.operandPlace[o] >= 0 && kills(f, o)) isWritten.add(f.operandPlace[o]);
      }
    for (let s = this.head[first]; s; s = s.next)
      for (let o = f.operandStart[s.from]; o < f.operandStart[s.to]; o++) {
        const register = f.operandPlace[o];
        if (register < 0 || !isWritten.has(register) || isRead.has(register) || !kills(f, o)) continue;
        this.covered.add(o);
        isWritten.delete(register);
      }
  }

  /** Takes in the block behind, if nothing else leads there. */
  private joinNext(b: number): boolean {
    if (this.successors[b].length !== 1) return false;
    const [next] = this.successors[b];
    if (next === b || this.predecessors[next] !== 1) return false;
    this.dropJump(b);
    this.weight[b] += this.weight[next];
    this.append(b, next);
    this.successors[b] = this.successors[next];
    return true;
  }

  /** Drops the unconditional branch that ends a block, if there is one. */
  private dropJump(b: number): void {
    const last = this.tail[b];
    if (last === undefined || last.guard !== undefined) return;
    if ((this.f.instructionFlags[last.to - 1] & InstructionFlag.Branch) !== 0) this.dropLast(b);
  }

  private dropLast(b: number): void {
    this.tail[b]!.to--;
  }

  private append(b: number, other: number): void {
    this.hasLoad[b] |= this.hasLoad[other];
    this.isGone[other] = 1;
    const first = this.head[other];
    if (first === undefined) return;
    const last = this.tail[b];
    if (last === undefined) this.head[b] = first;
    else last.next = first;
    this.tail[b] = this.tail[other];
  }

  write(code: MachineCode): MachineCode {
    const { f } = this;
    const writer = new CodeWriter(code);
    const number = new Int32Array(f.blockCount).fill(-1);
    let count = 0;
    for (let b = 0; b < f.blockCount; b++) if (!this.isGone[b]) number[b] = count++;
    for (let b = 0; b < f.blockCount; b++) {
      if (this.isGone[b]) continue;
      writer.block(f.blockNames[b]);
      for (const to of this.successors[b]) writer.successor(number[b], number[to]);
      for (let s = this.head[b]; s; s = s.next)
        for (let i = s.from; i < s.to; i++)
          if (s.guard === undefined) writer.copy(i);
          else
            writeGuarded(
              code,
              writer,
              i,
              s.guard,
              (o) => this.isOwn[f.operandPlace[o]] === 1 || this.covered.has(o),
            );
    }
    return writer.finish();
  }
}

/**
 * Instruction `i` where a branch goes on, or, for `~branch`, where it branches; `ends`: definitions that end what their
 * register held before, guard or not.
 */
function writeGuarded(
  code: MachineCode,
  writer: CodeWriter,
  i: number,
  guard: number,
  ends: (definition: number) => boolean,
): void {
  const { f, executesStart, executes } = code;
  const branch = guard < 0 ? ~guard : guard;
  const condition = executes[executesStart[branch + 1] - 1];
  const list = [guard < 0 ? ~condition : condition];
  for (let k = executesStart[i]; k < executesStart[i + 1]; k++) list.push(executes[k]);
  writer.head(i, list, f.instructionFlags[i] & ~(InstructionFlag.Copy | InstructionFlag.Constant));
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
    writer.operand(
      o,
      f.operandPlace[o],
      isDefinition(f, o) && !(f.operandPlace[o] >= 0 && ends(o))
        ? f.operandFlags[o] | OperandFlag.Predicated
        : f.operandFlags[o],
    );
  const o = guardOf(f, branch);
  const isNegated = operandText(f, o) === '!';
  // the instruction runs where the branch is not taken
  const negates = isNegated === guard < 0;
  writer.operand(o, f.operandPlace[o], undefined, negates ? (f.operandTexts?.number('!') ?? 0) : 0);
}
