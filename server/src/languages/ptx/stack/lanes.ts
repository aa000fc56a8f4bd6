import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import type { Cfg } from '../../../passes/cfg.js';
import { blocksOfInstructions } from '../../../passes/occurrences.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';
import type { PtxBound } from '../bind/index.js';
import { calleeOperand, nameAt, textOf } from './calls.js';
import { RegisterClassNumber } from '../types.js';
import { complement, guardLanes, join, Lanes } from './lane-kinds.js';
import { opcodeFact, Transfer } from './opcodes.js';
import type { Origins } from './origins.js';
import { partialBlocks } from './parts.js';

/**
 * Which blocks only a part of a warp may execute. A value differs between the lanes when it is computed from `%laneid` or
 * `%tid.x` (a soft-stack launch puts the lanes of a warp in x), or loaded from an address that does; what is loaded, passed or
 * returned otherwise counts as equal, so that nothing is said without a reason in the text. One lane alone is no part
 * in this sense: it may use the stack of the warp, as GCC's master lane does.
 */

const laneRegisters = /^%(laneid|tid\.x|lanemask_\w+)$/;
const clocks = /^%(clock|globaltimer|pm\d)/;

export const mentionsLanes = (text: string): boolean => text.includes('%laneid') || text.includes('%tid.x');

/**
 * What a transformation that must not go wrong asks beyond the numbers of lanes: results of atomics and clocks, values that
 * a guard or a branch gives to some lanes only, and what callers and callees bring.
 */
export interface LaneFacts {
  readonly bound: PtxBound;
  /** By name, of the function's own parameters; absent: equal. */
  readonly parameters: ReadonlyMap<string, Lanes>;
  /** What the callee of an instruction returns where its arguments are equal. */
  resultOfCall(instruction: number): Lanes;
  /** Names of the parameters in which the function returns its results. */
  readonly results: ReadonlySet<string>;
}

export interface LaneValues {
  /** By node of the reaching definitions. */
  readonly lanes: Uint8Array;
  /** By block: lanes may have parted on the way to it, so that some are elsewhere; undefined where that was not asked. */
  readonly apart: Int32Array | undefined;
  /** By node: the block of its definition, or -1; empty where `apart` was not asked. */
  readonly blockOfNode: Int32Array;
  /** By instruction: what a call hands over, in the order of its arguments. */
  readonly arguments: ReadonlyMap<number, readonly Lanes[]>;
  /** What the function returns. */
  readonly result: Lanes;
}

/** By node of the reaching definitions; the numbers of lanes alone. */
export const lanesOf = (f: Function, reaching: ReachingDefinitions, origins: Origins): Uint8Array =>
  new LaneFlow(f, reaching, origins).settle();

/** Values and control depend on each other: both are computed in turn until lanes part nowhere else. */
export function laneValues(
  f: Function,
  cfg: Cfg,
  reaching: ReachingDefinitions,
  origins: Origins,
  facts: LaneFacts,
): LaneValues {
  const flow = new LaneFlow(f, reaching, origins, facts);
  let apart: Int32Array | undefined = new Int32Array(f.blockCount).fill(-1);
  for (let round = 1; ; round++) {
    flow.apart = apart;
    const lanes = flow.settle();
    const next: Int32Array | undefined =
      round === ROUNDS ? undefined : partialBlocks(f, cfg, reaching, lanes, (l) => l !== Lanes.Equal);
    const isSettled: boolean =
      next !== undefined && next.every((branch, b) => branch >= 0 === apart![b] >= 0);
    if (isSettled) break;
    apart = next;
    if (apart === undefined) {
      // too much to follow: every join may bring lanes together that were apart
      flow.apart = new Int32Array(f.blockCount);
      flow.settle();
      break;
    }
  }
  return flow.values();
}

/** Rounds of values and control; a further one is needed for each branch that depends on one found in the round before. */
const ROUNDS = 16;

/** Passes in text order over one function; see `settle`. */
const PASSES = 12;
const THOROUGH_PASSES = 64;

class LaneFlow {
  apart: Int32Array | undefined;
  private readonly value: Uint8Array;
  private readonly isKnown: Uint8Array;
  private readonly blockOf: Int32Array;
  private readonly blockOfNode: Int32Array;
  /** By name: what lies in the parameters of the calls to come, and in those of results. */
  private readonly passed = new Map<string, Lanes>();
  private readonly handed = new Map<number, readonly Lanes[]>();
  private result = Lanes.Equal;
  private resultStores = 0;

  constructor(
    private readonly f: Function,
    private readonly reaching: ReachingDefinitions,
    private readonly origins: Origins,
    private readonly facts?: LaneFacts,
  ) {
    const nodes = reaching.definition.length;
    this.value = new Uint8Array(nodes);
    this.isKnown = new Uint8Array(nodes);
    this.blockOf = facts === undefined ? new Int32Array(0) : blocksOfInstructions(f);
    this.blockOfNode = new Int32Array(facts === undefined ? 0 : nodes).fill(-1);
    if (facts === undefined) return;
    for (let i = 0; i < f.instructionCount; i++)
      for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
        if (reaching.nodeOfDefinition[k] >= 0)
          this.blockOfNode[reaching.nodeOfDefinition[k]] = this.blockOf[i];
  }

  /** Values climb three steps at most, so that a few passes in text order settle nearly everything. */
  settle(): Uint8Array {
    const { f, reaching, facts } = this;
    const limit = facts === undefined ? PASSES : THOROUGH_PASSES;
    let changed = true;
    for (let pass = 0; changed && pass < limit; pass++) {
      changed = false;
      this.passed.clear();
      this.result = Lanes.Equal;
      this.resultStores = 0;
      for (let i = 0; i < f.instructionCount; i++) if (this.instruction(i)) changed = true;
      for (let n = 0; n < this.value.length; n++) {
        if (reaching.definition[n] >= 0) continue;
        for (let e = reaching.inputStart[n]; e < reaching.inputStart[n + 1]; e++) {
          const from = reaching.inputs[e];
          if (
            this.isKnown[from] === 1 &&
            this.set(n, this.isApart(this.blockOfNode[from]) ? Lanes.Different : this.value[from])
          )
            changed = true;
        }
      }
    }
    // what has not settled is taken to differ where that is the safe side
    if (changed && facts !== undefined) this.value.fill(Lanes.Different);
    return this.value;
  }

  values(): LaneValues {
    const { apart, blockOfNode } = this;
    const result = this.resultStores > 1 && this.returnsApart() ? Lanes.Different : this.result;
    return { lanes: this.value, apart, blockOfNode, arguments: this.handed, result };
  }

  /** Whether some lanes return before others, which then may return something else. */
  private returnsApart(): boolean {
    for (let i = 0; i < this.f.instructionCount; i++)
      if (
        (this.f.instructionFlags[i] & InstructionFlag.Return) !== 0 &&
        guardLanes(this.f, i, this.reaching, this.value) !== Lanes.Equal
      )
        return true;
    return false;
  }

  private isApart(block: number | undefined): boolean {
    return block !== undefined && block >= 0 && this.apart !== undefined && this.apart[block] >= 0;
  }

  private set(node: number, fresh: Lanes): boolean {
    const joined = this.isKnown[node] === 0 ? fresh : join(this.value[node], fresh);
    if (this.isKnown[node] === 1 && joined === this.value[node]) return false;
    this.isKnown[node] = 1;
    this.value[node] = joined;
    return true;
  }

  private nameAt(k: number): string {
    return this.facts === undefined ? '' : nameAt(this.facts.bound, this.f, k);
  }

  private operand(k: number, i: number): Lanes {
    const { f, reaching, facts } = this;
    const place = f.operandPlace[k];
    if (place >= 0) {
      const node = reaching.nodeOfUse[k];
      if (node < 0) return Lanes.Equal;
      if (facts !== undefined && this.isApart(this.blockOfNode[node]) && !this.isApart(this.blockOf[i]))
        return Lanes.Different;
      return this.value[node];
    }
    if (place === (NoRegister.SpecialConstant as number)) {
      const match = laneRegisters.exec(textOf(f, k));
      return match === null ? Lanes.Equal : match[1].startsWith('lanemask') ? Lanes.Different : Lanes.Number;
    }
    if (facts === undefined) return Lanes.Equal;
    if (place === (NoRegister.SpecialVolatile as number))
      return clocks.test(textOf(f, k)) ? Lanes.Different : Lanes.Equal;
    if (place !== (NoRegister.Symbol as number) && place !== (NoRegister.Unknown as number))
      return Lanes.Equal;
    const name = this.nameAt(k);
    return this.passed.get(name) ?? facts.parameters.get(name) ?? Lanes.Equal;
  }

  /** True where something has changed. */
  private instruction(i: number): boolean {
    const { f, reaching, facts } = this;
    const isCall = facts !== undefined && (f.instructionFlags[i] & InstructionFlag.Call) !== 0;
    let made: Lanes | undefined = isCall ? this.call(i, facts) : undefined;
    if (facts !== undefined && !isCall) this.passes(i, facts);
    const isEntry = facts !== undefined && (f.instructionFlags[i] & InstructionFlag.Entry) !== 0;
    let changed = false;
    let ordinal = 0;
    const someOnly = facts !== undefined && guardLanes(f, i, reaching, this.value) !== Lanes.Equal;
    for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
      if ((f.operandFlags[k] & OperandFlag.Definition) === 0) continue;
      const node = reaching.nodeOfDefinition[k];
      const nth = ordinal++;
      if (node < 0) continue;
      made ??= this.resultOf(i);
      if (isEntry) made = facts.parameters.get(f.registerNames[f.operandPlace[k]]) ?? Lanes.Equal;
      let fresh = someOnly ? Lanes.Different : isCall ? made : this.ofDefinition(i, k, nth, made);
      for (let e = reaching.inputStart[node]; e < reaching.inputStart[node + 1]; e++)
        if (this.isKnown[reaching.inputs[e]] === 1) fresh = join(fresh, this.value[reaching.inputs[e]]);
      if (this.set(node, fresh)) changed = true;
    }
    return changed;
  }

  /** What a call returns; its arguments are told on the way. */
  private call(i: number, facts: LaneFacts): Lanes {
    const { f } = this;
    const callee = calleeOperand(f, i);
    const handed: Lanes[] = [];
    for (let k = callee + 1; callee >= 0 && k < f.operandStart[i + 1]; k++) {
      if ((f.operandFlags[k] & OperandFlag.Guard) !== 0) continue;
      handed.push(this.operand(k, i));
      if (f.operandPlace[k] < 0) this.passed.delete(this.nameAt(k));
    }
    // a call through a register ends with its prototype, or its list of callees
    if (callee >= 0 && f.operandPlace[callee] >= 0) handed.pop();
    this.handed.set(i, handed);
    const isDifferent =
      handed.some((lanes) => lanes !== Lanes.Equal) ||
      (callee >= 0 && f.operandPlace[callee] >= 0 && this.operand(callee, i) !== Lanes.Equal) ||
      guardLanes(f, i, this.reaching, this.value) !== Lanes.Equal;
    const result = isDifferent ? Lanes.Different : facts.resultOfCall(i);
    for (let k = f.operandStart[i]; k < callee; k++)
      if (f.operandPlace[k] < 0)
        this.passed.set(this.nameAt(k), this.isApart(this.blockOf[i]) ? Lanes.Different : result);
    return result;
  }

  /** A store into a parameter: an argument of a call to come, or a result. `ret` reads results in registers. */
  private passes(i: number, facts: LaneFacts): void {
    const { f } = this;
    const isReturn = (f.instructionFlags[i] & InstructionFlag.Return) !== 0;
    if (!isReturn && opcodeFact(f.opcodes, f.opcode[i]).space !== '.param') return;
    if (!isReturn && (f.instructionFlags[i] & InstructionFlag.WritesMemory) === 0) return;
    let name = '';
    let lanes = Lanes.Equal;
    for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
      if ((f.operandFlags[k] & OperandFlag.Guard) !== 0) continue;
      if ((f.operandFlags[k] & OperandFlag.Address) === 0) lanes = join(lanes, this.operand(k, i));
      else if (name === '' && f.operandPlace[k] < 0) name = this.nameAt(k);
    }
    const isSome = guardLanes(f, i, this.reaching, this.value) !== Lanes.Equal;
    if (isReturn || facts.results.has(name)) {
      if (!isReturn) this.resultStores++;
      const isElsewhere = !isReturn && (isSome || this.isApart(this.blockOf[i]));
      this.result = join(this.result, isElsewhere ? Lanes.Different : lanes);
    } else if (name !== '')
      this.passed.set(name, join(this.passed.get(name) ?? lanes, isSome ? Lanes.Different : lanes));
  }

  /** Of instructions with several results that are not alike. */
  private ofDefinition(i: number, k: number, nth: number, made: Lanes): Lanes {
    const { f } = this;
    const { name } = opcodeFact(f.opcodes, f.opcode[i]);
    const isPredicate = f.registerClass[f.operandPlace[k]] === PREDICATE;
    if (name === 'elect') return isPredicate ? Lanes.One : Lanes.Equal;
    if (name === 'setp' && nth === 1) return complement(made);
    if (name === 'shfl' && this.facts !== undefined && isPredicate && !this.isBroadcast(i))
      return Lanes.Different;
    if (name === 'mov' && made !== Lanes.Equal) {
      const uses = this.usesOf(i);
      if (uses.length > 1 && (f.operandFlags[f.operandStart[i] + 1] & OperandFlag.Definition) !== 0)
        return nth < uses.length ? this.operand(uses[nth], i) : Lanes.Different;
    }
    return made;
  }

  private usesOf(i: number): number[] {
    const uses: number[] = [];
    for (let k = this.f.operandStart[i]; k < this.f.operandStart[i + 1]; k++)
      if ((this.f.operandFlags[k] & (OperandFlag.Use | OperandFlag.Guard)) === OperandFlag.Use) uses.push(k);
    return uses;
  }

  /** `shfl.idx` from one lane of the whole warp: value, lane, clamp and segment, members. */
  private isBroadcast(i: number): boolean {
    const text = this.f.opcodes.text(this.f.opcode[i]);
    if (!text.startsWith('shfl.sync.idx') && !text.startsWith('shfl.idx')) return false;
    if (this.facts === undefined) return true;
    const [, lane, clamp] = this.usesOf(i);
    return this.operand(lane, i) === Lanes.Equal && immediate(this.f, clamp) === 31;
  }

  private resultOf(i: number): Lanes {
    const { f } = this;
    const fact = opcodeFact(f.opcodes, f.opcode[i]);
    const text = f.opcodes.text(f.opcode[i]);
    if (sameInAll.has(fact.name) || text.startsWith('match.all') || this.isBroadcast(i)) return Lanes.Equal;
    if (this.facts !== undefined && (fact.name === 'atom' || fact.name === 'match')) return Lanes.Different;
    const uses = this.usesOf(i);
    const inputs = uses.map((k) => this.operand(k, i));
    if (inputs.every((lanes) => lanes === Lanes.Equal)) return Lanes.Equal;
    if ((f.instructionFlags[i] & InstructionFlag.ReadsMemory) !== 0)
      return isOwnParameter(f, fact.space, uses) ? inputs[0] : Lanes.Different;
    if (fact.transfer === Transfer.Copy && inputs.length === 1) return inputs[0];
    const [a, b] = inputs;
    if (fact.name === 'setp' && inputs.length === 2) return comparison(text, a, b);
    if (fact.name === 'not' && inputs.length === 1) return complement(a);
    if (
      fact.transfer === Transfer.And &&
      inputs.includes(Lanes.Number) &&
      uses.some((k) => comesFromUni(f, k, this.origins))
    )
      return Lanes.Master;
    if (inputs.length === 2 && a === Lanes.Number && b === Lanes.Equal)
      return byNumber(fact.name, immediate(f, uses[1]));
    return Lanes.Different;
  }
}

const PREDICATE: number = RegisterClassNumber.Predicate;

/** Their result is that of all lanes together. */
const sameInAll = new Set(['vote', 'call', 'activemask', 'redux', 'bar', 'barrier']);

/** `ld.param` by name. */
const isOwnParameter = (f: Function, space: string, uses: readonly number[]): boolean =>
  space === '.param' && f.operandPlace[uses[0]] < 0 && uses.slice(1).every((k) => f.operandPlace[k] < 0);

/** The number that an operand is, if it is one that 32 bits hold. */
function immediate(f: Function, operand: number | undefined): number | undefined {
  if (operand === undefined || f.operandPlace[operand] !== (NoRegister.Immediate as number)) return undefined;
  const text = textOf(f, operand).replace(/U$/i, '');
  return /^-?(?:\d+|0x[\da-f]+)$/i.test(text) ? Number(text) : undefined;
}

const WARP = 32;

/**
 * What becomes of the number of a lane: a warp's are 32 in a row that begin at a multiple of 32. The upper bits are the same
 * in all of them, the lower five in no two.
 */
function byNumber(name: string, by: number | undefined): Lanes {
  if (by === undefined) return Lanes.Different;
  switch (name) {
    case 'and': {
      const low = ((by % WARP) + WARP) % WARP;
      return low === WARP - 1 ? Lanes.Number : low === 0 ? Lanes.Equal : Lanes.Different;
    }
    case 'shr':
      return by >= 5 ? Lanes.Equal : Lanes.Different;
    case 'div':
      return by >= WARP && by % WARP === 0 ? Lanes.Equal : Lanes.Different;
    case 'rem':
      return by >= WARP && by % WARP === 0 ? Lanes.Number : Lanes.Different;
    default:
      return Lanes.Different;
  }
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
