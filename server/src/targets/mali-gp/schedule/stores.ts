/**
 * Stores: a store takes the result of a unit of its own word. x and y of a word share kind and vector, z and w too.
 */
import { Unit } from '../word.js';
import { To } from './flat-block.js';
import { clearHalf, evict, release, settle, touch, unitOf } from './homes.js';
import { DEPTH, addMove, idleUnit, mayStoreTemporary, route } from './route.js';
import {
  CARRIED,
  CODE,
  Code,
  FROM,
  HALF,
  HOLDS,
  HOME,
  LAST,
  PENDING,
  SETTLED,
  SINCE,
  SOURCE,
  STORE,
  TEMPORARY,
  TEMPORARY_SINCE,
  put,
  registerAt,
  undo,
  valueAt,
  wordAt,
  type State,
} from './state.js';

/** One reader of `value` is placed. */
export function consume(state: State, value: number): void {
  const at = valueAt(state, value);
  const pending = state.m[at + PENDING] - 1;
  put(state, at + PENDING, pending);
  if (pending === 0) release(state, value);
}

/** Stores what `unit` makes in `word`; false where the word has no room for it, or the place is still needed. */
export function storeAt(state: State, store: number, word: number, unit: number): boolean {
  const { block, m } = state;
  if (m[state.storesAt + store] >= 0) return true;
  if (block.storeTo[store] === To.Address) return false;
  const mark = state.top;
  const at = wordAt(state, word);
  const to = block.storeTo[store];
  const vector = block.storeVector[store];
  const component = block.storeComponent[store];
  const value = block.storeValue[store];
  const half = component >> 1;
  const key = (vector << 2) | to;
  const register = 4 * vector + component;
  if (to === To.Register) {
    const held = m[registerAt(state, register) + HOLDS] - 1;
    if (m[registerAt(state, register) + LAST] > word) return false;
    if (held >= 0 && held !== value && !evict(state, register)) return false;
    if (held === value && m[valueAt(state, value) + HOME] !== register) return false;
  }
  const over = block.storeOver[store] === value ? -1 : block.storeOver[store];
  if (to === To.Temporary && !mayStoreTemporary(state, vector, over, word)) return false;
  const isTaken =
    (m[at + HALF + half] !== 0 && m[at + HALF + half] !== key) || m[at + STORE + component] !== 0;
  if (isTaken && !clearHalf(state, word, half)) {
    undo(state, mark);
    return false;
  }
  put(state, at + HALF + half, key);
  put(state, at + STORE + component, unit + 1);
  if (to === To.Temporary && !setAddress(state, store, word)) {
    undo(state, mark);
    return false;
  }
  put(state, state.storesAt + store, word);
  const v = valueAt(state, value);
  if (m[v + CARRIED] === 8 * word + unit + 1) put(state, v + CARRIED, 0);
  consume(state, value);
  if (to === To.Register) {
    touch(state, register, word);
    keepThere(state, value, register, word);
  } else if (to === To.Temporary && m[v + PENDING] > 0) {
    put(state, v + TEMPORARY, 4 * vector + component + 1);
    put(state, v + TEMPORARY_SINCE, word);
  }
  return true;
}

/** The register that a value was stored to for other blocks is its home in this one as well. */
function keepThere(state: State, value: number, register: number, word: number): void {
  const { m } = state;
  const v = valueAt(state, value);
  if (m[v + PENDING] === 0) return;
  if (m[v + HOME] >= 0) {
    if (m[v + SETTLED]) return;
    const pending = m[v + PENDING];
    release(state, value);
    put(state, v + PENDING, pending);
  }
  put(state, v + HOME, register);
  put(state, v + SINCE, word);
  put(state, registerAt(state, register) + HOLDS, value + 1);
  settle(state, value);
}

/** addr0 must hold the vector's number: COMPLEX sets it in the same word. */
function setAddress(state: State, store: number, word: number): boolean {
  const { m, block } = state;
  const at = wordAt(state, word);
  const address = block.storeAddress[store];
  const other = m[at + HALF + 1 - (block.storeComponent[store] >> 1)];
  if ((other & 3) === To.Temporary) {
    if (other !== m[at + HALF + (block.storeComponent[store] >> 1)]) return false;
  }
  if (m[at + CODE + Unit.Complex] !== Code.StoreAddress) {
    if (m[at + CODE + Unit.Complex] !== Code.Idle) return false;
    put(state, at + CODE + Unit.Complex, Code.StoreAddress);
    const source = route(state, address, word, false, DEPTH);
    if (source === 0) return false;
    put(state, at + SOURCE + 3 * Unit.Complex, source);
  }
  return true;
}

/** Sets an address register in the first word up to `word` whose COMPLEX idles and gets at the value. */
function loadAddress(state: State, store: number, word: number, from: number): boolean {
  const { block, m } = state;
  const value = block.storeValue[store];
  const ready = m[valueAt(state, value) + FROM];
  if (ready < 0) return false;
  for (let w = Math.max(from, ready); w <= word; w++) {
    const at = wordAt(state, w);
    if (m[at + CODE + Unit.Complex] !== Code.Idle) continue;
    const mark = state.top;
    put(state, at + CODE + Unit.Complex, Code.LoadAddress1 + block.storeVector[store] - 1);
    const source = route(state, value, w, false, DEPTH);
    if (source !== 0) {
      put(state, at + SOURCE + 3 * Unit.Complex, source);
      put(state, state.storesAt + store, w);
      consume(state, value);
      return true;
    }
    undo(state, mark);
  }
  return false;
}

/** Executes a store that its value's own word had no room for, in some word up to `word`. */
export function placeStore(state: State, store: number, word: number, from: number): boolean {
  const { block, m } = state;
  const value = block.storeValue[store];
  if (block.storeTo[store] === To.Address) return loadAddress(state, store, word, from);
  const earliest = Math.max(from, m[valueAt(state, value) + FROM] - 1, 0);
  for (let w = earliest; w <= word; w++) {
    const unit = unitOf(state, value, w);
    if (unit >= 0 && storeAt(state, store, w, unit)) return true;
  }
  for (let w = Math.max(from, m[valueAt(state, value) + FROM], 0); w <= word; w++) {
    const unit = idleUnit(state, w);
    if (unit < 0) continue;
    const mark = state.top;
    const source = route(state, value, w, false, DEPTH);
    if (source !== 0) {
      addMove(state, value, w, unit, source);
      if (storeAt(state, store, w, unit)) return true;
    }
    undo(state, mark);
  }
  return false;
}
