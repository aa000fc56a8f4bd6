/**
 * List scheduling of a block from its first word on: each word is filled with the ready nodes in the order of their
 * priorities, as long as one of them fits. Values are routed backwards, through words that are filled already.
 */
import { finishBlock, keepAlive } from './finish.js';
import { Kind, type FlatBlock } from './flat-block.js';
import { placeNode } from './place.js';
import { advance, freesRegister, isSafe, newReserve, openRegisters, type Reserve } from './pressure.js';
import { longestWay } from './priorities.js';
import {
  AHEAD,
  EARLIEST,
  FROM,
  MISSING,
  newState,
  nodeAt,
  reset,
  undo,
  valueAt,
  type State,
} from './state.js';
import { placeStore } from './stores.js';

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
  /** Nodes for which the word being filled had no register to spare. */
  refused: number;
  /** Placements that a word may fail at. */
  readonly tries: number;
  /** Placements tried so far, and those after which to pause. */
  steps: number;
  pauseAt: number;
}

/** Words that a block may take before the scheduler gives up, beside what its nodes take one after the other. */
const SPARE_WORDS = 64;

/** So many words in a row without a node never end: the longest latency is 4. */
const PATIENCE = 12;

/** Refusals after which a word takes no more nodes that need a register more. */
const REFUSALS = 6;

/** Placements after which a run pauses: a millisecond or two. */
const SLICE = 2000;

/** Nodes of a block that no program of 512 words can hold: only the time matters. */
const LARGE = 4000;

export function newScheduler(block: FlatBlock): Scheduler {
  const words = block.latency.reduce((sum, latency) => sum + latency, 2 * block.storeTo.length + SPARE_WORDS);
  return {
    block,
    state: newState(block, words),
    ready: new Int32Array(block.nodes),
    fresh: new Int32Array(block.nodes),
    count: 0,
    deep: new Float64Array(block.nodes),
    reserve: newReserve(block),
    refused: 0,
    tries: block.nodes > LARGE ? 24 : 128,
    steps: 0,
    pauseAt: SLICE,
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

/**
 * Schedules the block by `policy.priority`; its number of words, or -1 if it would take `limit` or more. Pauses every
 * millisecond or two.
 */
export function* schedule(
  scheduler: Scheduler,
  { priority, isThrifty, tight }: Policy,
  limit: number,
): Generator<undefined, number> {
  const { block, state } = scheduler;
  start(scheduler, priority);
  state.isThrifty = isThrifty;
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
    if (scheduler.steps >= scheduler.pauseAt) {
      scheduler.pauseAt = scheduler.steps + SLICE;
      yield undefined;
    }
  }
  return finishBlock(state, Math.max(word - 1, 0), last);
}

function start(scheduler: Scheduler, priority: Float64Array): void {
  const { block, state, ready } = scheduler;
  reset(state);
  scheduler.steps++;
  scheduler.count = 0;
  scheduler.reserve.next = 0;
  for (let n = 0; n < block.nodes; n++) {
    if (state.m[nodeAt(state, n) + MISSING] === 0) ready[scheduler.count++] = n;
  }
  sort(scheduler, priority);
}

/** Registers that must have become open again before chains are started side by side. */
const RELAXED = 8;

/** The same priorities, but for the order in which few values live. */
function deepened({ reserve, deep, block }: Scheduler, priority: Float64Array): Float64Array {
  const scale = (DEEP * longestWay(block)) / Math.max(1, block.nodes);
  reserve.order.forEach((node, at) => (deep[node] = priority[node] - scale * at));
  return deep;
}

/** How much that order counts then, as `depth` in `priorities`. */
const DEEP = 4;

function sort({ ready, count }: Scheduler, priority: Float64Array): void {
  ready.subarray(0, count).sort((a, b) => priority[b] - priority[a] || a - b);
}

/** Fills one word; how many nodes it took. */
function fill(scheduler: Scheduler, priority: Float64Array, word: number): number {
  const { state, block, reserve, ready, fresh } = scheduler;
  const { m } = state;
  storeWaiting(state, word);
  scheduler.refused = 0;
  let placed = 0;
  let kept = 0;
  let born = 0;
  const noteReaders = (node: number): void => {
    placed++;
    advance(state, reserve);
    for (let k = block.readerStart[node]; k < block.readerStart[node + 1]; k++) {
      const reader = block.readers[k];
      if (m[nodeAt(state, reader) + MISSING] === 0) fresh[born++] = reader;
    }
  };
  let at = 0;
  let failed = 0;
  for (; at < scheduler.count && failed < scheduler.tries; at++) {
    const node = ready[at];
    if (m[nodeAt(state, node) + EARLIEST] <= word) {
      if (tryNode(scheduler, node, word)) {
        noteReaders(node);
        continue;
      }
      failed++;
    }
    ready[kept++] = node;
  }
  if (kept < at) ready.copyWithin(kept, at, scheduler.count);
  scheduler.count -= at - kept;
  // However many there are, the node that is always safe gets its turn.
  while (failed === scheduler.tries && reserve.next < block.nodes) {
    const node = reserve.order[reserve.next];
    const fields = nodeAt(state, node);
    if (m[fields + MISSING] > 0 || m[fields + EARLIEST] > word) break;
    const index = ready.indexOf(node);
    if (index < 0 || index >= scheduler.count || !tryNode(scheduler, node, word)) break;
    ready.copyWithin(index, index + 1, scheduler.count--);
    noteReaders(node);
  }
  for (let i = 0; i < born; i++) insert(scheduler, priority, fresh[i]);
  return placed;
}

/** Places a node in the word, if that leaves enough registers to finish the block. */
function tryNode(scheduler: Scheduler, node: number, word: number): boolean {
  const { state, reserve } = scheduler;
  scheduler.steps++;
  const mark = state.top;
  const isFrugal = node === reserve.order[reserve.next] || freesRegister(state, node);
  if (!isFrugal && scheduler.refused >= REFUSALS) return false;
  if (!placeNode(state, node, word)) return false;
  if (isFrugal || isSafe(state, reserve, word)) return true;
  scheduler.refused++;
  undo(state, mark);
  scheduler.steps += 8;
  return false;
}

/** Into the ready list, which falls by priority. */
function insert(scheduler: Scheduler, priority: Float64Array, node: number): void {
  const { ready } = scheduler;
  let low = 0;
  let high = scheduler.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (priority[ready[middle]] < priority[node]) high = middle;
    else low = middle + 1;
  }
  ready.copyWithin(low + 1, low, scheduler.count++);
  ready[low] = node;
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
