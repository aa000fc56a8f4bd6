/**
 * Registers as the home of values inside a block.
 *
 * The bypass network carries a result for two words. A store takes it, in the word that computes it, from the unit
 * itself and costs no arithmetic; three words later the register can be read. So as soon as a value is made that has
 * readers left, a register and a store component are set aside for it: with that every value that is still needed
 * can be reached at any later time, whatever the scheduler does, and no slots have to be kept free for moves.
 *
 * The home is tentative. It moves to another register when a reader's word has that vector behind a port already,
 * it makes room for stores that cannot go elsewhere, and it is withdrawn when the last reader got the value through
 * the bypass network. The first read through a port settles it.
 */
import { To } from './flat-block.js';
import {
  CARRIED,
  CODE,
  Code,
  HALF,
  HOLDS,
  HOME,
  LAST,
  SETTLED,
  SINCE,
  STORE,
  TENTATIVE,
  VALUE,
  nodeAt,
  put,
  registerAt,
  START,
  undo,
  valueAt,
  wordAt,
  type State,
} from './state.js';

/** Whether `place` has its value for the blocks behind already. */
export function isFilled(state: State, place: number): boolean {
  const store = state.block.filledBy[place];
  return store >= 0 && state.m[state.storesAt + store] >= 0;
}

/** Whether `place` holds nothing that is needed, here or later. */
export function isOpen(state: State, place: number): boolean {
  return (
    state.block.blocked[place] === 0 &&
    state.m[registerAt(state, place) + HOLDS] === 0 &&
    !isFilled(state, place)
  );
}

/** The home of a value may be in register `place` from word `word` on. */
function isVacant(state: State, place: number, word: number): boolean {
  if (state.block.blocked[place] || isFilled(state, place)) return false;
  const at = registerAt(state, place);
  return state.m[at + HOLDS] === 0 && state.m[at + LAST] <= word;
}

const registerKey = (vector: number): number => (vector << 2) | To.Register;

function settleIn(state: State, value: number, word: number, unit: number, place: number): void {
  const at = wordAt(state, word);
  const component = place & 3;
  put(state, at + HALF + (component >> 1), registerKey(place >> 2));
  put(state, at + STORE + component, unit + 1);
  put(state, at + TENTATIVE + component, value + 1);
  const v = valueAt(state, value);
  put(state, v + HOME, place);
  put(state, v + SINCE, word);
  put(state, registerAt(state, place) + HOLDS, value + 1);
}

/** Vectors that already hold the other operands of the value's readers, as bits. */
function siblingVectors(state: State, value: number): number {
  const { block, m } = state;
  let vectors = 0;
  const end = Math.min(block.readerStart[value + 1], block.readerStart[value] + 3);
  for (let i = block.readerStart[value]; i < end; i++) {
    const reader = block.readers[i];
    if (m[nodeAt(state, reader) + START] >= 0) continue;
    for (let k = 0; k < 3; k++) {
      const other = block.inputs[3 * reader + k];
      if (other < 0 || other === value) continue;
      const home = m[valueAt(state, other) + HOME];
      if (home >= 0) vectors |= 1 << (home >> 2);
    }
  }
  return vectors;
}

/**
 * Sets a register aside for `value`, which `unit` makes or moves in `word`; false where no store component or no
 * register is free. `avoid` is a half (0, 1) that it must not use, or -1.
 */
export function secure(state: State, value: number, word: number, unit: number, avoid: number): boolean {
  const { m } = state;
  if (word < 0 || m[wordAt(state, word) + CODE + unit] === Code.Complex1) return false;
  const at = wordAt(state, word);
  const siblings = siblingVectors(state, value);
  let best = -1;
  let bestScore = -Infinity;
  for (let half = 0; half < 2; half++) {
    if (half === avoid) continue;
    const key = m[at + HALF + half];
    if (key !== 0 && (key & 3) !== To.Register) continue;
    const otherKey = m[at + HALF + 1 - half];
    const first = key === 0 ? 0 : key >> 2;
    const last = key === 0 ? 15 : key >> 2;
    for (let vector = first; vector <= last; vector++) {
      const place = 4 * vector + 2 * half;
      const low = m[at + STORE + 2 * half] === 0 && isVacant(state, place, word);
      const high = m[at + STORE + 2 * half + 1] === 0 && isVacant(state, place + 1, word);
      if (!low && !high) continue;
      let score = key !== 0 ? 4 : 0;
      if (key === 0 && low && high) score += 1;
      if (otherKey === registerKey(vector)) score += 2;
      if ((siblings >> vector) & 1) score += 8;
      // A place that waits for its own value comes last.
      if (state.block.filledBy[low ? place : place + 1] >= 0) score -= 16;
      if (score > bestScore) {
        bestScore = score;
        best = low ? place : place + 1;
      }
    }
  }
  if (best < 0) return false;
  settleIn(state, value, word, unit, best);
  return true;
}

/** Withdraws the tentative home of a value; the unit whose result it stored. */
function withdraw(state: State, value: number): number {
  const { m } = state;
  const v = valueAt(state, value);
  const place = m[v + HOME];
  const at = wordAt(state, m[v + SINCE]);
  const component = place & 3;
  const unit = m[at + STORE + component] - 1;
  put(state, at + STORE + component, 0);
  put(state, at + TENTATIVE + component, 0);
  if (m[at + STORE + (component ^ 1)] === 0) put(state, at + HALF + (component >> 1), 0);
  put(state, v + HOME, -1);
  put(state, registerAt(state, place) + HOLDS, 0);
  return unit;
}

/** The value lives elsewhere from now on. */
export function leaveHome(state: State, value: number): void {
  const { m } = state;
  const v = valueAt(state, value);
  if (!m[v + SETTLED]) {
    withdraw(state, value);
    return;
  }
  put(state, registerAt(state, m[v + HOME]) + HOLDS, 0);
  put(state, v + HOME, -1);
  put(state, v + SETTLED, 0);
}

/** Moves tentative stores out of a half of a word; false (and nothing changed) where one has to stay. */
export function clearHalf(state: State, word: number, half: number): boolean {
  const { m } = state;
  const mark = state.top;
  const at = wordAt(state, word);
  for (let component = 2 * half; component < 2 * half + 2; component++) {
    if (m[at + STORE + component] === 0) continue;
    const value = m[at + TENTATIVE + component] - 1;
    if (value < 0) {
      undo(state, mark);
      return false;
    }
    const unit = withdraw(state, value);
    if (!secure(state, value, word, unit, half)) {
      undo(state, mark);
      return false;
    }
  }
  return true;
}

/** Puts what is kept in `place` elsewhere, if nobody has read it there; whether the place is open now. */
export function evict(state: State, place: number): boolean {
  const { m } = state;
  const value = m[registerAt(state, place) + HOLDS] - 1;
  if (value < 0) return true;
  const v = valueAt(state, value);
  if (m[v + SETTLED]) return false;
  const mark = state.top;
  const word = m[v + SINCE];
  const unit = withdraw(state, value);
  // Held by nobody that exists, so that it is not chosen again.
  put(state, registerAt(state, place) + HOLDS, -1);
  if (!secure(state, value, word, unit, -1)) {
    undo(state, mark);
    return false;
  }
  put(state, registerAt(state, place) + HOLDS, 0);
  return true;
}

/**
 * Tries to put the tentative home of `value` into `vector`, because a word has that vector behind a port; values
 * that share its half move along.
 */
export function rehome(state: State, value: number, vector: number): boolean {
  const { m } = state;
  const v = valueAt(state, value);
  if (m[v + SETTLED] || m[v + HOME] < 0) return false;
  const word = m[v + SINCE];
  const at = wordAt(state, word);
  const old = m[v + HOME];
  const half = (old & 3) >> 1;
  const mark = state.top;
  const own = withdraw(state, value);
  for (let side = 0; side < 2; side++) {
    const h = side === 0 ? half : 1 - half;
    const key = m[at + HALF + h];
    if (key !== 0 && key !== registerKey(vector)) continue;
    for (let component = 2 * h; component < 2 * h + 2; component++) {
      const place = 4 * vector + component;
      if (m[at + STORE + component] !== 0 || !isVacant(state, place, word)) continue;
      settleIn(state, value, word, own, place);
      return true;
    }
  }
  // With a neighbour in the half that is tentative as well: both together.
  const neighbour = (2 * half) | (1 - (old & 1));
  const beside = m[at + TENTATIVE + neighbour] - 1;
  if (beside >= 0) {
    const place = 4 * vector + 2 * half;
    if (isVacant(state, place, word) && isVacant(state, place + 1, word)) {
      const unit = withdraw(state, beside);
      settleIn(state, value, word, own, place + (old & 1));
      settleIn(state, beside, word, unit, place + (neighbour & 1));
      return true;
    }
  }
  undo(state, mark);
  return false;
}

/** The home has been read, or is where the value must be stored: it stays. */
export function settle(state: State, value: number): void {
  const { m } = state;
  const v = valueAt(state, value);
  if (m[v + SETTLED]) return;
  put(state, v + SETTLED, 1);
  const at = wordAt(state, m[v + SINCE]);
  put(state, at + TENTATIVE + (m[v + HOME] & 3), 0);
}

/** Notes that register `place` is read or stored in `word`. */
export function touch(state: State, place: number, word: number): void {
  const at = registerAt(state, place);
  if (state.m[at + LAST] < word) put(state, at + LAST, word);
}

/** The last reader of `value` is placed: its register is free, and what only kept it alive goes. */
export function release(state: State, value: number): void {
  const { m } = state;
  const v = valueAt(state, value);
  if (m[v + HOME] >= 0) {
    if (m[v + SETTLED]) put(state, registerAt(state, m[v + HOME]) + HOLDS, 0);
    else withdraw(state, value);
  }
  dropCarried(state, value);
}

/** Withdraws the move that kept a value alive, where nobody has read it and nothing is stored from it. */
function dropCarried(state: State, value: number): void {
  const { m } = state;
  const v = valueAt(state, value);
  const carried = m[v + CARRIED];
  if (carried === 0) return;
  put(state, v + CARRIED, 0);
  const word = carried >> 3;
  const unit = (carried & 7) - 1;
  const at = wordAt(state, word);
  for (let component = 0; component < 4; component++) if (m[at + STORE + component] === unit + 1) return;
  put(state, at + CODE + unit, Code.Idle);
  put(state, at + VALUE + unit, 0);
}

/** The unit of `word` that makes or moves `value` so that it can be stored there, or -1. */
export function unitOf(state: State, value: number, word: number): number {
  const { m } = state;
  const at = wordAt(state, word);
  for (let unit = 0; unit < 6; unit++) {
    if (m[at + VALUE + unit] === value + 1 && m[at + CODE + unit] !== Code.Complex1) return unit;
  }
  return -1;
}
