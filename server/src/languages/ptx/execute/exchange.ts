import type { Argument, Decoded } from '../semantics/decode.js';
import { Poison, Unsupported } from '../semantics/faults.js';
import { has, operand } from '../semantics/handler.js';
import { integerType, maximum, minimum, number, wrap } from '../semantics/integer.js';
import { spoilResults } from '../semantics/poison.js';
import type { Lane } from './lane.js';

/**
 * What lanes of a warp exchange: shuffles, votes, matches, reductions. Each instruction reads in all lanes before it
 * writes in any. A value that was never written may be handed round, since only who uses the result is wrong.
 */
export interface Party {
  readonly lane: Lane;
  readonly d: Decoded;
}

/** Executes one instruction for all lanes that take part in it. `alive` are the lanes of the warp that have not exited. */
export function exchange(parties: readonly Party[]): void {
  const { d } = parties[0];
  switch (d.mnemonic) {
    case 'shfl':
      shuffle(parties);
      return;
    case 'vote':
      vote(parties);
      return;
    case 'match':
      match(parties);
      return;
    case 'redux':
      reduce(parties);
      return;
    case 'activemask':
      for (const { lane, d: own } of parties) lane.write(operand(own, 0), 'b32', maskOf(parties));
      return;
    case 'elect':
      elect(parties);
      return;
    case 'bar':
      return;
    default:
      throw new Unsupported(d.text);
  }
}

/** The operand that says who takes part, of those instructions that wait for each other. */
export function memberMask(d: Decoded): Argument | undefined {
  if (!d.modifiers.includes('sync')) return undefined;
  return d.operands.at(-1);
}

const bit = (lane: Lane): bigint => 1n << BigInt(lane.number);
export const maskOf = (parties: readonly Party[]): bigint =>
  parties.reduce((mask, { lane }) => mask | bit(lane), 0n);

const known = (lane: Lane, a: Argument, type: string): bigint | undefined => {
  try {
    return lane.read(a, type);
  } catch (error) {
    if (error instanceof Poison) return undefined;
    throw error;
  }
};

function writeSplit(lane: Lane, to: Argument, type: string, value: bigint, predicate: boolean): void {
  if (to.kind === 'pair') {
    lane.write(to.first, type, value);
    lane.write(to.second, 'pred', predicate ? 1n : 0n);
  } else lane.write(to, type, value);
}

/** Source lane after the pseudo-code of the PTX ISA manual for `shfl.sync`; -1 where it lies outside of the segment. */
export function sourceLane(mode: string, own: number, b: number, c: number): number {
  const distance = b & 31;
  const clamp = c & 31;
  const segment = (c >> 8) & 31;
  const highest = (own & segment) | (clamp & ~segment);
  const lowest = own & segment;
  switch (mode) {
    case 'up':
      return own - distance >= highest ? own - distance : -1;
    case 'down':
      return own + distance <= highest ? own + distance : -1;
    case 'bfly':
      return (own ^ distance) <= highest ? own ^ distance : -1;
    default: {
      const from = lowest | (distance & ~segment);
      return from <= highest ? from : -1;
    }
  }
}

function shuffle(parties: readonly Party[]): void {
  const values = new Map(parties.map(({ lane, d }) => [lane.number, known(lane, operand(d, 1), 'b32')]));
  const sources = parties.map(({ lane, d }) => {
    const mode = d.modifiers.find((m) => m === 'up' || m === 'down' || m === 'bfly') ?? 'idx';
    const b = Number(lane.read(operand(d, 2), 'b32'));
    const c = Number(lane.read(operand(d, 3), 'b32'));
    return sourceLane(mode, lane.number, b, c);
  });
  parties.forEach(({ lane, d }, k) => {
    const value = values.get(sources[k] < 0 ? lane.number : sources[k]);
    if (value === undefined) spoilResults(d, (o) => lane.spoil(o));
    else writeSplit(lane, operand(d, 0), 'b32', value, sources[k] >= 0);
    const to = operand(d, 0);
    if (to.kind === 'pair') lane.write(to.second, 'pred', sources[k] >= 0 ? 1n : 0n);
  });
}

function vote(parties: readonly Party[]): void {
  const holds = parties.map(({ lane, d }) => lane.read(operand(d, 1), 'pred') !== 0n);
  const all = holds.every((p) => p);
  const any = holds.some((p) => p);
  const ballot = parties.reduce((mask, { lane }, k) => (holds[k] ? mask | bit(lane) : mask), 0n);
  for (const { lane, d } of parties) {
    if (has(d, 'ballot')) lane.write(operand(d, 0), 'b32', ballot);
    else {
      const result = has(d, 'all') ? all : has(d, 'any') ? any : all || !any;
      lane.write(operand(d, 0), 'pred', result ? 1n : 0n);
    }
  }
}

function match(parties: readonly Party[]): void {
  const values = parties.map(({ lane, d }) => lane.read(operand(d, 1), d.types.at(0) ?? 'b32'));
  const isSame = values.every((v) => v === values[0]);
  parties.forEach(({ lane, d }, k) => {
    if (has(d, 'all')) writeSplit(lane, operand(d, 0), 'b32', isSame ? maskOf(parties) : 0n, isSame);
    else lane.write(operand(d, 0), 'b32', maskOf(parties.filter((_, other) => values[other] === values[k])));
  });
}

function reduce(parties: readonly Party[]): void {
  const type = parties[0].d.types.at(0) ?? 'u32';
  const integer = integerType(type);
  if (integer === undefined) throw new Unsupported(`the type ${type}`);
  const values = parties.map(({ lane, d }) => number(integer, lane.read(operand(d, 1), type)));
  const operations: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
    add: (a, b) => a + b,
    min: minimum,
    max: maximum,
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
  };
  const name = parties[0].d.modifiers.find((m) => m in operations);
  if (name === undefined) throw new Unsupported('this reduction');
  const result = wrap(integer, values.reduce(operations[name]));
  for (const { lane, d } of parties) lane.write(operand(d, 0), 'b32', result);
}

/** The lowest lane is chosen. */
function elect(parties: readonly Party[]): void {
  const leader = Math.min(...parties.map(({ lane }) => lane.number));
  for (const { lane, d } of parties)
    writeSplit(lane, operand(d, 0), 'b32', BigInt(leader), lane.number === leader);
}
