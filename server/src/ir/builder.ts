import { type Function, type OpcodeTable, type OperandFlag, type RegisterClass } from './function.js';
import { IntList } from './int-list.js';
import { isVirtual, virtual, type PhysicalRegister, type Place, type VirtualRegister } from './place.js';

export interface OperandOptions {
  readonly width?: number;
  readonly offset?: number;
  readonly tied?: number;
  readonly fixed?: PhysicalRegister;
  /** See ir/payload.ts. */
  readonly payload?: number;
  readonly spanStart?: number;
  readonly spanEnd?: number;
}

export interface FunctionHead {
  readonly name: string;
  readonly isEntry: boolean;
  readonly nameStart?: number;
  readonly nameEnd?: number;
  readonly attributes?: Readonly<Record<string, number | string>>;
  /** See `Function.operandTexts`. */
  readonly operandTexts?: OpcodeTable;
}

/**
 * Builds a `Function` block by block, instruction by instruction, in text order. Successors are given by block
 * number and may name blocks that come later; `finish` throws on one that never came (a fault of the caller).
 */
export class FunctionBuilder {
  private registerClass: IntList;
  private registerWidth: IntList;
  private registerNames: string[] = [];
  private readonly blockStart = new IntList();
  private readonly blockNames: string[] = [];
  private readonly blockSuccessors: number[][] = [];
  private instructions = 0;
  private ofInstructions: InstructionTables;
  private operands = 0;
  private ofOperands: OperandTables;
  private hasPayload = false;
  private readonly operandFixed = new Map<number, PhysicalRegister>();

  /** `expected`: how many there will be, about, so that tables need not grow. */
  constructor(
    private readonly head: FunctionHead,
    private readonly opcodes: OpcodeTable,
    private readonly classes: readonly RegisterClass[],
    expected: { readonly instructions: number; readonly operands: number; readonly registers: number } = few,
  ) {
    this.registerClass = new IntList(expected.registers);
    this.registerWidth = new IntList(expected.registers);
    this.ofInstructions = new InstructionTables(expected.instructions);
    this.ofOperands = new OperandTables(expected.operands);
  }

  /** A new virtual register of `registerClass`, `width` units wide. */
  register(name: string, registerClass: number, width: number): VirtualRegister {
    this.registerNames.push(name);
    this.registerClass.push(registerClass);
    this.registerWidth.push(width);
    return virtual(this.registerNames.length - 1);
  }

  /** The registers of another function, under their numbers, in place of those so far. */
  registersOf({ registerNames, registerClass, registerWidth }: Function): void {
    this.registerNames = registerNames.slice();
    this.registerClass = IntList.of(registerClass, SPARE_REGISTERS);
    this.registerWidth = IntList.of(registerWidth, SPARE_REGISTERS);
  }

  /** Starts the next block and returns its number. */
  block(name = ''): number {
    this.blockStart.push(this.instructions);
    this.blockNames.push(name);
    this.blockSuccessors.push([]);
    return this.blockStart.length - 1;
  }

  /** Adds an edge from `from`; call it for the fall-through first. Doubled edges are kept once. */
  successor(from: number, to: number): void {
    if (!this.blockSuccessors[from].includes(to)) this.blockSuccessors[from].push(to);
  }

  /** Starts an instruction in the current block; its operands follow with `operand`. Returns its number. */
  instruction(opcodeText: string, flags: number, spanStart: number, spanEnd: number): number {
    return this.numberedInstruction(this.opcodes.number(opcodeText), flags, spanStart, spanEnd);
  }

  /** As `instruction`, of an opcode that has its number in the table already. */
  numberedInstruction(opcode: number, flags: number, spanStart: number, spanEnd: number): number {
    const i = this.instructions++;
    if (i === this.ofInstructions.room)
      this.ofInstructions = new InstructionTables(roomFor(i), this.ofInstructions);
    const tables = this.ofInstructions;
    tables.opcode[i] = opcode;
    tables.flags[i] = flags;
    tables.spanStart[i] = spanStart;
    tables.spanEnd[i] = spanEnd;
    tables.operandStart[i] = this.operands;
    return i;
  }

  /** Adds an operand to the last instruction and returns its operand number. The width defaults to the register's. */
  operand(place: Place, flags: OperandFlag | number, options: OperandOptions = {}): number {
    const number = this.plainOperand(place, flags, options.spanStart ?? -1, options.spanEnd ?? -1);
    if (options.width !== undefined) this.ofOperands.width[number] = options.width;
    if (options.offset !== undefined) this.ofOperands.offset[number] = options.offset;
    if (options.tied !== undefined) this.ofOperands.tied[number] = options.tied;
    if (options.payload !== undefined) this.payload(number, options.payload);
    if (options.fixed !== undefined) this.operandFixed.set(number, options.fixed);
    return number;
  }

  /** As `operand`, of the register's width, free, and without an object for its options. */
  plainOperand(place: Place, flags: OperandFlag | number, spanStart: number, spanEnd: number): number {
    const o = this.operands++;
    if (o === this.ofOperands.room) this.ofOperands = new OperandTables(roomFor(o), this.ofOperands);
    const tables = this.ofOperands;
    tables.place[o] = place;
    tables.flags[o] = flags;
    tables.width[o] = isVirtual(place) ? this.registerWidth.at(place) : 0;
    tables.tied[o] = -1;
    tables.spanStart[o] = spanStart;
    tables.spanEnd[o] = spanEnd;
    return o;
  }

  /** Says which part of its register an operand touches, in units of the class. */
  part(operand: number, width: number, offset: number): void {
    this.ofOperands.width[operand] = width;
    this.ofOperands.offset[operand] = offset;
  }

  get instructionCount(): number {
    return this.instructions;
  }

  get blockCount(): number {
    return this.blockStart.length;
  }

  finish(): Function {
    const blockCount = this.blockStart.length;
    const { instructions, operands } = this;
    if (2 * instructions < this.ofInstructions.room)
      this.ofInstructions = new InstructionTables(instructions, this.ofInstructions);
    if (2 * operands < this.ofOperands.room) this.ofOperands = new OperandTables(operands, this.ofOperands);
    const { ofInstructions, ofOperands } = this;
    ofInstructions.operandStart[instructions] = operands;
    const successorStart = new Int32Array(blockCount + 1);
    const successors: number[] = [];
    for (let b = 0; b < blockCount; b++) {
      successorStart[b] = successors.length;
      for (const to of this.blockSuccessors[b]) {
        if (to < 0 || to >= blockCount)
          throw new RangeError(`block ${b} has the successor ${to}, which was never built`);
        successors.push(to);
      }
    }
    successorStart[blockCount] = successors.length;
    // the members of functionWith in its order: all functions are objects of one shape
    return {
      name: this.head.name,
      isEntry: this.head.isEntry,
      nameStart: this.head.nameStart ?? 0,
      nameEnd: this.head.nameEnd ?? 0,
      attributes: this.head.attributes ?? {},
      opcodes: this.opcodes,
      classes: this.classes,
      registerCount: this.registerNames.length,
      registerClass: new Uint8Array(this.registerClass.view()),
      registerWidth: new Uint16Array(this.registerWidth.view()),
      registerNames: this.registerNames,
      blockCount,
      blockStart: withEnd(this.blockStart.view(), this.instructions),
      successorStart,
      successors: new Int32Array(successors),
      blockNames: this.blockNames,
      instructionCount: instructions,
      opcode: ofInstructions.opcode.subarray(0, instructions),
      instructionFlags: ofInstructions.flags.subarray(0, instructions),
      spanStart: ofInstructions.spanStart.subarray(0, instructions),
      spanEnd: ofInstructions.spanEnd.subarray(0, instructions),
      operandStart: ofInstructions.operandStart.subarray(0, instructions + 1),
      operandPlace: ofOperands.place.subarray(0, operands),
      operandFlags: ofOperands.flags.subarray(0, operands),
      operandWidth: ofOperands.width.subarray(0, operands),
      operandOffset: ofOperands.offset.subarray(0, operands),
      operandTied: ofOperands.tied.subarray(0, operands),
      operandSpanStart: ofOperands.spanStart.subarray(0, operands),
      operandSpanEnd: ofOperands.spanEnd.subarray(0, operands),
      operandPayload: this.hasPayload ? ofOperands.payload.subarray(0, operands) : undefined,
      operandTexts: this.head.operandTexts,
      operandFixed: this.operandFixed,
    };
  }

  /** Gives an operand its payload. */
  payload(operand: number, payload: number): void {
    this.ofOperands.payload[operand] = payload;
    this.hasPayload = true;
  }
}

const SPARE_REGISTERS = 16;

const roomFor = (count: number): number => Math.max(16, 2 * count);

/**
 * What is known of the instructions of a function, each a table with as much room. Tables that live and die together
 * share one piece of memory: a pass over a short function would else spend its time on getting them.
 */
class InstructionTables {
  readonly opcode: Int32Array;
  readonly spanStart: Int32Array;
  readonly spanEnd: Int32Array;
  /** One longer than the others. */
  readonly operandStart: Int32Array;
  readonly flags: Uint16Array;

  constructor(
    readonly room: number,
    old?: InstructionTables,
  ) {
    const memory = new ArrayBuffer(18 * room + 4);
    this.opcode = new Int32Array(memory, 0, room);
    this.spanStart = new Int32Array(memory, 4 * room, room);
    this.spanEnd = new Int32Array(memory, 8 * room, room);
    this.operandStart = new Int32Array(memory, 12 * room, room + 1);
    this.flags = new Uint16Array(memory, 16 * room + 4, room);
    if (old === undefined) return;
    copy(old.opcode, this.opcode);
    copy(old.spanStart, this.spanStart);
    copy(old.spanEnd, this.spanEnd);
    copy(old.operandStart, this.operandStart);
    copy(old.flags, this.flags);
  }
}

/** The same of the operands. */
class OperandTables {
  readonly place: Int32Array;
  readonly tied: Int32Array;
  readonly spanStart: Int32Array;
  readonly spanEnd: Int32Array;
  readonly payload: Int32Array;
  readonly flags: Uint16Array;
  readonly width: Uint16Array;
  readonly offset: Uint16Array;

  constructor(
    readonly room: number,
    old?: OperandTables,
  ) {
    const memory = new ArrayBuffer(26 * room);
    this.place = new Int32Array(memory, 0, room);
    this.tied = new Int32Array(memory, 4 * room, room);
    this.spanStart = new Int32Array(memory, 8 * room, room);
    this.spanEnd = new Int32Array(memory, 12 * room, room);
    this.payload = new Int32Array(memory, 16 * room, room);
    this.flags = new Uint16Array(memory, 20 * room, room);
    this.width = new Uint16Array(memory, 22 * room, room);
    this.offset = new Uint16Array(memory, 24 * room, room);
    if (old === undefined) return;
    copy(old.place, this.place);
    copy(old.tied, this.tied);
    copy(old.spanStart, this.spanStart);
    copy(old.spanEnd, this.spanEnd);
    copy(old.payload, this.payload);
    copy(old.flags, this.flags);
    copy(old.width, this.width);
    copy(old.offset, this.offset);
  }
}

/** As much of a table as the other has room for. */
function copy<T extends Int32Array | Uint16Array>(from: T, to: T): void {
  to.set(from.length > to.length ? from.subarray(0, to.length) : from);
}

const few = { instructions: 64, operands: 128, registers: 64 };

/** Starts, and where the last one ends. */
function withEnd(starts: Int32Array, end: number): Int32Array {
  const all = new Int32Array(starts.length + 1);
  all.set(starts);
  all[starts.length] = end;
  return all;
}
