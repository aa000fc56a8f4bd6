/**
 * Placing one operation of the block into a word: its unit, how it gets its operands, what is stored of its result.
 * Every function here either succeeds or leaves the state as it was.
 */
import { Op } from '../operations.js';
import { Unit } from '../word.js';
import { Kind } from './flat-block.js';
import { secure } from './homes.js';
import { DEPTH, addMove, idleUnit, route } from './route.js';
import {
  CARRIED,
  CODE,
  Code,
  EARLIEST,
  FROM,
  HOME,
  IDENTITY,
  MISSING,
  NEGATE,
  NEGATED,
  PENDING,
  SOURCE,
  START,
  TEMPORARY,
  VALUE,
  fromUnit,
  isComplex,
  isFree,
  nodeAt,
  put,
  undo,
  valueAt,
  wordAt,
  type State,
} from './state.js';
import { consume, storeAt } from './stores.js';

/** Values that may live in the bypass network alone, moved on every other word, when no register is free. */
const CARRIED_AT_MOST = 5;

/** Starts node `node` in `word`, with all that belongs to it. */
export function placeNode(state: State, node: number, word: number): boolean {
  const mark = state.top;
  if (place(state, node, word)) {
    put(state, nodeAt(state, node) + START, word);
    return true;
  }
  undo(state, mark);
  return false;
}

function place(state: State, node: number, word: number): boolean {
  const op = state.block.op[node] as Op;
  switch (op) {
    case Op.Mul:
      return placeMultiply(state, node, word);
    case Op.Select:
      return placeSelect(state, node, word);
    case Op.Neg:
      return placeNeg(state, node, word);
    case Op.Floor:
    case Op.Sign:
      return placeSingle(state, node, word, adderFor(state, word, op + 1), op + 1);
    case Op.Rcp:
    case Op.Rsqrt:
    case Op.Exp2:
    case Op.Log2:
      return placeSequence(state, node, word, op);
    default:
      return placeAdd(state, node, word, op + 1);
  }
}

function adderFor(state: State, word: number, code: number): number {
  const at = wordAt(state, word);
  if (isFree(state.m, at, Unit.Add0, code)) return Unit.Add0;
  return isFree(state.m, at, Unit.Add1, code) ? Unit.Add1 : -1;
}

function multiplierFor(state: State, word: number): number {
  const at = wordAt(state, word);
  if (state.m[at + CODE + Unit.Mul1] === Code.Idle) return Unit.Mul1;
  return state.m[at + CODE + Unit.Mul0] === Code.Idle ? Unit.Mul0 : -1;
}

/** Whether `value` is the constant `wanted` or its negative. */
function isConstant(state: State, value: number, wanted: number): boolean {
  const { kind, constants, vector } = state.block;
  return kind[value] === Kind.Constant && Math.abs(constants[vector[value]]) === wanted;
}

const isNegativeConstant = (state: State, value: number): boolean => {
  const constant = state.block.constants[state.block.vector[value]];
  return constant < 0 || Object.is(constant, -0);
};

/** Sources of two operands of which either may be the first of the unit. */
let first = 0;
let second = 0;
let isSwapped = false;

/**
 * Routes both operands of a unit whose second source cannot be the complex result, in either order, and sets `first`,
 * `second`, `isSwapped`.
 */
function routePair(state: State, a: number, b: number, word: number): boolean {
  isSwapped = false;
  if (a === b) {
    first = second = route(state, a, word, true, DEPTH);
    return first !== 0;
  }
  const mark = state.top;
  for (let attempt = 0; attempt < 2; attempt++) {
    const one = attempt === 0 ? a : b;
    const other = attempt === 0 ? b : a;
    const sourceOfOne = route(state, one, word, false, DEPTH);
    if (sourceOfOne === 0) {
      undo(state, mark);
      return false;
    }
    const sourceOfOther = route(state, other, word, isComplex(sourceOfOne), DEPTH);
    if (sourceOfOther === 0) {
      undo(state, mark);
      continue;
    }
    const isOtherFirst = isComplex(sourceOfOther);
    first = isOtherFirst ? sourceOfOther : sourceOfOne;
    second = isOtherFirst ? sourceOfOne : sourceOfOther;
    isSwapped = isOtherFirst === (attempt === 0);
    return true;
  }
  return false;
}

function placeMultiply(state: State, node: number, word: number): boolean {
  const unit = multiplierFor(state, word);
  if (unit < 0) return false;
  const { block } = state;
  const a = block.inputs[3 * node];
  const b = block.inputs[3 * node + 1];
  let isNegated = block.negated[node] === 1 || block.negated[node] === 2;
  const one = isConstant(state, b, 1) ? b : isConstant(state, a, 1) ? a : -1;
  if (one >= 0) {
    first = route(state, one === b ? a : b, word, false, DEPTH);
    if (first === 0) return false;
    second = IDENTITY;
    if (isNegativeConstant(state, one)) isNegated = !isNegated;
  } else if (!routePair(state, a, b, word)) return false;
  work(state, node, word, unit, Code.Mul);
  const at = wordAt(state, word);
  put(state, at + SOURCE + 3 * unit, first);
  put(state, at + SOURCE + 3 * unit + 1, second);
  put(state, at + NEGATED + unit, isNegated ? 1 : 0);
  return finish(state, node, word, unit);
}

/** a >= b is -b >= -a, so that every operation of two sources of the adders can take them in either order. */
function placeAdd(state: State, node: number, word: number, code: number): boolean {
  const unit = adderFor(state, word, code);
  if (unit < 0) return false;
  const { block } = state;
  const a = block.inputs[3 * node];
  const b = block.inputs[3 * node + 1];
  let negateFirst = (block.negated[node] & 1) !== 0;
  let negateSecond = (block.negated[node] & 2) !== 0;
  const zero = isConstant(state, b, 0) ? b : isConstant(state, a, 0) ? a : -1;
  if (zero >= 0) {
    first = route(state, zero === b ? a : b, word, false, DEPTH);
    if (first === 0) return false;
    second = IDENTITY;
    isSwapped = zero === a;
    if (isNegativeConstant(state, zero)) {
      if (isSwapped) negateFirst = !negateFirst;
      else negateSecond = !negateSecond;
    }
  } else if (!routePair(state, a, b, word)) return false;
  if (isSwapped) {
    const flip = code === Code.Ge || code === Code.Lt;
    const former = negateFirst;
    negateFirst = negateSecond !== flip;
    negateSecond = former !== flip;
  }
  work(state, node, word, unit, code);
  const at = wordAt(state, word);
  put(state, at + SOURCE + 3 * unit, first | (negateFirst ? NEGATE : 0));
  put(state, at + SOURCE + 3 * unit + 1, second | (negateSecond ? NEGATE : 0));
  return finish(state, node, word, unit);
}

function placeNeg(state: State, node: number, word: number): boolean {
  const at = wordAt(state, word);
  let unit = adderFor(state, word, Code.Neg);
  // An adder that is open to every opcode is worth more than a multiplier.
  if (unit < 0 || state.m[at + CODE + Unit.Add0] === Code.Idle) {
    const multiplier = multiplierFor(state, word);
    if (multiplier >= 0) unit = multiplier;
  }
  return placeSingle(state, node, word, unit, Code.Neg);
}

function placeSingle(state: State, node: number, word: number, unit: number, code: number): boolean {
  if (unit < 0) return false;
  const { block } = state;
  const source = route(state, block.inputs[3 * node], word, false, DEPTH);
  if (source === 0) return false;
  work(state, node, word, unit, code);
  put(state, wordAt(state, word) + SOURCE + 3 * unit, source | (block.negated[node] & 1 ? NEGATE : 0));
  return finish(state, node, word, unit);
}

function placeSelect(state: State, node: number, word: number): boolean {
  const at = wordAt(state, word);
  if (state.m[at + CODE + Unit.Mul0] !== Code.Idle || state.m[at + CODE + Unit.Mul1] !== Code.Idle)
    return false;
  const { block } = state;
  const condition = route(state, block.inputs[3 * node], word, true, DEPTH);
  if (condition === 0) return false;
  const taken = route(state, block.inputs[3 * node + 1], word, false, DEPTH);
  if (taken === 0) return false;
  const other = route(state, block.inputs[3 * node + 2], word, false, DEPTH);
  if (other === 0) return false;
  work(state, node, word, Unit.Mul0, Code.Select);
  put(state, at + CODE + Unit.Mul1, Code.Taken);
  put(state, at + SOURCE, condition);
  put(state, at + SOURCE + 1, taken);
  put(state, at + SOURCE + 2, other);
  return finish(state, node, word, Unit.Mul0);
}

const implementations: Readonly<Partial<Record<Op, Code>>> = {
  [Op.Rcp]: Code.RcpImpl,
  [Op.Rsqrt]: Code.RsqrtImpl,
  [Op.Exp2]: Code.Exp2Impl,
  [Op.Log2]: Code.Log2Impl,
};

/** The special functions: see `patterns` in operations.ts. */
function placeSequence(state: State, node: number, word: number, op: Op): boolean {
  const { m, block } = state;
  const x = block.inputs[3 * node];
  const isExp = op === Op.Exp2;
  const start = isExp ? word + 1 : word;
  const begin = wordAt(state, start);
  const end = wordAt(state, start + 1);
  if (m[begin + CODE + Unit.Mul0] !== Code.Idle || m[begin + CODE + Unit.Complex] !== Code.Idle) return false;
  if (m[end + CODE + Unit.Mul0] !== Code.Idle || m[end + CODE + Unit.Mul1] !== Code.Idle) return false;
  const at = wordAt(state, word);
  if (isExp && m[at + CODE + Unit.Pass] !== Code.Idle) return false;
  if (op === Op.Log2 && m[wordAt(state, word + 3) + CODE + Unit.Pass] !== Code.Idle) return false;

  let early: number;
  let late: number;
  // The units of the sequence are taken first, so that no move for x gets in their way.
  unitWork(state, begin, Unit.Mul0, Code.Complex2);
  unitWork(state, begin, Unit.Complex, implementations[op]!);
  unitWork(state, end, Unit.Mul0, Code.Complex1);
  unitWork(state, end, Unit.Mul1, Code.Taken);
  if (op === Op.Log2) unitWork(state, wordAt(state, word + 3), Unit.Pass, Code.Postlog2);
  if (isExp) {
    unitWork(state, at, Unit.Pass, Code.Preexp2);
    const source = route(state, x, word, false, DEPTH);
    if (source === 0) return false;
    put(state, at + SOURCE + 3 * Unit.Pass, source);
    early = fromUnit(Unit.Pass, 1);
    late = fromUnit(Unit.Pass, 2);
  } else {
    early = route(state, x, word, true, DEPTH);
    if (early === 0) return false;
    late = route(state, x, word + 1, true, DEPTH);
    if (late === 0) return false;
  }
  put(state, begin + SOURCE + 3 * Unit.Mul0, early);
  put(state, begin + SOURCE + 3 * Unit.Complex, early);
  put(state, end + SOURCE, fromUnit(Unit.Complex, 1));
  put(state, end + SOURCE + 1, fromUnit(Unit.Mul0, 1));
  put(state, end + SOURCE + 2, late);
  if (op === Op.Log2) {
    const last = wordAt(state, word + 3);
    put(state, last + SOURCE + 3 * Unit.Pass, fromUnit(Unit.Mul0, 2));
    put(state, last + VALUE + Unit.Pass, node + 1);
    return finish(state, node, word + 3, Unit.Pass);
  }
  put(state, end + VALUE + Unit.Mul0, node + 1);
  return finish(state, node, start + 1, Unit.Mul0);
}

function unitWork(state: State, at: number, unit: number, code: number): void {
  put(state, at + CODE + unit, code);
}

function work(state: State, node: number, word: number, unit: number, code: number): void {
  const at = wordAt(state, word);
  put(state, at + CODE + unit, code);
  put(state, at + VALUE + unit, node + 1);
}

/** Operands are read, the result is made in `word` by `unit`: its stores, its home, its readers. */
function finish(state: State, node: number, word: number, unit: number): boolean {
  const { block, m } = state;
  for (let k = 0; k < 3; k++) {
    const v = block.inputs[3 * node + k];
    if (v < 0 || (k > 0 && v === block.inputs[3 * node]) || (k > 1 && v === block.inputs[3 * node + 1]))
      continue;
    consume(state, v);
  }
  const isComplex1 = m[wordAt(state, word) + CODE + unit] === Code.Complex1;
  const from = isComplex1 ? word + 2 : word + 1;
  const v = valueAt(state, node);
  put(state, v + FROM, from);
  for (let i = block.readerStart[node]; i < block.readerStart[node + 1]; i++) {
    const at = nodeAt(state, block.readers[i]);
    put(state, at + MISSING, m[at + MISSING] - 1);
    if (m[at + EARLIEST] < from) put(state, at + EARLIEST, from);
  }
  if (isComplex1) return carry(state, node, word + 2, fromUnit(Unit.Mul0, 2));
  for (let i = block.storesStart[node]; i < block.storesStart[node + 1]; i++) {
    storeAt(state, block.storesOf[i], word, unit);
  }
  if (m[v + PENDING] === 0 || m[v + HOME] >= 0 || m[v + TEMPORARY] > 0) return true;
  return secure(state, node, word, unit, -1) || carry(state, node, word + 2, fromUnit(unit, 2));
}

/** Keeps a value alive by a move in `word`, from where it goes to a register if one is free. */
export function carry(state: State, value: number, word: number, source: number): boolean {
  const { m } = state;
  const { storesStart, storesOf } = state.block;
  const unit = idleUnit(state, word, CARRIERS);
  if (unit < 0) return false;
  const at = wordAt(state, word);
  let carried = 0;
  for (let u = 0; u < 6; u++) if (m[at + CODE + u] === Code.Mov) carried++;
  if (carried > CARRIED_AT_MOST) return false;
  addMove(state, value, word, unit, source);
  const v = valueAt(state, value);
  put(state, v + CARRIED, 8 * word + unit + 1);
  for (let i = storesStart[value]; i < storesStart[value + 1]; i++) storeAt(state, storesOf[i], word, unit);
  if (m[v + PENDING] > 0 && m[v + HOME] < 0) secure(state, value, word, unit, -1);
  return true;
}

const CARRIERS: readonly Unit[] = [Unit.Pass, Unit.Complex, Unit.Add1, Unit.Add0, Unit.Mul1, Unit.Mul0];
