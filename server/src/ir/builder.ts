import {
  functionWith,
  type Function,
  type OpcodeTable,
  type OperandFlag,
  type RegisterClass,
} from './function.js';
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
  private readonly registerClass: IntList;
  private readonly registerWidth: IntList;
  private readonly registerNames: string[] = [];
  private readonly blockStart = new IntList();
  private readonly blockNames: string[] = [];
  private readonly blockSuccessors: number[][] = [];
  // tables of instructions and of operands, each with room for more
  private instructions = 0;
  private opcode: Int32Array;
  private flags: Uint16Array;
  private spanStart: Int32Array;
  private spanEnd: Int32Array;
  private operandStart: Int32Array;
  private operands = 0;
  private place: Int32Array;
  private operandFlags: Uint16Array;
  private operandWidth: Uint16Array;
  private operandOffset: Uint16Array;
  private operandTied: Int32Array;
  private operandSpanStart: Int32Array;
  private operandSpanEnd: Int32Array;
  private operandPayload: Int32Array;
  private hasPayload = false;
  private readonly operandFixed = new Map<number, PhysicalRegister>();

  /** `expected`: how many there will be, about, so that tables need not grow. */
  constructor(
    private readonly head: FunctionHead,
    private readonly opcodes: OpcodeTable,
    private readonly classes: readonly RegisterClass[],
    expected: { readonly instructions: number; readonly operands: number; readonly registers: number } = few,
  ) {
    const { instructions, operands, registers } = expected;
    this.registerClass = new IntList(registers);
    this.registerWidth = new IntList(registers);
    this.opcode = new Int32Array(instructions);
    this.flags = new Uint16Array(instructions);
    this.spanStart = new Int32Array(instructions);
    this.spanEnd = new Int32Array(instructions);
    this.operandStart = new Int32Array(instructions);
    this.place = new Int32Array(operands);
    this.operandFlags = new Uint16Array(operands);
    this.operandWidth = new Uint16Array(operands);
    this.operandOffset = new Uint16Array(operands);
    this.operandTied = new Int32Array(operands);
    this.operandSpanStart = new Int32Array(operands);
    this.operandSpanEnd = new Int32Array(operands);
    this.operandPayload = new Int32Array(operands);
  }

  private growInstructions(): void {
    const room = roomFor(this.instructions);
    this.opcode = larger(this.opcode, new Int32Array(room));
    this.flags = larger(this.flags, new Uint16Array(room));
    this.spanStart = larger(this.spanStart, new Int32Array(room));
    this.spanEnd = larger(this.spanEnd, new Int32Array(room));
    this.operandStart = larger(this.operandStart, new Int32Array(room));
  }

  private growOperands(): void {
    const room = roomFor(this.operands);
    this.place = larger(this.place, new Int32Array(room));
    this.operandFlags = larger(this.operandFlags, new Uint16Array(room));
    this.operandWidth = larger(this.operandWidth, new Uint16Array(room));
    this.operandOffset = larger(this.operandOffset, new Uint16Array(room));
    this.operandTied = larger(this.operandTied, new Int32Array(room));
    this.operandSpanStart = larger(this.operandSpanStart, new Int32Array(room));
    this.operandSpanEnd = larger(this.operandSpanEnd, new Int32Array(room));
    this.operandPayload = larger(this.operandPayload, new Int32Array(room));
  }

  /** A new virtual register of `registerClass`, `width` units wide. */
  register(name: string, registerClass: number, width: number): VirtualRegister {
    this.registerNames.push(name);
    this.registerClass.push(registerClass);
    this.registerWidth.push(width);
    return virtual(this.registerNames.length - 1);
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
    if (this.instructions === this.opcode.length) this.growInstructions();
    const i = this.instructions++;
    this.opcode[i] = opcode;
    this.flags[i] = flags;
    this.spanStart[i] = spanStart;
    this.spanEnd[i] = spanEnd;
    this.operandStart[i] = this.operands;
    return i;
  }

  /** Adds an operand to the last instruction and returns its operand number. The width defaults to the register's. */
  operand(place: Place, flags: OperandFlag | number, options: OperandOptions = {}): number {
    const number = this.plainOperand(place, flags, options.spanStart ?? -1, options.spanEnd ?? -1);
    if (options.width !== undefined) this.operandWidth[number] = options.width;
    if (options.offset !== undefined) this.operandOffset[number] = options.offset;
    if (options.tied !== undefined) this.operandTied[number] = options.tied;
    if (options.payload !== undefined) this.payload(number, options.payload);
    if (options.fixed !== undefined) this.operandFixed.set(number, options.fixed);
    return number;
  }

  /** As `operand`, of the register's width, free, and without an object for its options. */
  plainOperand(place: Place, flags: OperandFlag | number, spanStart: number, spanEnd: number): number {
    if (this.operands === this.place.length) this.growOperands();
    const o = this.operands++;
    this.place[o] = place;
    this.operandFlags[o] = flags;
    this.operandWidth[o] = isVirtual(place) ? this.registerWidth.at(place) : 0;
    this.operandOffset[o] = 0;
    this.operandTied[o] = -1;
    this.operandSpanStart[o] = spanStart;
    this.operandSpanEnd[o] = spanEnd;
    this.operandPayload[o] = 0;
    return o;
  }

  /** Says which part of its register an operand touches, in units of the class. */
  part(operand: number, width: number, offset: number): void {
    this.operandWidth[operand] = width;
    this.operandOffset[operand] = offset;
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
    const f: Function = {
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
      opcode: this.opcode.slice(0, instructions),
      instructionFlags: this.flags.slice(0, instructions),
      spanStart: this.spanStart.slice(0, instructions),
      spanEnd: this.spanEnd.slice(0, instructions),
      operandStart: withEnd(this.operandStart.subarray(0, instructions), operands),
      operandPlace: this.place.slice(0, operands),
      operandFlags: this.operandFlags.slice(0, operands),
      operandWidth: this.operandWidth.slice(0, operands),
      operandOffset: this.operandOffset.slice(0, operands),
      operandTied: this.operandTied.slice(0, operands),
      operandSpanStart: this.operandSpanStart.slice(0, operands),
      operandSpanEnd: this.operandSpanEnd.slice(0, operands),
      operandPayload: this.hasPayload ? this.operandPayload.slice(0, operands) : undefined,
      operandTexts: this.head.operandTexts,
      operandFixed: this.operandFixed,
    };
    return functionWith(f, none);
  }

  /** Gives an operand its payload. */
  payload(operand: number, payload: number): void {
    this.operandPayload[operand] = payload;
    this.hasPayload = true;
  }
}

const roomFor = (count: number): number => Math.max(16, 2 * count);

function larger<T extends Int32Array | Uint16Array>(old: T, fresh: T): T {
  fresh.set(old);
  return fresh;
}

const none: Partial<Function> = {};
const few = { instructions: 64, operands: 128, registers: 64 };

/** Starts, and where the last one ends. */
function withEnd(starts: Int32Array, end: number): Int32Array {
  const all = new Int32Array(starts.length + 1);
  all.set(starts);
  all[starts.length] = end;
  return all;
}
