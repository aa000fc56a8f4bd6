/**
 * PTX's fundamental types: sizes and kinds, and how they map onto the register file. A register of up to 32 bits
 * takes one 32-bit register, 64 bits an aligned pair, 128 bits a quad; predicates have a file of their own.
 */
export type TypeKind = 'unsigned' | 'signed' | 'float' | 'bits' | 'predicate' | 'opaque';

export interface TypeFact {
  readonly kind: TypeKind;
  /** Width in bits; 0 for predicates and opaque handles in registers. */
  readonly bits: number;
}

const fact = (kind: TypeKind, bits: number): TypeFact => ({ kind, bits });

/** By name with the dot. Opaque types are the handles of the texture unit, 64 bits in memory. */
export const types: ReadonlyMap<string, TypeFact> = new Map([
  ['.u8', fact('unsigned', 8)],
  ['.u16', fact('unsigned', 16)],
  ['.u32', fact('unsigned', 32)],
  ['.u64', fact('unsigned', 64)],
  ['.s8', fact('signed', 8)],
  ['.s16', fact('signed', 16)],
  ['.s32', fact('signed', 32)],
  ['.s64', fact('signed', 64)],
  ['.b8', fact('bits', 8)],
  ['.b16', fact('bits', 16)],
  ['.b32', fact('bits', 32)],
  ['.b64', fact('bits', 64)],
  ['.b128', fact('bits', 128)],
  ['.f16', fact('float', 16)],
  ['.f16x2', fact('float', 32)],
  ['.bf16', fact('float', 16)],
  ['.bf16x2', fact('float', 32)],
  ['.f32', fact('float', 32)],
  ['.f64', fact('float', 64)],
  ['.pred', fact('predicate', 0)],
  ['.texref', fact('opaque', 64)],
  ['.samplerref', fact('opaque', 64)],
  ['.surfref', fact('opaque', 64)],
]);

/** Bytes in memory of one element; 0 for an unknown type. */
export const typeBytes = (type: string): number => (types.get(type)?.bits ?? 0) >> 3;

export const enum RegisterClassNumber {
  General = 0,
  Predicate = 1,
}

export const registerClassOf = (type: string): RegisterClassNumber =>
  type === '.pred' ? RegisterClassNumber.Predicate : RegisterClassNumber.General;

/** Units of its class that one register of `type` takes. */
export const registerUnits = (type: string): number => {
  const bits = types.get(type)?.bits ?? 32;
  return bits <= 32 ? 1 : bits >> 5;
};

/** Elements of `.v2`, `.v4`, `.v8`; 1 without a vector. */
export const vectorLength = (vector: string | undefined): number => {
  if (vector === undefined) return 1;
  const length = Number(vector.slice(2));
  return Number.isInteger(length) && length > 0 ? length : 1;
};
