/**
 * How a unit of some word gets at a value. In order of preference:
 *
 *   1. the bypass network: a unit made or moved it one or two words earlier (COMPLEX one; complex1 exactly two)
 *   2. a read port of the word that shows its vector already
 *   3. a free read port of the word, which then shows its vector
 *   4. a move in an idle unit one or two words earlier, which gets at the value in one of these ways itself
 *   5. read port 0 of the word before, whose vector is still readable
 *
 * Words behind the one being filled are still open for 4: what idles there is lost otherwise. So loads are carried
 * over from words whose port had the right vector, and values are moved on only where somebody wants them.
 */
import { Kind, To } from './flat-block.js';
import { rehome, secure, settle, touch, unitOf } from './homes.js';
import {
  ATTRIBUTE,
  CARRIED,
  CODE,
  CONST,
  CONSTANT,
  CONSTANTS,
  Code,
  FROM_REG0,
  FROM_REG1,
  FROM_UNIFORM,
  HALF,
  HOME,
  PENDING,
  PORT_U,
  REG0,
  REG1,
  REGISTER,
  SETTLED,
  SINCE,
  SOURCE,
  TEMP,
  TEMPORARY,
  TEMPORARY_SINCE,
  UNIFORM,
  VALUE,
  fromUnit,
  isFree,
  put,
  undo,
  valueAt,
  wordAt,
  type State,
} from './state.js';
import { Unit } from '../word.js';

/** A register can be read so many words after its store; a temporary after so many. */
const REGISTER_DELAY = 3;
const TEMPORARY_DELAY = 4;

/** How many moves in a row may bring an operand. */
export const DEPTH = 2;

/** Where an idle unit is looked for first: the ones that do little else. */
const MOVERS: readonly Unit[] = [Unit.Pass, Unit.Complex, Unit.Mul0, Unit.Add1, Unit.Add0, Unit.Mul1];

/** An encoded source for reading `value` in `word`, or 0. `plain`: the reader cannot take the complex result. */
export function route(state: State, value: number, word: number, plain: boolean, depth: number): number {
  const near = bypass(state, value, word, plain);
  if (near !== 0) return near;
  const shown = throughPort(state, value, word, false);
  if (shown !== 0) return shown;
  if (state.isThrifty && depth > 0) {
    const moved = moveBefore(state, value, word, plain, 0);
    if (moved !== 0) return moved;
  }
  const port = throughPort(state, value, word, true);
  if (port !== 0) return port;
  if (depth > 0) {
    const moved = moveBefore(state, value, word, plain, depth);
    if (moved !== 0) return moved;
  }
  return throughEarlierPort(state, value, word);
}

/** What costs nothing at all. */
function routeForFree(state: State, value: number, word: number): number {
  return bypass(state, value, word, false) || throughPort(state, value, word, false);
}

/** Reads a copy in the bypass network. */
export function bypass(state: State, value: number, word: number, plain: boolean): number {
  const { m } = state;
  if (word < 1) return 0;
  const last = wordAt(state, word - 1);
  const wanted = value + 1;
  for (let unit = 0; unit < 5; unit++) {
    if (m[last + VALUE + unit] === wanted && m[last + CODE + unit] !== Code.Complex1) {
      return taken(state, value, word - 1, unit, 1);
    }
  }
  if (!plain && m[last + VALUE + Unit.Complex] === wanted)
    return taken(state, value, word - 1, Unit.Complex, 1);
  if (word < 2) return 0;
  const older = wordAt(state, word - 2);
  for (let unit = 0; unit < 5; unit++) {
    if (m[older + VALUE + unit] === wanted) return taken(state, value, word - 2, unit, 2);
  }
  return 0;
}

function taken(state: State, value: number, word: number, unit: number, distance: number): number {
  const v = valueAt(state, value);
  if (state.m[v + CARRIED] === 8 * word + unit + 1) put(state, v + CARRIED, 0);
  return fromUnit(unit, distance);
}

/** Through a port that shows the value's vector already, or else (`mayTake`) through a free one. */
function throughPort(state: State, value: number, word: number, mayTake: boolean): number {
  const { block, m } = state;
  const at = wordAt(state, word);
  const component = block.component[value];
  switch (block.kind[value]) {
    case Kind.Uniform:
      return uniformPort(state, at, (block.vector[value] << 2) | UNIFORM, component, mayTake);
    case Kind.Temporary:
      return temporaryPort(state, word, block.vector[value], component, mayTake);
    case Kind.Constant:
      return constantPort(state, at, value, mayTake);
    case Kind.Attribute: {
      const key = (block.vector[value] << 2) | ATTRIBUTE;
      if (m[at + REG0] === key) return FROM_REG0 | (component << 2);
      if (m[at + REG0] !== 0 || !mayTake) return 0;
      put(state, at + REG0, key);
      return FROM_REG0 | (component << 2);
    }
    default:
      break;
  }
  const v = valueAt(state, value);
  const home = registerPort(state, value, word, mayTake);
  if (home !== 0) return home;
  const temporary = m[v + TEMPORARY] - 1;
  if (temporary < 0 || m[v + TEMPORARY_SINCE] + TEMPORARY_DELAY > word) return 0;
  return temporaryPort(state, word, temporary >> 2, temporary & 3, mayTake);
}

/** The port loads a whole vector, so it waits for the stores to all of its components. */
function temporaryPort(
  state: State,
  word: number,
  vector: number,
  component: number,
  mayTake: boolean,
): number {
  const { m } = state;
  const at = wordAt(state, word);
  const key = (vector << 2) | TEMP;
  if (m[at + PORT_U] !== key) {
    for (let w = Math.max(0, word - TEMPORARY_DELAY + 1); w < word; w++)
      if (storesTemporary(state, w, vector)) return 0;
  }
  return uniformPort(state, at, key, component, mayTake);
}

function storesTemporary(state: State, word: number, vector: number): boolean {
  const { m } = state;
  const at = wordAt(state, word);
  const key = (vector << 2) | To.Temporary;
  return m[at + HALF] === key || m[at + HALF + 1] === key;
}

/**
 * Whether a temporary may be stored to in `word`: no word loads its vector too soon afterwards, and whatever reads
 * what is there at the block's start (`over`, or -1) has read it.
 */
export function mayStoreTemporary(state: State, vector: number, over: number, word: number): boolean {
  const { m } = state;
  const isRead = over >= 0;
  if (isRead && m[valueAt(state, over) + PENDING] > 0) return false;
  const end = isRead ? state.used : Math.min(state.used, word + TEMPORARY_DELAY);
  for (let w = word + 1; w < end; w++)
    if (m[wordAt(state, w) + PORT_U] === ((vector << 2) | TEMP)) return false;
  return true;
}

function uniformPort(state: State, at: number, key: number, component: number, mayTake: boolean): number {
  const { m } = state;
  if (m[at + PORT_U] !== key) {
    if (m[at + PORT_U] !== 0 || !mayTake) return 0;
    put(state, at + PORT_U, key);
  }
  return FROM_UNIFORM | (component << 2);
}

function constantPort(state: State, at: number, value: number, mayTake: boolean): number {
  const { m } = state;
  if (m[at + PORT_U] !== CONST) {
    if (m[at + PORT_U] !== 0 || !mayTake) return 0;
    put(state, at + PORT_U, CONST);
  }
  const count = m[at + CONSTANTS];
  for (let i = 0; i < count; i++) if (m[at + CONSTANT + i] === value) return FROM_UNIFORM | (i << 2);
  if (count === 4) return 0;
  put(state, at + CONSTANT + count, value);
  put(state, at + CONSTANTS, count + 1);
  return FROM_UNIFORM | (count << 2);
}

function registerPort(state: State, value: number, word: number, mayTake: boolean): number {
  const { m } = state;
  const v = valueAt(state, value);
  if (m[v + HOME] < 0 && !(mayTake && houseLate(state, value, word))) return 0;
  if (m[v + SINCE] + REGISTER_DELAY > word) return 0;
  const at = wordAt(state, word);
  let key = ((m[v + HOME] >> 2) << 2) | REGISTER;
  if (m[at + REG0] !== key && m[at + REG1] !== key) {
    if (m[at + REG1] !== 0 && m[at + REG0] !== 0) {
      if (m[v + SETTLED]) return 0;
      const isHoused =
        rehome(state, value, m[at + REG1] >> 2) ||
        ((m[at + REG0] & 3) === REGISTER && rehome(state, value, m[at + REG0] >> 2));
      if (!isHoused) return 0;
    } else if (!m[v + SETTLED] && m[at + REG1] !== 0 && rehome(state, value, m[at + REG1] >> 2)) {
      // now behind port 1
    } else if (!mayTake) {
      return 0;
    } else {
      put(state, at + (m[at + REG1] === 0 ? REG1 : REG0), key);
    }
    key = ((m[v + HOME] >> 2) << 2) | REGISTER;
  }
  settle(state, value);
  touch(state, m[v + HOME], word);
  const component = m[v + HOME] & 3;
  return (m[at + REG1] === key ? FROM_REG1 : FROM_REG0) | (component << 2);
}

/** A value without a home gets one at the last of its copies that is old enough to be read in `word`. */
function houseLate(state: State, value: number, word: number): boolean {
  const kind = state.block.kind[value];
  if (kind !== Kind.Node && kind !== Kind.Register) return false;
  for (let w = word - REGISTER_DELAY; w > word - REGISTER_DELAY - 3 && w >= 0; w--) {
    const unit = unitOf(state, value, w);
    if (unit >= 0 && secure(state, value, w, unit, -1)) return true;
  }
  return false;
}

/** Hands the value on through an idle unit one or two words before `word`; with depth 0 from what is there already. */
function moveBefore(state: State, value: number, word: number, plain: boolean, depth: number): number {
  const { m } = state;
  let outOfReach = 0;
  for (let i = 0; i < MOVERS.length; i++) {
    const unit = MOVERS[i];
    for (let distance = 1; distance <= 2 && word - distance >= 0; distance++) {
      if ((outOfReach & distance) !== 0) continue;
      if (unit === Unit.Complex && (plain || distance === 2)) continue;
      const at = wordAt(state, word - distance);
      if (!isFree(m, at, unit, Code.Mov)) continue;
      const mark = state.top;
      const source =
        depth === 0
          ? routeForFree(state, value, word - distance)
          : route(state, value, word - distance, false, depth - 1);
      if (source === 0) {
        undo(state, mark);
        outOfReach |= distance;
        continue;
      }
      addMove(state, value, word - distance, unit, source);
      return fromUnit(unit, distance);
    }
  }
  return 0;
}

export function addMove(state: State, value: number, word: number, unit: number, source: number): void {
  const at = wordAt(state, word);
  put(state, at + CODE + unit, Code.Mov);
  put(state, at + VALUE + unit, value + 1);
  put(state, at + SOURCE + 3 * unit, source);
}

/** An idle unit of `word` for a move, or -1. */
export function idleUnit(state: State, word: number, movers: readonly Unit[] = MOVERS): number {
  const at = wordAt(state, word);
  for (const unit of movers) if (isFree(state.m, at, unit, Code.Mov)) return unit;
  return -1;
}

function throughEarlierPort(state: State, value: number, word: number): number {
  if (word < 1) return 0;
  const { block, m } = state;
  const at = wordAt(state, word - 1);
  if (block.kind[value] === Kind.Attribute) {
    const key = (block.vector[value] << 2) | ATTRIBUTE;
    return m[at + REG0] === key ? FROM_REG0 | (block.component[value] << 2) | 1 : 0;
  }
  const v = valueAt(state, value);
  if (m[v + HOME] < 0 || m[v + SINCE] + REGISTER_DELAY > word - 1) return 0;
  if (m[at + REG0] !== (((m[v + HOME] >> 2) << 2) | REGISTER)) return 0;
  settle(state, value);
  touch(state, m[v + HOME], word - 1);
  return FROM_REG0 | ((m[v + HOME] & 3) << 2) | 1;
}
