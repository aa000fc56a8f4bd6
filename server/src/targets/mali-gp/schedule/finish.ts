/**
 * What a block needs beside its nodes: values without a register are kept alive from word to word, and at the end
 * come the stores that nothing computes for, wherever there is room, and the branch, in the last word.
 */
import { Unit } from '../word.js';
import { Kind, To } from './flat-block.js';
import { leaveHome, secure, unitOf } from './homes.js';
import { carry } from './place.js';
import { DEPTH, addMove, idleUnit, route } from './route.js';
import {
  AHEAD,
  CARRIED,
  CODE,
  Code,
  HOLDS,
  HOME,
  PENDING,
  TEMPORARY,
  VALUE,
  fromUnit,
  put,
  registerAt,
  undo,
  valueAt,
  wordAt,
  type State,
} from './state.js';
import { consume, placeStore } from './stores.js';

/** Values that have no register and would leave the bypass network are moved once more. */
export function keepAlive(state: State, word: number): void {
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
export function finishBlock(state: State, from: number, last: number): number {
  const { block, m } = state;
  let word = from;
  // A block without nodes comes here with no word opened.
  state.used = Math.max(state.used, from + AHEAD);
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
