import { InstructionFlag, OperandFlag, type Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import type { Cfg } from '../../../../passes/cfg.js';
import { dominates, type Dominators } from '../../../../passes/dominators.js';
import type { Loops } from '../../../../passes/loops.js';
import { isDefinition, isUse, type Occurrences } from '../../../../passes/occurrences.js';
import { PREDICATE } from '../code.js';
import { operandText } from '../operands.js';

/**
 * Loops that count: a register that grows by a constant once an iteration, compared with something that does not
 * change in the loop. Only innermost loops, of one back edge.
 *
 * Measured with ptxas 13.0, loops of four multiply-adds: the comparison must read the counter after it was advanced
 * and the branch must go back where the comparison holds (`setp.lt; @p bra LOOP`), or the test stands at the top and
 * leaves where it holds. `@!p bra LOOP`, a counter that is shifted, copied or compared before
 * it is advanced, a step in a register: the loop stays as it is. So it does where `@p bra OUT; bra LOOP` stands directly in front of OUT
 * (what LLVM writes), which ptxas takes for `@!p bra LOOP`; with other code between the two, be it code that ptxas
 * itself puts there because it leads to OUT beside the loop, it is unrolled. A test of two conditions (`setp.lt;
 * and.pred`) counts where the trip count is bounded by a number.
 */
export interface CountedLoop {
  readonly header: number;
  /** Ascending. */
  readonly blocks: readonly number[];
  readonly latch: number;
  /** The branch at the end of the testing block, which is the latch, or the header where `testsAtTop`. */
  readonly branch: number;
  readonly exit: number;
  readonly testsAtTop: boolean;
  /** The branch goes back, or on, into the loop; else it leaves. */
  readonly staysTaken: boolean;
  /** A block of nothing but a branch from `latch` to the header, or -1. It is no part of `blocks`. */
  readonly back: number;
  /** The test holds only together with something else, or some other branch leaves the loop. */
  readonly hasOtherExits: boolean;
  /** Whether the comparison says more than where the counter stands. */
  readonly isJoint: boolean;
  readonly compare: number;
  readonly update: number;
  readonly counter: number;
  readonly step: bigint;
  /** The operand that the counter is compared with. */
  readonly bound: number;
  /** How often the body runs, where start and bound are numbers in the text; else undefined. */
  readonly trips: number | undefined;
}

/** Longest trip count that is looked for. */
const MOST_TRIPS = 8192;

export function countedLoops(
  f: Function,
  cfg: Cfg,
  dominators: Dominators,
  loops: Loops,
  occurrences: () => Occurrences,
): CountedLoop[] {
  const isInnermost = new Uint8Array(f.blockCount);
  let any = false;
  for (const b of cfg.order) if (loops.header[b] === b) any = (isInnermost[b] = 1) === 1;
  if (!any) return [];
  for (const b of cfg.order)
    if (loops.header[b] === b && loops.outer[b] >= 0) isInnermost[loops.outer[b]] = 0;
  const blocksOf = new Map<number, number[]>();
  for (let b = 0; b < f.blockCount; b++) {
    const header = loops.header[b];
    if (header < 0 || !isInnermost[header] || loops.irreducible[b]) continue;
    const list = blocksOf.get(header);
    if (list) list.push(b);
    else blocksOf.set(header, [b]);
  }
  const found: CountedLoop[] = [];
  for (const [header, blocks] of blocksOf) {
    const loop = countedLoop(f, cfg, dominators, loops, header, blocks, occurrences);
    if (loop) found.push(loop);
  }
  return found;
}

function countedLoop(
  f: Function,
  cfg: Cfg,
  dominators: Dominators,
  loops: Loops,
  header: number,
  all: readonly number[],
  occurrences: () => Occurrences,
): CountedLoop | undefined {
  const isInside = (block: number): boolean => loops.header[block] === header;
  let latch = -1;
  for (let e = cfg.predecessorStart[header]; e < cfg.predecessorStart[header + 1]; e++) {
    if (!isInside(cfg.predecessors[e])) continue;
    if (latch >= 0) return undefined;
    latch = cfg.predecessors[e];
  }
  let back = -1;
  if (
    latch !== header &&
    isBareJump(f, latch) &&
    cfg.predecessorStart[latch + 1] - cfg.predecessorStart[latch] === 1
  ) {
    const from = cfg.predecessors[cfg.predecessorStart[latch]];
    const out = exitOf(f, from, isInside);
    if (out === latch + 1 && isReachedBy(cfg, dominators, out, header, isInside)) return undefined;
    if (out >= 0) [back, latch] = [latch, from];
  }
  const blocks = back < 0 ? all : all.filter((b) => b !== back);
  const testsAtTop = back < 0 && exitOf(f, latch, isInside) < 0;
  const test = testsAtTop ? header : latch;
  const exit = exitOf(f, test, isInside);
  if (exit < 0) return undefined;
  const branch = f.blockStart[test + 1] - 1;
  if (branch < f.blockStart[test] || (f.instructionFlags[branch] & InstructionFlag.Branch) === 0)
    return undefined;
  // the second successor is where the branch goes
  const taken = f.successors[f.successorStart[test + 1] - 1];
  const staysTaken = taken !== exit;
  if (staysTaken === (testsAtTop || back >= 0)) return undefined;
  const guard = f.operandStart[branch + 1] - 1;
  if (guard < f.operandStart[branch] || (f.operandFlags[guard] & OperandFlag.Guard) === 0) return undefined;
  if (operandText(f, guard) !== '' || f.operandPlace[guard] < 0) return undefined;
  const { start, instruction } = occurrences();
  const flag = f.operandPlace[guard];
  // the flag of the test is made and read here alone
  if (start[flag + 1] - start[flag] !== 2) return undefined;
  const compare =
    instruction[start[flag]] === branch ? instruction[start[flag] + 1] : instruction[start[flag]];
  if (compare < f.blockStart[test] || compare >= branch) return undefined;
  const form = { staysTaken, testsAtTop };
  const counting =
    countingOf(f, loops, header, compare, form, occurrences()) ??
    (staysTaken ? jointOf(f, loops, header, compare, form, occurrences()) : undefined);
  if (counting === undefined) return undefined;
  const { update } = counting;
  const updateBlock = occurrences().blockOf[update];
  if (!dominates(dominators, updateBlock, latch)) return undefined;
  if (testsAtTop ? updateBlock === header && update < compare : updateBlock === latch && update > compare)
    return undefined;
  const hasOtherExits = counting.isJoint || blocks.some((b) => leaves(f, b, isInside, b === test));
  if (counting.isJoint && (testsAtTop || !staysTaken)) return undefined;
  return {
    header,
    blocks,
    latch,
    branch,
    exit,
    testsAtTop,
    staysTaken,
    back,
    hasOtherExits,
    compare,
    ...counting,
  };
}

/** Whether the way to block `out` leads through the loop or from what stands in front of it: nothing joins from beside. */
function isReachedBy(
  cfg: Cfg,
  dominators: Dominators,
  out: number,
  header: number,
  isInside: (block: number) => boolean,
): boolean {
  for (let e = cfg.predecessorStart[out]; e < cfg.predecessorStart[out + 1]; e++) {
    const from = cfg.predecessors[e];
    if (!isInside(from) && !dominates(dominators, from, header)) return false;
  }
  return true;
}

/** A block that does nothing but go to another one. */
const isBareJump = (f: Function, block: number): boolean =>
  f.successorStart[block + 1] - f.successorStart[block] === 1 &&
  (f.blockStart[block + 1] === f.blockStart[block] ||
    (f.blockStart[block + 1] === f.blockStart[block] + 1 &&
      (f.instructionFlags[f.blockStart[block]] & InstructionFlag.Branch) !== 0));

/** The successor outside of the loop of a block that has one inside too, or -1. */
function exitOf(f: Function, block: number, isInside: (block: number) => boolean): number {
  if (f.successorStart[block + 1] - f.successorStart[block] !== 2) return -1;
  const [first, second] = f.successors.subarray(f.successorStart[block], f.successorStart[block + 1]);
  if (isInside(first) === isInside(second)) return -1;
  return isInside(first) ? second : first;
}

/** Whether a block may leave the loop, by an edge or by leaving the function; the tested edge does not count. */
function leaves(f: Function, block: number, isInside: (block: number) => boolean, isTest: boolean): boolean {
  if (f.successorStart[block] === f.successorStart[block + 1]) return true;
  for (let e = f.successorStart[block]; !isTest && e < f.successorStart[block + 1]; e++)
    if (!isInside(f.successors[e])) return true;
  const last = f.blockStart[block + 1] - 1;
  return last >= f.blockStart[block] && (f.instructionFlags[last] & InstructionFlag.Return) !== 0;
}

/** The value of an integer written in the text. */
export function numberOf(f: Function, operand: number): bigint | undefined {
  if (f.operandPlace[operand] !== NoRegister.Immediate) return undefined;
  const text = operandText(f, operand);
  return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** A register that an instruction advances by a number: `add r, r, 4`. */
export interface Advance {
  readonly register: number;
  readonly step: bigint;
  /** The operand that says the step, and its number: the step, or its negative in a subtraction. */
  readonly stepOperand: number;
  readonly amount: bigint;
}

const ADVANCE = /^(add|sub)\.[us](32|64)$/;

export function advanceOf(f: Function, i: number): Advance | undefined {
  const o = f.operandStart[i];
  if (f.operandStart[i + 1] - o !== 3) return undefined;
  const register = f.operandPlace[o];
  if (register < 0 || f.operandPlace[o + 1] !== register || !isDefinition(f, o)) return undefined;
  if (operandText(f, o + 1) !== '') return undefined;
  const words = ADVANCE.exec(f.opcodes.text(f.opcode[i]));
  const number = words && numberOf(f, o + 2);
  if (number === undefined || number === null || number === 0n) return undefined;
  return { register, step: words?.[1] === 'sub' ? -number : number, stepOperand: o + 2, amount: number };
}

/** The counting part of a test that holds only where something else does too. */
function jointOf(
  f: Function,
  loops: Loops,
  header: number,
  test: number,
  form: Pick<CountedLoop, 'staysTaken' | 'testsAtTop'>,
  occurrences: Occurrences,
): Counting | undefined {
  const text = f.opcodes.text(f.opcode[test]);
  if (text !== 'and.pred' && !(text.startsWith('setp.') && text.endsWith('.and'))) return undefined;
  const { start, operand, instruction, blockOf } = occurrences;
  for (let o = f.operandStart[test] + 1; o < f.operandStart[test + 1]; o++) {
    const flag = f.operandPlace[o];
    if (flag < 0 || f.registerClass[flag] !== PREDICATE || operandText(f, o) !== '') continue;
    let definer = -1;
    for (let k = start[flag]; k < start[flag + 1]; k++)
      if (isDefinition(f, operand[k])) definer = definer === -1 ? instruction[k] : -2;
    if (definer < 0 || blockOf[definer] !== blockOf[test]) continue;
    const counting = countingOf(f, loops, header, definer, form, occurrences);
    if (counting) return { ...counting, isJoint: true };
  }
  return undefined;
}

type Counting = Pick<CountedLoop, 'isJoint' | 'update' | 'counter' | 'step' | 'bound' | 'trips'>;

const COMPARE = /^setp\.(lt|le|gt|ge|ne|eq|lo|ls|hi|hs)\.([us])(32|64)(?:\.(and))?$/;

function countingOf(
  f: Function,
  loops: Loops,
  header: number,
  compare: number,
  { staysTaken, testsAtTop }: Pick<CountedLoop, 'staysTaken' | 'testsAtTop'>,
  occurrences: Occurrences,
): Counting | undefined {
  const { start, operand, instruction, blockOf } = occurrences;
  const o = f.operandStart[compare];
  const condition = COMPARE.exec(f.opcodes.text(f.opcode[compare]));
  const isJoint = condition?.[4] !== undefined;
  if (condition === null || f.operandStart[compare + 1] - o !== (isJoint ? 4 : 3)) return undefined;
  const definitionsInside = (operandNumber: number): number[] => {
    const register = f.operandPlace[operandNumber];
    const inside: number[] = [];
    if (register < 0) return inside;
    for (let k = start[register]; k < start[register + 1]; k++)
      if (isDefinition(f, operand[k]) && loops.header[blockOf[instruction[k]]] === header)
        inside.push(instruction[k]);
    return inside;
  };
  const isSwapped = definitionsInside(o + 1).length === 0;
  const [counts, bound] = isSwapped ? [o + 2, o + 1] : [o + 1, o + 2];
  const counter = f.operandPlace[counts];
  if (counter < 0 || operandText(f, counts) !== '' || definitionsInside(bound).length > 0) return undefined;
  if (f.operandPlace[bound] >= 0 && operandText(f, bound) !== '') return undefined;
  const updates = definitionsInside(counts);
  if (updates.length !== 1) return undefined;
  const [update] = updates;
  const advance = advanceOf(f, update);
  if (advance === undefined) return undefined;
  const first = startOf(f, loops, header, counter, update, occurrences);
  const last = numberOf(f, bound);
  const trips =
    first === undefined || last === undefined
      ? undefined
      : tripsOf(first, last, advance.step, condition, isSwapped, staysTaken, testsAtTop);
  return { isJoint, update, counter, step: advance.step, bound, trips };
}

/** The number that the counter has at every entry: its only other definition moves one, just outside of the loop. */
function startOf(
  f: Function,
  loops: Loops,
  header: number,
  counter: number,
  update: number,
  { start, operand, instruction, blockOf }: Occurrences,
): bigint | undefined {
  let first: bigint | undefined;
  for (let k = start[counter]; k < start[counter + 1]; k++) {
    const i = instruction[k];
    if (!isDefinition(f, operand[k]) || i === update) continue;
    const o = f.operandStart[i];
    if (
      first !== undefined ||
      f.operandStart[i + 1] - o !== 2 ||
      !f.opcodes.text(f.opcode[i]).startsWith('mov.')
    )
      return undefined;
    if (isUse(f, o) || loops.header[blockOf[i]] !== loops.outer[header]) return undefined;
    first = numberOf(f, o + 1);
    if (first === undefined) return undefined;
  }
  return first;
}

/** How often the body runs: while the condition holds, or until it holds; asked before the first run too, or not. */
function tripsOf(
  first: bigint,
  last: bigint,
  step: bigint,
  [, condition, sign, bits]: RegExpExecArray,
  isSwapped: boolean,
  staysTaken: boolean,
  testsAtTop: boolean,
): number | undefined {
  const wrap = (value: bigint): bigint =>
    sign === 's' ? BigInt.asIntN(Number(bits), value) : BigInt.asUintN(Number(bits), value);
  const bound = wrap(last);
  const compares = conditions[condition];
  const holds = (a: bigint, b: bigint): boolean => (isSwapped ? compares(b, a) : compares(a, b));
  let value = wrap(first);
  if (testsAtTop && holds(value, bound) !== staysTaken) return 0;
  for (let trips = 1; trips <= MOST_TRIPS; trips++) {
    value = wrap(value + step);
    if (holds(value, bound) !== staysTaken) return trips;
  }
  return undefined;
}

const less = (a: bigint, b: bigint): boolean => a < b;
const lessOrEqual = (a: bigint, b: bigint): boolean => a <= b;
const greater = (a: bigint, b: bigint): boolean => a > b;
const greaterOrEqual = (a: bigint, b: bigint): boolean => a >= b;

const conditions: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = {
  lt: less,
  lo: less,
  le: lessOrEqual,
  ls: lessOrEqual,
  gt: greater,
  hi: greater,
  ge: greaterOrEqual,
  hs: greaterOrEqual,
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
};
