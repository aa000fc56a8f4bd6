import { CodeKind, Elision } from '../../ir/allocated.js';
import type { Function } from '../../ir/function.js';
import { allocate, type Allocation } from '../../passes/allocate.js';
import { isDefinition } from '../../passes/occurrences.js';
import { pressureOf, type Pressure } from '../../passes/pressure.js';
import { Removal } from '../../passes/spill-choice.js';
import { count } from '../../text/words.js';
import {
  emptyModule,
  type AllocatedCompilation,
  type ModuleView,
  type Placement,
  type Spill,
  type Stats,
  type TargetOptions,
} from '../target.js';
import { classify } from './classify.js';
import { GENERAL, PREDICATE } from './code/code.js';
import { contextOf } from './code/context.js';
import { optimised } from './code/pipeline.js';
import { machineSource } from './code/source.js';
import { estimateOf } from './estimate/estimate.js';
import { latencyOf } from './latencies.js';
import { launchableOf, type Launchable } from './limits.js';
import { machine } from './architectures.js';
import { occupancyOf } from './occupancy.js';
import { problemsOf } from './problems.js';
import { isEntry, rowOf, timingOf, type Timing } from './stalls.js';

/**
 * From a PTX function to what an NVIDIA machine will make of it: dead code out, constants recomputed where that lowers
 * the peak, copies folded, registers allocated under the limit, spills written, waits counted along the order of the
 * text. Nothing is moved: the order as compiled is the order as written.
 *
 * Register classes: 0 general (32-bit registers; 64-bit values take an even pair, 128-bit ones a quad), 1 predicate
 * (P0 to P6). R1 is the stack pointer in every function and holds no value. A predicate that does not fit is kept as 0 or 1 in a word of local memory, written and read through a
 * general register set apart for that.
 */
export function compile(
  written: Function,
  options: TargetOptions,
  module: ModuleView = emptyModule,
): AllocatedCompilation {
  const source = machineSource(written);
  const launchable = launchableOf(source, options);
  const { family } = launchable.architecture;
  const context = contextOf(launchable, options, (name) => module.definition(name));
  const code = optimised(source, context);
  const spillCycles = latencyOf('global', family);
  const allocation = allocate(source, {
    limits: source.classes.map((_, c) => (c === GENERAL ? launchable.limit : machine.predicates)),
    reserved: source.classes.map((_, c) => (c === GENERAL ? [machine.stackPointer] : [])),
    carriers: source.classes.map((_, c) => (c === PREDICATE ? GENERAL : -1)),
    recomputeCycles: (i) => {
      const row = rowOf(source, i, classify(source.opcodes, source.opcode[i]));
      return row === 'specialRegister' ? latencyOf(row, family) : 1;
    },
    spillCycles,
  });
  const timing = timingOf(allocation.allocated, family);
  const asWritten = pressureOf(source, allocation.written.liveness, allocation.written.ranges);
  const asCompiled = compiledPressure(allocation);
  const spills = spillsOf(source, allocation, spillCycles);
  const { registers } = estimateOf(code, context);
  const stats = statsOf(source, launchable, allocation, timing, asWritten, asCompiled, registers);
  const compilation = {
    source,
    target: 'nvidia',
    machine: launchable.architecture.name,
    model: `${launchable.architecture.name}, limit ${launchable.limit}`,
    options,
    stats,
    asWritten,
    asCompiled,
    liveRanges: allocation.written.ranges,
    placements: placementsOf(source, allocation),
    spills,
    stalls: timing.stalls,
    allocated: allocation.allocated,
  };
  return { ...compilation, problems: problemsOf(compilation, launchable, allocation) };
}

/** A predicate in memory takes a whole word too. */
export const BYTES_PER_UNIT = 4;

function compiledPressure({ after, during }: Allocation): Pressure {
  const peak: number[] = [];
  const peakAt: number[] = [];
  for (const counts of during) {
    let at = counts.length > 0 ? 0 : -1;
    for (let i = 1; i < counts.length; i++) if (counts[i] > counts[at]) at = i;
    peakAt.push(at);
    peak.push(at < 0 ? 0 : counts[at]);
  }
  return { after, during, peak, peakAt };
}

function statsOf(
  f: Function,
  launchable: Launchable,
  allocation: Allocation,
  timing: Timing,
  asWritten: Pressure,
  asCompiled: Pressure,
  general: number,
): Stats {
  const { allocated } = allocation;
  const registers: Record<string, number> = {};
  f.classes.forEach(({ name }, c) => (registers[name] = allocated.unitsUsed[c]));
  if (f.classes.length > 0) registers[f.classes[GENERAL].name] = general;
  const counts = countCode(allocation);
  let scratch = 0;
  for (const units of allocated.slotUnits) scratch += units * BYTES_PER_UNIT;
  const frame = f.attributes.localBytes;
  const occupancy = occupancyOf(launchable.architecture, {
    registers: general,
    threads: launchable.threads,
    threadsAssumed: launchable.threadsAssumed,
    sharedBytes: launchable.staticShared + launchable.dynamicShared,
  });
  return {
    instructions: counts.instructions,
    registers,
    limit: launchable.limit,
    limitedBy: launchable.limitedBy,
    pressure: { asWritten: asWritten.peak[GENERAL] ?? 0, asCompiled: asCompiled.peak[GENERAL] ?? 0 },
    spills: {
      registers: counts.spilled,
      stores: allocation.stores.length / 2,
      loads: allocation.reloads.length / 2,
      storeBytes: bytesOf(f, allocation.stores),
      loadBytes: bytesOf(f, allocation.reloads),
    },
    frameBytes: typeof frame === 'number' ? frame : 0,
    scratchBytes: scratch,
    cycles: timing.cycles,
    stallCycles: timing.stallCycles,
    ...(f.isEntry && { occupancy }),
    more: {
      deadInstructions: counts.dead,
      foldedCopies: counts.folded,
      recomputedRegisters: counts.recomputed,
      registerCopies: allocation.copies,
    },
  };
}

function countCode({ allocated, removal }: Allocation): {
  instructions: number;
  dead: number;
  folded: number;
  spilled: number;
  recomputed: number;
} {
  let instructions = 0;
  let dead = 0;
  let folded = 0;
  for (let k = 0; k < allocated.count; k++) {
    if (isEntry(allocated, k)) continue;
    if (allocated.kind[k] !== CodeKind.Elided) instructions++;
    else if (allocated.elision[k] === Elision.Dead) dead++;
    else if (allocated.elision[k] === Elision.Copy) folded++;
  }
  let spilled = 0;
  let recomputed = 0;
  for (const kind of removal) {
    if (kind === Removal.Spilled) spilled++;
    else if (kind === Removal.Recomputed) recomputed++;
  }
  return { instructions, dead, folded, spilled, recomputed };
}

/** Bytes that one pass over the text moves: pairs of register and instruction. */
function bytesOf(f: Function, pairs: Int32Array): number {
  let units = 0;
  for (let k = 0; k < pairs.length; k += 2) units += f.registerWidth[pairs[k]];
  return units * BYTES_PER_UNIT;
}

function placementsOf(f: Function, allocation: Allocation): Placement[] {
  const { removal, slotOf, firstPlace } = allocation;
  const foldedInto = foldedCopies(f, allocation);
  const placements: Placement[] = [];
  for (let r = 0; r < f.registerCount; r++) {
    const c = f.registerClass[r];
    if (removal[r] === Removal.Spilled)
      placements.push({ kind: 'spilled', slot: slotOf[r], bytes: f.registerWidth[r] * BYTES_PER_UNIT });
    else if (removal[r] === Removal.Recomputed) placements.push({ kind: 'recomputed' });
    else if (foldedInto[r] >= 0) placements.push({ kind: 'folded', into: foldedInto[r] });
    else if (firstPlace[r] >= 0)
      placements.push({ kind: 'register', registerClass: c, index: firstPlace[r] });
    else placements.push({ kind: 'unused' });
  }
  return placements;
}

/** For a register that only folded copies define: the register that the first of them copies. */
function foldedCopies(f: Function, { allocated, written, dead }: Allocation): Int32Array {
  const into = new Int32Array(f.registerCount).fill(-1);
  const isFolded = new Uint8Array(f.instructionCount);
  for (let k = 0; k < allocated.count; k++)
    if (allocated.elision[k] === Elision.Copy) isFolded[allocated.instruction[k]] = 1;
  const { start, operand, instruction } = written.occurrences;
  for (let r = 0; r < f.registerCount; r++) {
    for (let k = start[r]; k < start[r + 1]; k++) {
      if (!isDefinition(f, operand[k]) || dead[instruction[k]]) continue;
      if (!isFolded[instruction[k]]) {
        into[r] = -1;
        break;
      }
      if (into[r] < 0) into[r] = f.operandPlace[f.operandStart[instruction[k]] + 1];
    }
  }
  return into;
}

function spillsOf(f: Function, allocation: Allocation, spillCycles: number): Spill[] {
  const stores = sitesOf(allocation.stores);
  const reloads = sitesOf(allocation.reloads);
  const spills: Spill[] = [];
  for (const decision of allocation.removed) {
    if (decision.kind !== Removal.Spilled) continue;
    const { register } = decision;
    const executions = Math.round(decision.cost / spillCycles);
    spills.push({
      register,
      cost: decision.rating / spillCycles,
      reason: reasonOf(f, allocation, decision, executions),
      bytes: f.registerWidth[register] * BYTES_PER_UNIT,
      peakInstruction: decision.instruction,
      stores: stores.get(register) ?? [],
      reloads: reloads.get(register) ?? [],
    });
  }
  return spills;
}

function sitesOf(pairs: Int32Array): ReadonlyMap<number, readonly number[]> {
  const sites = new Map<number, number[]>();
  for (let k = 0; k < pairs.length; k += 2) {
    const known = sites.get(pairs[k]);
    if (known) known.push(pairs[k + 1]);
    else sites.set(pairs[k], [pairs[k + 1]]);
  }
  for (const list of sites.values()) list.sort((a, b) => a - b);
  return sites;
}

function reasonOf(
  f: Function,
  { limits }: Allocation,
  { register, covers, runnerUp, rating, runnerUpRating }: Allocation['removed'][number],
  executions: number,
): string {
  const { name } = f.classes[f.registerClass[register]];
  const limit = limits[f.registerClass[register]];
  if (covers === 0)
    return `gaps between wide registers left no aligned place for it under the limit of ${limit}`;
  const width = f.registerWidth[register];
  const frees =
    `frees ${count(width, `${name} register`)} along ${count(Math.max(1, covers >> 1), 'instruction')} ` +
    `where more than ${limit} are live, for ${count(executions, 'store or reload', 'stores and reloads')} (loops counted tenfold)`;
  if (runnerUp < 0) return `${frees}; nothing else could go there`;
  const ratio = rating > 0 ? runnerUpRating / rating : Infinity;
  if (!Number.isFinite(ratio)) return frees;
  const times = ratio.toFixed(1);
  const cost = times === '1.0' ? 'as much' : `${times} times as much`;
  return `${frees}; the next best, ${f.registerNames[runnerUp]}, costs ${cost} for what it frees`;
}
