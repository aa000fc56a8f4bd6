/**
 * Keeps the scheduler from filling all registers with values that wait for each other. There is an order of the
 * nodes in which few values live at once; a state is safe if finishing the block in that order, one node after the
 * other, never needs more registers than there are (the banker's algorithm). Starting from a safe state, the next
 * node of the order always leads to a safe one, so that a scheduler that enters no other gets to the end.
 */
import { To, type FlatBlock } from './flat-block.js';
import { isFilled, isOpen } from './homes.js';
import { depthFirst } from './priorities.js';
import {
  CARRIED,
  HOME,
  PENDING,
  START,
  TEMPORARY,
  VALUE,
  newState,
  nodeAt,
  valueAt,
  wordAt,
  type State,
} from './state.js';

export interface Reserve {
  /** Nodes in an order in which few values live at once. */
  readonly order: Int32Array;
  /** Registers that this order needs at most, beside the ones that are blocked. */
  readonly need: number;
  /** Values that must do without a register, moved from word to word, even in this order. */
  readonly carried: number;
  readonly scratch: Scratch;
  /** First position of `order` that is not placed. */
  next: number;
}

/** What a look ahead knows by value; valid where `stamp` is `check`. */
interface Scratch {
  readonly left: Int32Array;
  /** Whether it occupies a register that is open again when it is not needed any more. */
  readonly isCounted: Uint8Array;
  readonly stamp: Int32Array;
  check: number;
}

export function newReserve(block: FlatBlock): Reserve {
  const written = Int32Array.from({ length: block.nodes }, (_, n) => n);
  const deep = depthFirst(block);
  const scratch: Scratch = {
    left: new Int32Array(block.values),
    isCounted: new Uint8Array(block.values),
    stamp: new Int32Array(block.values),
    check: 0,
  };
  const start = newState(block, 1);
  const a = needOf(start, written, scratch);
  const b = needOf(start, deep, scratch);
  const need = Math.min(a, b);
  const registers = block.blocked.reduce((free, isBlocked) => free - isBlocked, 64);
  return { order: a <= b ? written : deep, need, carried: Math.max(0, need - registers), scratch, next: 0 };
}

/** Registers that an order takes at most, when nothing is placed yet. */
function needOf(state: State, order: Int32Array, scratch: Scratch): number {
  const { block } = state;
  scratch.check++;
  let live = 0;
  for (let v = block.nodes; v < block.values; v++) {
    refresh(state, scratch, v);
    live += scratch.isCounted[v];
  }
  let most = live;
  for (const node of order) {
    live += step(state, node, scratch);
    if (live > most) most = live;
  }
  return most;
}

function refresh(state: State, scratch: Scratch, value: number): void {
  if (scratch.stamp[value] === scratch.check) return;
  const { m, block } = state;
  const at = valueAt(state, value);
  scratch.stamp[value] = scratch.check;
  scratch.left[value] = m[at + PENDING];
  const home = m[at + HOME];
  const isPlaced = value < block.nodes && m[nodeAt(state, value) + START] >= 0;
  const isOwn = home >= 0 ? isPlaceOfItsOwn(state, home) : isPlaced && m[at + TEMPORARY] === 0;
  scratch.isCounted[value] = isOwn && m[at + PENDING] > 0 ? 1 : 0;
}

/** How many registers more are taken after `node` and its stores than before. */
function step(state: State, node: number, scratch: Scratch): number {
  const { block } = state;
  const { inputs } = block;
  const { left, isCounted } = scratch;
  let change = 0;
  for (let k = 0; k < 3; k++) {
    const v = inputs[3 * node + k];
    if (v < 0 || (k > 0 && v === inputs[3 * node]) || (k > 1 && v === inputs[3 * node + 1])) continue;
    refresh(state, scratch, v);
    left[v]--;
    if (left[v] !== 0 || !isCounted[v]) continue;
    isCounted[v] = 0;
    change--;
  }
  // A register that other blocks read stays taken; its store is carried out here unless something is in the way.
  let isKept = false;
  let mustWait = false;
  for (let i = block.storesStart[node]; i < block.storesStart[node + 1]; i++) {
    const store = block.storesOf[i];
    if (block.storeTo[store] === To.Temporary) isKept = true;
    if (block.storeTo[store] !== To.Register) continue;
    const over = block.storeOver[store];
    if (over >= 0) refresh(state, scratch, over);
    if (over >= 0 && left[over] > 0) mustWait = true;
    else {
      isKept = true;
      change++;
    }
  }
  refresh(state, scratch, node);
  left[node] -= block.storesStart[node + 1] - block.storesStart[node];
  if (!mustWait && (isKept || left[node] === 0)) return change;
  if (mustWait) left[node]++;
  isCounted[node] = 1;
  return change + 1;
}

/**
 * Whether placing `node` gives back a register for the one that its result may take. It then leaves a safe state safe:
 * in the order's own time that operand would have kept its register at least as long.
 */
export function freesRegister(state: State, node: number): boolean {
  const { block, m } = state;
  for (let k = 0; k < 3; k++) {
    const v = block.inputs[3 * node + k];
    if (v < 0) break;
    const at = valueAt(state, v);
    if (m[at + PENDING] === 1 && m[at + HOME] >= 0 && isPlaceOfItsOwn(state, m[at + HOME])) return true;
  }
  return false;
}

/** Registers that hold nothing. */
export function openRegisters(state: State): number {
  let open = 0;
  for (let place = 0; place < 64; place++) if (isOpen(state, place)) open++;
  return open;
}

/** Nodes of the order that are followed before it counts as unsafe. */
const FORESIGHT = 4000;

/** Whether the block can be finished from here; `word` is the one being filled. */
export function isSafe(state: State, reserve: Reserve, word: number): boolean {
  let free = openRegisters(state) + reserve.carried - inTransit(state, word);
  if (free >= reserve.need) return true;
  if (free < 0) return false;
  const { m } = state;
  const { order, scratch } = reserve;
  scratch.check++;
  const end = Math.min(order.length, reserve.next + FORESIGHT);
  for (let i = reserve.next; i < end; i++) {
    const node = order[i];
    if (m[nodeAt(state, node) + START] >= 0) continue;
    free -= step(state, node, scratch);
    if (free < 0) return false;
    if (free >= reserve.need) return true;
  }
  return end === order.length;
}

/** Values that are needed and have no register: they are in the last words, or in a move that is planned. */
function inTransit(state: State, word: number): number {
  const { m, block } = state;
  let count = 0;
  for (let w = Math.max(0, word - 1); w < word + 4; w++) {
    const at = wordAt(state, w);
    for (let unit = 0; unit < 6; unit++) {
      const value = m[at + VALUE + unit] - 1;
      if (value < 0 || value >= block.nodes) continue;
      const v = valueAt(state, value);
      if (m[v + PENDING] === 0 || m[v + HOME] >= 0 || m[v + TEMPORARY] > 0) continue;
      // Each once: where its planned move is, or where it was made.
      const carried = m[v + CARRIED];
      if (carried === 0 || carried === 8 * w + unit + 1) count++;
    }
  }
  return count;
}

/** Whether a home is free again when its value is not needed any more. */
const isPlaceOfItsOwn = (state: State, place: number): boolean =>
  state.block.blocked[place] === 0 && !isFilled(state, place);

/** Advances past the nodes that are placed. */
export function advance(state: State, reserve: Reserve): void {
  const { order } = reserve;
  while (reserve.next < order.length && state.m[nodeAt(state, order[reserve.next]) + START] >= 0)
    reserve.next++;
}
