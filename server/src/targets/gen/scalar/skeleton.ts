import { InstructionFlag, OperandFlag, OpcodeTable, type Function } from '../../../ir/function.js';
import { IntList } from '../../../ir/int-list.js';
import { controlFlow, type Cfg } from '../../../passes/cfg.js';
import { dominatorsOf } from '../../../passes/dominators.js';
import { livenessOf, type Liveness } from '../../../passes/liveness.js';
import { loopsOf, type Loops } from '../../../passes/loops.js';
import { bytesRead, bytesWritten, isConditional, registersTouched, writesFlag } from '../access.js';
import {
  GRF_BYTES,
  type HardwareOperand,
  type Instruction,
  type Operand,
  type Program,
  type VirtualOperand,
} from '../program.js';

/**
 * A Gen program in the words of `passes/`: control flow, loops and liveness come from there. What lives and dies is a
 * *cell*: one GRF of a virtual register (all of it, where it is smaller), so that a SIMD16 register that two
 * instructions write half by half is defined by both together; then the hardware registers that the text names,
 * and whose bytes must not be given to others while they hold something.
 *
 * Before the first block stands one with a single instruction, which defines what the dispatch hands over (facts
 * A.7); behind the last instruction one that reads what `.live_out` names. Block b of the program is block b + 1 here,
 * instruction k is k + 1.
 */
export interface Skeleton {
  readonly program: Program;
  readonly cfg: Cfg;
  readonly loops: Loops;
  readonly liveness: Liveness;
  /** Cells of virtual register r: `cellStart[r] .. cellStart[r + 1]`. */
  readonly cellStart: Int32Array;
  /** Cell of each hardware register that the program names, -1 for others. */
  readonly grfCell: Int32Array;
  /** 1 for virtual registers that the dispatch hands over: read, and not written before. */
  readonly isPayload: Uint8Array;
}

const GRFS = 256;

export function skeletonOf(program: Program): Skeleton {
  const { registers } = program;
  const cellStart = new Int32Array(registers.length + 1);
  for (let r = 0; r < registers.length; r++)
    cellStart[r + 1] = cellStart[r] + Math.max(1, Math.ceil(registers[r].bytes / GRF_BYTES));
  const writer = new SkeletonWriter(program, cellStart);
  const isPayload = payloadOf(program);
  writer.entry(isPayload);
  for (const instruction of program.instructions) writer.instruction(instruction);
  writer.exit();
  const f = writer.finish();
  const cfg = controlFlow(f);
  const loops = loopsOf(cfg, dominatorsOf(cfg));
  return { program, cfg, loops, liveness: livenessOf(f, cfg), cellStart, grfCell: writer.grfCell, isPayload };
}

/**
 * Selection programs get their arguments and ids in registers that nothing writes, or that the entry block reads
 * first. In the i965 dialect the payload lies in hardware registers, and such a read is of an undefined value.
 */
function payloadOf(program: Program): Uint8Array {
  const isPayload = new Uint8Array(program.registers.length);
  if (program.dialect !== 'selection') return isPayload;
  const isDefined = new Uint8Array(program.registers.length);
  const visit = (instructions: readonly Instruction[], take: (register: number) => void): void => {
    for (const instruction of instructions) {
      for (const source of instruction.sources) if (source.file === 'virtual') take(source.register);
      const flag = instruction.predicate?.flag;
      if (flag?.kind === 'virtual') take(flag.register);
      for (const d of instruction.destinations) if (d.file === 'virtual') isDefined[d.register] = 1;
      const written = instruction.condition?.flag;
      if (written?.kind === 'virtual') isDefined[written.register] = 1;
    }
  };
  const take = (register: number): void => {
    if (!isDefined[register]) isPayload[register] = 1;
  };
  const entryEnd = program.blockStart.length > 1 ? program.blockStart[1] : 0;
  visit(program.instructions.slice(0, entryEnd), take);
  const read: number[] = [];
  visit(program.instructions.slice(entryEnd), (register) => read.push(register));
  read.forEach(take);
  return isPayload;
}

class SkeletonWriter {
  readonly grfCell = new Int32Array(GRFS).fill(-1);
  private readonly grfs: number[] = [];
  private readonly virtualCells: number;
  private readonly operandStart = new IntList(1024);
  private readonly place = new IntList(4096);
  private readonly flags = new IntList(4096);

  constructor(
    private readonly program: Program,
    private readonly cellStart: Int32Array,
  ) {
    this.virtualCells = cellStart[program.registers.length];
    for (const instruction of program.instructions) {
      instruction.sources.forEach((s, k) => this.mention(s, bytesRead(instruction, k, program.dialect)));
      instruction.destinations.forEach((d, k) =>
        this.mention(d, bytesWritten(instruction, k, program.dialect)),
      );
    }
    for (const operand of program.liveOut) this.mention(operand, 1);
  }

  entry(isPayload: Uint8Array): void {
    this.operandStart.push(0);
    for (const grf of this.grfs)
      if (grf < this.program.firstFree) this.add(this.grfCell[grf], OperandFlag.Definition);
    for (let r = 0; r < isPayload.length; r++)
      if (isPayload[r])
        for (let c = this.cellStart[r]; c < this.cellStart[r + 1]; c++) this.add(c, OperandFlag.Definition);
  }

  instruction(instruction: Instruction): void {
    const { dialect, width } = this.program;
    this.operandStart.push(this.place.length);
    for (let k = 0; k < instruction.sources.length; k++) {
      const source = instruction.sources[k];
      if (source.file !== 'virtual' && source.file !== 'grf') continue;
      this.touch(source, bytesRead(instruction, k, dialect), OperandFlag.Use);
    }
    const { predicate, condition } = instruction;
    if (predicate?.flag.kind === 'virtual')
      this.add(this.cellStart[predicate.flag.register], OperandFlag.Use);
    const guarded = isConditional(instruction) ? OperandFlag.Predicated : 0;
    for (let k = 0; k < instruction.destinations.length; k++) {
      const destination = instruction.destinations[k];
      if (destination.file !== 'virtual' && destination.file !== 'grf') continue;
      this.define(instruction, destination, bytesWritten(instruction, k, dialect), guarded);
    }
    if (condition?.flag.kind !== 'virtual' || !writesFlag(instruction)) return;
    const part = instruction.execSize < width ? OperandFlag.Partial : 0;
    this.add(this.cellStart[condition.flag.register], OperandFlag.Definition | guarded | part);
  }

  exit(): void {
    this.operandStart.push(this.place.length);
    for (const operand of this.program.liveOut) {
      if (operand.file === 'virtual')
        for (let c = this.cellStart[operand.register]; c < this.cellStart[operand.register + 1]; c++)
          this.add(c, OperandFlag.Use);
      else if (operand.file === 'grf') this.touch(operand, 1, OperandFlag.Use);
    }
    this.operandStart.push(this.place.length);
  }

  private define(
    instruction: Instruction,
    destination: VirtualOperand | HardwareOperand,
    bytes: number,
    guarded: number,
  ): void {
    const isPacked =
      instruction.message.rlen !== undefined ||
      instruction.execSize === 1 ||
      (destination.stride === 1 && destination.region === undefined);
    const size =
      destination.file === 'virtual' ? this.program.registers[destination.register].bytes : GRF_BYTES;
    const end = destination.offset + bytes;
    if (instruction.opcode.name === 'undef' && destination.file === 'virtual') {
      const { register } = destination; // all of it, whatever the line's width (facts G.5)
      for (let c = this.cellStart[register]; c < this.cellStart[register + 1]; c++)
        this.add(c, OperandFlag.Definition);
      return;
    }
    this.touch(destination, bytes, OperandFlag.Definition | guarded, (cell) => {
      const first = cell * GRF_BYTES;
      const last = destination.file === 'virtual' ? Math.min(first + GRF_BYTES, size) : first + GRF_BYTES;
      return isPacked && destination.offset <= first && end >= last ? 0 : OperandFlag.Partial;
    });
  }

  /** Adds an operand for each cell that the bytes lie in; `more` gives flags by the cell's number in its register. */
  private touch(
    operand: VirtualOperand | HardwareOperand,
    bytes: number,
    flags: number,
    more: (cell: number) => number = () => 0,
  ): void {
    const first = Math.floor(operand.offset / GRF_BYTES);
    const count = Math.max(1, registersTouched(operand.offset, bytes));
    for (let c = first; c < first + count; c++) {
      if (operand.file === 'grf') {
        if (operand.grf + c < GRFS) this.add(this.grfCell[operand.grf + c], flags | more(c));
        continue;
      }
      const cell = this.cellStart[operand.register] + c;
      if (cell < this.cellStart[operand.register + 1]) this.add(cell, flags | more(c));
    }
  }

  private add(cell: number, flags: number): void {
    this.place.push(cell);
    this.flags.push(flags);
  }

  private mention(operand: Operand, bytes: number): void {
    if (operand.file !== 'grf') return;
    const first = operand.grf + Math.floor(operand.offset / GRF_BYTES);
    const count = Math.max(1, registersTouched(operand.offset, bytes));
    for (let grf = first; grf < Math.min(first + count, GRFS); grf++) {
      if (this.grfCell[grf] >= 0) continue;
      this.grfCell[grf] = this.virtualCells + this.grfs.length;
      this.grfs.push(grf);
    }
  }

  finish(): Function {
    const { program } = this;
    const registerCount = this.virtualCells + this.grfs.length;
    const operands = this.place.length;
    const blockCount = Math.max(2, program.blockStart.length);
    const blockStart = new Int32Array(blockCount + 1).fill(1);
    blockStart[0] = 0;
    for (let b = 1; b < blockCount; b++) blockStart[b] = program.blockStart[b - 1] + 1;
    blockStart[blockCount] = program.instructions.length + 2;
    const successors = [[1], ...program.successors.map((to) => to.map((block) => block + 1))];
    const successorStart = new Int32Array(blockCount + 1);
    for (let b = 0; b < blockCount; b++)
      successorStart[b + 1] = successorStart[b] + (b < successors.length ? successors[b].length : 0);
    const count = program.instructions.length + 2;
    const instructionFlags = new Uint16Array(count);
    instructionFlags[0] = InstructionFlag.Entry;
    return {
      name: program.name,
      isEntry: true,
      nameStart: 0,
      nameEnd: 0,
      attributes: {},
      opcodes: new OpcodeTable(),
      classes: [{ name: 'cell', unit: 'GRF' }],
      registerCount,
      registerClass: new Uint8Array(registerCount),
      registerWidth: new Uint16Array(registerCount).fill(1),
      registerNames: [],
      blockCount,
      blockStart,
      successorStart,
      successors: Int32Array.from(successors.flat()),
      blockNames: [],
      instructionCount: count,
      opcode: new Int32Array(count),
      instructionFlags,
      spanStart: new Int32Array(count),
      spanEnd: new Int32Array(count),
      operandStart: this.operandStart.toArray(),
      operandPlace: this.place.toArray(),
      operandFlags: Uint16Array.from(this.flags.view()),
      operandWidth: new Uint16Array(operands).fill(1),
      operandOffset: new Uint16Array(operands),
      operandTied: new Int32Array(operands).fill(-1),
      operandSpanStart: new Int32Array(operands),
      operandSpanEnd: new Int32Array(operands),
      operandFixed: new Map(),
    };
  }
}
