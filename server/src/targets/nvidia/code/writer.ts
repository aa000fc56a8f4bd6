import { FunctionBuilder } from '../../../ir/builder.js';
import { functionWith, type Function } from '../../../ir/function.js';
import { ascending, IntList } from '../../../ir/int-list.js';
import { isVirtual, virtual, type Place, type VirtualRegister } from '../../../ir/place.js';
import { machineClasses, type MachineCode } from './code.js';

/**
 * Writes new machine code from old: blocks and instructions are copied one by one, with other registers, operands
 * or executed instructions where a pass wants them, and everything that `MachineCode` keeps of them goes along.
 *
 * The registers of the old code are there under their old numbers from the start; `register` adds more.
 */
export class CodeWriter {
  private readonly builder: FunctionBuilder;
  private readonly origin: IntList;
  private readonly executesStart: IntList;
  private readonly executes: IntList;
  private readonly registerOrigin: IntList;
  private readonly temporaries: IntList;

  /** `classOf`, `widthOf`: for a pass that moves registers to another class or makes them narrower. */
  constructor(
    private readonly from: MachineCode,
    classOf?: (register: number) => number,
    widthOf?: (register: number) => number,
  ) {
    const { f } = from;
    const head = {
      name: f.name,
      isEntry: f.isEntry,
      nameStart: f.nameStart,
      nameEnd: f.nameEnd,
      attributes: f.attributes,
      ...(f.operandTexts && { operandTexts: f.operandTexts }),
    };
    const { instructionCount, registerCount } = f;
    this.builder = new FunctionBuilder(head, f.opcodes, machineClasses, {
      instructions: instructionCount,
      operands: f.operandPlace.length,
      registers: 0,
    });
    this.origin = new IntList(instructionCount);
    this.executesStart = new IntList(instructionCount + 1);
    this.executes = new IntList(from.executes.length);
    this.registerOrigin = IntList.of(from.registerOrigin, 16);
    this.temporaries = new IntList(instructionCount);
    if (classOf === undefined && widthOf === undefined) this.builder.registersOf(f);
    else
      for (let r = 0; r < registerCount; r++)
        this.builder.register(
          f.registerNames[r],
          classOf?.(r) ?? f.registerClass[r],
          widthOf?.(r) ?? f.registerWidth[r],
        );
  }

  get instructionCount(): number {
    return this.builder.instructionCount;
  }

  /** A new register; `origin` is the source register whose value it holds, or -1. */
  register(name: string, registerClass: number, width: number, origin: number): VirtualRegister {
    this.registerOrigin.push(origin);
    return this.builder.register(name, registerClass, width);
  }

  /** A new register like `register` of the old code, for one of several copies of its value. */
  another(register: number): VirtualRegister {
    const { f, registerOrigin } = this.from;
    return this.register(
      f.registerNames[register],
      f.registerClass[register],
      f.registerWidth[register],
      registerOrigin[register],
    );
  }

  block(name = ''): number {
    return this.builder.block(name);
  }

  /** Starts block `b` of the old code with its edges; for a pass that keeps all blocks and their numbers. */
  sameBlock(b: number): void {
    const { f } = this.from;
    this.block(f.blockNames[b]);
    for (let s = f.successorStart[b]; s < f.successorStart[b + 1]; s++) this.successor(b, f.successors[s]);
  }

  successor(from: number, to: number): void {
    this.builder.successor(from, to);
  }

  /** Copies instruction `i` of the old code; `place` gives each virtual operand its new register. */
  copy(i: number, place?: (register: number, operand: number) => Place | number): number {
    const { f } = this.from;
    const number = this.head(i);
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const old = f.operandPlace[o] as Place;
      this.operand(o, place !== undefined && isVirtual(old) ? place(old, o) : old);
    }
    return number;
  }

  /**
   * Starts an instruction like `i` of the old code, without operands: they follow with `operand` or `plainOperand`.
   * `executes` and `flags` replace what the old one executes and does.
   */
  head(i: number, executes?: ArrayLike<number>, flags?: number, opcodeText?: string): number {
    const { f } = this.from;
    const number = this.builder.numberedInstruction(
      opcodeText === undefined ? f.opcode[i] : f.opcodes.number(opcodeText),
      flags ?? f.instructionFlags[i],
      f.spanStart[i],
      f.spanEnd[i],
    );
    this.origin.push(this.from.origin[i]);
    this.executesStart.push(this.executes.length);
    if (executes === undefined)
      for (let k = this.from.executesStart[i]; k < this.from.executesStart[i + 1]; k++)
        this.executes.push(this.from.executes[k]);
    else for (let k = 0; k < executes.length; k++) this.executes.push(executes[k]);
    this.temporaries.push(this.from.temporaries[i]);
    return number;
  }

  /** The last instruction executes that source instruction too, after the others. */
  alsoExecutes(instruction: number): void {
    this.executes.push(instruction);
  }

  /** An operand like operand `o` of the old code (role, part, text), at `place`; `payload` where it says another. */
  operand(
    o: number,
    place: Place | number,
    flags?: number,
    payload = this.from.f.operandPayload?.[o] ?? 0,
  ): number {
    const { f } = this.from;
    const number = this.builder.plainOperand(
      place,
      flags ?? f.operandFlags[o],
      f.operandSpanStart[o],
      f.operandSpanEnd[o],
    );
    if (f.operandOffset[o] !== 0) this.builder.part(number, f.operandWidth[o], f.operandOffset[o]);
    if (payload !== 0) this.builder.payload(number, payload);
    return number;
  }

  /** A register operand that the old code has no model of. */
  plainOperand(register: number, flags: number): number {
    return this.builder.plainOperand(virtual(register), flags, -1, -1);
  }

  /** Temporaries of the last instruction. */
  needs(temporaries: number): void {
    this.temporaries.set(this.temporaries.length - 1, temporaries);
  }

  finish(): MachineCode {
    const f: Function = this.builder.finish();
    this.executesStart.push(this.executes.length);
    return {
      source: this.from.source,
      f,
      origin: this.origin.finish(),
      executesStart: this.executesStart.finish(),
      executes: this.executes.finish(),
      registerOrigin: this.registerOrigin.finish(),
      temporaries: new Uint8Array(this.temporaries.view()),
    };
  }
}

/** The source as it stands, as machine code. */
export function machineCodeOf(source: Function): MachineCode {
  const { instructionCount, registerCount } = source;
  const identity = ascending(instructionCount);
  return {
    source,
    f: source.classes === machineClasses ? source : functionWith(source, { classes: machineClasses }),
    origin: identity,
    executesStart: ascending(instructionCount + 1),
    executes: identity,
    registerOrigin: ascending(registerCount),
    temporaries: new Uint8Array(instructionCount),
  };
}
