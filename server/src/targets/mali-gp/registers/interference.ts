/**
 * Which cross-block registers cannot have one place, and which should be neighbours.
 *
 * As in Chaitin's allocator, a register that is stored interferes with those that are live at that moment. Within a
 * block the moment is that of the pre-schedule: a register that dies in the block before another one is stored may
 * hand over its place, and the scheduler keeps the reads before the store. That binds it, so such pairs share only
 * where places are short (`sharing`). A copy does not interfere with what it copies.
 *
 * A word reads at most two vectors of registers, one if it reads an attribute, and stores x and y to one vector and z
 * and w to one: registers that are read or stored about the same time belong into one vector (`affinity`).
 */
import { mayEnd } from './flow.js';
import { locationKey } from './block-graph.js';
import { membersOf } from './liveness.js';
import { isThrough } from './presence.js';
import type { Survey, SurveyedBlock } from './survey.js';
import type { Block, Leaf, Program } from '../graph.js';

export interface Copy {
  readonly from: number;
  readonly to: number;
}

export interface Interference {
  /** By register: those that cannot have its place. */
  readonly neighbours: readonly ReadonlySet<number>[];
  /** By register: those that can have its place at the price of a less free schedule, and the price. */
  readonly sharing: readonly ReadonlyMap<number, number>[];
}

/** By register: its neighbours in time, and how often they are. */
export interface Affinities {
  readonly reads: readonly ReadonlyMap<number, number>[];
  readonly stores: readonly ReadonlyMap<number, number>[];
}

type Weights = Map<number, number>[];

export function interferenceOf(survey: Survey): Interference {
  const { program, liveness } = survey;
  const count = program.registers.length;
  const neighbours = Array.from({ length: count }, () => new Set<number>());
  const sharing: Weights = Array.from({ length: count }, () => new Map<number, number>());
  const interfere = (a: number, b: number): void => {
    if (a === b) return;
    neighbours[a].add(b);
    neighbours[b].add(a);
  };
  const interfereAll = (registers: readonly number[]): void => {
    registers.forEach((a, i) => {
      for (let j = 0; j < i; j++) interfere(a, registers[j]);
    });
  };
  const numbered = (has: (r: number) => boolean): number[] => [...program.registers.keys()].filter(has);
  const handedOver = numbered((r) => program.registers[r].isLiveIn);
  interfereAll(handedOver);
  const wanted = numbered((r) => program.registers[r].isLiveOut);
  interfereAll(wanted);

  survey.blocks.forEach((surveyed, b) => {
    const block = program.blocks[b];
    const end = surveyed.graph.ids.length;
    const copied = copiesIn(block);
    const sources = new Set(copied.values());
    for (const a of surveyed.presences) {
      if (a.from > end || isThrough(a)) continue;
      for (const c of surveyed.presences) {
        if (c.register === a.register) continue;
        const isStored = !isThrough(c) && c.from <= end;
        if (copied.get(a.register) === c.register && !isStored) continue;
        const isBoundCopy = copied.has(a.register) && sources.has(c.register);
        if (isThrough(c) || isStored || c.until >= a.from || isBoundCopy) interfere(a.register, c.register);
        else if (c.until >= 0) {
          add(sharing, a.register, c.register, 1);
        }
      }
    }
    // what the end of the program wants is there even where nothing stored it
    if (mayEnd(block, b, program.blocks.length))
      for (const a of membersOf(liveness.exit, liveness.words, b)) for (const c of wanted) interfere(a, c);
  });
  return { neighbours, sharing };
}

/** Registers that are stored straight from another one. */
export function copiesOf({ blocks }: Program): Copy[] {
  return blocks.flatMap((block) => [...copiesIn(block)].map(([to, from]) => ({ from, to })));
}

/** By register stored: the register whose value at the block's start it takes. */
function copiesIn(block: Block): Map<number, number> {
  const copied = new Map<number, number>();
  for (const { to, value } of block.stores)
    if (to.kind === 'register' && value.kind === 'register' && !value.stored)
      copied.set(to.register, value.register);
  return copied;
}

function add(weights: Weights, a: number, b: number, weight: number): void {
  if (a === b) return;
  weights[a].set(b, (weights[a].get(b) ?? 0) + weight);
  weights[b].set(a, (weights[b].get(a) ?? 0) + weight);
}

/** Accesses on either side that count as about the same time. */
const WINDOW = 4;
/** Read by one node: then also by one word, if nothing is moved. */
const SAME_NODE = 3;

export function affinitiesOf({ program, flow, blocks }: Survey): Affinities {
  const count = program.registers.length;
  const maps = (): Weights => Array.from({ length: count }, () => new Map<number, number>());
  const [reads, stores] = [maps(), maps()];
  blocks.forEach((surveyed, b) => {
    if (!touchesRegisters(surveyed, program.blocks[b])) return;
    const weight = 1 + flow.depth[b];
    const height = heightsOf(surveyed);
    const accesses = readsIn(program, surveyed);
    for (const time of [(k: number) => surveyed.position[k], (k: number) => -height[k]])
      neighboursInTime(
        accesses.map(({ node, register }) => ({ register, at: time(node), group: node })),
        reads,
        weight,
      );
    neighboursInTime(storesIn(program.blocks[b], surveyed, height), stores, weight);
  });
  return { reads, stores };
}

const touchesRegisters = ({ graph }: SurveyedBlock, block: Block): boolean =>
  graph.registerReaders.size > 0 || block.stores.some(({ to }) => to.kind === 'register');

/** Longest way from each node to the end of what depends on it, in nodes. */
function heightsOf({ graph }: SurveyedBlock): Int32Array {
  const height = new Int32Array(graph.ids.length);
  for (let k = height.length - 1; k >= 0; k--)
    for (const input of graph.inputs[k]) height[input] = Math.max(height[input], height[k] + 1);
  return height;
}

interface Access {
  readonly register: number;
  readonly at: number;
  /** Accesses of one group are one word's. */
  readonly group: number;
}

function readsIn(program: Program, { graph }: SurveyedBlock): { node: number; register: number }[] {
  const found: { node: number; register: number }[] = [];
  graph.ids.forEach((id, node) => {
    for (const input of program.nodes[id].inputs)
      if (input.kind === 'register') found.push({ node, register: input.register });
  });
  return found;
}

/** Stores of nodes by when the value is made; those of leaves by the vector that they are loaded from. */
function storesIn(block: Block, { graph }: SurveyedBlock, height: Int32Array): Access[] {
  const placeOf = new Map<number, number>();
  graph.ids.forEach((id, k) => placeOf.set(id, k));
  const groups = new Map<string, number>();
  const found: Access[] = [];
  block.stores.forEach(({ to, value }, n) => {
    if (to.kind !== 'register') return;
    if (value.kind === 'node') {
      found.push({ register: to.register, at: -height[placeOf.get(value.node)!], group: -1 - n });
      return;
    }
    const from = vectorOf(value);
    const group = groups.get(from) ?? groups.size;
    groups.set(from, group);
    found.push({ register: to.register, at: (group + 1) * 1000, group });
  });
  return found;
}

function vectorOf(leaf: Leaf): string {
  if (leaf.kind === 'constant') return leaf.kind;
  return leaf.kind === 'register' ? `register ${locationKey(leaf)}` : `${leaf.kind} ${leaf.vector}`;
}

function neighboursInTime(accesses: Access[], weights: Weights, weight: number): void {
  const sorted = accesses.sort((a, b) => a.at - b.at || a.group - b.group || a.register - b.register);
  for (let i = 0; i < sorted.length; i++) {
    for (let j = i + 1; j < sorted.length && j <= i + WINDOW; j++) {
      const isSame = sorted[i].group === sorted[j].group;
      if (!isSame && sorted[j].at - sorted[i].at > WINDOW) break;
      add(weights, sorted[i].register, sorted[j].register, isSame ? SAME_NODE * weight : weight);
    }
  }
}
