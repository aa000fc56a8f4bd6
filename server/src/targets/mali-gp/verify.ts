/**
 * Proves what can be proved of compiled code, and tries the rest: the machine's structural rules on every word, then
 * simulated runs beside the interpreted source on pseudo-random inputs. What both leave in varyings and live-out
 * registers must be equal, bit for bit but for the sign of zero. Shares no code with lowering, allocation or
 * scheduling.
 */
import type { Function } from '../../ir/function.js';
import { bitsToFloat } from '../../ir/payload.js';
import { NoRegister } from '../../ir/place.js';
import type { Violation } from '../../passes/check-allocation.js';
import { rules } from './rule-statements.js';
import { checkRules, type Rule } from './rules.js';
import { scalar, simulate, type MachineInputs } from './simulate.js';
import { entryRegisters, runSource, type SourceInputs, type SourceRun } from './source-semantics.js';
import { mayReadUndefined } from './undefined-reads.js';
import { PORT_VECTORS, WORD_LIMIT, type CompiledProgram } from './word.js';

export interface VerifyOptions {
  /** Runs to compare. */
  readonly trials?: number;
  readonly seed?: number;
  /** Source instructions that all runs together may execute. */
  readonly steps?: number;
  /** The source instruction that a word works for, or -1. */
  readonly instructionOf?: (word: number) => number;
}

/**
 * What is wrong with the code, `Violation.code` being a word. A program of more than 512 words is no fault of the
 * compiler's; that it is too long is not reported here.
 */
export function verify(source: Function, code: CompiledProgram, options: VerifyOptions = {}): Violation[] {
  const { instructionOf = () => -1 } = options;
  const isTooLong = code.words.length > WORD_LIMIT;
  const structural = checkRules(code).filter(({ rule }) => !(isTooLong && lengthRules.includes(rule)));
  if (structural.length > 0)
    return structural.map(({ rule, word, message }) => ({
      instruction: word < 0 ? -1 : instructionOf(word),
      code: word,
      message: `${word < 0 ? '' : 'at '}${message} (${rules[rule]})`,
    }));
  const difference = compareRuns(source, code, options);
  if (difference === undefined) return [];
  const { word, message } = difference;
  return [{ instruction: word < 0 ? -1 : instructionOf(word), code: word, message }];
}

const lengthRules: readonly Rule[] = ['word-limit', 'branch-target'];

interface Difference {
  readonly word: number;
  readonly message: string;
}

/**
 * The first difference between source and code. Inputs for which the source meets NaN, reads what was never written
 * or does not end are passed over: it has no one meaning there.
 */
function compareRuns(
  source: Function,
  code: CompiledProgram,
  { trials = 6, seed = 1, steps = 200_000 }: VerifyOptions,
): Difference | undefined {
  const handedOver = entryRegisters(source);
  const thresholds = thresholdsOf(source);
  let left = steps;
  let compared = 0;
  for (let trial = 0; trial < 6 * trials && compared < trials && left > 0; trial++) {
    const inputs = inputsOf(trial, seed, code.uniforms, handedOver, thresholds);
    const run = runSource(source, inputs, Math.min(left, steps / 4));
    left -= run.steps;
    if (run.end !== 'left' || run.meetsNaN || run.meetsUndefined) continue;
    compared++;
    const difference = compare(source, run, code, machineInputs(inputs, code));
    if (difference !== undefined)
      return { ...difference, message: `in run ${trial} of seed ${seed}: ${difference.message}` };
  }
  return undefined;
}

/**
 * Where the source may read what was never written, so may the code, and also in runs that do not use it (a branch
 * that has become a selection reads both sides): there every register holds something, which must not be seen.
 */
function compare(
  source: Function,
  run: SourceRun,
  code: CompiledProgram,
  inputs: MachineInputs,
): Difference | undefined {
  const limit = 4 * run.steps + 4000;
  let machine = simulate(code, inputs, limit);
  if (machine.fault !== undefined && mayReadUndefined(source))
    machine = simulate(code, { ...inputs, registers: filled(inputs.registers) }, limit);
  if (machine.fault !== undefined) return machine.fault;
  if (machine.end === 'limit') return atEnd(`does not end within ${machine.steps} words`);
  for (const [place, value] of machine.varyings)
    if (!run.varyings.has(place))
      return atEnd(`${scalar('v', place)} is stored (${value}), but the source does not write it`);
  for (const [place, expected] of run.varyings) {
    const actual = machine.varyings.get(place);
    if (expected !== undefined && actual !== expected)
      return atEnd(`${scalar('v', place)} is ${shown(actual)}; the source gives ${expected}`);
  }
  for (const [name, expected] of run.liveOut) {
    const place = placeOf(name, code);
    if (place === undefined) return atEnd(`live-out register ${name} has no place`);
    const actual = machine.registers.get(place);
    if (expected !== undefined && actual !== expected)
      return atEnd(`${name} in ${scalar('$', place)} is ${shown(actual)}; the source gives ${expected}`);
  }
  return undefined;
}

const atEnd = (message: string): Difference => ({ word: -1, message });

const shown = (value: number | undefined): string => (value === undefined ? 'not stored' : `${value}`);

/** `4 * vector + component` of a register as the source writes it. */
function placeOf(name: string, { registers }: CompiledProgram): number | undefined {
  const match = /^\$(\d+)\.([xyzw])$/.exec(name.startsWith('$') ? name : (registers[name] ?? ''));
  return match === null ? undefined : 4 * Number(match[1]) + 'xyzw'.indexOf(match[2]);
}

/** Every register with a number of its own, below those that hold something. */
function filled(registers: MachineInputs['registers']): Map<number, number> {
  const noise = Array.from({ length: 4 * PORT_VECTORS }, (_, place): [number, number] => [
    place,
    Math.fround(1234.5 + 7.25 * place),
  ]);
  return new Map([...noise, ...(registers ?? [])]);
}

function machineInputs(inputs: SourceInputs, code: CompiledProgram): MachineInputs {
  const registers = new Map<number, number>();
  for (const [name, value] of inputs.registers ?? []) {
    const place = placeOf(name, code);
    if (place !== undefined) registers.set(place, value);
  }
  return { attributes: inputs.attributes, uniforms: inputs.uniforms, registers };
}

// Inputs

/** Values at which operations have a corner. */
const corners = [0, 1, -1, 0.5, -0.5, 2, -2, 3, 4, 0.25, 10, 100, 1e-3, 1e4];

/** Chooses by a number in [0, 1); `near` are values about the program's own constants. */
type Style = (u: number, near: readonly number[]) => number;

const chosen: Style = (u, from) => from[Math.floor(u * from.length)];

/** Signs, sizes, whole numbers and corners: each is good for other programs. */
const signed: Style = (u) => 2 * u - 1;
const positive: Style = (u) => 0.05 + u;
const middling: Style = (u) => 8 * u - 4;
const whole: Style = (u) => Math.floor(8 * u);
const corner: Style = (u) => chosen(u, corners);
const large: Style = (u) => 100 * u;
const halves: Style = (u) => Math.floor(17 * u) / 2 - 4;
const near: Style = (u, values) => (values.length > 0 ? chosen(u, values) : whole(u, values));

/** What attributes and registers, and what uniforms are chosen by, run by run. */
const styles: readonly (readonly [Style, Style])[] = [
  [signed, positive],
  [near, near],
  [whole, whole],
  [middling, middling],
  [near, positive],
  [corner, corner],
  [positive, positive],
  [signed, near],
  [large, signed],
  [halves, halves],
  [positive, whole],
];

function inputsOf(
  trial: number,
  seed: number,
  uniforms: number,
  registers: readonly string[],
  thresholds: readonly number[],
): SourceInputs {
  const random = generator(seed * 1009 + trial);
  const [attributes, others] = styles[trial % styles.length];
  const numbers = (count: number, style: Style): Float32Array =>
    Float32Array.from({ length: count }, () => style(random(), thresholds));
  return {
    attributes: numbers(4 * PORT_VECTORS, attributes),
    uniforms: numbers(4 * uniforms, others),
    registers: new Map(registers.map((name) => [name, Math.fround(attributes(random(), thresholds))])),
  };
}

/** Most constants of the source to choose inputs by. */
const THRESHOLDS = 64;

/** Values at and about the source's constants, where its comparisons decide. */
function thresholdsOf(f: Function): readonly number[] {
  const values = new Set<number>();
  for (let o = 0; o < f.operandPlace.length && values.size < THRESHOLDS; o++) {
    if (f.operandPlace[o] !== (NoRegister.Immediate as number)) continue;
    const value = bitsToFloat(f.operandPayload?.[o] ?? 0);
    if (Math.abs(value) < 1e6) values.add(value);
  }
  return [...values].flatMap((value) => [value, -value, value - 0.5, value + 0.5, value + 1]);
}

/** Numbers in [0, 1) by Marsaglia's xorshift. */
function generator(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
