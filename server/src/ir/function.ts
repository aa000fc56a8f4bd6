import type { PhysicalRegister, Place, VirtualRegister } from './place.js';

/**
 * The machine-independent program: what a pass must know of an instruction, and nothing of what it computes.
 *
 * Everything is stored flat; ids are indices; an instruction's operands are the operand numbers
 * `operandStart[i] .. operandStart[i + 1]`. A pass allocates nothing per instruction.
 * All source offsets are relative to the unit that the function was lowered from.
 */
export interface Function {
  readonly name: string;
  /** True for what a launch starts (kernel, shader), false for what others call. */
  readonly isEntry: boolean;
  /** The span of the name, for problems about the whole function. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** Facts that directives give, by names that the language's documentation lists, such as `maxRegisters`. */
  readonly attributes: Readonly<Record<string, number | string>>;
  readonly opcodes: OpcodeTable;
  readonly classes: readonly RegisterClass[];

  // virtual registers
  readonly registerCount: number;
  readonly registerClass: Uint8Array;
  /** In units of the class. */
  readonly registerWidth: Uint16Array;
  readonly registerNames: readonly string[];

  // blocks; block 0 is the entry; a block without successors leaves the function
  readonly blockCount: number;
  /** First instruction of each block; `blockStart[blockCount]` is the instruction count. Blocks stand in text order. */
  readonly blockStart: Int32Array;
  /** `successors[successorStart[b] .. successorStart[b + 1]]`, the fall-through first where there is one. */
  readonly successorStart: Int32Array;
  readonly successors: Int32Array;
  /** The label that starts the block, or ''. */
  readonly blockNames: readonly string[];

  // instructions
  readonly instructionCount: number;
  /** Number in `opcodes`. */
  readonly opcode: Int32Array;
  readonly instructionFlags: Uint16Array;
  readonly spanStart: Int32Array;
  readonly spanEnd: Int32Array;

  // operands
  readonly operandStart: Int32Array;
  readonly operandPlace: Int32Array;
  readonly operandFlags: Uint16Array;
  /** Units of the register's class that this operand reads or writes; 0 for operands that are no register. */
  readonly operandWidth: Uint16Array;
  /** First unit of the register that is meant, for operands that touch a part of a wide register. */
  readonly operandOffset: Uint16Array;
  /** Operand number (in the whole function) that must get the same physical register, or -1. */
  readonly operandTied: Int32Array;
  readonly operandSpanStart: Int32Array;
  readonly operandSpanEnd: Int32Array;
  /** 32 bits that language and target agree on (ir/payload.ts); absent where the language has none. */
  readonly operandPayload?: Int32Array | undefined;
  /** The texts that the payloads number, for languages whose operands need more than 32 bits (regions, vectors). */
  readonly operandTexts?: OpcodeTable | undefined;
  /** Operands that must be in one given physical register, by operand number. */
  readonly operandFixed: ReadonlyMap<number, PhysicalRegister>;
}

/**
 * `f` with some of its tables exchanged. All functions are made here or by the builder, as objects of one
 * shape: passes read nothing so often as the tables of a function.
 */
export const functionWith = (f: Function, changes: Partial<Function>): Function => {
  return {
    name: changes.name ?? f.name,
    isEntry: changes.isEntry ?? f.isEntry,
    nameStart: changes.nameStart ?? f.nameStart,
    nameEnd: changes.nameEnd ?? f.nameEnd,
    attributes: changes.attributes ?? f.attributes,
    opcodes: changes.opcodes ?? f.opcodes,
    classes: changes.classes ?? f.classes,
    registerCount: changes.registerCount ?? f.registerCount,
    registerClass: changes.registerClass ?? f.registerClass,
    registerWidth: changes.registerWidth ?? f.registerWidth,
    registerNames: changes.registerNames ?? f.registerNames,
    blockCount: changes.blockCount ?? f.blockCount,
    blockStart: changes.blockStart ?? f.blockStart,
    successorStart: changes.successorStart ?? f.successorStart,
    successors: changes.successors ?? f.successors,
    blockNames: changes.blockNames ?? f.blockNames,
    instructionCount: changes.instructionCount ?? f.instructionCount,
    opcode: changes.opcode ?? f.opcode,
    instructionFlags: changes.instructionFlags ?? f.instructionFlags,
    spanStart: changes.spanStart ?? f.spanStart,
    spanEnd: changes.spanEnd ?? f.spanEnd,
    operandStart: changes.operandStart ?? f.operandStart,
    operandPlace: changes.operandPlace ?? f.operandPlace,
    operandFlags: changes.operandFlags ?? f.operandFlags,
    operandWidth: changes.operandWidth ?? f.operandWidth,
    operandOffset: changes.operandOffset ?? f.operandOffset,
    operandTied: changes.operandTied ?? f.operandTied,
    operandSpanStart: changes.operandSpanStart ?? f.operandSpanStart,
    operandSpanEnd: changes.operandSpanEnd ?? f.operandSpanEnd,
    operandPayload: changes.operandPayload ?? f.operandPayload,
    operandTexts: changes.operandTexts ?? f.operandTexts,
    operandFixed: changes.operandFixed ?? f.operandFixed,
  };
};

export interface RegisterClass {
  /** Such as `general` or `predicate`. */
  readonly name: string;
  /** What one unit is, such as `32-bit register`. */
  readonly unit: string;
  /** Figures call so many of them by the unit (`9 values`); else by the name (`9 general`). */
  readonly isCountedByUnit?: true;
}

/** Bits of `instructionFlags`. */
export const enum InstructionFlag {
  /** Must stay though nobody reads its results. */
  SideEffect = 1 << 0,
  ReadsMemory = 1 << 1,
  WritesMemory = 1 << 2,
  Call = 1 << 3,
  Branch = 1 << 4,
  Return = 1 << 5,
  Barrier = 1 << 6,
  /** Operand 1 is copied to operand 0, bit for bit, unconditionally, and both are of one class and width. */
  Copy = 1 << 7,
  /** The result depends on nothing that changes while the function runs (constant, parameter, special register, symbol address): it may be computed again anywhere. */
  Constant = 1 << 8,
  /** Stands for no code: defines the registers that the caller hands over. The first instruction of block 0. */
  Entry = 1 << 9,
}

/** Bits of `operandFlags`; those from 1 << 8 on are the target's own (how it reads the operand). */
export const enum OperandFlag {
  Use = 1 << 0,
  Definition = 1 << 1,
  /** With Definition: keeps the old value of the bits or lanes that it does not write. Does not kill, and does not by itself read. */
  Partial = 1 << 2,
  /** With Definition: written only where the guard holds. Does not kill. */
  Predicated = 1 << 3,
  /** The guard itself. */
  Guard = 1 << 4,
  /** Part of a memory address. */
  Address = 1 << 5,
  /** Reads, in another register, a value that is equal to what the source reads here. */
  Equal = 1 << 6,
  /** Use and Definition on one operand: read and written. */
  UseDefinition = 3,
}

/** Opcodes as text (`ld.global.v4.f32`) interned to numbers; one table a language, growing for the life of the process. */
export class OpcodeTable {
  private readonly numbers = new Map<string, number>();
  private readonly texts: string[] = [];

  number(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const fresh = this.texts.length;
    this.texts.push(text);
    this.numbers.set(text, fresh);
    return fresh;
  }

  text(number: number): string {
    return this.texts[number];
  }

  get size(): number {
    return this.texts.length;
  }
}

export const placeOf = (f: Function, operand: number): Place => f.operandPlace[operand];

export const nameOf = (f: Function, register: VirtualRegister): string => f.registerNames[register];

/** The block that holds an instruction; O(log blocks). */
export function blockOf(f: Function, instruction: number): number {
  let low = 0;
  let high = f.blockCount;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (f.blockStart[middle] <= instruction) low = middle;
    else high = middle;
  }
  return low;
}
