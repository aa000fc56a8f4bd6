import type { Function } from '../../ir/function.js';
import { heldAt } from '../../passes/peak.js';
import { occurrencesOf } from '../../passes/occurrences.js';
import type { Problem, RelatedPlace } from '../../text/problem.js';
import { span, type Span } from '../../text/span.js';
import { count } from '../../text/words.js';
import type { Spill } from '../target.js';
import { instructionSpan, spilledAt, spillPlaces } from '../spill-places.js';
import type { Attempt, GenCompilation } from './compilation.js';
import { holders } from './holders.js';
import { ignoredLimit, registerBound } from './limits.js';
import { GENERAL } from './pressure.js';
import type { Instruction, Message } from './program.js';
import { checkRules } from './rules/index.js';
import { winner } from './stats.js';
import { operandText } from './text.js';

/**
 * What is to be said about a program: rules that it breaks, what a dump has left out and was assumed, registers that
 * do not fit, spills, waits. Each names the figures that it rests on and a way out.
 */
type Compiled = Omit<GenCompilation, 'problems'>;

/** Waits shown in one program, and the shortest that is worth a line, in cycles. */
const MOST_STALLS = 3;
const LONG_STALL = 20;
const MOST_SPILLS = 100;

export function problemsOf(c: Compiled): Problem[] {
  const writer = { program: c.program, source: c.source };
  return [
    ...checkRules(c.program, c.source, (operand) => operandText(writer, operand, false)),
    ...assumptions(c),
    ...attemptProblems(c),
    ...ignoredLimitProblems(c),
    ...limitProblems(c),
    ...spillProblems(c),
    ...stallProblems(c),
  ];
}

const nameSpan = (f: Function): Span => span(f.nameStart, f.nameEnd);
/** Each kind once, on the first line that it matters to. */
function assumptions({ source: f, program, options }: Compiled): Problem[] {
  const problems: Problem[] = [];
  const { attributes } = f;
  if (attributes.platform === undefined && options.platform === undefined)
    problems.push({
      code: 'dump/assumed-platform',
      severity: 'hint',
      span: nameSpan(f),
      message: `no platform is given: ${program.platform.description} (${program.platform.name}) is assumed; write .target, or set the option platform`,
    });
  if (attributes.payloadAssumed === 1)
    problems.push({
      code: 'dump/assumed-payload',
      severity: 'hint',
      span: nameSpan(f),
      message: `the payload is taken to be g0${program.firstFree > 1 ? ` to g${program.firstFree - 1}` : ''}, up to the highest register that is mentioned; say it with .payload`,
    });
  const fields = new Map<string, number>();
  program.instructions.forEach(({ message, origin }) => {
    for (const field of message.assumed) if (!fields.has(field)) fields.set(field, origin);
  });
  for (const [field, origin] of fields)
    problems.push({
      code: 'dump/assumed-message',
      severity: 'hint',
      span: instructionSpan(f, origin),
      message: assumedField(field, program.instructions[origin]),
    });
  return problems;
}

function assumedField(field: string, { opcode, message }: Instruction): string {
  const where = `; write it behind the instruction, in braces: {${field} ${assumedValue(field, message)}}`;
  switch (field) {
    case 'mlen':
      return `the dump does not say how long messages are: ${opcode.name} is taken to have ${count(message.mlen, 'register')} of payload${where}`;
    case 'base_mrf':
      return `the dump does not say where payloads begin: that of ${opcode.name} is taken to begin at m${message.baseMrf}${where}`;
    case 'rlen':
      return `the dump does not say how long responses are: this one is taken to fill the register, ${count(message.rlen ?? 0, 'GRF')}${where}`;
    default:
      return `the dump does not say where in scratch this goes: no address is assumed, and nothing is known of what is read${where.replace(/ undefined\}/, ' BYTES}')}`;
  }
}

function assumedValue(field: string, message: Message): string {
  if (field === 'mlen') return String(message.mlen);
  if (field === 'base_mrf') return String(message.baseMrf);
  return String(field === 'rlen' ? message.rlen : message.scratchOffset);
}

/** Why earlier entries of the strategy list lost; an error where all did. */
function attemptProblems({ source: f, attempts, lowered, model, asWritten, stats }: Compiled): Problem[] {
  const lost = attempts.filter(({ failure }) => failure !== undefined);
  if (lost.length === 0) return [];
  const won = winner(attempts);
  const reasons = lost.map(reasonText).join('; ');
  const origin = (i: number | undefined): number =>
    i === undefined || i < 0 ? -1 : lowered.instructions[i].origin;
  const last = origin(lost[lost.length - 1].instruction);
  if (won !== undefined)
    return [
      {
        code: 'spill/fallback',
        severity: 'hint',
        span: nameSpan(f),
        message: `compiled as ${won}, since ${reasons} (${model})`,
        ...(last >= 0 && {
          related: [{ span: instructionSpan(f, last), message: 'here the registers did not suffice' }],
        }),
      },
    ];
  const peak = asWritten.peak[GENERAL] ?? 0;
  const peakAt = asWritten.peakAt[GENERAL] ?? -1;
  return [
    {
      code: 'pressure/allocation',
      severity: 'error',
      span: instructionSpan(f, last),
      message: `no way was found to fit the program into ${count(stats.limit, 'register')} (${stats.limitedBy}), with ${peak} live at once as written: ${reasons} (${model}); shorten the live ranges around the peak, or split what has to lie in consecutive registers`,
      ...(peakAt >= 0 && {
        related: [
          {
            span: instructionSpan(f, peakAt),
            message: `here ${count(peak, 'register')} are live as written`,
          },
        ],
      }),
    },
  ];
}

export const reasonText = ({ name, failure, detail }: Attempt): string =>
  `${name} failed with ${failure ?? ''}${detail === undefined ? '' : ` (${detail})`}`;

function ignoredLimitProblems({ source: f, program, options }: Compiled): Problem[] {
  const ignored = ignoredLimit(f, program.platform, options);
  if (ignored === undefined || program.phase !== 'virtual') return [];
  const { most, by } = registerBound(f, program.platform);
  const why =
    by === 'machine'
      ? `the program can have ${most} on ${program.platform.name}; leave the option out`
      : `${by} ${most} stands in the source; set ${by} ${ignored} instead`;
  return [
    {
      code: 'pressure/limit-ignored',
      severity: 'information',
      span: nameSpan(f),
      message: `the limit of ${count(ignored, 'register')} has no effect: ${why}`,
    },
  ];
}

function limitProblems(compiled: Compiled): Problem[] {
  const { source: f, asWritten, stats, liveRanges, spills, program, code } = compiled;
  const peak = asWritten.peak[GENERAL] ?? 0;
  const at = asWritten.peakAt[GENERAL] ?? -1;
  // where nothing was allocated, attemptProblems has said so
  if (at < 0 || program.phase !== 'virtual' || peak <= stats.limit || code === undefined) return [];
  const held = heldAt(f, liveRanges, occurrencesOf(f), GENERAL, at, holders(compiled)).filter(
    ({ idle }) => idle > 0,
  );
  const names = held
    .slice(0, 4)
    .map(({ register, idle }) => `${f.registerNames[register]} (${count(idle, 'instruction')})`);
  const outcome =
    spills.length > 0
      ? `${count(spills.length, 'register')} spilled`
      : 'none had to be spilled in the order as compiled';
  return [
    {
      code: 'pressure/limit',
      severity: spills.length > 0 ? 'warning' : 'hint',
      span: instructionSpan(f, at),
      message: `${count(peak, 'register')} live here as written, the limit is ${stats.limit} (${stats.limitedBy}): ${outcome}${names.length === 0 ? '' : `; live longest without use: ${names.join(', ')}`} (${compiled.model})`,
      related: held
        .filter(({ definition }) => definition >= 0)
        .slice(0, 4)
        .map(({ register, definition, idle }): RelatedPlace => ({
          span: instructionSpan(f, definition),
          message: `${f.registerNames[register]} is written here and idle for ${count(idle, 'instruction')} around the peak`,
        })),
    },
  ];
}

const spillProblems = (compiled: Compiled): Problem[] =>
  compiled.spills.slice(0, MOST_SPILLS).map((spill) => spillProblem(compiled, spill));

function spillProblem({ source: f, model }: Compiled, spill: Spill): Problem {
  const name = f.registerNames[spill.register];
  return {
    code: 'spill/register',
    severity: 'warning',
    span: spilledAt(f, spill),
    message: `${name} is spilled to scratch: ${count(spill.stores.length, 'store')} and ${count(spill.reloads.length, 'reload')} of ${count(spill.bytes, 'byte')}; it ${spill.reason} (${model})`,
    related: spillPlaces(f, spill),
  };
}

function stallProblems({ source: f, stalls, model }: Compiled): Problem[] {
  return stalls
    .filter(({ cycles }) => cycles >= LONG_STALL)
    .sort((a, b) => b.cycles - a.cycles || a.instruction - b.instruction)
    .slice(0, MOST_STALLS)
    .map((stall) => ({
      code: 'stall/long',
      severity: 'hint',
      span: instructionSpan(f, stall.instruction),
      message: `${count(stall.cycles, 'cycle')}: ${stall.cause} (${model}, as compiled)`,
      ...(stall.producer >= 0 && {
        related: [{ span: instructionSpan(f, stall.producer), message: 'the value comes from here' }],
      }),
    }));
}
