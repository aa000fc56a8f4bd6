/** From the flat state to instruction words. */
import type {
  AddressOffset,
  BlockSchedule,
  RegisterSpill,
  Source,
  StoreHalf,
  UniformPort,
  UnitOperation,
  UnitWork,
  Word,
} from '../word.js';
import { Unit, UNITS } from '../word.js';
import { ADDRESSED, To } from './flat-block.js';
import {
  ATTRIBUTE,
  CODE,
  CONST,
  CONSTANT,
  CONSTANTS,
  Code,
  FROM_REG0,
  FROM_REG1,
  FROM_UNIFORM,
  FROM_UNIT,
  HALF,
  HOME,
  NEGATE,
  NEGATED,
  PORT_U,
  REG0,
  REG1,
  SINCE,
  SOURCE,
  STORE,
  TEMP,
  VALUE,
  valueAt,
  wordAt,
  type State,
} from './state.js';

/** By `Code`: the operation, and how many sources it has. */
const codes: readonly (readonly [UnitOperation, number] | undefined)[] = [
  undefined,
  ['add', 2],
  ['min', 2],
  ['max', 2],
  ['ge', 2],
  ['lt', 2],
  ['floor', 1],
  ['sign', 1],
  ['mul', 2],
  ['select', 3],
  ['neg', 1],
  ['mov', 1],
  ['complex1', 3],
  ['complex2', 1],
  ['preexp2', 1],
  ['postlog2', 1],
  ['rcp_impl', 1],
  ['rsqrt_impl', 1],
  ['exp2_impl', 1],
  ['log2_impl', 1],
  ['store_addr', 1],
  ['load_addr1', 1],
  ['load_addr2', 1],
  ['load_addr3', 1],
  undefined,
];

export function emit(state: State, length: number): BlockSchedule {
  const words: Word[] = [];
  for (let w = 0; w < length; w++) words.push(emitWord(state, w, w === length - 1));
  return { words, spills: spillsOf(state, length) };
}

function emitWord(state: State, word: number, isLast: boolean): Word {
  const { m, block } = state;
  const at = wordAt(state, word);
  const units: (UnitWork | undefined)[] = [];
  for (let unit = 0; unit < UNITS; unit++) units.push(emitUnit(state, word, unit));
  const reg0 = m[at + REG0];
  const reg1 = m[at + REG1];
  const uniform = uniformPort(state, at);
  const xy = storeHalf(m, at, 0);
  const zw = storeHalf(m, at, 1);
  return {
    units,
    ...(reg0 !== 0 && {
      reg0: {
        kind: (reg0 & 3) === ATTRIBUTE ? ('attribute' as const) : ('register' as const),
        vector: reg0 >> 2,
      },
    }),
    ...(reg1 !== 0 && { reg1: reg1 >> 2 }),
    ...(uniform && { uniform }),
    ...(xy && { xy }),
    ...(zw && { zw }),
    ...(isLast && block.hasBranch && { branch: block.branchTarget }),
  };
}

function emitUnit(state: State, word: number, unit: Unit): UnitWork | undefined {
  const { m, block } = state;
  const at = wordAt(state, word);
  const code = m[at + CODE + unit];
  const facts = codes[code];
  if (!facts) return undefined;
  const [op, operands] = facts;
  const sources: Source[] = [];
  for (let k = 0; k < operands; k++) sources.push(emitSource(m[at + SOURCE + 3 * unit + k]));
  const value = m[at + VALUE + unit] - 1;
  const isLeaf = value >= block.nodes;
  const isMove = code === Code.Mov;
  return {
    op,
    sources,
    negate: m[at + NEGATED + unit] === 1,
    purpose:
      code >= Code.StoreAddress && code <= Code.LoadAddress3
        ? 'address'
        : isMove
          ? isLeaf
            ? 'load'
            : 'move'
          : 'operation',
    node: value >= 0 && !isLeaf ? block.ids[value] : pieceOf(state, word, code),
  };
}

/** The node whose sequence a unit without a value of its own belongs to. */
function pieceOf(state: State, word: number, code: number): number {
  const { m, block } = state;
  const owner = (w: number, unit: Unit): number => {
    const value = m[wordAt(state, w) + VALUE + unit] - 1;
    return value >= 0 ? block.ids[value] : -1;
  };
  switch (code) {
    case Code.Complex2:
    case Code.RcpImpl:
    case Code.RsqrtImpl:
    case Code.Exp2Impl:
      return m[wordAt(state, word) + CODE + Unit.Complex] === Code.Log2Impl
        ? owner(word + 3, Unit.Pass)
        : owner(word + 1, Unit.Mul0);
    case Code.Log2Impl:
      return owner(word + 3, Unit.Pass);
    case Code.Preexp2:
      return owner(word + 2, Unit.Mul0);
    case Code.Complex1:
      return owner(word + 2, Unit.Pass);
    default:
      return -1;
  }
}

function emitSource(source: number): Source {
  const negate = (source & NEGATE) !== 0;
  const component = (source >> 2) & 3;
  switch (source & 0xf00) {
    case FROM_UNIT:
      return { from: 'unit', unit: (source >> 2) & 7, distance: (source & 3) === 1 ? 1 : 2, negate };
    case FROM_REG0:
      return { from: 'reg0', component, distance: (source & 1) === 1 ? 1 : 0, negate };
    case FROM_REG1:
      return { from: 'reg1', component, negate };
    case FROM_UNIFORM:
      return { from: 'uniform', component, negate };
    default:
      return { from: 'identity', negate };
  }
}

function uniformPort(state: State, at: number): UniformPort | undefined {
  const { m, block } = state;
  const key = m[at + PORT_U];
  if (key === 0) return undefined;
  if (key === CONST) {
    const values: number[] = [];
    for (let i = 0; i < m[at + CONSTANTS]; i++)
      values.push(block.constants[block.vector[m[at + CONSTANT + i]]]);
    return { kind: 'constants', values };
  }
  const vector = key >> 2;
  if ((key & 3) === TEMP) return { kind: 'temporary', vector };
  const address = Math.floor(vector / ADDRESSED);
  return {
    kind: 'uniform',
    vector: vector % ADDRESSED,
    ...(address > 0 && { offset: address as AddressOffset }),
  };
}

function storeHalf(m: Int32Array, at: number, half: number): StoreHalf | undefined {
  const key = m[at + HALF + half];
  if (key === 0) return undefined;
  const kinds = ['varying', 'register', 'temporary'] as const;
  return {
    kind: kinds[(key & 3) - To.Varying],
    vector: key >> 2,
    units: [m[at + STORE + 2 * half] - 1, m[at + STORE + 2 * half + 1] - 1],
  };
}

/** Values that were read from a register which is none of the block's own. */
function spillsOf(state: State, length: number): RegisterSpill[] {
  const { m, block } = state;
  const reads = new Map<number, number[]>();
  const places = new Map<number, number>();
  const sinces = new Map<number, number>();
  for (let v = 0; v < block.nodes; v++) {
    const at = valueAt(state, v);
    const place = m[at + HOME];
    if (
      place < 0 ||
      (block.filledBy[place] >= 0 && m[at + SINCE] === m[state.storesAt + block.filledBy[place]])
    )
      continue;
    places.set(v, place);
    sinces.set(v, m[at + SINCE]);
    reads.set(v, []);
  }
  const byPlace = new Map<number, number[]>();
  for (const [v, place] of places) {
    const list = byPlace.get(place) ?? [];
    list.push(v);
    byPlace.set(place, list);
  }
  for (let w = 0; w < length; w++) {
    for (const place of registersRead(m, wordAt(state, w), w > 0 ? wordAt(state, w - 1) : -1)) {
      let holder = -1;
      const readWord = place >= 64 ? w - 1 : w;
      for (const v of byPlace.get(place & 63) ?? []) {
        const since = sinces.get(v)!;
        if (since < readWord && (holder < 0 || since > sinces.get(holder)!)) holder = v;
      }
      if (holder >= 0) reads.get(holder)!.push(readWord);
    }
  }
  const spills: RegisterSpill[] = [];
  for (const [v, place] of places) {
    const words = [...new Set(reads.get(v))];
    if (words.length > 0)
      spills.push({ node: block.ids[v], place, storeWord: sinces.get(v)!, readWords: words });
  }
  return spills;
}

/** Registers that a word's units read; 64 more for those behind port 0 of the word before. */
function registersRead(m: Int32Array, at: number, before: number): number[] {
  const places: number[] = [];
  for (let unit = 0; unit < UNITS; unit++) {
    const facts = codes[m[at + CODE + unit]];
    for (let k = 0; facts && k < facts[1]; k++) {
      const source = m[at + SOURCE + 3 * unit + k];
      const component = (source >> 2) & 3;
      if ((source & 0xf00) === FROM_REG1) places.push(4 * (m[at + REG1] >> 2) + component);
      if ((source & 0xf00) !== FROM_REG0) continue;
      const from = (source & 1) === 1 ? before : at;
      if ((m[from + REG0] & 3) === ATTRIBUTE) continue;
      places.push(4 * (m[from + REG0] >> 2) + component + (from === at ? 0 : 64));
    }
  }
  return places;
}
