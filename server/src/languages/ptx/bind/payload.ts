import { OpcodeTable } from '../../../ir/function.js';
import type { Constant } from '../tree.js';
import { componentOf } from './leaves.js';

/**
 * What operands say beside their place (`Function.operandTexts`; number 0 is the empty text):
 *
 *   integer                its value in two's complement of 64 bits, decimal: `-16`; an index `gv[2]` in bytes
 *   float                  `0f3f800000`, `0d3ff0000000000000`: hex digits in lower case, as wide as it is read; as it
 *                          was written where that does not say how wide
 *   special register       its name with the component: `%tid.x`
 *   symbol                 its name: a parameter, variable, function or prototype
 *   register               `!` or `-` where its negation is read, the guard included; the part that a video
 *                          instruction selects (`.h1`, `-.b0`); else nothing
 */
export interface Payloads {
  readonly texts: OpcodeTable;
  /** Payload of each integer met so far: most are small and come again and again. */
  readonly integers: Map<bigint, number>;
}

export function noPayloads(): Payloads {
  const texts = new OpcodeTable();
  texts.number('');
  return { texts, integers: new Map() };
}

/**
 * The payload of a constant; `scale` bytes to one; `width` bits are read of a float, 0 where nobody knows. 0 when it
 * could not be evaluated.
 */
export function constantPayload(
  payloads: Payloads,
  c: Constant,
  text: string,
  scale: number,
  width: number,
): number {
  if (c.isFloat) return payloads.texts.number(floatText(c, text, width === 32 || width === 64 ? width : 0));
  if (c.integer === undefined) return 0;
  const value = scale === 1 ? c.integer : BigInt.asIntN(64, c.integer * BigInt(scale));
  const known = payloads.integers.get(value);
  if (known !== undefined) return known;
  const fresh = payloads.texts.number(value.toString());
  payloads.integers.set(value, fresh);
  return fresh;
}

/**
 * The bits as they were written, which keeps what a NaN carries; those of an expression are computed, and those of a
 * number in another precision (`mov.f32 %f1, 1.5` says 64 bits).
 */
function floatText(c: Constant, text: string, width: number): string {
  const second = text.charCodeAt(c.start + 1) | 32;
  if (text.charCodeAt(c.start) === ZERO && (second === LETTER_F || second === LETTER_D)) {
    const length = second === LETTER_F ? 10 : 18;
    if (c.end - c.start === length && (width === 0 || width === c.floatWidth))
      return text.slice(c.start, c.end).toLowerCase();
  }
  if (c.float === undefined) return '';
  if ((width === 0 ? c.floatWidth : width) === 32) {
    bits.setFloat32(0, c.float);
    return '0f' + hex(bits.getUint32(0));
  }
  bits.setFloat64(0, c.float);
  return '0d' + hex(bits.getUint32(0)) + hex(bits.getUint32(4));
}

const ZERO = 48;
const LETTER_D = 100;
const LETTER_F = 102;
const bits = new DataView(new ArrayBuffer(8));
const hex = (word: number): string => word.toString(16).padStart(8, '0');

const components = ['.x', '.y', '.z', '.w'];

/** Element `component` (a word such as `.r`, or a number) of a special register. */
export function specialPayload(payloads: Payloads, name: string, component: string | number): number {
  const at = typeof component === 'number' ? component : componentOf(component);
  return payloads.texts.number(name + (components[at] ?? ''));
}
