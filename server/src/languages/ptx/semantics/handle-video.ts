import type { Decoded } from './decode.js';
import { Unsupported } from './faults.js';
import { has, operand, type Handler } from './handler.js';
import { absolute, integerType, maximum, minimum, number, saturate, wrap } from './integer.js';

/**
 * Scalar video instructions on whole registers: `vadd.u32.u32.u32.add d, a, b, c` computes a + b in enough bits, makes
 * it one of the result's type, and adds c (PTX ISA, "Scalar Video Instructions"). GCC writes them for sums of three.
 */
const OPERATIONS = new Set(['add', 'min', 'max']);

const scalar =
  (operation: (a: bigint, b: bigint) => bigint): Handler =>
  (t, d) => {
    const [to, left, right] = d.types.map((name) => integerType(name));
    if (to === undefined || left === undefined || right === undefined)
      throw new Unsupported('a video instruction without three types');
    const a = number(left, t.read(operand(d, 1), d.types[1]));
    const b = number(right, t.read(operand(d, 2), d.types[2]));
    const exact = operation(a, b);
    const first = has(d, 'sat') ? saturate(to, exact) : wrap(to, exact);
    t.write(
      operand(d, 0),
      d.types[0],
      d.operands.length < 4 ? first : second(d, first, t.read(operand(d, 3), d.types[0])),
    );
  };

/** The operation that stands behind the types, with the fourth operand. */
function second(d: Decoded, first: bigint, c: bigint): bigint {
  const to = integerType(d.types[0]) ?? { bits: 32, signed: false };
  const name = d.modifiers.find((m) => OPERATIONS.has(m));
  const [x, y] = [number(to, first), number(to, c)];
  switch (name) {
    case 'add':
      return wrap(to, x + y);
    case 'min':
      return wrap(to, minimum(x, y));
    case 'max':
      return wrap(to, maximum(x, y));
    default:
      throw new Unsupported('a video instruction that merges parts of registers');
  }
}

export const videoHandlers: Readonly<Record<string, Handler>> = {
  vadd: scalar((a, b) => a + b),
  vsub: scalar((a, b) => a - b),
  vabsdiff: scalar((a, b) => absolute(a - b)),
  vmin: scalar(minimum),
  vmax: scalar(maximum),
};
