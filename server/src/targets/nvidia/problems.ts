import type { Function } from '../../ir/function.js';
import { floorsOf, type Allocation } from '../../passes/allocate.js';
import { heldAt, smallestSet, type HeldRegister } from '../../passes/peak.js';
import { pressureOf } from '../../passes/pressure.js';
import { Removal } from '../../passes/spill-choice.js';
import type { Code } from '../../text/codes.js';
import type { Problem, RelatedPlace } from '../../text/problem.js';
import { span, type Span } from '../../text/span.js';
import { count } from '../../text/words.js';
import type { AllocatedCompilation, Spill } from '../target.js';
import { instructionSpan, spilledAt, spillPlaces } from '../spill-places.js';
import { adviceOf } from './advice/index.js';
import { limitsOf } from './allocation.js';
import { machine, sharedPerBlock } from './architectures.js';
import { toldAs, type MachinePressure } from './as-compiled.js';
import { analysisOf } from './code/analysis.js';
import { GENERAL, type MachineCode } from './code/code.js';
import type { Launchable } from './limits.js';

/**
 * What the model has to say about a function, each finding with the figures it rests on and a way out. Codes are
 * documented in docs/diagnostics.md.
 */
interface Compiled extends Omit<AllocatedCompilation, 'problems' | 'code'> {
  readonly code: MachineCode;
}

/** Registers that the next occupancy step may be away for the hint to be worth reading. */
const NEAR_STEP = 8;
/** Waits shown in one function, and the shortest that is worth a line, in cycles. */
const MOST_STALLS = 3;
const LONG_STALL = 20;
/** Spilled registers shown in one function; the message at the peak counts them all. */
const MOST_SPILLS = 100;
/** Bytes of shared memory that a function may declare; more has to be asked for at launch (ptxas refuses it, CUDA guide). */
const MOST_STATIC_SHARED = 48 * 1024;

export function problemsOf(
  c: Compiled,
  launchable: Launchable,
  pressure: MachinePressure,
  spilled: Allocation | undefined,
): Problem[] {
  const advice = adviceOf(c, launchable);
  // an instruction that ptxas refuses for want of registers is told of where it stands, and that is enough
  const isRefused = advice.some(({ code }) => code === 'hw/operands');
  return [
    ...machineProblems(c, launchable).filter(
      ({ code }) => !isRefused || (code !== 'hw/operands' && code !== 'hw/launch'),
    ),
    ...limitProblems(c, launchable, spilled),
    ...stepProblems(c, pressure, spilled),
    ...spillProblems(c),
    ...stallProblems(c),
    ...advice,
  ];
}

const nameSpan = (f: Function): Span => span(f.nameStart, f.nameEnd);

function machineProblems(c: Compiled, launchable: Launchable): Problem[] {
  const f = c.source;
  const problems: Problem[] = [];
  const report = (code: Code, severity: Problem['severity'], message: string): void => {
    problems.push({ code, severity, span: nameSpan(f), message });
  };
  const { architecture, staticShared, dynamicShared, threads } = launchable;
  if (launchable.unknownArchitecture !== undefined)
    report(
      'hw/architecture',
      'information',
      `${launchable.unknownArchitecture} is no architecture that is known here; the figures are for ${architecture.name}`,
    );
  if (launchable.unfitTarget !== undefined)
    report(
      'hw/older-architecture',
      'warning',
      `the figures are for ${launchable.name}, which cannot run this file: it is written for ${launchable.unfitTarget}; ask for that, or write '.target ${launchable.name}'`,
    );
  if (f.isEntry && threads > machine.maxThreadsPerBlock)
    report(
      'hw/block-size',
      'warning', // ptxas takes it; the launch fails
      `a block has at most ${machine.maxThreadsPerBlock} threads, not ${threads}: lower the product of .maxntid or .reqntid`,
    );
  const shared = staticShared + dynamicShared;
  if (staticShared > MOST_STATIC_SHARED)
    report(
      'hw/shared-memory',
      'error',
      `declares ${staticShared} bytes of shared memory, and at most ${MOST_STATIC_SHARED} can be declared: use an .extern .shared array and ask for the size at launch`,
    );
  else if (shared > sharedPerBlock(architecture))
    report(
      'hw/shared-memory',
      'error',
      `needs ${shared} bytes of shared memory a block, and ${architecture.name} has ${sharedPerBlock(architecture)}`,
    );
  const limits = limitsOf(f, launchable);
  const floors = hasManyOperands(c.code.f)
    ? floorsOf(
        c.code.f,
        f.classes.map((_, k) => (k === GENERAL ? [machine.stackPointer] : [])),
      )
    : f.classes.map(() => 0);
  f.classes.forEach(({ name }, k) => {
    const limit = limits[k];
    if (floors[k] > limit)
      report(
        'hw/operands',
        'error',
        `one instruction has operands in ${floors[k]} ${name} registers, and the limit is ${limit} (${c.model}); the figures assume ${floors[k]}`,
      );
  });
  const { occupancy } = c.stats;
  if (
    occupancy?.warps === 0 &&
    threads <= machine.maxThreadsPerBlock &&
    shared <= sharedPerBlock(architecture)
  )
    report(
      'hw/launch',
      'warning',
      `blocks of ${count(threads, 'thread')} with ${count(c.stats.registers.general, 'register')} each need more than the ${machine.registersPerBlock} registers of an SM and cannot be launched (${c.model}): at most ${count(occupancy.nextStep?.registers ?? 0, 'register')} a thread would do`,
    );
  return problems;
}

/** Operands that find room under any limit, be each of them a quad. */
const FEW_OPERANDS = 5;

function hasManyOperands({ operandStart, instructionCount }: Function): boolean {
  for (let i = 0; i < instructionCount; i++)
    if (operandStart[i + 1] - operandStart[i] > FEW_OPERANDS) return true;
  return false;
}

function limitProblems(c: Compiled, launchable: Launchable, spilled: Allocation | undefined): Problem[] {
  const f = c.source;
  const problems: Problem[] = [];
  if (launchable.ignoredOption !== undefined)
    problems.push({
      code: 'pressure/limit-ignored',
      severity: 'information',
      span: nameSpan(f),
      message: `the limit of ${count(launchable.ignoredOption, 'register')} has no effect: ptxas ignores --maxrregcount for a function with .maxnreg, .maxntid or .reqntid; set .maxnreg ${launchable.ignoredOption} instead`,
    });
  // performance directives of a function are errors, and told of as such
  if (f.isEntry && launchable.ignoredDirective !== undefined)
    problems.push({
      code: 'pressure/limit-ignored',
      severity: 'warning',
      span: nameSpan(f),
      message: `.maxnreg ${launchable.ignoredDirective} has no effect: a thread has at most ${machine.maxRegistersPerThread} registers, and ptxas takes what is above for that; write at most that`,
      directiveFix: { directive: '.maxnreg', value: machine.maxRegistersPerThread },
    });
  const { ignoredBlocks, raisedLimit, architecture, threads } = launchable;
  if (f.isEntry && ignoredBlocks !== undefined)
    problems.push({
      code: 'pressure/limit-ignored',
      severity: 'warning',
      span: nameSpan(f),
      message: `.minnctapersm ${ignoredBlocks} has no effect: an SM of ${architecture.name} holds at most ${architecture.maxBlocks} blocks and ${architecture.maxThreads} threads, in whole warps, not ${ignoredBlocks} blocks of ${threads}; ptxas limits registers as if one block were asked for`,
      directiveFix: { directive: '.minnctapersm' },
    });
  if (raisedLimit !== undefined && (f.isEntry || launchable.limitedBy === 'option'))
    problems.push({
      code: 'pressure/limit-ignored',
      severity: 'information',
      span: nameSpan(f),
      message: `a limit of ${count(raisedLimit, 'register')} (${launchable.limitedBy}) counts as ${machine.minimumLimit}: ptxas gives no thread fewer`,
      ...(launchable.limitedBy === '.maxnreg' && {
        directiveFix: { directive: '.maxnreg', value: machine.minimumLimit },
      }),
    });
  if (spilled !== undefined) f.classes.forEach((_, k) => problems.push(...spillingProblems(c, spilled, k)));
  return problems;
}

/** Where more is live than the limit of one class allows. */
function spillingProblems(c: Compiled, allocation: Allocation, k: number): Problem[] {
  const { f } = c.code;
  const { name } = f.classes[k];
  let given = 0;
  for (let r = 0; r < f.registerCount; r++)
    if (f.registerClass[r] === k && allocation.removal[r] === (Removal.Spilled as number)) given++;
  if (given === 0) return [];
  const isKept = k !== GENERAL;
  const { liveness, ranges, occurrences } = allocation.folded;
  const { peak, peakAt } = pressureOf(f, liveness, ranges);
  const held = heldAt(f, ranges, occurrences, k, peakAt[k]);
  return [
    {
      code: 'pressure/limit',
      severity: isKept ? 'hint' : 'warning',
      span: instructionSpan(c.source, toldAs(c.code)[peakAt[k]]),
      message:
        `${count(peak[k], `${name} register`)} live here, ${limitWords(c, allocation.limits[k], k)}: ` +
        `${given} ${isKept ? 'kept in general registers' : 'spilled'} in ${f.name}; live longest without use: ${idleNames(f, held)}`,
      related: idlePlaces(c, held.slice(0, 4)),
    },
  ];
}

/** `the limit is 24 (option)`, two registers that ptxas keeps for itself included. */
const limitWords = ({ stats }: Compiled, named: number, registerClass: number): string =>
  registerClass === GENERAL
    ? `the limit is ${named + machine.unnamedRegisters} (${stats.limitedBy})`
    : `there are ${named}`;

const idleNames = (f: Function, held: readonly HeldRegister[]): string =>
  held
    .filter((h) => h.idle > 0)
    .slice(0, 4)
    .map((h) => `${f.registerNames[h.register]} (${count(h.idle, 'instruction')})`)
    .join(', ') || 'none';

function idlePlaces({ source, code }: Compiled, held: readonly HeldRegister[]): RelatedPlace[] {
  const told = toldAs(code);
  return held
    .filter((h) => h.definition >= 0)
    .map((h) => ({
      span: instructionSpan(source, told[h.definition]),
      message: `${code.f.registerNames[h.register]} is written here and idle for ${count(h.idle, 'instruction')} around the peak`,
    }));
}

function stepProblems(c: Compiled, pressure: MachinePressure, spilled: Allocation | undefined): Problem[] {
  const { occupancy } = c.stats;
  const step = occupancy?.nextStep;
  const used = c.stats.registers.general ?? 0;
  const excess = step ? used - step.registers : 0;
  if (!occupancy || !step || occupancy.warps === 0 || excess <= 0 || excess > NEAR_STEP) return [];
  const { f } = c.code;
  const at = pressure.peakAt[GENERAL];
  if (at < 0) return [];
  const { ranges, liveness } = analysisOf(f);
  const held = heldAt(f, ranges, liveness.occurrences, GENERAL, at).filter(
    ({ register }) => spilled === undefined || spilled.removal[register] === (Removal.None as number),
  );
  const free = smallestSet(held, excess);
  const who =
    free.length > 0
      ? `; freeing ${free
          .slice(0, 4)
          .map((h) => f.registerNames[h.register])
          .join(', ')}${free.length > 4 ? ` and ${free.length - 4} more` : ''} at the peak would do`
      : '';
  const threads = `${count(occupancy.threads, 'thread')} a block${occupancy.threadsAssumed ? ', assumed' : ''}`;
  return [
    {
      code: 'pressure/next-step',
      severity: 'hint',
      span: nameSpan(c.source),
      message: `${count(used, 'register')} as compiled, ${excess} above the next step: with ${count(step.registers, 'register')} ${count(step.warps, 'warp')} run at once instead of ${occupancy.warps} (${c.model}, ${threads})${who}`,
      related: [
        { span: instructionSpan(c.source, toldAs(c.code)[at]), message: 'the peak' },
        ...idlePlaces(c, free.slice(0, 4)),
      ],
    },
  ];
}

function spillProblems(c: Compiled): Problem[] {
  return c.spills.slice(0, MOST_SPILLS).map((spill) => spillProblem(c, spill));
}

function spillProblem(c: Compiled, spill: Spill): Problem {
  const f = c.source;
  const name = f.registerNames[spill.register];
  const reloadBytes = spill.reloads.length * spill.bytes;
  const storeBytes = spill.stores.length * spill.bytes;
  return {
    code: 'spill/register',
    severity: 'warning',
    span: spilledAt(f, spill),
    message: `${name} is spilled: ${count(spill.stores.length, 'store')} (${count(storeBytes, 'byte')}) and ${count(spill.reloads.length, 'reload')} (${count(reloadBytes, 'byte')}) a thread; it ${spill.reason} (${c.model})`,
    related: spillPlaces(f, spill),
  };
}

function stallProblems(c: Compiled): Problem[] {
  const f = c.source;
  return c.stalls
    .filter(({ cycles }) => cycles >= LONG_STALL)
    .sort((a, b) => b.cycles - a.cycles || a.instruction - b.instruction)
    .slice(0, MOST_STALLS)
    .map((stall) => ({
      code: 'stall/long',
      severity: 'hint',
      span: instructionSpan(f, stall.instruction),
      message: `${count(stall.cycles, 'cycle')}: ${stall.cause}, if no other warp runs (${c.model}, in the order as compiled)`,
      ...(stall.producer >= 0 && {
        related: [{ span: instructionSpan(f, stall.producer), message: 'the value comes from here' }],
      }),
    }));
}
