import { impliedMrf, isConditional, payloadMrf, selects, writesFlag } from '../access.js';
import type { Allocated } from '../allocation.js';
import {
  GRF_BYTES,
  typeSize,
  type Instruction,
  type Operand,
  type Program,
  type RegisterOperand,
} from '../program.js';
import {
  copiedElements,
  crossesLanes,
  destinationLanes,
  isRegister,
  readFootprint,
  sourceLanes,
  writeFootprint,
} from './footprint.js';
import type { Step } from './matching.js';
import {
  accumulatorPlace,
  flagBytes,
  flagName,
  flagPlace,
  messagePlace,
  placeStart,
  scratchPlace,
} from './space.js';

/**
 * What one step of the proof does to places and names, in bytes. An instruction of the source reads a place for
 * each name that it means, and puts its results into places for names. An instruction of the allocator moves bytes
 * from place to place, or computes something again, or only destroys what its places held.
 */
export interface Effects {
  /** Bytes read: places from `place` on stand for names from `name` on. `crosses`: of channels that may be inactive, too. */
  readonly reads: readonly Range[];
  readonly writes: readonly Range[];
  /** Bytes copied from place to place; also by the source's own plain moves. */
  readonly copies: readonly Copy[];
  /** Places that hold nothing known afterwards. */
  readonly clobbers: readonly (readonly [from: number, to: number])[];
  /** Names whose value nobody may rely on any more. */
  readonly undefines: readonly Range[];
  /** Executes only in active channels. */
  readonly isMasked: boolean;
  /** Old values stay where the predicate does not hold. */
  readonly isConditional: boolean;
}

export interface Range {
  /** Bytes of the place space; -1 where the instruction was dropped. */
  readonly place: number;
  /** The virtual register, -1: the place's own name. */
  readonly register: number;
  /** Byte of the register (of the place space for own names). */
  readonly byte: number;
  readonly length: number;
  readonly crosses: boolean;
}

export interface Copy {
  readonly to: number;
  readonly from: number;
  readonly length: number;
}

interface Made {
  reads: Range[];
  writes: Range[];
  copies: Copy[];
  clobbers: [number, number][];
  undefines: Range[];
}

const made = (): Made => ({ reads: [], writes: [], copies: [], clobbers: [], undefines: [] });

/** Effects of the step; `carried` is the register that an allocator's instruction moves, or -1. */
export function effectsOf(source: Program, { code }: Allocated, step: Step): Effects {
  if (step.source < 0) return insertedEffects(code, code.instructions[step.code]);
  const instruction = source.instructions[step.source];
  const image = step.code < 0 ? undefined : code.instructions[step.code];
  return imageEffects(source, instruction, image);
}

function imageEffects(source: Program, instruction: Instruction, image: Instruction | undefined): Effects {
  const effects = made();
  const { opcode } = instruction;
  const isConditionalWrite = isConditional(instruction) && !selects(opcode) && opcode.name !== 'sel_int64';
  if (opcode.name === 'undef') {
    instruction.destinations.forEach((destination) => {
      if (destination.file === 'virtual')
        effects.undefines.push({
          place: -1,
          register: destination.register,
          byte: 0,
          length: Math.ceil(source.registers[destination.register].bytes / GRF_BYTES) * GRF_BYTES,
          crosses: true,
        });
    });
    return { ...effects, isMasked: false, isConditional: false };
  }
  if (image !== undefined)
    instruction.sources.forEach((operand, k) => {
      if (!isRegister(operand)) return;
      const crosses =
        instruction.noMask || crossesLanes(source, instruction, k) || opcode.name === 'live_out';
      for (const [from, to] of footprintOfSource(source, instruction, k))
        effects.reads.push(...ranges(source, operand, image.sources[k], from, to, crosses));
    });
  instruction.destinations.forEach((operand, k) => {
    if (!isRegister(operand)) return;
    const placed = image === undefined ? undefined : image.destinations[k];
    for (const [from, to] of footprintOfDestination(source, instruction, k))
      effects.writes.push(...ranges(source, operand, placed, from, to, false));
  });
  flagEffects(source, instruction, image, effects);
  fixedEffects(source, instruction, effects);
  if (image !== undefined && isPlainCopy(image)) addCopies(source, image, effects);
  return { ...effects, isMasked: !instruction.noMask, isConditional: isConditionalWrite };
}

const footprintOfSource = (program: Program, instruction: Instruction, k: number) => {
  const operand = instruction.sources[k] as RegisterOperand;
  if (instruction.opcode.name === 'live_out') return sourceLanes(operand, program.width);
  if (isFlagFile(operand)) return [[0, GRF_BYTES]] as const;
  return operand.file === 'accumulator'
    ? ([[0, GRF_BYTES]] as const)
    : readFootprint(program, instruction, k);
};

const footprintOfDestination = (program: Program, instruction: Instruction, k: number) => {
  const operand = instruction.destinations[k] as RegisterOperand;
  return isFlagFile(operand) || operand.file === 'accumulator'
    ? ([[0, GRF_BYTES]] as const)
    : writeFootprint(program, instruction, k);
};

const isFlagFile = ({ file }: RegisterOperand): boolean => file === 'flag' || file === 'architecture';

/** The range of an operand's bytes: its name, and its place in the allocated program. */
function ranges(
  source: Program,
  operand: RegisterOperand,
  placed: Operand | undefined,
  from: number,
  to: number,
  crosses: boolean,
): Range[] {
  const length = to - from;
  if (operand.file === 'virtual') {
    const shift =
      placed?.file === 'grf' ? placed.grf * GRF_BYTES + placed.offset - operand.offset : undefined;
    return [
      {
        place: shift === undefined ? -1 : shift + from,
        register: operand.register,
        byte: from,
        length,
        crosses,
      },
    ];
  }
  const start = placeStart(source, operand);
  if (start < 0) return [];
  return [{ place: start + from, register: -1, byte: start + from, length, crosses }];
}

/** Own names: places that the source itself names. */
const own = (from: number, length: number, crosses = true): Range => ({
  place: from,
  register: -1,
  byte: from,
  length,
  crosses,
});

/** Flags by channel: the predicate's, and what a condition writes. */
function flagEffects(
  source: Program,
  instruction: Instruction,
  image: Instruction | undefined,
  effects: Made,
): void {
  const { predicate, condition, group, execSize, opcode } = instruction;
  if (predicate !== undefined && image !== undefined) {
    const isWide = predicate.mode !== 'normal' || opcode.flow === 'jump';
    const [first, end] = isWide ? [0, source.width] : [group, group + execSize];
    for (let c = first; c < end; c++)
      add(effects.reads, flagRange(source, predicate.flag, image.predicate!.flag, c, isWide));
  }
  if (opcode.name === 'unpack_flags_simd4x2' && image !== undefined)
    effects.reads.push(own(flagPlace(source, 0, 0), GRF_BYTES));
  if (condition !== undefined && writesFlag(instruction))
    for (let c = group; c < group + execSize; c++) {
      if (!writesChannel(source, instruction, c - group)) continue;
      add(effects.writes, flagRange(source, condition.flag, image?.condition?.flag, c, false));
    }
}

/** Appends a range, joined with the last one where it goes on from there. */
function add(list: Range[], range: Range): void {
  const last = list.at(-1);
  const follows =
    last !== undefined &&
    last.register === range.register &&
    last.crosses === range.crosses &&
    last.byte + last.length === range.byte &&
    (range.place < 0 ? last.place < 0 : last.place + last.length === range.place);
  if (follows) list[list.length - 1] = { ...last, length: last.length + range.length };
  else list.push(range);
}

type Flag = NonNullable<Instruction['condition']>['flag'];

function flagRange(
  program: Program,
  flag: Flag,
  placed: Flag | undefined,
  channel: number,
  crosses: boolean,
): Range {
  const { register, byte } = flagName(program, flag, channel);
  const place = placed?.kind === 'hardware' ? flagPlace(program, placed.flag, channel) : -1;
  return { place, register, byte, length: flagBytes(program), crosses };
}

function writesChannel(program: Program, { destinations }: Instruction, c: number): boolean {
  const destination = destinations[0] as Operand | undefined;
  if (program.dialect !== 'vec4' || destination === undefined || destination.file === 'immediate')
    return true;
  return (destination.mask & (1 << (c & 3))) !== 0;
}

/** What instructions touch without an operand: payloads in message registers, headers, accumulator, scratch. */
function fixedEffects(source: Program, instruction: Instruction, effects: Made): void {
  const { opcode } = instruction;
  const payload = payloadMrf(instruction);
  const implied = impliedMrf(instruction);
  const isDescribed = opcode.scratch === undefined && opcode.kind === 'message';
  for (let k = isDescribed ? implied.count : 0; k < (isDescribed ? payload.count : 0); k++)
    effects.reads.push(own(messagePlace(source, payload.first + k), GRF_BYTES, instruction.noMask));
  for (let k = 0; k < implied.count; k++)
    effects.writes.push(own(messagePlace(source, implied.first + k), GRF_BYTES));
  if (opcode.readsG0) effects.reads.push(own(0, GRF_BYTES));
  if (opcode.readsAccumulator) effects.reads.push(own(accumulatorPlace, GRF_BYTES));
  if (instruction.writesAccumulator || opcode.modifiesAccumulator)
    effects.writes.push(own(accumulatorPlace, GRF_BYTES));
  for (const copy of scratchCopies(source, instruction) ?? []) {
    if (opcode.scratch === 'write') effects.writes.push(own(copy.to, copy.length, false));
    else effects.reads.push(own(copy.from, copy.length, instruction.noMask));
  }
}

/** A move between registers that changes no bit, before or after allocation. */
export const isPlainMove = ({ opcode, saturate, condition, destinations, sources }: Instruction): boolean =>
  opcode.name === 'mov' &&
  !saturate &&
  condition === undefined &&
  destinations.length === 1 &&
  isRegister(destinations[0]) &&
  isRegister(sources[0]) &&
  sources[0].type === destinations[0].type &&
  !sources[0].negate &&
  !sources[0].absolute;

/** The same for hardware registers of bytes. */
const isPlainCopy = (instruction: Instruction): boolean =>
  isPlainMove(instruction) && isBytes(instruction.destinations[0]) && isBytes(instruction.sources[0]);

const isBytes = (operand: Operand): operand is RegisterOperand =>
  operand.file === 'grf' || operand.file === 'message';

function addCopies(code: Program, instruction: Instruction, effects: Made): void {
  const to = placeStart(code, instruction.destinations[0] as RegisterOperand);
  const from = placeStart(code, instruction.sources[0] as RegisterOperand);
  for (const element of copiedElements(code, instruction)) {
    const last = effects.copies.at(-1);
    const [start, origin] = [to + element.to, from + element.from];
    if (last !== undefined && last.to + last.length === start && last.from + last.length === origin)
      effects.copies[effects.copies.length - 1] = { ...last, length: last.length + element.bytes };
    else effects.copies.push({ to: start, from: origin, length: element.bytes });
  }
}

/** What the allocator's own instruction does. */
function insertedEffects(code: Program, instruction: Instruction): Effects {
  const effects = made();
  const { opcode, noMask } = instruction;
  const scratch = scratchCopies(code, instruction);
  if (scratch !== undefined) effects.copies.push(...scratch);
  else if (isPlainCopy(instruction)) addCopies(code, instruction, effects);
  else if (!addFlagCopies(code, instruction, effects)) addClobbers(code, instruction, effects);
  if (opcode.readsG0) effects.reads.push(own(0, GRF_BYTES));
  const implied = impliedMrf(instruction);
  for (let k = 0; k < implied.count; k++) {
    const start = messagePlace(code, implied.first + k);
    effects.clobbers.push([start, start + GRF_BYTES]);
  }
  if (opcode.scratch !== undefined) addPool(code, instruction, effects);
  const conditional = isConditional(instruction) && !selects(opcode);
  return { ...effects, isMasked: !noMask, isConditional: conditional };
}

function addClobbers(code: Program, instruction: Instruction, effects: Made): void {
  instruction.destinations.forEach((destination, k) => {
    if (!isRegister(destination) || destination.file === 'virtual') return;
    const start = placeStart(code, destination);
    for (const [from, to] of footprintOfDestination(code, instruction, k))
      effects.clobbers.push([start + from, start + to]);
  });
  if (
    instruction.condition !== undefined &&
    writesFlag(instruction) &&
    instruction.condition.flag.kind === 'hardware'
  ) {
    const start = flagPlace(code, instruction.condition.flag.flag, instruction.group);
    effects.clobbers.push([start, start + instruction.execSize * flagBytes(code)]);
  }
  if (instruction.writesAccumulator || instruction.opcode.modifiesAccumulator)
    effects.clobbers.push([accumulatorPlace, accumulatorPlace + GRF_BYTES]);
}

/** Beignet's header (the pool's first register), and the second where 64-bit values are gathered (facts A.14). */
function addPool(code: Program, instruction: Instruction, effects: Made): void {
  if (code.pool === undefined || !/^(un)?spill/.test(instruction.opcode.name)) return;
  const value = instruction.opcode.scratch === 'write' ? instruction.sources[0] : instruction.destinations[0];
  const isLong = typeSize(value.type) === 8;
  const count = isLong ? 1 + Math.max(1, instruction.execSize >> 3) : 1;
  const first = code.pool.first * GRF_BYTES;
  const isOwn = (byte: number): boolean =>
    effects.copies.some(({ to }) => to >= byte && to < byte + GRF_BYTES);
  for (let k = 0; k < count; k++)
    if (!isOwn(first + k * GRF_BYTES))
      effects.clobbers.push([first + k * GRF_BYTES, first + (k + 1) * GRF_BYTES]);
}

/** The moves between register and scratch of a scratch message with a constant offset. */
function scratchCopies(code: Program, instruction: Instruction): Copy[] | undefined {
  const { opcode, execSize, message, destinations, sources } = instruction;
  const { scratchOffset } = message;
  if (opcode.scratch === undefined || scratchOffset === undefined) return undefined;
  const isWrite = opcode.scratch === 'write';
  const operand = isWrite ? sources[0] : destinations[0];
  if (!isRegister(operand)) return undefined;
  const computed = isWrite ? sources[1] : sources[0];
  if (computed !== undefined && isRegister(computed)) return undefined;
  const found: Copy[] = [];
  const add = (register: number, byte: number, length: number) => {
    const scratch = scratchPlace(scratchOffset + byte);
    found.push(isWrite ? { to: scratch, from: register, length } : { to: register, from: scratch, length });
  };
  const start = operand.file === 'virtual' ? 0 : placeStart(code, operand);
  if (start < 0) return undefined;
  if (code.dialect === 'vec4') {
    const channels = isWrite ? (destinations[0] as RegisterOperand).mask : 15;
    for (let c = 0; c < Math.max(4, execSize); c++) {
      if ((channels & (1 << (c & 3))) === 0) continue;
      const component = isWrite ? (operand.swizzle >>> (2 * (c & 3))) & 3 : c & 3;
      add(start + operand.offset + 4 * ((c & ~3) + component), 4 * c, 4);
    }
    return found;
  }
  const size = typeSize(operand.type);
  const isPool = code.dialect === 'selection' && /^(un)?spill/.test(opcode.name);
  if (!isPool) {
    const length = isWrite
      ? message.mlen > 1
        ? (message.mlen - 1) * GRF_BYTES
        : execSize * size
      : message.rlen === undefined
        ? execSize * size
        : message.rlen * GRF_BYTES;
    add(start + operand.offset, 0, length);
    return found;
  }
  const lanes = isWrite ? sourceLanes(operand, execSize) : destinationLanes(operand, execSize);
  let c = 0;
  for (const [from, to] of lanes)
    for (let byte = from; byte < to; byte += size, c++)
      for (let half = 0; half < size; half += 4)
        add(start + byte + half, half * execSize + 4 * c, Math.min(4, size));
  return found;
}

/**
 * Bools between flags and registers (facts A.12): `cmp.nz null, word, 0` fills a flag from a register's words;
 * `(flag) sel word, -1, 0` does the reverse.
 */
function addFlagCopies(code: Program, instruction: Instruction, effects: Made): boolean {
  const { opcode, condition, predicate, sources, destinations, group, execSize } = instruction;
  if (code.dialect !== 'selection' || sources.length !== 2 || !isZero(sources[1])) return false;
  const [operand] = sources;
  if (opcode.name === 'cmp' && condition?.test === 'nz' && condition.flag.kind === 'hardware') {
    if (operand.file !== 'grf' || typeSize(operand.type) !== 2 || destinations.some(isRegister)) return false;
    const start = placeStart(code, operand);
    for (let c = 0; c < execSize; c++) {
      const from = start + operand.offset + 2 * c * operand.stride;
      effects.copies.push({ to: flagPlace(code, condition.flag.flag, group + c), from, length: 2 });
    }
    return true;
  }
  const [destination] = destinations;
  if (opcode.name !== 'sel' || predicate?.flag.kind !== 'hardware' || destination?.file !== 'grf')
    return false;
  if (predicate.inverse || predicate.mode !== 'normal' || typeSize(destination.type) !== 2) return false;
  const start = placeStart(code, destination);
  for (let c = 0; c < execSize; c++) {
    const to = start + destination.offset + 2 * c * Math.max(1, destination.stride);
    effects.copies.push({ to, from: flagPlace(code, predicate.flag.flag, group + c), length: 2 });
  }
  return true;
}

const isZero = (operand: Operand): boolean =>
  operand.file === 'immediate' && operand.low === 0 && operand.high === 0;
