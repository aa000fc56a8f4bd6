/**
 * Keeps the scheduler from filling all registers with values that wait for each other. There is an order of the
 * nodes in which few values live at once; a state is safe if finishing the block in that order, one node after the
 * other, never needs more registers than there are (the banker's algorithm). Starting from a safe state, the next
 * node of the order always leads to a safe one, so that a scheduler that enters no other gets to the end.
 */
import { Kind, To, type FlatBlock } from './flat-block.js';
import { isFilled, isOpen } from './homes.js';
import { HOME, PENDING, START, nodeAt, valueAt, type State } from './state.js';

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

/** By value: uses left, and whether it occupies a register of its own. */
interface Scratch {
  readonly left: Int32Array;
  readonly isCounted: Uint8Array;
}

export function newReserve(block: FlatBlock): Reserve {
  const written = Int32Array.from({ length: block.nodes }, (_, n) => n);
  const deep = depthFirst(block);
  const scratch = { left: new Int32Array(block.values), isCounted: new Uint8Array(block.values) };
  const a = needOf(block, written, scratch);
  const b = needOf(block, deep, scratch);
  const need = Math.min(a, b);
  const registers = block.blocked.reduce((free, isBlocked) => free - isBlocked, 64);
  return { order: a <= b ? written : deep, need, carried: Math.max(0, need - registers), scratch, next: 0 };
}

/** From each store and the branch down to the leaves, operands that need more registers first. */
function depthFirst(block: FlatBlock): Int32Array {
  const { nodes, inputs } = block;
  const need = new Int32Array(nodes);
  for (let n = 0; n < nodes; n++) {
    let most = 1;
    let equal = 0;
    for (let k = 0; k < 3; k++) {
      const v = inputs[3 * n + k];
      if (v < 0 || v >= nodes) continue;
      if (need[v] === most) equal++;
      if (need[v] > most) {
        most = need[v];
        equal = 0;
      }
    }
    need[n] = most + (equal > 0 ? 1 : 0);
  }
  const order = new Int32Array(nodes);
  const isPlaced = new Uint8Array(nodes);
  let count = 0;
  const stack: number[] = [];
  const visit = (root: number): void => {
    if (root < 0 || root >= nodes || isPlaced[root]) return;
    stack.push(root);
    while (stack.length > 0) {
      const n = stack[stack.length - 1];
      let next = -1;
      for (let k = 0; k < 3; k++) {
        const v = inputs[3 * n + k];
        if (v >= 0 && v < nodes && !isPlaced[v] && (next < 0 || need[v] > need[next])) next = v;
      }
      if (next >= 0) {
        stack.push(next);
        continue;
      }
      stack.pop();
      if (isPlaced[n]) continue;
      isPlaced[n] = 1;
      order[count++] = n;
    }
  };
  for (const value of block.storeValue) visit(value);
  visit(block.condition);
  return order;
}

function needOf(block: FlatBlock, order: Int32Array, scratch: Scratch): number {
  scratch.left.set(block.uses);
  scratch.isCounted.fill(0);
  let live = 0;
  for (let v = block.nodes; v < block.values; v++) {
    if (block.kind[v] !== Kind.Register || block.uses[v] === 0) continue;
    if (block.blocked[4 * block.vector[v] + block.component[v]]) continue;
    scratch.isCounted[v] = 1;
    live++;
  }
  let most = live;
  for (const node of order) {
    live += step(block, node, scratch);
    if (live > most) most = live;
  }
  return most;
}

/** How many registers more are taken after `node` and its stores than before. */
function step(block: FlatBlock, node: number, scratch: Scratch): number {
  const { inputs } = block;
  const { left, isCounted } = scratch;
  let change = 0;
  for (let k = 0; k < 3; k++) {
    const v = inputs[3 * node + k];
    if (v < 0 || (k > 0 && v === inputs[3 * node]) || (k > 1 && v === inputs[3 * node + 1])) continue;
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
    if (over >= 0 && left[over] > 0) mustWait = true;
    else {
      isKept = true;
      change++;
    }
  }
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

/** Whether the block can be finished from here. */
export function isSafe(state: State, reserve: Reserve): boolean {
  let free = openRegisters(state) + reserve.carried;
  if (free >= reserve.need) return true;
  const { block, m } = state;
  const { order, scratch } = reserve;
  const { left, isCounted } = scratch;
  for (let v = 0; v < block.values; v++) {
    const at = valueAt(state, v);
    left[v] = m[at + PENDING];
    isCounted[v] = 0;
    if (left[v] === 0) continue;
    if (m[at + HOME] >= 0) isCounted[v] = isPlaceOfItsOwn(state, m[at + HOME]) ? 1 : 0;
    else if (v < block.nodes && m[nodeAt(state, v) + START] >= 0) {
      isCounted[v] = 1;
      free--;
    }
  }
  if (free < 0) return false;
  for (let i = reserve.next; i < order.length; i++) {
    const node = order[i];
    if (m[nodeAt(state, node) + START] >= 0) continue;
    free -= step(block, node, scratch);
    if (free < 0) return false;
    if (free >= reserve.need) return true;
  }
  return true;
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
