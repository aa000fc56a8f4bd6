/**
 * Register allocation in two levels (facts of the machine in graph.ts and values.ts): the cross-block registers of the
 * whole program get places for good, then each block's values are made to fit what the bypass network and the
 * remaining places carry. Nothing gives up: what does not fit is loaded or computed again, or kept in temporaries.
 *
 *   survey.ts        liveness over blocks, an order for each block, registers along that order
 *   reload.ts        registers that only copy a constant, uniform or attribute
 *   reduce.ts        too many registers: remedies, until they fit
 *   interference.ts, coalesce.ts, colour.ts   places
 *   values.ts, spill-values.ts                the values of each block
 */
import { REGISTER_COMPONENTS, type Block, type BlockTask, type Node, type Program } from '../graph.js';
import { blockGraph } from './block-graph.js';
import { coalesce } from './coalesce.js';
import { colourRegisters, type Colouring } from './colour.js';
import { withoutDeadStores } from './dead-stores.js';
import { flowOf, forEachRead } from './flow.js';
import { affinitiesOf, copiesOf, interferenceOf } from './interference.js';
import { membersOf } from './liveness.js';
import { isThrough, occupancyOf, presencesIn, throughout } from './presence.js';
import { reduceRegisters, removeRegisters } from './reduce.js';
import { reloadLeaves } from './reload.js';
import type { Relief } from './relief.js';
import { remedyFor, trafficOf } from './remedies.js';
import { spillValues } from './spill-values.js';
import { surveyOf, type Survey, type SurveyedBlock } from './survey.js';
import { TEMPORARY_TOP } from './temporaries.js';
import { allocateValues, BYPASS_VALUES, type PlacedPresence, type ValueAllocation } from './values.js';

export type { Relief } from './relief.js';
export { BYPASS_VALUES } from './values.js';

export interface RegisterOptions {
  /** Places that are left free for the values of a block that has more of them than the bypass network carries. */
  readonly reserve?: number;
  /**
   * Values that need no register inside their block because they go from word to word through the bypass network
   * alone. It carries 11, but what it carries for long takes a unit for a move every other word.
   */
  readonly carried?: number;
}

export interface BlockPressure {
  /** Values that live at once at most, in the order of the text and in that of the pre-schedule. */
  readonly written: number;
  readonly ordered: number;
  /** Values that have room at that moment: the bypass network and the places that are free. */
  readonly room: number;
  /** Source instruction before which the ordered peak is, or -1. */
  readonly peakInstruction: number;
  /** Registers that are live at once at most. */
  readonly registers: number;
}

export interface RegisterAllocation {
  /** The program with its registers' remedies and spills; nodes keep their ids, copies follow. */
  readonly program: Program;
  /** By number in `program.registers`: `4 * vector + component`, or -1 for one that no code touches any more. */
  readonly places: Int8Array;
  /** By block. */
  readonly tasks: readonly BlockTask[];
  readonly reliefs: readonly Relief[];
  /** By block. */
  readonly pressure: readonly BlockPressure[];
  /** Components of the register file that cross-block registers use. */
  readonly usedPlaces: number;
  /** Stores between registers that coalescing has saved. */
  readonly coalesced: number;
  /** Vectors of temporary memory, numbered from 511 downwards. */
  readonly temporaries: number;
  /** Registers without a place: more of them are fixed or handed over than the machine has. Empty for every other program. */
  readonly unplaced: readonly number[];
}

const RESERVE = 16;
const CARRIED = 0;

export function allocateRegisters(source: Program, options: RegisterOptions = {}): RegisterAllocation {
  const { reserve = RESERVE, carried = CARRIED } = options;
  const reliefs: Relief[] = [];
  let top = firstTemporary(source);
  const flow = flowOf(source);
  const live = withoutDeadStores(source, flow);
  const first = surveyOf(live, undefined, flow);
  const written = first.blocks.map(({ order }) => order.written);

  const copies = isCrowded(first) ? [] : copiesOf(live);
  const joined =
    copies.length > 0
      ? coalesce(live, copies, interferenceOf(first))
      : { program: live, alias: Int32Array.from(live.registers.keys()), removed: 0 };
  const reloaded = reloadLeaves(joined.program === live ? first : surveyOf(joined.program, first), top);
  reliefs.push(...reloaded.reliefs);
  let { survey } = reloaded;
  let colouring: Colouring;
  for (;;) {
    const reduced = reduceRegisters(survey, reserve, carried, top);
    reliefs.push(...reduced.reliefs);
    ({ survey, top } = reduced);
    const traffic = trafficOf(survey.program);
    const remedy = (r: number): number => remedyFor(survey, traffic, r, true)?.cost ?? Infinity;
    const costs = Float64Array.from(survey.program.registers, (_, r) => remedy(r));
    colouring = colourRegisters(survey.program, interferenceOf(survey), affinitiesOf(survey), costs);
    const removable = colouring.unplaced.filter((r) => Number.isFinite(costs[r]));
    if (removable.length === 0) break;
    const removed = removeRegisters(survey, removable, top);
    reliefs.push(...removed.reliefs);
    ({ survey, top } = removed);
  }

  const fitted = fitValues(survey, colouring.places, top, carried);
  reliefs.push(...fitted.reliefs);
  const { program } = fitted;
  const places = settledPlaces(program, colouring.places, joined.alias);
  return {
    program,
    places,
    tasks: program.blocks.map((block, b): BlockTask => {
      const { entry, exit, words } = survey.liveness;
      const { edges } = fitted.allocations[b];
      return {
        program,
        block,
        places,
        liveIn: placesOf(membersOf(entry, words, b), places),
        liveOut: placesOf(membersOf(exit, words, b), places),
        ...(edges.length > 0 && { order: edges }),
      };
    }),
    reliefs,
    pressure: fitted.pressure.map((pressure, b) => ({ ...pressure, written: written[b] })),
    usedPlaces: new Set(places.filter((place) => place >= 0)).size,
    coalesced: joined.removed,
    temporaries: TEMPORARY_TOP - fitted.top,
    unplaced: colouring.unplaced,
  };
}

/** Registers at once beyond which the interference of all pairs is not looked at before most are taken away. */
const CROWD = 4 * REGISTER_COMPONENTS;

const isCrowded = ({ blocks }: Survey): boolean => blocks.some(({ presences }) => presences.length > CROWD);

/** Below the temporaries that the program has already. */
function firstTemporary({ blocks }: Program): number {
  let top = TEMPORARY_TOP;
  for (const { stores } of blocks)
    for (const { to } of stores) if (to.kind === 'temporary') top = Math.min(top, to.vector - 1);
  return top;
}

const placesOf = (registers: readonly number[], places: Int8Array): Uint8Array => {
  const set = new Uint8Array(REGISTER_COMPONENTS);
  for (const r of registers) if (places[r] >= 0) set[places[r]] = 1;
  return set;
};

/** Places by register of the source; coalesced ones have their partner's, and those that no code touches any more none. */
function settledPlaces(program: Program, places: Int8Array, alias: Int32Array): Int8Array {
  const isTouched = Uint8Array.from(program.registers, ({ isLiveIn, isLiveOut }) =>
    Number(isLiveIn || isLiveOut),
  );
  for (const block of program.blocks) {
    forEachRead(program, block, (value) => {
      if (value.kind === 'register') isTouched[value.register] = 1;
    });
    for (const { to } of block.stores) if (to.kind === 'register') isTouched[to.register] = 1;
  }
  return Int8Array.from(program.registers, (_, r) => (isTouched[alias[r]] ? places[alias[r]] : -1));
}

interface FittedValues {
  readonly program: Program;
  readonly allocations: readonly Pick<ValueAllocation, 'edges'>[];
  readonly reliefs: readonly Relief[];
  readonly pressure: readonly Omit<BlockPressure, 'written'>[];
  readonly top: number;
}

/** Second level, block by block. Temporaries of one block are used again by the next. */
function fitValues(survey: Survey, places: Int8Array, top: number, carried: number): FittedValues {
  const nodes = survey.program.nodes.slice();
  const reliefs: Relief[] = [];
  const allocations: Pick<ValueAllocation, 'edges'>[] = [];
  const pressure: Omit<BlockPressure, 'written'>[] = [];
  let lowest = top;
  const blocks = survey.blocks.map((surveyed, b): Block => {
    const occupied = occupancyOf(surveyed.presences, surveyed.graph.ids.length + 1);
    const room = occupied.map((registers) => REGISTER_COMPONENTS + carried - registers);
    const fitted = fitBlock(survey, b, nodes, places, room, top, carried);
    reliefs.push(...fitted.reliefs);
    lowest = Math.min(lowest, fitted.top);
    allocations.push({ edges: fitted.edges });
    const { order, graph } = surveyed;
    pressure.push({
      ordered: order.peak,
      room: room[order.peakAt] - carried + BYPASS_VALUES,
      peakInstruction:
        order.peakAt < graph.ids.length
          ? survey.program.nodes[graph.ids[order.order[order.peakAt]]].instruction
          : -1,
      registers: occupied.reduce((most, n) => Math.max(most, n), 0),
    });
    return fitted.block;
  });
  return { program: { ...survey.program, blocks, nodes }, allocations, reliefs, pressure, top: lowest };
}

interface FittedBlock {
  readonly block: Block;
  readonly edges: ValueAllocation['edges'];
  readonly reliefs: readonly Relief[];
  readonly top: number;
}

/** Attempts at a block, each with less room than it has, before its values are left to the scheduler alone. */
const ATTEMPTS = 4;

function fitBlock(
  survey: Survey,
  b: number,
  nodes: Node[],
  places: Int8Array,
  room: Int32Array,
  top: number,
  carried: number,
): FittedBlock {
  const block = survey.program.blocks[b];
  const { graph, order, presences } = survey.blocks[b];
  const tried = allocateValues(graph, order.order, placed(presences, places), carried);
  if (tried.kind === 'fits') return { block, edges: tried.edges, reliefs: [], top };
  const kept = new Set(presences.filter(isThrough).map(({ register }) => register));
  let last: FittedBlock = { block, edges: [], reliefs: [], top };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const mark = nodes.length;
    const spilled = spillValues(
      nodes,
      block,
      graph,
      order.order,
      room.map((values) => Math.max(1, values - attempt)),
      (r) => kept.has(r),
      top,
    );
    last = { block: spilled.block, edges: [], reliefs: spilled.reliefs, top: top - spilled.vectors };
    const again = allocateAsOrdered(survey, b, spilled.block, nodes, places, carried);
    if (again.kind === 'fits') return { ...last, edges: again.edges };
    if (attempt + 1 < ATTEMPTS) forget(nodes, mark, survey.program.nodes, block);
  }
  return last;
}

/** Takes back what an attempt has done to the table of nodes. */
function forget(nodes: Node[], mark: number, original: readonly Node[], block: Block): void {
  nodes.length = mark;
  for (const id of block.nodes) nodes[id] = original[id];
}

/** Value allocation of a rewritten block in the order in which its nodes stand. */
function allocateAsOrdered(
  { program, liveness }: Survey,
  b: number,
  block: Block,
  nodes: readonly Node[],
  places: Int8Array,
  carried: number,
): ReturnType<typeof allocateValues> {
  const changed = { ...program, nodes, blocks: program.blocks.with(b, block) };
  const graph = blockGraph(changed, block);
  const order = Int32Array.from(block.nodes, (_, k) => k);
  const presences = presencesIn(changed, b, liveness, graph, order, throughout(changed));
  return allocateValues(graph, order, placed(presences, places), carried);
}

const placed = (presences: SurveyedBlock['presences'], places: Int8Array): PlacedPresence[] =>
  presences
    .filter(({ register }) => places[register] >= 0)
    .map((presence) => ({ ...presence, place: places[presence.register] }));
