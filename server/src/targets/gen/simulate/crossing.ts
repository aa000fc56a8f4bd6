import { GRF_BYTES, swizzled, typeSize, type RegisterOperand } from '../program.js';
import { finish, isWritten } from './alu.js';
import {
  bitsAt,
  destinationByte,
  faulty,
  isPlace,
  noteUnknown,
  sourceByte,
  sourceNumber,
  store,
  type Access,
} from './elements.js';
import { hashText, mix } from './hash.js';
import type { Lanes } from './lanes.js';
import { flagIndex, locate } from './state.js';
import { readNumber } from './numbers.js';

/**
 * Operations whose channels look at more than their own: data movement of i965's two dialects (facts B.4, G.4),
 * interpolation, derivatives, and the seed's merge of two halves. Each reads everything before it writes anything.
 */
export type Crossing = (access: Access, lanes: Lanes) => void;

/** Runs `read` for every enabled channel, then what it returned. */
function each(access: Access, lanes: Lanes, read: (c: number) => (() => void) | undefined): void {
  const writes: (() => void)[] = [];
  for (let c = 0; c < access.instruction.execSize; c++) {
    if (lanes.enabled[c] === 0) continue;
    access.unknown = lanes.doubt[c];
    const write = read(c);
    if (write !== undefined) writes.push(write);
  }
  for (const write of writes) write();
}

/** Copies `size` bytes to channel c's element (or to `to(c)`). */
function moved(access: Access, c: number, from: number, size: number, to?: number): (() => void) | undefined {
  if (from < 0 || !isWritten(access, c)) return undefined;
  noteUnknown(access, from, size);
  const { bytes, unknown } = access.state;
  const doubt = access.unknown;
  const value = bytes.slice(from, from + size);
  return () => {
    const at = to ?? destinationByte(access, access.instruction.destinations[0] as RegisterOperand, c);
    if (at < 0) return;
    bytes.set(value, at);
    unknown.fill(doubt, at, at + size);
  };
}

/** Byte of an operand's register at `offset`, strides and swizzles aside; -1 outside of its register. */
function byteAt(access: Access, operand: RegisterOperand, offset: number, size: number): number {
  const place = locate(access.state, operand);
  if (typeof place === 'string') return faulty(access, place);
  return place.at + offset >= 0 && place.at + offset + size <= place.end ? place.at + offset : -1;
}

const source = (access: Access, k: number): RegisterOperand =>
  access.instruction.sources[k] as RegisterOperand;

/** The first live channel, in vec4 the first live vertex. */
const findLiveChannel: Crossing = (access, lanes) => {
  let live = 0;
  while (live < access.instruction.execSize - 1 && lanes.live[live] === 0) live++;
  each(access, lanes, (c) => finish(access, c, access.isVec4 ? live >>> 2 : live, false));
};

const broadcast: Crossing = (access, lanes) => {
  const { instruction, isVec4 } = access;
  each(access, lanes, (c) => {
    const index = Math.max(0, Math.trunc(sourceNumber(access, instruction.sources[1], 0)));
    const from = isVec4 ? 4 * (index & 1) + (c & 3) : index % instruction.execSize;
    const operand = instruction.sources[0];
    if (operand.file === 'immediate') return finish(access, c, sourceNumber(access, operand, c), false);
    return moved(access, c, sourceByte(access, operand, from), typeSize(operand.type));
  });
};

/** A source at a byte offset of its own for each channel, inside a region whose length is the last source. */
const moveIndirect: Crossing = (access, lanes) => {
  const { sources } = access.instruction;
  each(access, lanes, (c) => {
    const operand = source(access, 0);
    const limit = sources.length > 2 ? sourceNumber(access, sources[2], 0) : GRF_BYTES;
    const by = Math.trunc(sourceNumber(access, sources[1], access.isVec4 ? c & ~3 : c));
    const size = typeSize(operand.type);
    const from = by < 0 || by >= limit ? -1 : sourceByte(access, operand, c, by);
    if (from >= 0) return moved(access, c, from, size);
    access.fault = undefined;
    access.unknown = 1;
    return finish(access, c, 0, false);
  });
};

/** Four channels' flag bits of each vertex as one number. */
const unpackFlags: Crossing = (access, lanes) => {
  const { flags, flagUnknown } = access.state;
  each(access, lanes, (c) => {
    let bits = 0;
    for (let k = 0; k < 4; k++) {
      const index = flagIndex(0, (c & ~3) + k);
      bits |= flags[index] << k;
      access.unknown |= flagUnknown[index];
    }
    return finish(access, c, bits, false);
  });
};

/** The low bytes of a vertex's four channels, x lowest. */
const packBytes: Crossing = (access, lanes) => {
  each(access, lanes, (c) => {
    const operand = source(access, 0);
    let bits = 0;
    for (let k = 0; k < 4; k++) {
      const at = sourceByte(access, operand, (c & ~3) + k);
      if (at < 0) return undefined;
      noteUnknown(access, at, 1);
      bits |= access.state.bytes[at] << (8 * k);
    }
    return finish(access, c, bits >>> 0, false);
  });
};

/** The low byte of each dword: region <4,1,0>. */
const moveBytes: Crossing = (access, lanes) => {
  each(access, lanes, (c) => {
    const operand = source(access, 0);
    const at = byteAt(access, operand, 4 * c, 1);
    if (at < 0) return undefined;
    noteUnknown(access, at, 1);
    return finish(access, c, readNumber(access.state, at, operand.type === 'B' ? 'B' : 'UB'), false);
  });
};

/** Moves between 32-bit elements and one half of 64-bit ones: `from` and `to` bytes from channel to channel. */
const halves =
  (fromStep: number, fromByte: number, toStep: number, toByte: number): Crossing =>
  (access, lanes) => {
    each(access, lanes, (c) => {
      const from = byteAt(access, source(access, 0), fromStep * c + fromByte, 4);
      const destination = access.instruction.destinations[0] as RegisterOperand;
      return moved(access, c, from, 4, byteAt(access, destination, toStep * c + toByte, 4));
    });
  };

/** 64-bit float to 32 bits in the low half of each 64-bit channel. */
const fromDouble =
  (type: 'F' | 'D' | 'UD'): Crossing =>
  (access, lanes) => {
    each(access, lanes, (c) => {
      const from = byteAt(access, source(access, 0), 8 * c, 8);
      if (from < 0) return undefined;
      noteUnknown(access, from, 8);
      const value = access.state.view.getFloat64(from, true);
      const destination = { ...(access.instruction.destinations[0] as RegisterOperand), type, stride: 2 };
      const doubt = access.unknown;
      return () => {
        store(access, destination, c, value, true, doubt);
      };
    });
  };

const toDouble: Crossing = (access, lanes) => {
  each(access, lanes, (c) => {
    const from = byteAt(access, source(access, 0), 4 * c, 4);
    if (from < 0) return undefined;
    noteUnknown(access, from, 4);
    return finish(access, c, access.state.view.getFloat32(from, true), true);
  });
};

/** Each vertex's half of the result from the low half of a register of its own (facts C.2). */
const merge: Crossing = (access, lanes) => {
  each(access, lanes, (c) => {
    const operand = source(access, c >= 4 ? 1 : 0);
    const from = byteAt(access, operand, swizzled(operand.swizzle, c & 3) * 4, 4);
    if (from < 0 || !(access.instruction.saturate || operand.negate || operand.absolute))
      return moved(access, c, from, 4);
    noteUnknown(access, from, 4);
    const { view } = access.state;
    const isFloat = operand.type === 'F';
    let value = isFloat ? view.getFloat32(from, true) : view.getInt32(from, true);
    if (operand.absolute) value = Math.abs(value);
    return finish(access, c, operand.negate ? -value : value, isFloat);
  });
};

/** p*x + q*y + r, the plane equation's coefficients being four dwords; x and y are two components of source 0. */
const interpolate: Crossing = (access, lanes) => {
  const { execSize } = access.instruction;
  each(access, lanes, (c) => {
    const coordinates = source(access, 0);
    const at = sourceByte(access, coordinates, c);
    // A SIMD16 payload has x and y of the first eight channels before those of the last eight.
    const step = execSize > 8 ? coordinateStep(c) : { x: 4 * c, y: GRF_BYTES + 4 * c };
    const x = byteAt(access, coordinates, step.x, 4);
    const y = byteAt(access, coordinates, step.y, 4);
    const plane = byteAt(access, source(access, 1), 0, 16);
    if (at < 0 || x < 0 || y < 0 || plane < 0) {
      faulty(access, 'interpolation reads over the end of a register');
      return undefined;
    }
    noteUnknown(access, x, 4);
    noteUnknown(access, y, 4);
    noteUnknown(access, plane, 16);
    const { view } = access.state;
    const [p, q, r] = [0, 4, 12].map((k) => view.getFloat32(plane + k, true));
    return finish(access, c, p * view.getFloat32(x, true) + q * view.getFloat32(y, true) + r, true);
  });
};

const coordinateStep = (c: number) => {
  const pair = (c >>> 3) * 2 * GRF_BYTES + 4 * (c & 7);
  return { x: pair, y: pair + GRF_BYTES };
};

/** A pixel's position out of two components, uninterpreted. */
const pixel: Crossing = (access, lanes) => {
  const name = hashText(access.instruction.opcode.name);
  each(access, lanes, (c) => {
    const operand = source(access, 0);
    const size = typeSize(operand.type);
    let h = name;
    for (const extra of [0, size * access.instruction.execSize]) {
      const at = sourceByte(access, operand, c, extra);
      if (at < 0) return undefined;
      noteUnknown(access, at, size);
      h = mix(h, bitsAt(access.state, at, size));
    }
    return finish(access, c, h >>> 20, false);
  });
};

/** Differences inside each square of four channels. */
const derivative =
  (near: (c: number) => number, far: number): Crossing =>
  (access, lanes) => {
    each(access, lanes, (c) => {
      const a = sourceNumber(access, access.instruction.sources[0], near(c));
      const b = sourceNumber(access, access.instruction.sources[0], near(c) + far);
      return finish(access, c, b - a, true);
    });
  };

/** Quotient and remainder. */
const divideWithRemainder: Crossing = (access, lanes) => {
  const { sources, destinations } = access.instruction;
  each(access, lanes, (c) => {
    const a = sourceNumber(access, sources[0], c);
    const b = sourceNumber(access, sources[1], c);
    const results = b === 0 ? [-1, a] : [Math.trunc(a / b), a % b];
    const doubt = access.unknown;
    return () => {
      destinations.forEach((destination, k) => {
        if (isPlace(destination) && k < 2) store(access, destination, c, results[k], false, doubt);
      });
    };
  });
};

/** A source's element of the channel that the second source names. */
const shuffle: Crossing = (access, lanes) => {
  const { instruction } = access;
  each(access, lanes, (c) => {
    const index = Math.trunc(sourceNumber(access, instruction.sources[1], c)) & (instruction.execSize - 1);
    const operand = instruction.sources[0];
    if (operand.file === 'immediate') return finish(access, c, sourceNumber(access, operand, c), false);
    return moved(access, c, sourceByte(access, operand, index), typeSize(operand.type));
  });
};

export const crossing: ReadonlyMap<string, Crossing> = new Map<string, Crossing>([
  ['find_live_channel', findLiveChannel],
  ['broadcast', broadcast],
  ['mov_indirect', moveIndirect],
  ['unpack_flags_simd4x2', unpackFlags],
  ['pack_bytes', packBytes],
  ['mov_bytes', moveBytes],
  ['pick_low_32bit', halves(8, 0, 4, 0)],
  ['pick_high_32bit', halves(8, 4, 4, 0)],
  ['set_low_32bit', halves(4, 0, 8, 0)],
  ['set_high_32bit', halves(4, 0, 8, 4)],
  ['double_to_f32', fromDouble('F')],
  ['double_to_d32', fromDouble('D')],
  ['double_to_u32', fromDouble('UD')],
  ['single_to_double', toDouble],
  ['simd4x2_merge', merge],
  ['linterp', interpolate],
  ['pixel_x', pixel],
  ['pixel_y', pixel],
  ['ddx_coarse', derivative((c) => c & ~3, 1)],
  ['ddy_coarse', derivative((c) => c & ~3, 2)],
  ['ddx_fine', derivative((c) => c & ~1, 1)],
  ['ddy_fine', derivative((c) => c & ~2, 2)],
  ['int_divmod', divideWithRemainder],
  ['shuffle', shuffle],
  ['simd_shuffle', shuffle],
]);
