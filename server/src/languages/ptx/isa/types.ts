/**
 * PTX types as small numbers, and what a register of one type may stand for. The rule, tested with ptxas 13.0:
 * widths agree; `.bN` registers stand for every type of N bits, and `.bN` operands take every register of N bits;
 * `.uN` and `.sN` are interchangeable; floating-point types take their own registers and `.bN` only. Types without
 * registers of their own (bf16, tf32, packed pairs and 8-bit floats) live in `.bN`.
 */

/** Index in `typeNames`; 0 is "not a type". */
export type TypeId = number;

interface TypeFact {
  readonly bits: number;
  /**
   * What a register must be: an integer, bits of any kind, or a type with registers of its own. Carried types have
   * none and live in `.bN` of their width, in nothing else.
   */
  readonly family:
    'integer' | 'bits' | 'carried' | 'predicate' | 'f16' | 'f16x2' | 'f32' | 'f64' | 'reference';
  readonly isSigned?: boolean;
  readonly isFloat?: boolean;
}

const facts: Readonly<Record<string, TypeFact>> = {
  pred: { bits: 1, family: 'predicate' },
  b8: { bits: 8, family: 'bits' },
  b16: { bits: 16, family: 'bits' },
  b32: { bits: 32, family: 'bits' },
  b64: { bits: 64, family: 'bits' },
  b128: { bits: 128, family: 'bits' },
  u8: { bits: 8, family: 'integer' },
  u16: { bits: 16, family: 'integer' },
  u32: { bits: 32, family: 'integer' },
  u64: { bits: 64, family: 'integer' },
  s8: { bits: 8, family: 'integer', isSigned: true },
  s16: { bits: 16, family: 'integer', isSigned: true },
  s32: { bits: 32, family: 'integer', isSigned: true },
  s64: { bits: 64, family: 'integer', isSigned: true },
  f16: { bits: 16, family: 'f16', isFloat: true },
  f16x2: { bits: 32, family: 'f16x2', isFloat: true },
  bf16: { bits: 16, family: 'carried', isFloat: true },
  bf16x2: { bits: 32, family: 'carried', isFloat: true },
  tf32: { bits: 32, family: 'carried', isFloat: true },
  f32: { bits: 32, family: 'f32', isFloat: true },
  f64: { bits: 64, family: 'f64', isFloat: true },
  f32x2: { bits: 64, family: 'carried', isFloat: true },
  u16x2: { bits: 32, family: 'carried' },
  s16x2: { bits: 32, family: 'carried', isSigned: true },
  u8x4: { bits: 32, family: 'carried' },
  s8x4: { bits: 32, family: 'carried', isSigned: true },
  e4m3: { bits: 8, family: 'carried', isFloat: true },
  e5m2: { bits: 8, family: 'carried', isFloat: true },
  e2m3: { bits: 8, family: 'carried', isFloat: true },
  e3m2: { bits: 8, family: 'carried', isFloat: true },
  e2m1: { bits: 8, family: 'carried', isFloat: true },
  ue8m0: { bits: 8, family: 'carried', isFloat: true },
  e4m3x2: { bits: 16, family: 'carried', isFloat: true },
  e5m2x2: { bits: 16, family: 'carried', isFloat: true },
  e2m3x2: { bits: 16, family: 'carried', isFloat: true },
  e3m2x2: { bits: 16, family: 'carried', isFloat: true },
  ue8m0x2: { bits: 16, family: 'carried', isFloat: true },
  e2m1x2: { bits: 8, family: 'carried', isFloat: true },
  e4m3x4: { bits: 32, family: 'carried', isFloat: true },
  e5m2x4: { bits: 32, family: 'carried', isFloat: true },
  e2m3x4: { bits: 32, family: 'carried', isFloat: true },
  e3m2x4: { bits: 32, family: 'carried', isFloat: true },
  e2m1x4: { bits: 16, family: 'carried', isFloat: true },
  texref: { bits: 64, family: 'reference' },
  samplerref: { bits: 64, family: 'reference' },
  surfref: { bits: 64, family: 'reference' },
  // Element types of matrix fragments and tensor memory: they name a format, operands are .b32.
  b1: { bits: 1, family: 'bits' },
  u2: { bits: 2, family: 'integer' },
  s2: { bits: 2, family: 'integer', isSigned: true },
  u4: { bits: 4, family: 'integer' },
  s4: { bits: 4, family: 'integer', isSigned: true },
};

export const typeNames: readonly string[] = ['', ...Object.keys(facts)];
const ids = new Map(typeNames.map((name, id) => [name, id]));
const byId: readonly (TypeFact | undefined)[] = typeNames.map((name) => facts[name]);

/** The number of a type, without its dot; 0 for what is no type. */
export const typeId = (name: string): TypeId => ids.get(name) ?? 0;
export const typeName = (type: TypeId): string => typeNames[type] ?? '';
export const typeBits = (type: TypeId): number => byId[type]?.bits ?? 0;
export const isFloatType = (type: TypeId): boolean => byId[type]?.isFloat === true;
export const isIntegerType = (type: TypeId): boolean => byId[type]?.family === 'integer';
export const isBitsType = (type: TypeId): boolean => byId[type]?.family === 'bits';
/** Without registers of its own: bf16, tf32, packed formats. */
export const isCarriedType = (type: TypeId): boolean => byId[type]?.family === 'carried';
export const isSignedType = (type: TypeId): boolean => byId[type]?.isSigned === true;

/** `u32` for `u16`; 0 when there is none. */
export const wideType = (type: TypeId): TypeId =>
  isIntegerType(type) ? typeId(typeName(type)[0] + String(2 * typeBits(type))) : 0;
/** `b32` for `f32`. */
export const bitsType = (type: TypeId): TypeId => typeId('b' + String(typeBits(type)));

const shift = 6;
const count = 1 << shift;
const exact = new Uint8Array(count * count);
const wider = new Uint8Array(count * count);

/** Whether a register may stand for the type at all, widths apart. */
function fits(required: TypeFact, given: TypeFact): boolean {
  if (required.family === 'predicate' || given.family === 'predicate')
    return required.family === given.family;
  if (required.family === 'reference' || given.family === 'reference')
    return required.family === given.family;
  if (required.family === 'carried') return given.family === 'bits';
  if (required.family === given.family || given.family === 'bits') return true;
  // ptxas takes an .f16x2 register for every 32-bit integer that a modifier names.
  if (given.family === 'f16x2') return required.family === 'bits' || required.family === 'integer';
  return required.family === 'bits';
}

/** A float is not widened by a move, and a carried type must fill its register. */
function fitsWider(required: TypeFact, given: TypeFact): boolean {
  if (required.bits >= given.bits || required.family === 'predicate' || required.family === 'carried')
    return false;
  if (required.family === 'bits') return true;
  if (required.family === 'f16') return given.family === 'bits';
  return given.family !== 'f16' && given.family !== 'f32' && given.family !== 'f64';
}

for (let required = 1; required < typeNames.length; required++) {
  for (let given = 1; given < typeNames.length; given++) {
    const want = byId[required]!;
    const have = byId[given]!;
    if (!fits(want, have)) continue;
    const at = (required << shift) | given;
    if (want.bits === have.bits) exact[at] = wider[at] = 1;
    else if (fitsWider(want, have)) wider[at] = 1;
  }
}

/** Whether a register of type `given` may stand where `required` is wanted. */
export const accepts = (required: TypeId, given: TypeId): boolean => exact[(required << shift) | given] === 1;
/** The same for ld, st and cvt, whose registers may be wider than the type. */
export const acceptsWider = (required: TypeId, given: TypeId): boolean =>
  wider[(required << shift) | given] === 1;

/** What a name stands for. */
export const enum NameClass {
  /** Not declared: no instruction complains about it. */
  Unknown,
  Register,
  SpecialRegister,
  /** A variable of a memory space, parameters included. */
  Variable,
  Label,
  Function,
  /** The label of a `.callprototype` or `.calltargets`. */
  Prototype,
  /** The label of a `.branchtargets`. */
  Targets,
}

/** State spaces, in the order of the bits of an address pattern. */
export const spaceNames = ['generic', 'const', 'global', 'local', 'param', 'shared', 'reg'] as const;

/** The number of a space by its modifier, with or without sub-space (`shared::cta`); 0 is generic, -1 no space. */
export function spaceId(name: string): number {
  const colon = name.indexOf('::');
  return (spaceNames as readonly string[]).indexOf(colon < 0 ? name : name.slice(0, colon));
}

/**
 * A declared name in one number, so that a check allocates nothing. `vector` is 0 for scalars, else 2, 4 or 8;
 * `space` is an index in `spaceNames` (0 where it does not matter).
 */
export type NameType = number;
export const packName = (nameClass: NameClass, type: TypeId, vector = 0, space = 0): NameType =>
  type | (nameClass << 7) | (vector << 11) | (space << 15);
export const typeOfName = (name: NameType): TypeId => name & 127;
export const classOfName = (name: NameType): NameClass => (name >> 7) & 15;
export const vectorOfName = (name: NameType): number => (name >> 11) & 15;
export const spaceOfName = (name: NameType): number => (name >> 15) & 15;
