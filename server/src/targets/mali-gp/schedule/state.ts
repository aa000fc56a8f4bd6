/**
 * A partly scheduled block: what each instruction word holds so far, where each value can be found, what each
 * register holds. All of it lies in one array of integers, so that a state is copied by one call, and every change
 * goes through `put`, which keeps what was there: a placement that turns out impossible half-way is undone exactly.
 *
 * A word that lies behind the one being filled is not closed. Its idle units, read ports and store components are
 * still taken for what turns out to be needed (route.ts).
 */
import { Unit } from '../word.js';
import { Kind, type FlatBlock } from './flat-block.js';

/** A word before the block's first whose stores can be read in the first. */
export const BEFORE = -8;

/** Words behind the one being filled that an operation can reach into. */
export const AHEAD = 8;

/** Fields of a word, as offsets from its start. */
export const WORD = 56;
/** By unit: what it does (`Code`), whose value it makes + 1 (0: no value that anyone may read), negated result. */
export const CODE = 0;
export const VALUE = 6;
/** By unit and operand: encoded source. */
export const SOURCE = 12;
/** Uniform port: 0, or vector and kind. */
export const PORT_U = 30;
export const CONSTANTS = 31;
export const CONSTANT = 32;
export const REG0 = 36;
export const REG1 = 37;
/** By half: 0, or vector and kind (`To`) of what is stored. */
export const HALF = 38;
/** By component: unit + 1. */
export const STORE = 40;
/** By component: value + 1 whose store may still be withdrawn or put elsewhere, since nobody has read it there. */
export const TENTATIVE = 44;
export const NEGATED = 48;

/** Fields of a value. */
const VALUES = 8;
/** Readers, stores and branches that still need it. */
export const PENDING = 0;
/** First word that can read it, or -1. */
export const FROM = 1;
/** Register that it is kept in, or -1; the word that stores it there; 1 once that register has been read. */
export const HOME = 2;
export const SINCE = 3;
export const SETTLED = 4;
/** A move in a later word that keeps it alive, as `8 * word + unit + 1`, or 0; withdrawn if nobody reads it. */
export const CARRIED = 5;
/** Place of a temporary that it was stored to, as `4 * vector + component + 1`, and the word of that store. */
export const TEMPORARY = 6;
export const TEMPORARY_SINCE = 7;

/** Fields of a register. */
const REGISTERS = 2;
/** Value + 1 that it holds; last word that reads or stores it. */
export const HOLDS = 0;
export const LAST = 1;

/** Kinds behind a port key: `key = 4 * vector + kind`. */
export const UNIFORM = 1;
export const TEMP = 2;
export const CONST = 3;
export const ATTRIBUTE = 1;
export const REGISTER = 2;

/** What a unit does. The first ten are `Op + 1`. */
export const enum Code {
  Idle,
  Add,
  Min,
  Max,
  Ge,
  Lt,
  Floor,
  Sign,
  Mul,
  Select,
  Neg,
  Mov,
  Complex1,
  Complex2,
  Preexp2,
  Postlog2,
  RcpImpl,
  RsqrtImpl,
  Exp2Impl,
  Log2Impl,
  StoreAddress,
  LoadAddress1,
  LoadAddress2,
  LoadAddress3,
  /** MUL1 while MUL0 executes an operation that needs both. */
  Taken,
}

export interface State {
  readonly block: FlatBlock;
  m: Int32Array;
  /** Offsets of the parts. */
  readonly valuesAt: number;
  readonly registersAt: number;
  readonly nodesAt: number;
  readonly storesAt: number;
  readonly wordsAt: number;
  /** Changes since the start, as pairs of index and former content. */
  trail: Int32Array;
  top: number;
  /** Words that there is room for. */
  readonly capacity: number;
  /** Words that may hold something: all from here on are empty. */
  used: number;
  /** Whether a value is rather moved on, from where it can be read for nothing, than read through a free port. */
  isThrifty: boolean;
}

/** Fields of a node: inputs that are not placed yet; first word in which all others can be read; its first word or -1. */
const NODES = 3;
export const MISSING = 0;
export const EARLIEST = 1;
export const START = 2;

/** By store: word that executes it, or -1. */
const STORED = 1;

export function newState(block: FlatBlock, words: number): State {
  const valuesAt = 0;
  const registersAt = valuesAt + VALUES * block.values;
  const nodesAt = registersAt + REGISTERS * 64;
  const storesAt = nodesAt + NODES * block.nodes;
  const wordsAt = storesAt + STORED * block.storeTo.length;
  const state: State = {
    block,
    m: new Int32Array(wordsAt + WORD * words),
    valuesAt,
    registersAt,
    nodesAt,
    storesAt,
    wordsAt,
    trail: new Int32Array(1024),
    top: 0,
    capacity: words,
    used: words,
    isThrifty: false,
  };
  reset(state);
  return state;
}

/** Nothing placed; leaves can be read from the first word on. */
export function reset(state: State): void {
  const { block, m, valuesAt, registersAt, nodesAt, storesAt, wordsAt } = state;
  m.fill(0, 0, wordsAt + WORD * state.used);
  state.used = 0;
  state.top = 0;
  for (let v = 0; v < block.values; v++) {
    const at = valuesAt + VALUES * v;
    m[at + PENDING] = block.uses[v];
    m[at + FROM] = v < block.nodes ? -1 : 0;
    m[at + HOME] = -1;
  }
  for (let p = 0; p < 64; p++) m[registersAt + REGISTERS * p + LAST] = -1;
  for (let v = block.nodes; v < block.values; v++) {
    if (block.kind[v] !== Kind.Register || block.uses[v] === 0) continue;
    const place = 4 * block.vector[v] + block.component[v];
    const at = valuesAt + VALUES * v;
    m[at + HOME] = place;
    m[at + SINCE] = BEFORE;
    m[at + SETTLED] = 1;
    m[registersAt + REGISTERS * place + HOLDS] = v + 1;
  }
  for (let n = 0; n < block.nodes; n++) {
    m[nodesAt + NODES * n + START] = -1;
    for (let k = 0; k < 3; k++) {
      const v = block.inputs[3 * n + k];
      if (v < 0 || v >= block.nodes) continue;
      if (k > 0 && v === block.inputs[3 * n]) continue;
      if (k > 1 && v === block.inputs[3 * n + 1]) continue;
      m[nodesAt + NODES * n + MISSING]++;
    }
  }
  m.fill(-1, storesAt, wordsAt);
}

export function put(state: State, index: number, content: number): void {
  if (state.top + 2 > state.trail.length) {
    const grown = new Int32Array(2 * state.trail.length);
    grown.set(state.trail);
    state.trail = grown;
  }
  state.trail[state.top++] = index;
  state.trail[state.top++] = state.m[index];
  state.m[index] = content;
}

/** Back to how it was when `state.top` was `mark`. */
export function undo(state: State, mark: number): void {
  const { trail, m } = state;
  let top = state.top;
  while (top > mark) {
    top -= 2;
    m[trail[top]] = trail[top + 1];
  }
  state.top = mark;
}

export const wordAt = (state: State, word: number): number => state.wordsAt + WORD * word;
export const valueAt = (state: State, value: number): number => state.valuesAt + VALUES * value;
export const registerAt = (state: State, place: number): number => state.registersAt + REGISTERS * place;
export const nodeAt = (state: State, node: number): number => state.nodesAt + NODES * node;

/** Encoded sources: 0 is none. */
export const FROM_UNIT = 1 << 8;
export const FROM_REG0 = 2 << 8;
export const FROM_REG1 = 3 << 8;
export const FROM_UNIFORM = 4 << 8;
export const IDENTITY = 5 << 8;
export const NEGATE = 1 << 12;
export const fromUnit = (unit: number, distance: number): number => FROM_UNIT | (unit << 2) | distance;
export const isComplex = (source: number): boolean =>
  (source & 0xf00) === FROM_UNIT && ((source >> 2) & 7) === Unit.Complex;

/** The opcode that both adders share when one does `code`. */
const adderClass = (code: number): number => (code === Code.Mov || code === Code.Neg ? Code.Add : code);

/** Whether `unit` of the word at `at` may start to do `code`. */
export function isFree(m: Int32Array, at: number, unit: number, code: number): boolean {
  if (m[at + CODE + unit] !== Code.Idle) return false;
  if (unit !== Unit.Add0 && unit !== Unit.Add1) return true;
  const other = m[at + CODE + Unit.Add0 + Unit.Add1 - unit];
  return other === Code.Idle || adderClass(other) === adderClass(code);
}
