/**
 * Where an operand lives. Virtual registers, physical registers and operands that are no register are three
 * types: one cannot be passed for another without a check, and a table indexed by virtual registers cannot be
 * indexed by a physical one. All three fit an Int32Array:
 *
 *   place >= 0            virtual register `place`
 *   -2^20 <= place < 0    physical register ~place = class * 65536 + index of its first unit
 *   place < -2^20         no register; which kind stands in `NoRegister`
 */
declare const virtualBrand: unique symbol;
declare const physicalBrand: unique symbol;

export type VirtualRegister = number & { readonly [virtualBrand]: true };
export type PhysicalRegister = number & { readonly [physicalBrand]: true };

export const enum NoRegister {
  /** A number written in the text. */
  Immediate = -0x7fff_ffff,
  /** A special register of the machine that does not change while the function runs, such as `%tid.x`. */
  SpecialConstant = -0x7fff_fffe,
  /** A special register whose value changes, such as a clock. */
  SpecialVolatile = -0x7fff_fffd,
  /** The address of a symbol: variable, function, parameter. */
  Symbol = -0x7fff_fffc,
  /** A label. */
  Label = -0x7fff_fffb,
  /** A sink: the result is thrown away. */
  Sink = -0x7fff_fffa,
  /** Not (yet) known: a half-typed operand. */
  Unknown = -0x7fff_fff9,
}

export type Place = VirtualRegister | PhysicalRegister | NoRegister;

const PHYSICAL_LIMIT = 1 << 20;

export const isVirtual = (place: Place): place is VirtualRegister => place >= 0;
export const isPhysical = (place: Place): place is PhysicalRegister => place < 0 && place >= -PHYSICAL_LIMIT;

/** Virtual register number `index`; `index` must be 0 or more. */
export const virtual = (index: number): VirtualRegister => index as VirtualRegister;

/** The physical register of `registerClass` (0 to 15) that begins at unit `index` (0 to 65535). */
export const physical = (registerClass: number, index: number): PhysicalRegister =>
  ~(registerClass * 65536 + index) as PhysicalRegister;

export const physicalClass = (register: PhysicalRegister): number => ~register >>> 16;
export const physicalIndex = (register: PhysicalRegister): number => ~register & 0xffff;
