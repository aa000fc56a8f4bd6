import { selectFloat, formatOf } from './arithmetic.js';
import type { Argument, Decoded } from './decode.js';
import { Unsupported } from './faults.js';
import { addNumbers } from './handle-float.js';
import { has, operand, type Handler, type Thread } from './handler.js';
import { integerType, maximum, minimum, number, wrap } from './integer.js';
import { widthOf } from './types.js';

/** Loads, stores and atomics of one thread; vectors go element by element. */
const elements = (a: Argument): readonly Argument[] => (a.kind === 'vector' ? a.elements : [a]);

const bytesOf = (type: string): number => Math.max(1, widthOf(type) >> 3);

/** A vector is aligned as a whole, which the access of its first element cannot see. */
function elementsAt(t: Thread, d: Decoded, a: Argument, count: number) {
  const type = d.types.at(-1) ?? 'b32';
  const bytes = bytesOf(type);
  const at = t.locate(a, d.space);
  if (at.address % BigInt(bytes * count) !== 0n)
    throw new Unsupported(
      `${at.space} address 0x${at.address.toString(16)} is not aligned to ${bytes * count} bytes`,
    );
  return Array.from({ length: count }, (_, k) => ({
    ...at,
    address: at.address + BigInt(k * bytes),
    bytes,
    type,
  }));
}

const isScalar = (d: Decoded, value: Argument): boolean => d.vector === 1 && value.kind !== 'vector';

const load: Handler = (t, d) => {
  const result = operand(d, 0);
  if (isScalar(d, result)) {
    const type = d.types.at(-1) ?? 'b32';
    t.write(result, type, t.load(t.locate(operand(d, 1), d.space), bytesOf(type)));
    return;
  }
  const to = elements(result);
  const places = elementsAt(t, d, operand(d, 1), Math.max(d.vector, to.length));
  const values = places.map((place) => t.load(place, place.bytes));
  to.forEach((e, k) =>
    t.write(e, places[k].type.startsWith('s') ? places[k].type : `b${8 * places[k].bytes}`, values[k]),
  );
};

const store: Handler = (t, d) => {
  const source = operand(d, 1);
  if (isScalar(d, source)) {
    const type = d.types.at(-1) ?? 'b32';
    t.store(t.locate(operand(d, 0), d.space), bytesOf(type), t.read(source, type));
    return;
  }
  const from = elements(source);
  const places = elementsAt(t, d, operand(d, 0), Math.max(d.vector, from.length));
  const values = from.map((e, k) => t.read(e, places[k].type));
  values.forEach((value, k) => t.store(places[k], places[k].bytes, value));
};

function combine(d: Decoded, type: string, old: bigint, b: bigint, c: () => bigint): bigint {
  const integer = integerType(type) ?? { bits: widthOf(type), signed: false };
  const format = formatOf(type);
  const isFloat = /^b?f/.test(type);
  for (const operation of d.modifiers) {
    switch (operation) {
      case 'add':
        return isFloat ? addNumbers(type, old, b, type === 'f32') : wrap(integer, old + b);
      case 'min':
      case 'max':
        if (format !== undefined)
          return selectFloat(format, old, b, operation === 'min', {
            ftz: false,
            propagates: false,
            xorsign: false,
          });
        return wrap(
          integer,
          (operation === 'min' ? minimum : maximum)(number(integer, old), number(integer, b)),
        );
      case 'and':
        return old & b;
      case 'or':
        return old | b;
      case 'xor':
        return old ^ b;
      case 'exch':
        return b;
      case 'cas':
        return old === b ? c() : old;
      case 'inc':
        return old >= b ? 0n : old + 1n;
      case 'dec':
        return old === 0n || old > b ? b : old - 1n;
    }
  }
  throw new Unsupported('this operation');
}

const atomic =
  (keepsOld: boolean): Handler =>
  (t, d) => {
    const first = keepsOld ? 1 : 0;
    const from = elements(operand(d, first + 1));
    const places = elementsAt(t, d, operand(d, first), Math.max(d.vector, from.length));
    const [{ space }] = places;
    if (space !== 'global' && space !== 'shared')
      throw new Unsupported(`atomics do not work on ${space} memory`);
    const inputs = from.map((e, k) => t.read(e, places[k].type));
    const old = places.map((place) => t.load(place, place.bytes));
    if (keepsOld) {
      // `c` is read before the result may overwrite its register
      const results = old.map((value, k) =>
        combine(d, places[k].type, value, inputs[k], () => t.read(operand(d, 3), places[k].type)),
      );
      elements(operand(d, 0)).forEach((e, k) => t.write(e, `b${8 * places[k].bytes}`, old[k]));
      results.forEach((value, k) => t.store(places[k], places[k].bytes, value));
      return;
    }
    old.forEach((value, k) =>
      t.store(
        places[k],
        places[k].bytes,
        combine(d, places[k].type, value, inputs[k], () => 0n),
      ),
    );
  };

const reduce = atomic(false);

export const memoryHandlers: Readonly<Record<string, Handler>> = {
  ld: load,
  ldu: load,
  st: (t, d) => {
    if (has(d, 'async') || has(d, 'bulk')) throw new Unsupported('an asynchronous store');
    store(t, d);
  },
  atom: atomic(true),
  red: (t, d) => {
    if (has(d, 'async')) throw new Unsupported('an asynchronous reduction');
    reduce(t, d);
  },
};
