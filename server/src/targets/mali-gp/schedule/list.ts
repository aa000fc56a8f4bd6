/**
 * List scheduling of a block from its first word on: each word is filled with the ready nodes in the order of their
 * priorities, as long as one of them fits. Values are routed backwards, through words that are filled already.
 */
import { Unit } from '../word.js';
import { Kind, To, type FlatBlock } from './flat-block.js';
import { leaveHome, secure, unitOf } from './homes.js';
import { carry, placeNode } from './place.js';
import { advance, freesRegister, isSafe, newReserve, openRegisters, type Reserve } from './pressure.js';
import { longestWay } from './priorities.js';
import { DEPTH, addMove, idleUnit, route } from './route.js';
import {
  CARRIED,
  CODE,
  Code,
  EARLIEST,
  FROM,
  HOLDS,
  HOME,
  MISSING,
  PENDING,
  TEMPORARY,
  VALUE,
  fromUnit,
  newState,
  nodeAt,
  put,
  registerAt,
  reset,
  undo,
  valueAt,
  wordAt,
  type State,
} from './state.js';
import { consume, placeStore } from './stores.js';

export interface Scheduler {
  readonly block: FlatBlock;
  readonly state: State;
  /** Nodes whose operands are all placed, by falling priority, and how many. */
  readonly ready: Int32Array;
  /** Nodes that become ready while a word is filled. */
  readonly fresh: Int32Array;
  count: number;
  /** Scratch: priorities while registers are scarce. */
  readonly deep: Float64Array;
  readonly reserve: Reserve;
  /** Placements tried so far. */
  steps: number;
}

/** Words that a block may take before the scheduler gives up, beside its nodes and stores. */
const SPARE_WORDS = 64;

/** So many words in a row without a node never end: the longest latency is 4. */
const PATIENCE = 12;

/** Words behind the one being filled that an operation can reach into. */
const AHEAD = 8;

export function newScheduler(block: FlatBlock): Scheduler {
  const words = 3 * block.nodes + 2 * block.storeTo.length + SPARE_WORDS;
  return {
    block,
    state: newState(block, words),
    ready: new Int32Array(block.nodes),
    fresh: new Int32Array(block.nodes),
    count: 0,
    deep: new Float64Array(block.nodes),
    reserve: newReserve(block),
    steps: 0,
  };
}

/** How a run goes about it. */
export interface Policy {
  /** By node; higher goes first. */
  readonly priority: Float64Array;
  /** Whether a value is rather moved on, from where it can be read for nothing, than read through a free port. */
  readonly isThrifty: boolean;
  /** With fewer registers open than this, chains are finished before others are started. */
  readonly tight: number;
}

/** Schedules the block by `priority` (higher goes first); its number of words, or -1 if it took `limit` or more. */
export function schedule(
  scheduler: Scheduler,
  { priority, isThrifty, tight }: Policy,
  limit: number,
): number {
  const { block, state } = scheduler;
  reset(state);
  state.isThrifty = isThrifty;
  scheduler.steps++;
  scheduler.count = 0;
  scheduler.reserve.next = 0;
  for (let n = 0; n < block.nodes; n++) {
    if (state.m[nodeAt(state, n) + MISSING] === 0) insert(scheduler, priority, n);
  }
  const last = Math.min(limit, state.capacity - AHEAD);
  let left = block.nodes;
  let word = 0;
  let isDeep = false;
  for (let idle = 0; left > 0; word++) {
    if (word >= last || idle > PATIENCE) return -1;
    state.used = word + AHEAD;
    const open = openRegisters(state);
    if (isDeep ? open > tight + RELAXED : open < tight) {
      isDeep = !isDeep;
      sort(scheduler, isDeep ? deepened(scheduler, priority) : priority);
    }
    const placed = fill(scheduler, isDeep ? scheduler.deep : priority, word);
    left -= placed;
    idle = placed > 0 ? 0 : idle + 1;
    keepAlive(state, word);
    state.top = 0;
  }
  return finishBlock(state, Math.max(word - 1, 0), last);
}

/** Registers that must have become open again before chains are started side by side. */
const RELAXED = 8;

/** The same priorities, but for the order in which few values live. */
function deepened({ reserve, deep, block }: Scheduler, priority: Float64Array): Float64Array {
  const scale = (DEEP * longestWay(block)) / Math.max(1, block.nodes);
  reserve.order.forEach((node, at) => (deep[node] = priority[node] - scale * at));
  return deep;
}

const DEEP = 4;

function sort({ ready, count }: Scheduler, priority: Float64Array): void {
  for (let i = 1; i < count; i++) {
    const node = ready[i];
    let at = i;
    for (; at > 0 && priority[ready[at - 1]] < priority[node]; at--) ready[at] = ready[at - 1];
    ready[at] = node;
  }
}

/** Fills one word; how many nodes it took. */
function fill(scheduler: Scheduler, priority: Float64Array, word: number): number {
  const { state, block, reserve, ready, fresh } = scheduler;
  const { m } = state;
  storeWaiting(state, word);
  let placed = 0;
  let kept = 0;
  let born = 0;
  for (let i = 0; i < scheduler.count; i++) {
    const node = ready[i];
    if (m[nodeAt(state, node) + EARLIEST] > word || !tryNode(scheduler, node, word)) {
      ready[kept++] = node;
      continue;
    }
    placed++;
    advance(state, reserve);
    for (let k = block.readerStart[node]; k < block.readerStart[node + 1]; k++) {
      const reader = block.readers[k];
      if (m[nodeAt(state, reader) + MISSING] === 0) fresh[born++] = reader;
    }
  }
  scheduler.count = kept;
  for (let i = 0; i < born; i++) insert(scheduler, priority, fresh[i]);
  return placed;
}

/** Places a node in the word, if that leaves enough registers to finish the block. */
function tryNode(scheduler: Scheduler, node: number, word: number): boolean {
  const { state, reserve, block } = scheduler;
  scheduler.steps++;
  const mark = state.top;
  const isFrugal = node === reserve.order[reserve.next] || freesRegister(state, node);
  if (!placeNode(state, node, word)) return false;
  if (isFrugal || isSafe(state, reserve)) return true;
  undo(state, mark);
  scheduler.steps += block.nodes >> 6;
  return false;
}

/** Into the ready list, which falls by priority. */
function insert(scheduler: Scheduler, priority: Float64Array, node: number): void {
  const { ready } = scheduler;
  let at = scheduler.count++;
  for (; at > 0 && priority[ready[at - 1]] < priority[node]; at--) ready[at] = ready[at - 1];
  ready[at] = node;
}

/**
 * Stores of results that their own word had no room for; and of registers from which others are waiting to be
 * overwritten, in words that are filled already. Other leaves are stored at the end, wherever there is room.
 */
function storeWaiting(state: State, word: number): void {
  const { block, m } = state;
  for (let s = 0; s < block.storeTo.length; s++) {
    if (m[state.storesAt + s] >= 0) continue;
    const value = block.storeValue[s];
    if (value >= block.nodes) {
      if (block.kind[value] === Kind.Register && word > 0)
        placeStore(state, s, word - 1, Math.max(0, word - 4));
      continue;
    }
    const from = m[valueAt(state, value) + FROM];
    if (from >= 0 && from <= word) placeStore(state, s, word, Math.max(0, word - 4));
  }
}

/** Values that have no register and would leave the bypass network are moved once more. */
function keepAlive(state: State, word: number): void {
  const { m } = state;
  const at = wordAt(state, word);
  for (let unit = 0; unit < 6; unit++) {
    const value = m[at + VALUE + unit] - 1;
    if (value < 0 || m[at + CODE + unit] === Code.Complex1) continue;
    const kind = state.block.kind[value];
    if (kind !== Kind.Node && kind !== Kind.Register) continue;
    const v = valueAt(state, value);
    if (m[v + PENDING] === 0 || m[v + HOME] >= 0 || m[v + TEMPORARY] > 0) continue;
    if (m[v + CARRIED] >> 3 > word || unitOf(state, value, word + 1) >= 0) continue;
    put(state, v + CARRIED, 0);
    const distance = unit === (Unit.Complex as number) ? 1 : 2;
    carry(state, value, word + distance, fromUnit(unit, distance));
  }
}

/** Remaining stores and the branch; the block's words. */
function finishBlock(state: State, from: number, last: number): number {
  const { block, m } = state;
  let word = from;
  for (let before = -1; ;) {
    const open = placeStores(state, word);
    if (open === 0) break;
    if (open === before && vacate(state, word)) continue;
    before = open;
    keepAlive(state, word);
    if (++word >= last) return -1;
    state.used = word + AHEAD;
    state.top = 0;
  }
  let length = usedWords(state);
  for (let s = 0; s < block.storeTo.length; s++) {
    const stored = m[state.storesAt + s];
    if (block.storeTo[s] === To.Register) length = Math.max(length, stored + 3);
    if (block.storeTo[s] === To.Temporary || block.storeTo[s] === To.Address)
      length = Math.max(length, stored + 4);
  }
  if (!block.hasBranch) return length;
  for (length = Math.max(length, 1); length < last; length++) {
    state.used = Math.max(state.used, length + 1);
    const at = wordAt(state, length - 1);
    if (m[at + CODE + Unit.Pass] !== Code.Idle) continue;
    const mark = state.top;
    const source = route(state, block.condition, length - 1, false, DEPTH);
    if (source === 0) {
      undo(state, mark);
      continue;
    }
    addMove(state, block.condition, length - 1, Unit.Pass, source);
    consume(state, block.condition);
    return length;
  }
  return -1;
}

/** How many stores are left. */
function placeStores(state: State, word: number): number {
  let open = 0;
  for (let s = 0; s < state.block.storeTo.length; s++) {
    if (state.m[state.storesAt + s] < 0 && !placeStore(state, s, word, 0)) open++;
  }
  return open;
}

/**
 * Stores can wait for each other, as in an exchange of two registers: the value that one of them would overwrite
 * goes elsewhere, or just into the bypass network for as long as the stores take.
 */
function vacate(state: State, word: number): boolean {
  const { block, m } = state;
  for (let s = 0; s < block.storeTo.length; s++) {
    if (m[state.storesAt + s] >= 0 || block.storeTo[s] !== To.Register) continue;
    const register = registerAt(state, 4 * block.storeVector[s] + block.storeComponent[s]);
    const held = m[register + HOLDS] - 1;
    if (held < 0 || held === block.storeValue[s]) continue;
    const unit = idleUnit(state, word);
    if (unit < 0) return false;
    const mark = state.top;
    const source = route(state, held, word, false, DEPTH);
    if (source === 0) {
      undo(state, mark);
      continue;
    }
    addMove(state, held, word, unit, source);
    leaveHome(state, held);
    // Held by nobody that exists, so that it does not become the new home.
    put(state, register + HOLDS, -1);
    secure(state, held, word, unit, -1);
    put(state, register + HOLDS, 0);
    return true;
  }
  return false;
}

function usedWords(state: State): number {
  const { m } = state;
  for (let word = state.used - 1; word >= 0; word--) {
    const at = wordAt(state, word);
    for (let unit = 0; unit < 6; unit++) if (m[at + CODE + unit] !== Code.Idle) return word + 1;
  }
  return 0;
}
