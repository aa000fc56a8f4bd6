import type { Function, OpcodeTable, RegisterClass } from './function.js';
import type { OperandFlag } from './function.js';
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
}

/**
 * Builds a `Function` block by block, instruction by instruction, in text order. Successors are given by block
 * number and may name blocks that come later; `finish` throws on one that never came (a fault of the caller).
 */
export class FunctionBuilder {
  private readonly registerClass: number[] = [];
  private readonly registerWidth: number[] = [];
  private readonly registerNames: string[] = [];
  private readonly blockStart: number[] = [];
  private readonly blockNames: string[] = [];
  private readonly blockSuccessors: number[][] = [];
  private readonly opcode: number[] = [];
  private readonly flags: number[] = [];
  private readonly spanStart: number[] = [];
  private readonly spanEnd: number[] = [];
  private readonly operandStart: number[] = [];
  private readonly place: number[] = [];
  private readonly operandFlags: number[] = [];
  private readonly operandWidth: number[] = [];
  private readonly operandOffset: number[] = [];
  private readonly operandTied: number[] = [];
  private readonly operandSpanStart: number[] = [];
  private readonly operandSpanEnd: number[] = [];
  private readonly operandPayload = new Map<number, number>();
  private readonly operandFixed = new Map<number, PhysicalRegister>();

  constructor(
    private readonly head: FunctionHead,
    private readonly opcodes: OpcodeTable,
    private readonly classes: readonly RegisterClass[],
  ) {}

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
    if (options.width !== undefined) this.operandWidth[number] = options.width;
    if (options.offset !== undefined) this.operandOffset[number] = options.offset;
    if (options.tied !== undefined) this.operandTied[number] = options.tied;
    if (options.payload !== undefined) this.operandPayload.set(number, options.payload);
    if (options.fixed !== undefined) this.operandFixed.set(number, options.fixed);
    return number;
  }

  /** As `operand`, of the register's width, free, and without an object for its options. */
  plainOperand(place: Place, flags: OperandFlag | number, spanStart: number, spanEnd: number): number {
    this.operandFlags.push(flags);
    this.operandWidth.push(isVirtual(place) ? this.registerWidth[place] : 0);
    this.operandOffset.push(0);
    this.operandTied.push(-1);
    this.operandSpanStart.push(spanStart);
    this.operandSpanEnd.push(spanEnd);
    return this.place.push(place) - 1;
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
    return {
      name: this.head.name,
      isEntry: this.head.isEntry,
      nameStart: this.head.nameStart ?? 0,
      nameEnd: this.head.nameEnd ?? 0,
      attributes: this.head.attributes ?? {},
      opcodes: this.opcodes,
      classes: this.classes,
      registerCount: this.registerNames.length,
      registerClass: new Uint8Array(this.registerClass),
      registerWidth: new Uint16Array(this.registerWidth),
      registerNames: this.registerNames,
      blockCount,
      blockStart: new Int32Array([...this.blockStart, this.opcode.length]),
      successorStart,
      successors: new Int32Array(successors),
      blockNames: this.blockNames,
      instructionCount: this.opcode.length,
      opcode: new Int32Array(this.opcode),
      instructionFlags: new Uint16Array(this.flags),
      spanStart: new Int32Array(this.spanStart),
      spanEnd: new Int32Array(this.spanEnd),
      operandStart: new Int32Array([...this.operandStart, this.place.length]),
      operandPlace: new Int32Array(this.place),
      operandFlags: new Uint16Array(this.operandFlags),
      operandWidth: new Uint16Array(this.operandWidth),
      operandOffset: new Uint16Array(this.operandOffset),
      operandTied: new Int32Array(this.operandTied),
      operandSpanStart: new Int32Array(this.operandSpanStart),
      operandSpanEnd: new Int32Array(this.operandSpanEnd),
      ...(this.operandPayload.size > 0 && { operandPayload: this.payloads() }),
      operandFixed: this.operandFixed,
    };
  }

  private payloads(): Int32Array {
    const payloads = new Int32Array(this.place.length);
    for (const [operand, payload] of this.operandPayload) payloads[operand] = payload;
    return payloads;
  }
}
