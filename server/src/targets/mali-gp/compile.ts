/**
 * From a gpir program to instruction words: lower/ (graphs in the machine's operations), registers/ (places for what
 * crosses blocks, and an order that fits the values), schedule/ (words), constants.ts (where constants lie). What is
 * reported of it is read off the words.
 */
import type { Function } from '../../ir/function.js';
import { controlFlow } from '../../passes/cfg.js';
import { liveRangesOf, type LiveRanges } from '../../passes/live-ranges.js';
import { livenessOf } from '../../passes/liveness.js';
import { pressureOf } from '../../passes/pressure.js';
import type { Problem } from '../../text/problem.js';
import type { Pressure, TargetOptions } from '../target.js';
import { blockBound, type BlockBound } from './bound.js';
import { machineName, type GpCompilation, type ScheduledBlock } from './compilation.js';
import { placeConstants } from './constants.js';
import type { Program } from './graph.js';
import { lower } from './lower/index.js';
import { occupancyOf } from './occupancy.js';
import { registerName } from './places.js';
import { placementsOf } from './placements.js';
import { compiledPressure } from './pressure.js';
import { problemsOf } from './problems/index.js';
import { allocateRegisters, type RegisterAllocation, type RegisterOptions } from './registers/index.js';
import { scheduleInSlices } from './schedule/index.js';
import { sitesOf } from './sites.js';
import { keptValues, reliefSpills } from './spills.js';
import { stallsOf } from './stalls.js';
import { statsOf } from './stats.js';
import { WORD_LIMIT, type BlockSchedule, type CompiledProgram } from './word.js';

/** What a compilation is made of, before anything is said about it; what a search for a better one exchanges. */
export interface Parts {
  readonly source: Function;
  readonly options: TargetOptions;
  readonly written: Written;
  readonly lowering: readonly Problem[];
  readonly allocation: RegisterAllocation;
  /** By block. */
  readonly bounds: readonly BlockBound[];
  readonly schedules: readonly BlockSchedule[];
}

/** Facts of the text. */
export interface Written {
  readonly ranges: LiveRanges;
  readonly pressure: Pressure;
}

export function compile(source: Function, options: TargetOptions): GpCompilation {
  const steps = compileInSteps(source, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export function* compileInSteps(
  source: Function,
  options: TargetOptions,
): Generator<undefined, GpCompilation> {
  const { program, problems } = lower(source);
  yield undefined;
  const scheduled = yield* allocateAndSchedule(program);
  yield undefined;
  return assemble({ source, options, written: writtenOf(source), lowering: problems, ...scheduled });
}

/** Allocations to try, each leaving the scheduler more room than the one before. */
const allocations: readonly RegisterOptions[] = [{}, { reserve: 24 }, { reserve: 36 }, { reserve: 48 }];

/** The first allocation for which every block has a schedule, or else the last. */
function* allocateAndSchedule(
  program: Program,
): Generator<undefined, Pick<Parts, 'allocation' | 'bounds' | 'schedules'>> {
  for (const options of allocations) {
    const allocation = allocateRegisters(program, options);
    const bounds: BlockBound[] = [];
    const schedules: BlockSchedule[] = [];
    for (const task of allocation.tasks) {
      yield undefined;
      const bound = blockBound(task);
      bounds.push(bound);
      schedules.push(yield* scheduleInSlices(task, { bound: bound.words }));
    }
    if (schedules.every(({ failed }) => failed === undefined) || options === allocations.at(-1))
      return { allocation, bounds, schedules };
  }
  throw new Error('there are allocations to try');
}

function writtenOf(f: Function): Written {
  const liveness = livenessOf(f, controlFlow(f));
  const ranges = liveRangesOf(f, liveness);
  return { ranges, pressure: pressureOf(f, liveness, ranges) };
}

/** Everything that is said of a program, from its words. */
export function assemble(parts: Parts): GpCompilation {
  const { source, options, written, allocation } = parts;
  const graph = allocation.program;
  const blocks = scheduledBlocks(parts);
  const code = codeOf(source, allocation, blocks);
  const sites = sitesOf(source, graph, blocks);
  const occupancy = occupancyOf(graph, blocks, code.words.length);
  const asCompiled = compiledPressure(source, sites, occupancy);
  const kept = keptValues(source, graph, blocks, occupancy, sites.ownerOfWord);
  const spills = reliefSpills(source, graph, allocation.reliefs);
  const stats = statsOf({
    blocks,
    code,
    sites,
    occupancy,
    kept,
    spills,
    temporaries: allocation.temporaries,
    asWritten: written.pressure,
    asCompiled,
  });
  const compilation: Omit<GpCompilation, 'problems'> = {
    source,
    target: 'mali-gp',
    machine: machineName,
    model: `${machineName} gp, ${WORD_LIMIT} words`,
    options,
    stats,
    asWritten: written.pressure,
    asCompiled,
    liveRanges: written.ranges,
    placements: placementsOf(source, graph, allocation),
    spills: [...spills, ...kept],
    stalls: stallsOf(source, graph, blocks, sites.ownerOfWord),
    graph,
    blocks,
    code,
    sites,
    occupancy,
    kept,
    parts,
  };
  return { ...compilation, problems: [...parts.lowering, ...problemsOf(compilation)] };
}

function scheduledBlocks({ allocation, bounds, schedules }: Parts): ScheduledBlock[] {
  let start = 0;
  return allocation.tasks.map((task, b) => {
    const schedule = schedules[b];
    const block = { task, schedule, start, bound: bounds[b] };
    start += schedule.words.length;
    return block;
  });
}

function codeOf(
  source: Function,
  { program, places }: RegisterAllocation,
  blocks: readonly ScheduledBlock[],
): CompiledProgram {
  const registers: Record<string, string> = {};
  program.registers.forEach(({ name, isLiveIn, isLiveOut }, register) => {
    if ((isLiveIn || isLiveOut) && places[register] >= 0 && !name.startsWith('$'))
      registers[name] = registerName(places[register]);
  });
  return placeConstants({
    name: source.name,
    words: blocks.flatMap(({ schedule }) => schedule.words),
    blocks: blocks.map(({ task, start }) => ({ label: task.block.label, start })),
    uniforms: program.uniforms,
    constants: [],
    registers,
  });
}
