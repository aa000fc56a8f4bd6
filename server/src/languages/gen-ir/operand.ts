import type { OperandFile } from './tree.js';
import { typeNames, type Type } from './types.js';

/** Bits of an operand beside its numbers. The type's number in `typeNames` stands above them. */
export const enum OperandBit {
  Negate = 1 << 0,
  Absolute = 1 << 1,
  /** `***u3***`: the scalar back-end warns of a file that it should not have. */
  Starred = 1 << 2,
  Destination = 1 << 3,
  HasType = 1 << 4,
}

const TYPE_SHIFT = 8;

export const typeBits = (type: Type): number => typeNumbers[type] << TYPE_SHIFT;

const typeNumbers = Object.fromEntries(typeNames.map((name, k) => [name, k])) as Readonly<
  Record<Type, number>
>;

/**
 * An operand of any file. A program has several a line, so that few numbers are kept and the spans of its parts are
 * computed from them: name, offset, channels, bar, stride and type follow each other without a gap.
 */
export class Operand {
  constructor(
    readonly file: OperandFile,
    readonly start: number,
    readonly end: number,
    /** The register's name: `vgrf12`, `g4.16`, `f0.1`; of words and immediates the whole. */
    readonly nameEnd: number,
    /** `vgrf12`: 12; flags 0 to 3; `a0.2` and `arf1.2`: the first number. Immediates: the low 32 bits. */
    readonly number: number,
    /** `g4.16`, `a0.2`, `arf1.2`: the number behind the dot, -1 where it is not written. Immediates: the high bits. */
    readonly subregister: number,
    /** `+R.B` as written, 0 where there is none. */
    readonly offsetRegisters: number,
    readonly offsetBytes: number,
    /** -1 where no offset is written. */
    readonly offsetEnd: number,
    /** Destinations: bits of the mask; sources: two bits a channel; -1 where none are written. */
    readonly channels: number,
    /** `<2>`: 2; a region `<8,8,1>`: see `stride`; -1 where none is written. */
    private readonly region: number,
    private readonly bits: number,
  ) {}

  get nameStart(): number {
    const { bits } = this;
    return (
      this.start +
      (bits & OperandBit.Negate ? 1 : 0) +
      (bits & OperandBit.Absolute ? 1 : 0) +
      (bits & OperandBit.Starred ? 3 : 0)
    );
  }

  get negate(): boolean {
    return (this.bits & OperandBit.Negate) !== 0;
  }

  get absolute(): boolean {
    return (this.bits & OperandBit.Absolute) !== 0;
  }

  get isDestination(): boolean {
    return (this.bits & OperandBit.Destination) !== 0;
  }

  /** Of the `+`; -1 where no offset is written. */
  get offsetStart(): number {
    return this.offsetEnd < 0 ? -1 : this.afterName;
  }

  /** First letter of the channels, -1 where none are written. */
  get channelsStart(): number {
    if (this.channels < 0) return -1;
    return (this.offsetEnd < 0 ? this.afterName : this.offsetEnd) + 1;
  }

  get channelsEnd(): number {
    if (this.channels < 0) return -1;
    return this.channelsStart + (this.isDestination ? bitCount[this.channels] : 4);
  }

  /** The number between `<` and `>`, the first of three in a region; -1 where none is written. */
  get stride(): number {
    return this.region < 0 ? -1 : this.region & 0xff;
  }

  /** The second number of a region, or -1. */
  get regionWidth(): number {
    return this.region < FULL_REGION ? -1 : (this.region >> 8) & 0xff;
  }

  /** The third number of a region, or -1. */
  get regionHorizontal(): number {
    return this.region < FULL_REGION ? -1 : (this.region >> 16) & 0xff;
  }

  /** `INVALID` where no type is written. */
  get type(): Type {
    return typeNames[this.bits >> TYPE_SHIFT];
  }

  /** -1 where no type is written. */
  get typeStart(): number {
    return (this.bits & OperandBit.HasType) === 0 ? -1 : this.end - this.type.length;
  }

  get typeEnd(): number {
    return (this.bits & OperandBit.HasType) === 0 ? -1 : this.end;
  }

  /** Immediates: the bits as they stand in the instruction. */
  get low(): number {
    return this.number;
  }

  get high(): number {
    return this.subregister;
  }

  private get afterName(): number {
    return this.nameEnd + (this.bits & OperandBit.Starred ? 3 : 0);
  }
}

const FULL_REGION = 1 << 24;

/** `vertical`, `width` and `horizontal` as `Operand` keeps them; a stride alone is itself. */
export const packedRegion = (vertical: number, width: number, horizontal: number): number =>
  FULL_REGION | (horizontal << 16) | (width << 8) | vertical;

const bitCount = Uint8Array.from({ length: 16 }, (_, bits) => {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
});
