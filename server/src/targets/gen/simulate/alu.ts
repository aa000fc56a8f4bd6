import {
  isFloat as isFloatType,
  typeSize,
  type Instruction,
  type Operand,
  type RegisterOperand,
} from '../program.js';
import { writesFlag } from '../access.js';
import {
  dotProducts,
  holds,
  isLogical,
  longOperations,
  operations,
  select,
  usesIntegers,
  type Types,
} from './arithmetic.js';
import {
  destinationByte,
  isPlace,
  noteUnknown,
  sourceByte,
  sourceBits,
  sourceLong,
  sourceNumber,
  store,
  storeHash,
  storeLong,
  type Access,
} from './elements.js';
import { hashText, mix } from './hash.js';
import { crossing } from './crossing.js';
import { bitsType, isLong } from './numbers.js';
import type { Lanes } from './lanes.js';
import { ACCUMULATOR_CHANNEL, writeFlag } from './state.js';

/**
 * Executes one arithmetic instruction: its enabled channels read all they read before any of them writes, except
 * that an instruction of 16 channels (in vec4: with a result of two registers) executes as two halves one behind
 * the other, as the hardware does it. What is not known by name is an uninterpreted function of the channel's
 * sources.
 */
export function executeAlu(access: Access, lanes: Lanes): void {
  const { instruction } = access;
  const special = crossing.get(instruction.opcode.name);
  if (special !== undefined) {
    special(access, lanes);
    return;
  }
  const part = partSize(access);
  if (executePlainly(access, lanes, part)) return;
  const compute = computationOf(access, lanes);
  for (let from = 0; from < instruction.execSize; from += part) {
    const writes: (() => void)[] = [];
    for (let c = from; c < Math.min(from + part, instruction.execSize); c++) {
      if (lanes.enabled[c] === 0) continue;
      access.unknown = lanes.doubt[c];
      const write = compute(c);
      if (write !== undefined) writes.push(write);
    }
    for (const write of writes) write();
  }
}

const values = new Float64Array(32);
const doubts = new Uint8Array(32);

/**
 * The usual case without a closure for each channel: one number out of up to three into a register, no flag, no
 * accumulator. False where the case is another.
 */
function executePlainly(access: Access, lanes: Lanes, part: number): boolean {
  const { instruction } = access;
  const { opcode, destinations, sources, condition } = instruction;
  const { name } = opcode;
  const operation = operations.get(name);
  const [destination] = destinations;
  if (operation === undefined || condition !== undefined || instruction.writesAccumulator) return false;
  if (destinations.length !== 1 || !isBytes(destination) || isLong(destination.type)) return false;
  const isRaw = isRawMove(instruction);
  if (!isRaw && sources.some(({ type }) => isLong(type))) return false;
  if (isRaw && typeSize(destination.type) !== 4) return false;
  const asBits = isLogical(name);
  const mode = modeOf(instruction);
  const count = sources.length;
  const read = (k: number, c: number): number =>
    k >= count ? 0 : sourceNumber(access, sources[k], c, asBits ? bitsType(sources[k].type) : undefined);
  for (let from = 0; from < instruction.execSize; from += part) {
    const end = Math.min(from + part, instruction.execSize);
    for (let c = from; c < end; c++) {
      if (lanes.enabled[c] === 0 || !isWritten(access, c)) continue;
      access.unknown = lanes.doubt[c];
      if (isRaw) values[c] = sourceNumber(access, sources[0], c, 'D');
      else {
        const a = read(0, c);
        values[c] = count === 1 ? operation(a, 0, 0, mode) : operation(a, read(1, c), read(2, c), mode);
      }
      doubts[c] = access.unknown;
    }
    for (let c = from; c < end; c++) {
      if (lanes.enabled[c] === 0 || !isWritten(access, c)) continue;
      if (isRaw) {
        const at = destinationByte(access, destination, c);
        if (at < 0) return true;
        access.state.view.setInt32(at, values[c], true);
        access.state.unknown.fill(doubts[c], at, at + 4);
      } else store(access, destination, c, values[c], mode.isFloat, doubts[c]);
    }
  }
  return true;
}

/** Channels that the hardware executes at once. */
function partSize({ instruction, isVec4 }: Access): number {
  const { execSize, destinations } = instruction;
  if (!isVec4) return execSize >= 16 ? 8 : execSize;
  const size = destinations.length > 0 ? typeSize(destinations[0].type) : 4;
  return execSize === 8 && size === 8 ? 4 : execSize;
}

/** Reads a channel's sources and returns what writes its result. */
type Computation = (c: number) => (() => void) | undefined;

function computationOf(access: Access, lanes: Lanes): Computation {
  const { instruction } = access;
  const { name } = instruction.opcode;
  const { destinations, sources } = instruction;
  if (name === 'nop') return () => undefined;
  if (name === 'cmp' || name === 'cmpn') return comparison(access);
  if (name === 'sel' || name === 'sel_cmp' || name === 'csel' || name === 'sel_int64')
    return selection(access, lanes);
  if (isRawMove(instruction)) return rawMove(access, () => sources[0]);
  if (dotProducts.has(name)) return dotProduct(access);
  if (accumulating.has(name)) return accumulation(access);
  const types = [...destinations, ...sources].filter(isReal).map((operand) => operand.type);
  if (types.some(isLong) || longNames.has(name)) {
    const long = longOperations.get(name);
    if (long !== undefined && !types.some(isFloatType))
      return (c) => {
        const [a, b, d] = [0, 1, 2].map((k) => (k < sources.length ? sourceLong(access, sources[k], c) : 0n));
        return finishLong(access, c, long(a, b, d));
      };
  }
  const operation = operations.get(name);
  if (operation === undefined) return opaque(access);
  const mode = modeOf(instruction);
  const asBits = isLogical(name);
  const count = sources.length;
  const read = (k: number, c: number): number =>
    k >= count ? 0 : sourceNumber(access, sources[k], c, asBits ? bitsType(sources[k].type) : undefined);
  return (c) => {
    const a = read(0, c);
    const value = operation(a, read(1, c), read(2, c), mode);
    return finish(access, c, value, mode.isFloat);
  };
}

const isReal = (operand: Operand): boolean => operand.file !== 'none' && operand.file !== 'word';
const longNames = new Set(
  'load_int64_imm i64and i64or i64xor i64add i64sub i64satadd i64satsub i64mul i64shl i64shr i64asr i64hadd i64rhadd'.split(
    ' ',
  ),
);
const accumulating = new Set(['mac', 'mach', 'addc', 'subb', 'sada2']);

/** In which types an instruction computes. */
export function modeOf({ opcode, sources, saturate }: Instruction): Types {
  const floats =
    !isLogical(opcode.name) && !usesIntegers(opcode.name) && sources.some((s) => isFloatType(s.type));
  const isFloat = floats || opcode.name === 'f16to32';
  return { first: sources.length > 0 ? dataType(opcode.name, sources) : 'UD', isFloat, saturate };
}

/** The type that says whether an integer is signed: of the value, which bfe has last. */
const dataType = (name: string, sources: readonly Operand[]) =>
  name === 'bfe' && sources.length > 2 ? sources[2].type : sources[0].type;

/** A copy that leaves every bit as it is, NaNs included. */
const isRawMove = ({ opcode, destinations, sources, saturate, condition }: Instruction): boolean =>
  opcode.name === 'mov' &&
  !saturate &&
  condition === undefined &&
  destinations.length === 1 &&
  isBytes(destinations[0]) &&
  isPlainCopy(sources[0], destinations[0]);

const isBytes = (operand: Operand): operand is RegisterOperand =>
  isPlace(operand) &&
  operand.file !== 'flag' &&
  operand.file !== 'architecture' &&
  operand.file !== 'accumulator';

const isPlainCopy = (source: Operand, destination: Operand): boolean =>
  source.file !== 'immediate' &&
  isBytes(source) &&
  !source.negate &&
  !source.absolute &&
  source.type === destination.type;

function rawMove(access: Access, choose: (c: number) => Operand): Computation {
  const destination = access.instruction.destinations[0] as RegisterOperand;
  const size = typeSize(destination.type);
  const { bytes, view, unknown } = access.state;
  return (c) => {
    const from = sourceByte(access, choose(c) as RegisterOperand, c);
    if (from < 0 || !isWritten(access, c)) return undefined;
    noteUnknown(access, from, size);
    const isDoubtful = access.unknown;
    const low =
      size >= 4 ? view.getUint32(from, true) : size === 2 ? view.getUint16(from, true) : bytes[from];
    const high = size === 8 ? view.getUint32(from + 4, true) : 0;
    return () => {
      const to = destinationByte(access, destination, c);
      if (to < 0) return;
      if (size >= 4) view.setUint32(to, low, true);
      else if (size === 2) view.setUint16(to, low, true);
      else bytes[to] = low;
      if (size === 8) view.setUint32(to + 4, high, true);
      unknown.fill(isDoubtful, to, to + size);
    };
  };
}

/** The write mask lets channel c through. */
export function isWritten({ instruction, isVec4 }: Access, c: number): boolean {
  if (!isVec4 || instruction.opcode.isAlign1) return true;
  const destination = instruction.destinations[0] as Operand | undefined;
  return (
    destination === undefined ||
    destination.file === 'immediate' ||
    ((destination.mask >>> (c & 3)) & 1) === 1
  );
}

/** What writes a result to the destination, the accumulator and the flag. */
export function finish(access: Access, c: number, value: number, isFloat: boolean): (() => void) | undefined {
  if (!isWritten(access, c)) return undefined;
  const { instruction, state } = access;
  const doubt = access.unknown;
  return () => {
    const destination = instruction.destinations[0] as Operand | undefined;
    const result = isPlace(destination) ? store(access, destination, c, value, isFloat, doubt) : value;
    if (instruction.writesAccumulator && destination?.file !== 'accumulator')
      storeAccumulator(access, c, value, isFloat, doubt);
    if (instruction.condition !== undefined && writesFlag(instruction)) {
      const { test, flag } = instruction.condition;
      writeFlag(state, flag, instruction.group + c, holds(test, result, 0), doubt !== 0);
    }
  };
}

function finishLong(access: Access, c: number, value: bigint): (() => void) | undefined {
  if (!isWritten(access, c)) return undefined;
  const { instruction, state } = access;
  const doubt = access.unknown;
  return () => {
    instruction.destinations.forEach((destination, k) => {
      if (!isPlace(destination)) return;
      if (k === 0) storeLong(access, destination, c, value, doubt);
      else storeHash(access, destination, c, mix(Number(BigInt.asIntN(32, value)), k), doubt);
    });
    if (instruction.condition === undefined || !writesFlag(instruction)) return;
    const { test, flag } = instruction.condition;
    const sign = value < 0n ? -1 : value > 0n ? 1 : 0;
    writeFlag(state, flag, instruction.group + c, holds(test, sign, 0), doubt !== 0);
  };
}

function storeAccumulator(access: Access, c: number, value: number, isFloat: boolean, doubt: number): void {
  const { state, instruction } = access;
  const at = state.files.accumulator.start + (instruction.group + c) * ACCUMULATOR_CHANNEL;
  state.unknown.fill(doubt, at, at + ACCUMULATOR_CHANNEL);
  if (isFloat) state.view.setFloat32(at, Number.isNaN(value) ? NaN : value, true);
  else state.view.setBigInt64(at, BigInt.asIntN(64, BigInt(Math.trunc(value))), true);
}

function comparison(access: Access): Computation {
  const { instruction, state } = access;
  const [first, second] = instruction.sources;
  const { condition } = instruction;
  const long = isLong(first.type) || isLong(second.type);
  return (c) => {
    const a = long
      ? Number(sourceLong(access, first, c) - sourceLong(access, second, c))
      : sourceNumber(access, first, c);
    const b = long ? 0 : sourceNumber(access, second, c);
    if (!isWritten(access, c)) return undefined;
    const isTrue = condition !== undefined && holds(condition.test, a, b);
    const doubt = access.unknown;
    return () => {
      const destination = instruction.destinations[0] as Operand | undefined;
      if (isPlace(destination)) storeMask(access, destination, c, isTrue, doubt);
      if (condition !== undefined)
        writeFlag(state, condition.flag, instruction.group + c, isTrue, doubt !== 0);
    };
  };
}

/** All ones or all zeros, whatever the type. */
function storeMask(
  access: Access,
  destination: RegisterOperand,
  c: number,
  value: boolean,
  doubt: number,
): void {
  const at = destinationByte(access, destination, c);
  if (at < 0) return;
  const size = typeSize(destination.type);
  access.state.bytes.fill(value ? 255 : 0, at, at + size);
  access.state.unknown.fill(doubt, at, at + size);
}

function selection(access: Access, lanes: Lanes): Computation {
  const { instruction } = access;
  const { sources, condition, predicate, opcode } = instruction;
  const [first, second] = sources;
  const mode = modeOf(instruction);
  const takesFirst = (c: number): boolean => lanes.chosen[c] !== 0;
  if (opcode.name === 'csel' && condition !== undefined)
    return (c) => {
      const [a, b, test] = sources.map((source) => sourceNumber(access, source, c));
      return finish(access, c, holds(condition.test, test, 0) ? a : b, mode.isFloat);
    };
  if (predicate === undefined && condition !== undefined)
    return (c) => {
      const a = sourceNumber(access, first, c);
      return finish(access, c, select(condition.test, a, sourceNumber(access, second, c)), mode.isFloat);
    };
  const noteFlag = (c: number): void => {
    if (predicate !== undefined) access.unknown |= lanes.chosenUnknown[c];
  };
  const destination = instruction.destinations[0];
  if (!instruction.saturate && isBytes(destination) && sources.every((s) => isPlainCopy(s, destination))) {
    const move = rawMove(access, (c) => (takesFirst(c) ? first : second));
    return (c) => {
      noteFlag(c);
      return move(c);
    };
  }
  if (sources.some((s) => isLong(s.type)))
    return (c) => {
      noteFlag(c);
      return finishLong(access, c, sourceLong(access, takesFirst(c) ? first : second, c));
    };
  return (c) => {
    noteFlag(c);
    return finish(access, c, sourceNumber(access, takesFirst(c) ? first : second, c), mode.isFloat);
  };
}

/** The sum of a vertex's products, in every channel of the vertex that is written. */
function dotProduct(access: Access): Computation {
  const { instruction } = access;
  const count = dotProducts.get(instruction.opcode.name)!;
  const isHomogeneous = instruction.opcode.name === 'dph';
  const [first, second] = instruction.sources;
  return (c) => {
    const vertex = c & ~3;
    let sum = 0;
    for (let k = 0; k < count; k++) {
      const b = sourceNumber(access, second, vertex + k);
      sum += isHomogeneous && k === 3 ? b : sourceNumber(access, first, vertex + k) * b;
    }
    return finish(access, c, sum, true);
  };
}

/** What reads or leaves something in the accumulator. */
function accumulation(access: Access): Computation {
  const { instruction, state } = access;
  const { sources, opcode, group } = instruction;
  const mode = modeOf(instruction);
  const accumulator = (c: number): number =>
    state.files.accumulator.start + (group + c) * ACCUMULATOR_CHANNEL;
  if (opcode.name === 'mac' || opcode.name === 'sada2')
    return (c) => {
      const at = accumulator(c);
      noteUnknown(access, at, mode.isFloat ? 4 : 8);
      const old = mode.isFloat ? state.view.getFloat32(at, true) : Number(state.view.getBigInt64(at, true));
      const a = sourceNumber(access, sources[0], c);
      const b = sourceNumber(access, sources[1], c);
      const more = opcode.name === 'mac' ? a * b : Math.abs(a - b);
      return finish(access, c, old + more, mode.isFloat);
    };
  return (c) => {
    const a = sourceLong(access, sources[0], c);
    const b = sourceLong(access, sources[1], c);
    const [result, left] = integerPair(opcode.name, a, b);
    const doubt = access.unknown;
    const write = finish(access, c, Number(BigInt.asIntN(32, result)), false);
    return () => {
      write?.();
      state.view.setBigInt64(accumulator(c), left, true);
      state.unknown.fill(doubt, accumulator(c), accumulator(c) + ACCUMULATOR_CHANNEL);
    };
  };
}

/**
 * Result and what stays in the accumulator. `mach` gives the upper half of the whole product, as it does behind the
 * `mul` that the two always come with.
 */
function integerPair(name: string, a: bigint, b: bigint): readonly [bigint, bigint] {
  if (name === 'mach') return [(a * b) >> 32n, BigInt.asIntN(32, a * b)];
  const [x, y] = [BigInt.asUintN(32, a), BigInt.asUintN(32, b)];
  if (name === 'addc') return [x + y, (x + y) >> 32n];
  return [x - y, x < y ? 1n : 0n];
}

function opaque(access: Access): Computation {
  const { instruction } = access;
  const name = hashText(instruction.opcode.name);
  return (c) => {
    let h = name;
    for (const source of instruction.sources) h = mix(h, sourceBits(access, source, c));
    if (!isWritten(access, c)) return undefined;
    const doubt = access.unknown;
    return () => {
      instruction.destinations.forEach((destination, k) => {
        if (isPlace(destination)) storeHash(access, destination, c, mix(h, k), doubt);
      });
    };
  };
}
