/**
 * From a Gen program to hardware registers and what is to be said of it. In SIMD4x2: buffer reads and merges are
 * lowered, registers coalesced into messages, registers allocated, instructions scheduled, dependency control set
 * (facts B.5). Scalar and selection programs are allocated along the strategy list and scheduled. Programs that are
 * given in hardware registers already are only measured.
 */
import type { Function } from '../../ir/function.js';
import type { TargetOptions } from '../target.js';
import type { Allocated } from './allocation.js';
import type { Attempt, GenCompilation, StrategyName } from './compilation.js';
import { decode, type DecodeOptions } from './decode.js';
import { estimate, type Estimate } from './estimate/estimate.js';
import { limitedBy } from './limits.js';
import { occupancyOf } from './occupancy.js';
import { placementsOf } from './placements.js';
import { platforms, type PlatformName } from './platforms.js';
import { compiledPressure, writtenOf } from './pressure.js';
import { problemsOf } from './problems.js';
import type { Program } from './program.js';
import { scratchTraffic, spillsOf } from './spills.js';
import { stallsOf } from './stalls.js';
import { statsOf } from './stats.js';
import { followed, strategies, type Outcome, type Strategy, type StrategyOptions } from './strategies.js';

interface Chosen {
  readonly attempts: readonly Attempt[];
  readonly lowered: Program;
  readonly allocation: Allocated | undefined;
  readonly code: Program | undefined;
  readonly estimate: Estimate | undefined;
}

export function compile(source: Function, options: TargetOptions): GenCompilation {
  const program = decode(source, decodeOptions(options));
  const asked = strategyOf(options);
  const strategy = followed(asked, program.dialect);
  const chosen =
    program.phase === 'virtual' ? choose(program, asked, strategyOptions(options)) : asGiven(program);
  return assemble(source, options, program, strategy, chosen);
}

const asGiven = (program: Program): Chosen => ({
  attempts: [{ name: 'as given' }],
  lowered: program,
  allocation: undefined,
  code: program,
  estimate: estimate(program),
});

function choose(program: Program, name: StrategyName, options: StrategyOptions): Chosen {
  const { prepare, allocate, others = [], finish } = strategies[name][program.dialect];
  const prepared = prepare?.(program) ?? program;
  let best = finished(allocate(prepared, options), finish);
  if (program.instructions.length > MANY) return best;
  for (const other of others) {
    const candidate = finished(other(prepared, options), finish);
    if (isBetter(candidate, best)) best = candidate;
  }
  return best;
}

/** Beyond so many instructions one way is enough work. */
const MANY = 1000;

interface Finished extends Chosen {
  readonly estimate: Estimate | undefined;
  readonly messages: number;
}

function finished({ attempts, lowered, allocation }: Outcome, passes: Strategy['finish']): Finished {
  if (allocation.kind === 'refused')
    return {
      attempts,
      lowered,
      allocation: undefined,
      code: undefined,
      estimate: undefined,
      messages: Infinity,
    };
  let { code } = allocation;
  for (const pass of passes) code = pass(code);
  const measured = estimate(code);
  const messages = scratchMessages(code, measured);
  return { attempts, lowered, allocation, code, estimate: measured, messages };
}

/** Scratch messages that allocation added; in selection programs as often as loops repeat them. */
function scratchMessages(code: Program, { weights }: Estimate): number {
  if (code.dialect !== 'selection') {
    const { stores, loads } = scratchTraffic(code);
    return stores + loads;
  }
  return code.instructions.reduce(
    (sum, { opcode, origin }, i) => (opcode.scratch !== undefined && origin < 0 ? sum + weights[i] : sum),
    0,
  );
}

/** An earlier entry of the strategy list (a wider program), then fewer scratch messages, then fewer cycles. */
function isBetter(a: Finished, b: Finished): boolean {
  if (a.code === undefined || b.code === undefined) return a.code !== undefined;
  if (a.code.width !== b.code.width) return a.code.width > b.code.width;
  if (a.messages !== b.messages) return a.messages < b.messages;
  return (a.estimate?.cycles ?? Infinity) < (b.estimate?.cycles ?? Infinity);
}

function assemble(
  source: Function,
  options: TargetOptions,
  program: Program,
  strategy: StrategyName,
  { attempts, lowered, allocation, code, estimate: measured }: Chosen,
): GenCompilation {
  const written = writtenOf(source, program);
  const occupancy = code === undefined ? undefined : occupancyOf(code);
  const asCompiled =
    code === undefined || occupancy === undefined
      ? written.pressure
      : compiledPressure(source, code, occupancy, written.pressure);
  const spilled = allocation?.spilled ?? [];
  const dependencyControl = savings(code, measured?.cycles ?? 0);
  const { platform, registerLimit } = program;
  const compilation: Omit<GenCompilation, 'problems'> = {
    source,
    target: 'gen',
    machine: platform.name,
    model: `${platform.name}, ${program.phase === 'virtual' ? strategy : 'as given'}, limit ${registerLimit}`,
    options,
    stats: statsOf({
      strategy,
      attempts,
      written: program,
      code,
      spilled,
      scratchBytes: scratchUsed(program, allocation),
      estimate: measured,
      dependencyControl,
      asWritten: written.pressure,
      asCompiled,
      limitedBy: limitedBy(source, platform, options),
    }),
    asWritten: written.pressure,
    asCompiled,
    liveRanges: written.ranges,
    placements: placementsOf(program, lowered, allocation),
    spills: spillsOf(spilled, source.registerCount, lowered),
    stalls: code === undefined || measured === undefined ? [] : stallsOf(source, code, measured),
    strategy,
    attempts,
    program,
    lowered,
    allocation,
    code,
    spilled,
    estimate: measured,
    occupancy,
    dependencyControl,
  };
  return { ...compilation, problems: problemsOf(compilation) };
}

/** What the program's bits for dependency control save: its estimate against that of the program without them. */
function savings(code: Program | undefined, cycles: number): { instructions: number; cycles: number } {
  const carriers =
    code?.instructions.filter(({ noDDClear, noDDCheck }) => noDDClear || noDDCheck).length ?? 0;
  if (code === undefined || carriers === 0) return { instructions: 0, cycles: 0 };
  const plain = code.instructions.map((instruction) =>
    instruction.noDDClear || instruction.noDDCheck
      ? { ...instruction, noDDClear: false, noDDCheck: false }
      : instruction,
  );
  return { instructions: carriers, cycles: estimate({ ...code, instructions: plain }).cycles - cycles };
}

const decodeOptions = ({ platform, maxRegisters }: TargetOptions): DecodeOptions => ({
  ...(typeof platform === 'string' && platform in platforms && { platform: platform as PlatformName }),
  ...(typeof maxRegisters === 'number' && { maxRegisters }),
});

const strategyOf = ({ strategy }: TargetOptions): StrategyName =>
  strategy === 'i965' || strategy === 'beignet' ? strategy : 'best';

const strategyOptions = ({ width, maxRegisters }: TargetOptions): StrategyOptions => ({
  ...((width === '8' || width === 8) && { width: 8 }),
  ...((width === '16' || width === 16) && { width: 16 }),
  ...(typeof maxRegisters === 'number' && { maxRegisters }),
});

/** Bytes of scratch that are used: those of the program's own, and of spills behind them. */
function scratchUsed({ scratchBytes }: Program, allocation: Allocated | undefined): number {
  let used = scratchBytes + (allocation?.scratchBytes ?? 0);
  for (const { scratchOffset, bytes } of allocation?.spilled ?? [])
    if (scratchOffset >= 0) used = Math.max(used, scratchOffset + bytes);
  return used;
}
