import type { Program } from '../program.js';
import { structureOf, type Structure } from '../simulate/structure.js';
import type { Matching } from './matching.js';

/**
 * The ways that one channel can take through a program: in each stretch of code it is active, or it waits for one
 * construct to bring it back, while other channels execute the stretch. Instructions under the execution mask do
 * nothing for a channel that waits; NoMask instructions do. The graph has a node for each stretch and each state that
 * a channel can be in there, so as many as stretches times nesting depth.
 *
 * Stretches are runs of steps without control flow; each control flow instruction is one of its own. Where jumps are
 * not structured, every channel is taken to follow the program's own edges.
 */
export interface LaneGraph {
  /** First step of each stretch; one more at the end. */
  readonly start: Int32Array;
  /** By node. Node 0 is the entry. */
  readonly stretch: readonly number[];
  readonly isActive: readonly boolean[];
  readonly predecessors: readonly (readonly number[])[];
  readonly successors: readonly (readonly number[])[];
  /** Nodes of each stretch, the active one first where there is one. */
  readonly nodesOf: readonly (readonly number[])[];
}

/** What a channel waits for: active, halted, or a construct by its first instruction and the part that it waits in. */
const ACTIVE = 0;
const HALTED = 1;
const enum Wait {
  Else = 2,
  Endif = 3,
  Left = 4,
  Next = 5,
}
const waiting = (construct: number, wait: Wait): number => construct * 4 + wait;

/** More nodes than this: channels that wait are left out of the proof. */
const MOST_NODES = 2_000_000;

export function laneGraph(source: Program, matching: Matching): LaneGraph {
  const structure = structureOf(source);
  const hasJumps = source.instructions.some(({ opcode }) => opcode.flow === 'jump');
  const isStructured = structure.fault === undefined && !hasJumps;
  const cuts = stretchesOf(source, matching);
  const edges = isStructured
    ? structuredEdges(source, structure, cuts)
    : (s: number): Edge[] => blockEdges(source, cuts, s).map((to) => [to, ACTIVE]);
  return explore(cuts, edges);
}

type Edge = readonly [stretch: number, state: number];

interface Cuts {
  readonly start: Int32Array;
  /** By stretch: its control flow instruction, or -1. */
  readonly flow: readonly number[];
  /** By stretch: its block, and whether it is the block's last. */
  readonly block: readonly number[];
  readonly isLast: readonly boolean[];
  /** By source instruction that is control flow. */
  readonly stretchOf: ReadonlyMap<number, number>;
  readonly firstOfBlock: Int32Array;
}

function stretchesOf(source: Program, { steps, blockStart }: Matching): Cuts {
  const start: number[] = [];
  const flow: number[] = [];
  const block: number[] = [];
  const isLast: boolean[] = [];
  const stretchOf = new Map<number, number>();
  const blocks = blockStart.length - 1;
  const firstOfBlock = new Int32Array(blocks);
  for (let b = 0; b < blocks; b++) {
    firstOfBlock[b] = start.length;
    let isOpen = false;
    const begin = (at: number, instruction: number) => {
      start.push(at);
      flow.push(instruction);
      block.push(b);
      isLast.push(false);
    };
    for (let at = blockStart[b]; at < blockStart[b + 1]; at++) {
      const instruction = steps[at].source;
      const isFlow = instruction >= 0 && source.instructions[instruction].opcode.flow !== undefined;
      if (isFlow) stretchOf.set(instruction, start.length);
      if (isFlow || !isOpen) begin(at, isFlow ? instruction : -1);
      isOpen = !isFlow;
    }
    if (start.length === firstOfBlock[b]) begin(blockStart[b], -1);
    isLast[isLast.length - 1] = true;
  }
  start.push(steps.length);
  return { start: Int32Array.from(start), flow, block, isLast, stretchOf, firstOfBlock };
}

function blockEdges(source: Program, cuts: Cuts, s: number): readonly number[] {
  if (!cuts.isLast[s]) return [s + 1];
  return source.successors[cuts.block[s]].map((b) => cuts.firstOfBlock[b]);
}

function structuredEdges(source: Program, { partner, join, haltTarget }: Structure, cuts: Cuts) {
  const count = cuts.flow.length;
  const at = (instruction: number): number => cuts.stretchOf.get(instruction) ?? count;
  /** Where the hardware goes when no channel is left: the innermost place where one may come back. */
  const skip = (i: number): number => at(join[i] >= 0 ? join[i] : haltTarget);
  const loopOf = loops(source, partner);
  const openingOf = openings(partner);
  return (s: number, state: number): Edge[] => {
    const i = cuts.flow[s];
    if (i < 0) return endsThread(source, cuts, s) ? [] : [[s + 1, state]];
    const { opcode, predicate, condition, target } = source.instructions[i];
    const isPredicated = predicate !== undefined || condition !== undefined;
    switch (opcode.flow!) {
      case 'if': {
        const other = at(partner[i]);
        if (state !== ACTIVE)
          return [
            [s + 1, state],
            [other, state],
          ];
        const wait = waiting(i, Wait.Else);
        return [
          [s + 1, ACTIVE],
          [s + 1, wait],
          [other, wait],
        ];
      }
      case 'else': {
        const end = at(partner[i]);
        const opened = openingOf.get(i) ?? -1;
        if (state === waiting(opened, Wait.Else)) return [[s + 1, ACTIVE]];
        const next = state === ACTIVE ? waiting(opened, Wait.Endif) : state;
        return [
          [s + 1, next],
          [end, next],
        ];
      }
      case 'endif': {
        const closed = openingOf.get(i) ?? -1;
        const opened = openingOf.get(closed) ?? closed;
        const comes = state === waiting(opened, Wait.Else) || state === waiting(opened, Wait.Endif);
        return comes
          ? [[s + 1, ACTIVE]]
          : [[s + 1, state], ...(state === ACTIVE ? [] : [[skip(i), state] as const])];
      }
      case 'break':
      case 'continue': {
        const loop = loopOf[i];
        if (state !== ACTIVE)
          return [
            [s + 1, state],
            [skip(i), state],
          ];
        const wait = waiting(loop, opcode.flow === 'break' ? Wait.Left : Wait.Next);
        return [...(isPredicated ? [[s + 1, ACTIVE] as const] : []), [s + 1, wait], [skip(i), wait]];
      }
      case 'while': {
        const loop = partner[i] >= 0 ? partner[i] : i;
        const back = partner[i] >= 0 ? at(partner[i]) + 1 : target >= 0 ? cuts.firstOfBlock[target] : count;
        if (state === ACTIVE || state === waiting(loop, Wait.Next))
          return isPredicated
            ? [
                [back, ACTIVE],
                [back, waiting(loop, Wait.Left)],
                [s + 1, ACTIVE],
              ]
            : [[back, ACTIVE]];
        if (state === waiting(loop, Wait.Left))
          return [
            [back, state],
            [s + 1, ACTIVE],
          ];
        return [
          [back, state],
          [s + 1, state],
        ];
      }
      case 'halt': {
        if (state !== ACTIVE)
          return [
            [s + 1, state],
            [skip(i), state],
          ];
        return [...(isPredicated ? [[s + 1, ACTIVE] as const] : []), [s + 1, HALTED], [skip(i), HALTED]];
      }
      case 'haltTarget':
        return [[s + 1, ACTIVE]];
      case 'end':
        return [];
      default:
        return [[s + 1, state]];
    }
  };
}

const endsThread = (source: Program, cuts: Cuts, s: number): boolean =>
  cuts.isLast[s] && source.successors[cuts.block[s]].length === 0;

/** By instruction: the construct's number of the innermost loop around it. */
function loops({ instructions }: Program, partner: Int32Array): Int32Array {
  const loop = new Int32Array(instructions.length).fill(-1);
  const open: number[] = [];
  instructions.forEach(({ opcode }, i) => {
    if (opcode.flow === 'do') open.push(i);
    loop[i] = open.length > 0 ? open[open.length - 1] : -1;
    if (opcode.flow === 'while' && partner[i] >= 0) open.pop();
  });
  return loop;
}

/** Of an `else` its `if`; of an `endif` its `else` or `if`. */
function openings(partner: Int32Array): Map<number, number> {
  const found = new Map<number, number>();
  partner.forEach((to, from) => {
    if (to > from) found.set(to, from);
  });
  return found;
}

function explore(cuts: Cuts, edges: (s: number, state: number) => readonly Edge[]): LaneGraph {
  const count = cuts.flow.length;
  const numbers = new Map<string, number>();
  const stretch: number[] = [];
  const states: number[] = [];
  const predecessors: number[][] = [];
  const successors: number[][] = [];
  const nodesOf: number[][] = Array.from({ length: count }, () => []);
  const node = (s: number, state: number): number => {
    const key = `${s} ${state}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const made = stretch.length;
    numbers.set(key, made);
    stretch.push(s);
    states.push(state);
    predecessors.push([]);
    successors.push([]);
    if (state === ACTIVE) nodesOf[s].unshift(made);
    else nodesOf[s].push(made);
    return made;
  };
  if (count > 0) node(0, ACTIVE);
  for (let n = 0; n < stretch.length; n++)
    for (const [to, state] of edges(stretch[n], states[n])) {
      if (to >= count || (state !== ACTIVE && stretch.length > MOST_NODES)) continue;
      const m = node(to, state);
      if (successors[n].includes(m)) continue;
      successors[n].push(m);
      predecessors[m].push(n);
    }
  return {
    start: cuts.start,
    stretch,
    isActive: states.map((state) => state === ACTIVE),
    predecessors,
    successors,
    nodesOf,
  };
}
