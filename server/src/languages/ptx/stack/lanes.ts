import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import { controlFlow, type Cfg } from '../../../passes/cfg.js';
import { dominatorsOf } from '../../../passes/dominators.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';
import { opcodeFact, Transfer } from './opcodes.js';
import type { Origins } from './origins.js';

/**
 * Which blocks only a part of a warp may execute. A value differs between the lanes when it is computed from `%laneid` or
 * `%tid.x` (a soft-stack launch puts the lanes of a warp in x), or loaded from an address that does; what is loaded, passed or
 * returned otherwise counts as equal, so that nothing is said without a reason in the text. One lane alone is no part
 * in this sense: it may use the stack of the warp, as GCC's master lane does.
 */
export const enum Lanes {
  Equal = 0,
  /** The number of the lane itself. */
  Number = 1,
  /** GCC's master lane: `%laneid & __nvptx_uni[%tid.y]`. */
  Master = 2,
  Different = 3,
  /** A predicate that holds in one lane at most. */
  One = 4,
  /** A predicate that holds in all lanes but one at most. */
  AllButOne = 5,
}

const laneRegisters = /^%(laneid|tid\.x|lanemask_\w+)$/;

export const mentionsLanes = (text: string): boolean => text.includes('%laneid') || text.includes('%tid.x');

/** By node of the reaching definitions. */
export function lanesOf(f: Function, reaching: ReachingDefinitions, origins: Origins): Uint8Array {
  const nodes = reaching.definition.length;
  const value = new Uint8Array(nodes);
  const isKnown = new Uint8Array(nodes);
  const operand = (k: number): Lanes => {
    if (f.operandPlace[k] >= 0) return reaching.nodeOfUse[k] < 0 ? Lanes.Equal : value[reaching.nodeOfUse[k]];
    if (f.operandPlace[k] !== (NoRegister.SpecialConstant as number)) return Lanes.Equal;
    const text = f.operandTexts?.text(f.operandPayload?.[k] ?? 0) ?? '';
    const match = laneRegisters.exec(text);
    return match === null ? Lanes.Equal : match[1].startsWith('lanemask') ? Lanes.Different : Lanes.Number;
  };
  const set = (node: number, fresh: Lanes): boolean => {
    const joined = isKnown[node] === 0 ? fresh : join(value[node], fresh);
    if (isKnown[node] === 1 && joined === value[node]) return false;
    isKnown[node] = 1;
    value[node] = joined;
    return true;
  };
  // values climb three steps at most, so that a few passes in text order settle nearly everything; the last makes sure
  for (let changed = true, pass = 0; changed && pass < PASSES; pass++) {
    changed = false;
    for (let i = 0; i < f.instructionCount; i++) {
      let made: Lanes | undefined;
      for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
        const node = reaching.nodeOfDefinition[k];
        if (node < 0) continue;
        made ??= resultOf(f, i, operand, origins);
        let fresh = made;
        for (let e = reaching.inputStart[node]; e < reaching.inputStart[node + 1]; e++)
          if (isKnown[reaching.inputs[e]] === 1) fresh = join(fresh, value[reaching.inputs[e]]);
        if (set(node, fresh)) changed = true;
      }
    }
    for (let n = 0; n < nodes; n++) {
      if (reaching.definition[n] >= 0) continue;
      for (let e = reaching.inputStart[n]; e < reaching.inputStart[n + 1]; e++) {
        const from = reaching.inputs[e];
        if (isKnown[from] === 1 && set(n, value[from])) changed = true;
      }
    }
  }
  return value;
}

const PASSES = 12;

const join = (a: Lanes, b: Lanes): Lanes => {
  if (a === b) return a;
  // the master lane is the lane itself inside a SIMD region, lane 0 outside
  if (a + b === Lanes.Number + Lanes.Master || a + b === (Lanes.Master as number)) return Math.max(a, b);
  return Lanes.Different;
};

function resultOf(f: Function, i: number, operand: (k: number) => Lanes, origins: Origins): Lanes {
  const fact = opcodeFact(f.opcodes, f.opcode[i]);
  const text = f.opcodes.text(f.opcode[i]);
  if (
    fact.name === 'vote' ||
    fact.name === 'call' ||
    text.startsWith('shfl.sync.idx') ||
    text.startsWith('shfl.idx')
  )
    return Lanes.Equal;
  const inputs: Lanes[] = [];
  let readsUni = false;
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
    const flags = f.operandFlags[k];
    if ((flags & OperandFlag.Use) === 0 || (flags & OperandFlag.Guard) !== 0) continue;
    inputs.push(operand(k));
    readsUni ||= comesFromUni(f, k, origins);
  }
  if (inputs.every((lanes) => lanes === Lanes.Equal)) return Lanes.Equal;
  if ((f.instructionFlags[i] & InstructionFlag.ReadsMemory) !== 0) return Lanes.Different;
  if (fact.transfer === Transfer.Copy && inputs.length === 1) return inputs[0];
  const [a, b] = inputs;
  if (fact.name === 'setp' && inputs.length === 2) return comparison(text, a, b);
  if (fact.name === 'not' && inputs.length === 1) return complement(a);
  if (fact.transfer === Transfer.And && readsUni && inputs.includes(Lanes.Number)) return Lanes.Master;
  return Lanes.Different;
}

/** An operand that was just loaded from the warp's flag. */
function comesFromUni(f: Function, k: number, { uniLoads }: Origins): boolean {
  return f.operandPlace[k] >= 0 && uniLoads.has(f.operandPlace[k]);
}

function comparison(text: string, a: Lanes, b: Lanes): Lanes {
  const isLane = (lanes: Lanes): boolean => lanes === Lanes.Number;
  const isFixed = (lanes: Lanes): boolean => lanes === Lanes.Equal || lanes === Lanes.Master;
  if (isLane(a) && isLane(b)) return Lanes.Equal;
  if (!((isLane(a) && isFixed(b)) || (isLane(b) && isFixed(a)))) return Lanes.Different;
  if (text.startsWith('setp.eq')) return Lanes.One;
  return text.startsWith('setp.ne') ? Lanes.AllButOne : Lanes.Different;
}

export const complement = (lanes: Lanes): Lanes =>
  lanes === Lanes.One ? Lanes.AllButOne : lanes === Lanes.AllButOne ? Lanes.One : lanes;

/** True where a predicate with these lanes may hold in some lanes and not in others, and in more than one. */
export const isPart = (lanes: Lanes): boolean => lanes === Lanes.Different || lanes === Lanes.AllButOne;

/** What the guard of an instruction says, its negation included; `Equal` without one. */
export function guardLanes(f: Function, i: number, reaching: ReachingDefinitions, lanes: Uint8Array): Lanes {
  const k = f.operandStart[i + 1] - 1;
  if (k < f.operandStart[i] || (f.operandFlags[k] & OperandFlag.Guard) === 0) return Lanes.Equal;
  const node = reaching.nodeOfUse[k];
  if (f.operandPlace[k] < 0 || node < 0) return Lanes.Equal;
  const isNegated = (f.operandPayload?.[k] ?? 0) !== 0;
  return isNegated ? complement(lanes[node]) : lanes[node];
}

/**
 * For each block the branch that only a part of the warp takes towards it (its last instruction), or -1: the blocks that
 * depend on the branch for their control (Ferrante, Ottenstein, Warren, TOPLAS 1987), those that depend on them included.
 * Undefined where the graph would cost too much.
 */
export function partialBlocks(
  f: Function,
  cfg: Cfg,
  reaching: ReachingDefinitions,
  lanes: Uint8Array,
): Int32Array | undefined {
  const branchOf = new Int32Array(f.blockCount).fill(-1);
  const parent = postDominators(f, cfg);
  const queue: number[] = [];
  let budget = 64 * f.blockCount + 1000;
  /** Marks what executes only because `from` goes to `to`. */
  const mark = (from: number, to: number, branch: number): void => {
    for (let b = to; b >= 0 && b !== parent[from] && budget-- > 0; b = parent[b]) {
      if (branchOf[b] >= 0) continue;
      branchOf[b] = branch;
      queue.push(b);
    }
  };
  for (let b = 0; b < f.blockCount; b++) {
    const last = f.blockStart[b + 1] - 1;
    if (last < f.blockStart[b] || (f.instructionFlags[last] & InstructionFlag.Branch) === 0) continue;
    const taken = guardLanes(f, last, reaching, lanes);
    if (taken === Lanes.Equal || cfg.successorStart[b + 1] - cfg.successorStart[b] < 2) continue;
    for (let e = cfg.successorStart[b]; e < cfg.successorStart[b + 1]; e++)
      // the fall-through comes first
      if (isPart(e === cfg.successorStart[b] ? complement(taken) : taken)) mark(b, cfg.successors[e], last);
  }
  for (const b of queue)
    for (let e = cfg.successorStart[b]; e < cfg.successorStart[b + 1]; e++)
      mark(b, cfg.successors[e], branchOf[b]);
  return budget > 0 ? branchOf : undefined;
}

/** Immediate post-dominator of each block; -1 for the end of the function, and where no path leads there. */
function postDominators(f: Function, cfg: Cfg): Int32Array {
  const count = f.blockCount + 1;
  const start = [0];
  const successors: number[] = [];
  for (let b = 0; b < f.blockCount; b++)
    if (cfg.successorStart[b] === cfg.successorStart[b + 1]) successors.push(b + 1);
  start.push(successors.length);
  for (let b = 0; b < f.blockCount; b++) {
    for (let e = cfg.predecessorStart[b]; e < cfg.predecessorStart[b + 1]; e++)
      successors.push(cfg.predecessors[e] + 1);
    start.push(successors.length);
  }
  const reversed = controlFlow({
    blockCount: count,
    successorStart: Int32Array.from(start),
    successors: Int32Array.from(successors),
  });
  const { immediate } = dominatorsOf(reversed);
  return Int32Array.from({ length: f.blockCount }, (_, b) =>
    immediate[b + 1] > 0 ? immediate[b + 1] - 1 : -1,
  );
}
