/**
 * What an operand stands for beside its place, as 32 bits in `Function.operandPayload`, for languages whose targets
 * need the value itself: the bits of a number, the number of a location, a negated read. No pass looks at it.
 *
 *   immediate (`NoRegister.Immediate`)   the number as float32 bits, its sign included
 *   location (`NoRegister.Symbol`)       `locationPayload`, and `NEGATED` for a negated read
 *   register                             0, or `NEGATED`
 *
 * Languages whose operands need more say it in text: the payload is a number in `Function.operandTexts`.
 */
export const NEGATED = -0x8000_0000;

/** Where a shader's inputs, outputs and memory lie. */
export const enum Space {
  Attribute = 0,
  Uniform = 1,
  Varying = 2,
  Temporary = 3,
}

/** Component 0 to 3 of vector `index` (0 to 16383) of a space. */
export const locationPayload = (space: Space, index: number, component: number): number =>
  (space << 16) | (index << 2) | component;

export const isNegated = (payload: number): boolean => payload < 0;
export const spaceOf = (payload: number): Space => (payload >>> 16) & 0x7fff;
export const vectorOf = (payload: number): number => (payload >>> 2) & 0x3fff;
export const componentOf = (payload: number): number => payload & 3;

const scratch = new DataView(new ArrayBuffer(4));

/** Bits of the float32 nearest to `value`, as a signed 32-bit integer. */
export function floatBits(value: number): number {
  scratch.setFloat32(0, value);
  return scratch.getInt32(0);
}

export function bitsToFloat(bits: number): number {
  scratch.setInt32(0, bits);
  return scratch.getFloat32(0);
}
