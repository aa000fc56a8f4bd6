import type { AllocatedFunction } from '../ir/allocated.js';
import { InstructionFlag, type Function } from '../ir/function.js';
import { alignmentOf } from './alignment.js';
import { allocationWalk, type WalkResult } from './allocation-walk.js';
import { bundlesOf } from './bundles.js';
import { controlFlow, type Cfg } from './cfg.js';
import { deadInstructions, withoutDeadCode } from './dead-code.js';
import { dominatorsOf } from './dominators.js';
import { homesOf } from './linear-scan.js';
import { liveRangesOf, type LiveRanges } from './live-ranges.js';
import { livenessOf, type Liveness } from './liveness.js';
import { loopsOf } from './loops.js';
import { isDefinition, isUse, kills, occurrencesOf, type Occurrences } from './occurrences.js';
import { pressureOf } from './pressure.js';
import { recomputableRegisters } from './recomputable.js';
import { chooseRemovals, peakUnits, Removal, type Removed } from './spill-choice.js';
import { spillSlotsOf } from './spill-slots.js';

/**
 * Register allocation for one function.
 *
 * Contract. Given a function and, for each register class, how many units there are, gives an allocated function in
 * which
 * - every operand has a physical register of its class, wide ones aligned to their width, tied ones shared;
 * - never more units are used than the limit, or than the one instruction with most operands needs (`floors`; four
 *   more at a time where gaps between its wide registers make that too few);
 * - every use reads the value that the source program means, on every path (check-allocation.ts proves it);
 * - nothing is spilled when what is live fits the limit at every point and widths leave no gaps.
 *
 * Operands that are fixed to one physical register are not provided for yet: no language lowers any.
 *
 * Passes, in order: dead code; what to recompute (only as far as it lowers the peak); what to spill (spill-choice.ts);
 * slots; coalescing and homes (bundles.ts, linear-scan.ts); the walk that writes the code (allocation-walk.ts). When
 * the walk fails for gaps between wide registers, more is spilled and the walk repeated: at most log2(limit) + 2
 * times.
 */
export interface AllocationRequest {
  /** Units of each class. */
  readonly limits: readonly number[];
  /**
   * For each class, the class of the register that carries its spills to memory, or -1 where they go by themselves. A
   * carrier is one more unit of that class, kept apart as soon as anything of the carried class is spilled.
   */
  readonly carriers: readonly number[];
  /** Units of each class that are taken for good, such as a stack pointer; within the limits. */
  readonly reserved: readonly (readonly number[])[];
  /** Cost of computing the instruction again, in cycles; a store or a reload counts `spillCycles`. */
  readonly recomputeCycles: (instruction: number) => number;
  readonly spillCycles: number;
  /** By class: units that each instruction needs beside its operands while it runs; they have no places of their own. */
  readonly temporaries?: readonly (Uint8Array | undefined)[];
}

export interface Analysis {
  readonly occurrences: Occurrences;
  readonly cfg: Cfg;
  readonly liveness: Liveness;
  readonly ranges: LiveRanges;
  /** Loops around each block. */
  readonly depth: Uint16Array;
}

export interface Allocation extends WalkResult {
  /** The source as it stands, and with dead code gone. */
  readonly written: Analysis;
  readonly folded: Analysis;
  readonly dead: Uint8Array;
  /** By register. */
  readonly removal: Uint8Array;
  readonly slotOf: Int32Array;
  /** Registers given up, in the order of the decisions; recomputed ones among them. */
  readonly removed: readonly Removed[];
  /** Units of each class that the one most demanding instruction needs. */
  readonly floors: readonly number[];
  /** Limits as kept: at least the floors. */
  readonly limits: readonly number[];
}

export function allocate(source: Function, request: AllocationRequest): Allocation {
  const occurrences = occurrencesOf(source);
  const cfg = controlFlow(source);
  const depth = loopsOf(cfg, dominatorsOf(cfg)).depth;
  const dead = deadInstructions(source, occurrences);
  const f = withoutDeadCode(source, dead);
  const written = analyse(source, cfg, occurrences, depth);
  const folded = f === source ? written : analyse(f, cfg, occurrences, depth);

  const definer = recomputableRegisters(f, occurrences);
  const costs = removalCosts(f, folded, definer, request);
  const removal = new Uint8Array(f.registerCount);
  const removed: Removed[] = [];
  const floors = floorsOf(f, request.reserved);
  const limits = request.limits.map((limit, c) => Math.max(limit, floors[c]));
  for (let c = 0; c < limits.length; c++)
    removed.push(
      ...chooseRecomputed(
        f,
        folded,
        removal,
        c,
        costs,
        definer,
        limits[c] - request.reserved[c].length,
        request.temporaries?.[c],
      ),
    );

  const peaks = pressureOf(f, folded.liveness, folded.ranges).peak;
  const budget = [...limits];
  const gaveUp = limits.map(() => false);
  for (let attempt = 0; ; attempt++) {
    removed.push(...spillTo(f, folded, removal, costs, definer, budget, peaks, request));
    const result = walk(
      source,
      f,
      folded,
      dead,
      removal,
      definer,
      withoutCarriers(f, removal, limits, request),
      request.reserved,
    );
    if ('allocated' in result) {
      return {
        ...result,
        allocated: withCarriers(f, removal, result.allocated, request),
        written,
        folded,
        dead,
        removal,
        removed,
        floors,
        limits,
      };
    }
    // gaps: with less live there are fewer; with nothing kept there are none but within one instruction
    const c = result.failedClass;
    const next = limits[c] - 2 ** attempt;
    if (next > 0) budget[c] = Math.min(budget[c], next);
    else if (!gaveUp[c]) {
      gaveUp[c] = true;
      for (let r = 0; r < f.registerCount; r++) if (f.registerClass[r] === c) giveUp(r);
    } else limits[c] += 4;
  }

  function giveUp(r: number): void {
    if (removal[r] !== Removal.None || costs[r] === Infinity) return;
    if (folded.ranges.registerStart[r] === folded.ranges.registerStart[r + 1]) return;
    removal[r] = definer[r] >= 0 ? Removal.Recomputed : Removal.Spilled;
    removed.push({
      register: r,
      kind: removal[r],
      cost: costs[r],
      rating: costs[r],
      covers: 0,
      instruction: folded.ranges.segmentFrom[folded.ranges.registerStart[r]] >> 1,
      runnerUp: -1,
      runnerUpRating: Infinity,
    });
  }
}

function analyse(f: Function, cfg: Cfg, occurrences: Occurrences, depth: Uint16Array): Analysis {
  const liveness = livenessOf(f, cfg, occurrences);
  return { occurrences, cfg, liveness, ranges: liveRangesOf(f, liveness), depth };
}

/** Ten executions a loop level, as allocators have guessed since Chaitin; six levels at most count. */
export const loopWeight = (depth: number): number => 10 ** Math.min(6, depth);

/** Nothing can be stored behind what leaves the block. */
const LEAVES = InstructionFlag.Branch | InstructionFlag.Return;

/** Cycles that it would cost to remove each register, by spilling or, where that can be, by recomputing. */
function removalCosts(
  f: Function,
  { occurrences, depth }: Analysis,
  definer: Int32Array,
  request: AllocationRequest,
): Float64Array {
  const costs = new Float64Array(f.registerCount);
  const { start, operand, instruction, blockOf } = occurrences;
  for (let r = 0; r < f.registerCount; r++) {
    const each = definer[r] >= 0 ? request.recomputeCycles(definer[r]) : request.spillCycles;
    let readIn = -1;
    let writtenIn = -1;
    for (let k = start[r]; k < start[r + 1]; k++) {
      const i = instruction[k];
      const weight = each * loopWeight(depth[blockOf[i]]);
      if (isDefinition(f, operand[k])) {
        if ((f.instructionFlags[i] & LEAVES) !== 0) costs[r] = Infinity;
        if (definer[r] < 0 && writtenIn !== i) costs[r] += weight;
        if (!kills(f, operand[k]) && readIn !== i) costs[r] += weight;
        writtenIn = i;
      }
      if (!isUse(f, operand[k]) || readIn === i) continue;
      costs[r] += weight;
      readIn = i;
    }
  }
  return costs;
}

/** Recomputes no more than it takes to bring the peak down as far as recomputing can. */
function chooseRecomputed(
  f: Function,
  { ranges }: Analysis,
  removal: Uint8Array,
  registerClass: number,
  costs: Float64Array,
  definer: Int32Array,
  limit: number,
  temporaries: Uint8Array | undefined,
): Removed[] {
  const candidate = (r: number): boolean => definer[r] >= 0 && f.registerClass[r] === registerClass;
  const all = removal.slice();
  let any = false;
  for (let r = 0; r < f.registerCount; r++) {
    if (!candidate(r)) continue;
    all[r] = Removal.Recomputed;
    any = true;
  }
  if (!any) return [];
  const lowest = Math.min(limit, peakUnits(f, ranges, all, registerClass, temporaries));
  const cost = costs.slice();
  for (let r = 0; r < f.registerCount; r++) if (!candidate(r)) cost[r] = Infinity;
  return chooseRemovals(f, ranges, removal, {
    registerClass,
    limit: lowest,
    cost,
    kind: () => Removal.Recomputed,
    temporaries,
  });
}

function spillTo(
  f: Function,
  { ranges }: Analysis,
  removal: Uint8Array,
  cost: Float64Array,
  definer: Int32Array,
  budget: readonly number[],
  peaks: readonly number[],
  request: AllocationRequest,
): Removed[] {
  const removed: Removed[] = [];
  const kind = (r: number): Removal => (definer[r] >= 0 ? Removal.Recomputed : Removal.Spilled);
  // carried classes first: their carriers take units from the others
  const order = budget
    .map((_, c) => c)
    .sort((a, b) => Number(request.carriers[b] >= 0) - Number(request.carriers[a] >= 0) || a - b);
  for (const c of order) {
    const kept = carriersIn(f, removal, c, request) + request.reserved[c].length;
    const limit = Math.max(1, budget[c] - kept);
    // removed registers need a place only where they were live before, so the peak only goes down
    const temporaries = request.temporaries?.[c];
    if (peaks[c] <= limit && temporaries === undefined) continue;
    removed.push(...chooseRemovals(f, ranges, removal, { registerClass: c, limit, cost, kind, temporaries }));
  }
  return removed;
}

function carriersIn(
  f: Function,
  removal: Uint8Array,
  registerClass: number,
  { carriers }: AllocationRequest,
): number {
  let count = 0;
  for (let c = 0; c < carriers.length; c++)
    if (carriers[c] === registerClass && isAnySpilled(f, removal, c)) count++;
  return count;
}

function isAnySpilled(f: Function, removal: Uint8Array, registerClass: number): boolean {
  for (let r = 0; r < f.registerCount; r++)
    if (removal[r] === Removal.Spilled && f.registerClass[r] === registerClass) return true;
  return false;
}

const withoutCarriers = (
  f: Function,
  removal: Uint8Array,
  limits: readonly number[],
  request: AllocationRequest,
): number[] => limits.map((limit, c) => Math.max(1, limit - carriersIn(f, removal, c, request)));

function withCarriers(
  f: Function,
  removal: Uint8Array,
  allocated: AllocatedFunction,
  request: AllocationRequest,
): AllocatedFunction {
  const unitsUsed = allocated.unitsUsed.map((units, c) => units + carriersIn(f, removal, c, request));
  return { ...allocated, unitsUsed };
}

function walk(
  source: Function,
  f: Function,
  { cfg, liveness, ranges, occurrences, depth }: Analysis,
  dead: Uint8Array,
  removal: Uint8Array,
  definer: Int32Array,
  units: readonly number[],
  reserved: AllocationRequest['reserved'],
): (WalkResult & { readonly slotOf: Int32Array }) | { readonly failedClass: number } {
  const isKept = (r: number): boolean =>
    removal[r] === Removal.None && ranges.registerStart[r] < ranges.registerStart[r + 1];
  const bundles = bundlesOf(f, ranges, isKept, (i) => depth[occurrences.blockOf[i]]);
  const bundleHome = homesOf(bundles, units, reserved);
  const home = Int32Array.from(bundles.bundleOf, (b) => (b < 0 ? -1 : bundleHome[b]));
  const slots = spillSlotsOf(f, ranges, (r) => removal[r] === Removal.Spilled);
  const result = allocationWalk({
    f,
    source,
    dead,
    cfg,
    liveness,
    ranges,
    removal,
    definer,
    home,
    units,
    reserved,
    slotOf: slots.slotOf,
    slotUnits: slots.units,
  });
  return 'allocated' in result ? { ...result, slotOf: slots.slotOf } : result;
}

/**
 * What the one most demanding instruction needs of each class: the registers that it reads or those that it writes,
 * side by side, and what is reserved with the gap that it makes. Results may take the places of values that die.
 */
export function floorsOf(f: Function, reserved: AllocationRequest['reserved']): number[] {
  const floors = f.classes.map(() => 1);
  const widest = f.classes.map(() => 1);
  const needs = f.classes.map(() => 0);
  const counted = new Int32Array(f.registerCount).fill(-1);
  const count = (i: number, writing: boolean): void => {
    const stamp = 2 * i + (writing ? 1 : 0);
    needs.fill(0);
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || counted[r] === stamp) continue;
      const writes = isDefinition(f, o);
      if (writing ? !writes : !isUse(f, o) && (!writes || kills(f, o))) continue;
      counted[r] = stamp;
      const c = f.registerClass[r];
      const alignment = alignmentOf(f.registerWidth[r]);
      needs[c] += alignment;
      if (alignment > widest[c]) widest[c] = alignment;
      if (needs[c] > floors[c]) floors[c] = needs[c];
    }
  };
  for (let i = 0; i < f.instructionCount; i++) {
    count(i, false);
    count(i, true);
  }
  return floors.map((floor, c) =>
    reserved[c].length === 0 ? floor : floor + reserved[c].length * widest[c],
  );
}
