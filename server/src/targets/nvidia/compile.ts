import { InstructionFlag, type Function } from '../../ir/function.js';
import type { Allocation } from '../../passes/allocate.js';
import { Removal } from '../../passes/spill-choice.js';
import type { Problem } from '../../text/problem.js';
import {
  emptyModule,
  type AllocatedCompilation,
  type ModuleView,
  type Stats,
  type TargetOptions,
} from '../target.js';
import { allocationOf, limitsOf, spillCycles, surelyFits } from './allocation.js';
import {
  countFolded,
  isExecuted,
  machinePressure,
  pressureInSource,
  stallsInSource,
  type MachinePressure,
} from './as-compiled.js';
import { analysisOf } from './code/analysis.js';
import { GENERAL, UNIFORM, type MachineCode } from './code/code.js';
import { contextOf } from './code/context.js';
import { optimised } from './code/pipeline.js';
import { machineSource } from './code/source.js';
import { estimateOf, type Estimate } from './estimate/estimate.js';
import { launchableOf, type Launchable } from './limits.js';
import { occupancyOf } from './occupancy.js';
import { codePlacementsOf, placementsOf } from './placements.js';
import { problemsOf } from './problems.js';
import { BYTES_PER_UNIT, spillsOf } from './spills.js';
import { codeWithoutPlaces, isEntry, timingOf, type Timing } from './stalls.js';

/**
 * From a PTX function to what an NVIDIA machine will make of it: the machine code that ptxas would allocate
 * (`code/pipeline.ts`), an estimate of the registers that it would use, and the code with registers and spills.
 *
 * Places are looked for only where they could matter: when what is live may not fit the limit, or when somebody asks.
 * What is told is told in terms of the source.
 */
export interface NvidiaCompilation extends AllocatedCompilation {
  /** Instructions and registers of `allocated.source`, and how they come from the source. */
  readonly code: MachineCode;
  /** The allocation behind `allocated`. */
  readonly allocation: Allocation;
}

export function compile(
  written: Function,
  options: TargetOptions,
  module: ModuleView = emptyModule,
): NvidiaCompilation {
  const source = machineSource(written);
  const launchable = launchableOf(source, options);
  const context = contextOf(launchable, options, (name) => module.definition(name));
  const code = optimised(source, context);
  const estimate = estimateOf(code, context);

  const unspilled = machinePressure(code, undefined);
  const allocation = once(() => allocationOf(code, launchable));
  const spilled = surelyFits(unspilled.peak, code.f, launchable) ? undefined : spillingOf(allocation());
  const machine = spilled === undefined ? unspilled : machinePressure(code, spilled);
  const timed = spilled?.allocated ?? codeWithoutPlaces(code.f);
  const timing = timingOf(timed, launchable.architecture.family);
  const asCompiled = once(() => pressureInSource(source, code, machine));
  const placements = once(() => placementsOf(source, code, allocation()));
  const stalls = once(() => stallsInSource(code, timed.instruction, timing.stalls()));
  const codePlacements = once(() => codePlacementsOf(code, allocation()));
  const problems = once((): readonly Problem[] => problemsOf(compilation, launchable, machine, spilled));
  const compilation: NvidiaCompilation = {
    source,
    target: 'nvidia',
    machine: launchable.name,
    model: modelOf(launchable),
    options,
    stats: statsOf({ source, code, launchable, estimate, machine, spilled, timing }),
    assumptions: estimate.assumptions,
    asWritten: analysisOf(source).pressure,
    liveRanges: analysisOf(source).ranges,
    spills: spilled === undefined ? [] : spillsOf(source, code, spilled, spillCycles(launchable)),
    code,
    get asCompiled() {
      return asCompiled();
    },
    get placements() {
      return placements();
    },
    get stalls() {
      return stalls();
    },
    get allocation() {
      return allocation();
    },
    get allocated() {
      return allocation().allocated;
    },
    get codePlacements() {
      return codePlacements();
    },
    get problems() {
      return problems();
    },
  };
  return compilation;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The allocation, if it spills or recomputes anything. */
const spillingOf = (allocation: Allocation): Allocation | undefined =>
  allocation.removed.length > 0 ? allocation : undefined;

interface Findings {
  readonly source: Function;
  readonly code: MachineCode;
  readonly launchable: Launchable;
  readonly estimate: Estimate;
  readonly machine: MachinePressure;
  readonly spilled: Allocation | undefined;
  readonly timing: Timing;
}

/** `sm_90, limit 255`. */
function modelOf({ name, unknownArchitecture: unknown, limit }: Launchable): string {
  return `${unknown === undefined ? name : `${name} for the unknown ${unknown}`}, limit ${limit}`;
}

function statsOf(findings: Findings): Stats {
  const { source, code, launchable, estimate, machine, spilled, timing } = findings;
  const registers: Record<string, number> = {};
  const limits = limitsOf(code.f, launchable);
  code.f.classes.forEach(({ name }, c) => {
    const used = c === GENERAL ? estimate.registers : Math.min(machine.peak[c], limits[c]);
    if (c !== UNIFORM || used > 0) registers[name] = used;
  });
  const occupancy = occupancyOf(launchable.architecture, {
    registers: estimate.registers,
    threads: launchable.threads,
    threadsAssumed: launchable.threadsAssumed,
    sharedBytes: launchable.staticShared + launchable.dynamicShared,
  });
  const frame = source.attributes.localBytes;
  const { dead, folded } = countFolded(source, code);
  return {
    instructions: instructionsOf(code, spilled),
    registers,
    registersRange: [estimate.low, estimate.high],
    limit: launchable.limit,
    limitedBy: launchable.limitedBy,
    pressure: {
      asWritten: analysisOf(source).pressure.peak[GENERAL] ?? 0,
      asCompiled: machine.peak[GENERAL] ?? 0,
    },
    spills: spillStats(code.f, spilled),
    frameBytes: typeof frame === 'number' ? frame : 0,
    scratchBytes: spilled === undefined ? 0 : scratchOf(spilled),
    cycles: timing.cycles,
    stallCycles: timing.stallCycles,
    ...(source.isEntry && { occupancy }),
    more: { deadInstructions: dead, foldedInstructions: folded },
  };
}

function instructionsOf({ f }: MachineCode, spilled: Allocation | undefined): number {
  let instructions = 0;
  if (spilled === undefined) {
    for (const flags of f.instructionFlags) if ((flags & InstructionFlag.Entry) === 0) instructions++;
    return instructions;
  }
  const { allocated } = spilled;
  for (let k = 0; k < allocated.count; k++)
    if (isExecuted(allocated.kind[k]) && !isEntry(allocated, k)) instructions++;
  return instructions;
}

function spillStats(f: Function, spilled: Allocation | undefined): Stats['spills'] {
  if (spilled === undefined) return { registers: 0, stores: 0, loads: 0, storeBytes: 0, loadBytes: 0 };
  let registers = 0;
  for (let r = 0; r < f.registerCount; r++)
    if (spilled.removal[r] === (Removal.Spilled as number) && f.registerClass[r] === GENERAL) registers++;
  const stores = inMemory(f, spilled.stores);
  const loads = inMemory(f, spilled.reloads);
  return {
    registers,
    stores: stores.count,
    loads: loads.count,
    storeBytes: stores.units * BYTES_PER_UNIT,
    loadBytes: loads.units * BYTES_PER_UNIT,
  };
}

/**
 * Accesses of local memory, and the words that one pass over the code moves, from pairs of register and instruction.
 * What does not fit of predicates and uniform registers is kept in general ones.
 */
function inMemory(f: Function, pairs: Int32Array): { count: number; units: number } {
  let count = 0;
  let units = 0;
  for (let k = 0; k < pairs.length; k += 2) {
    if (f.registerClass[pairs[k]] !== GENERAL) continue;
    count++;
    units += f.registerWidth[pairs[k]];
  }
  return { count, units };
}

const scratchOf = ({ allocated }: Allocation): number => allocated.slotUnits[GENERAL] * BYTES_PER_UNIT;
