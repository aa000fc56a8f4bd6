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
  private readonly opcode: IntList;
  private readonly flags: IntList;
  private readonly spanStart: IntList;
  private readonly spanEnd: IntList;
  private readonly operandStart: IntList;
  private readonly place: IntList;
  private readonly operandFlags: IntList;
  private readonly operandWidth: IntList;
  private readonly operandOffset: IntList;
  private readonly operandTied: IntList;
  private readonly operandSpanStart: IntList;
  private readonly operandSpanEnd: IntList;
  /** As far as the last operand with a payload. */
  private readonly operandPayload: IntList;
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
    this.opcode = new IntList(instructions);
    this.flags = new IntList(instructions);
    this.spanStart = new IntList(instructions);
    this.spanEnd = new IntList(instructions);
    this.operandStart = new IntList(instructions);
    this.place = new IntList(operands);
    this.operandFlags = new IntList(operands);
    this.operandWidth = new IntList(operands);
    this.operandOffset = new IntList(operands);
    this.operandTied = new IntList(operands);
    this.operandSpanStart = new IntList(operands);
    this.operandSpanEnd = new IntList(operands);
    this.operandPayload = new IntList(operands);
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
    this.blockStart.push(this.opcode.length);
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
    this.opcode.push(this.opcodes.number(opcodeText));
    this.flags.push(flags);
    this.spanStart.push(spanStart);
    this.spanEnd.push(spanEnd);
    this.operandStart.push(this.place.length);
    return this.opcode.length - 1;
  }

  /** Adds an operand to the last instruction and returns its operand number. The width defaults to the register's. */
  operand(place: Place, flags: OperandFlag | number, options: OperandOptions = {}): number {
    const number = this.plainOperand(place, flags, options.spanStart ?? -1, options.spanEnd ?? -1);
    if (options.width !== undefined) this.operandWidth.set(number, options.width);
    if (options.offset !== undefined) this.operandOffset.set(number, options.offset);
    if (options.tied !== undefined) this.operandTied.set(number, options.tied);
    if (options.payload !== undefined) this.payload(number, options.payload);
    if (options.fixed !== undefined) this.operandFixed.set(number, options.fixed);
    return number;
  }

  /** As `operand`, of the register's width, free, and without an object for its options. */
  plainOperand(place: Place, flags: OperandFlag | number, spanStart: number, spanEnd: number): number {
    this.operandFlags.push(flags);
    this.operandWidth.push(isVirtual(place) ? this.registerWidth.at(place) : 0);
    this.operandOffset.push(0);
    this.operandTied.push(-1);
    this.operandSpanStart.push(spanStart);
    this.operandSpanEnd.push(spanEnd);
    this.place.push(place);
    return this.place.length - 1;
  }

  /** Says which part of its register an operand touches, in units of the class. */
  part(operand: number, width: number, offset: number): void {
    this.operandWidth.set(operand, width);
    this.operandOffset.set(operand, offset);
  }

  get instructionCount(): number {
    return this.opcode.length;
  }

  get blockCount(): number {
    return this.blockStart.length;
  }

  finish(): Function {
    const blockCount = this.blockStart.length;
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
      blockStart: withEnd(this.blockStart, this.opcode.length),
      successorStart,
      successors: new Int32Array(successors),
      blockNames: this.blockNames,
      instructionCount: this.opcode.length,
      opcode: this.opcode.toArray(),
      instructionFlags: new Uint16Array(this.flags.view()),
      spanStart: this.spanStart.toArray(),
      spanEnd: this.spanEnd.toArray(),
      operandStart: withEnd(this.operandStart, this.place.length),
      operandPlace: this.place.toArray(),
      operandFlags: new Uint16Array(this.operandFlags.view()),
      operandWidth: new Uint16Array(this.operandWidth.view()),
      operandOffset: new Uint16Array(this.operandOffset.view()),
      operandTied: this.operandTied.toArray(),
      operandSpanStart: this.operandSpanStart.toArray(),
      operandSpanEnd: this.operandSpanEnd.toArray(),
      operandPayload: this.operandPayload.length > 0 ? this.payloads() : undefined,
      operandTexts: this.head.operandTexts,
      operandFixed: this.operandFixed,
    };
    return functionWith(f, none);
  }

  /** Gives an operand its payload. */
  payload(operand: number, payload: number): void {
    while (this.operandPayload.length <= operand) this.operandPayload.push(0);
    this.operandPayload.set(operand, payload);
  }

  private payloads(): Int32Array {
    const payloads = new Int32Array(this.place.length);
    payloads.set(this.operandPayload.view());
    return payloads;
  }
}

const none: Partial<Function> = {};
const few = { instructions: 64, operands: 128, registers: 64 };

/** Starts, and where the last one ends. */
function withEnd(starts: IntList, end: number): Int32Array {
  const all = new Int32Array(starts.length + 1);
  all.set(starts.view());
  all[starts.length] = end;
  return all;
}
