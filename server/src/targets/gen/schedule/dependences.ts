import {
  bytesRead,
  bytesWritten,
  impliedMrf,
  payloadMrf,
  readsFlag,
  registersTouched,
  writesFlag,
} from '../access.js';
import { flagNumbers, resourcesOf } from '../estimate/resources.js';
import type { Instruction, Operand, Program } from '../program.js';
import { Edges, type EdgeLists } from './edges.js';
import { isSplitScratchRead, schedulerLatency, sendHasSideEffects } from './latencies.js';

/**
 * What must stay before what in a block, as i965's schedulers see it (facts B.11, calculate_deps): reads after writes
 * and writes after writes with the producer's latency, writes after reads, and barriers. The order in which an
 * instruction's dependents are listed is part of the result, since the scheduler breaks ties by it.
 *
 * The vec4 back-end takes all fixed registers for one resource and lets a write wait for the reader's whole latency;
 * the scalar one knows fixed registers singly after allocation, and its writes after reads cost nothing.
 */
export interface DependenceGraph extends EdgeLists {
  /** First instruction of the block; numbers below are relative to it. */
  readonly first: number;
  readonly count: number;
  readonly latency: Int32Array;
  /** Nothing passes them. */
  readonly isBarrier: Uint8Array;
}

/** Resources that the schedulers know; the numbers of virtual registers come behind, GRF by GRF. */
const MESSAGE = 128;
const FIXED = MESSAGE + 24;
const ACCUMULATOR = FIXED + 1;
const FLAG = ACCUMULATOR + 1;
const VIRTUAL = FLAG + 8;

const WRITE_AFTER_MESSAGE_READ = 2;

export interface GraphOptions {
  /** Before allocation: one clock for everything. */
  readonly hasUnitLatency: boolean;
}

/** Makes the graphs of one program's blocks, one after the other, in the same memory. */
export class DependenceGraphs {
  readonly #program: Program;
  readonly #options: GraphOptions;
  readonly #firstOfRegister: Int32Array;
  readonly #virtualBase: number;
  readonly #writer: Int32Array;
  readonly #era: Int32Array;
  #now = 0;

  constructor(program: Program, options: GraphOptions) {
    this.#program = program;
    this.#options = options;
    const resources = resourcesOf(program);
    this.#firstOfRegister = resources.firstOfRegister;
    this.#virtualBase = VIRTUAL - (resources.firstOfRegister[0] ?? 0);
    this.#writer = new Int32Array(resources.count + VIRTUAL);
    this.#era = new Int32Array(resources.count + VIRTUAL);
  }

  of(block: number): DependenceGraph {
    const { instructions, blockStart } = this.#program;
    const first = blockStart[block];
    const count = blockStart[block + 1] - first;
    const code = instructions.slice(first, first + count);
    const latency = Int32Array.from(code, (instruction) =>
      this.#options.hasUnitLatency ? 1 : schedulerLatency(instruction, this.#program.platform),
    );
    const isBarrier = Uint8Array.from(code, (instruction) =>
      isBarrierIn(this.#program, instruction) ? 1 : 0,
    );
    const edges = new Edges(count, isBarrier);
    this.#addForward(code, latency, isBarrier, edges);
    this.#addBackward(code, latency, edges);
    return { first, count, latency, isBarrier, ...edges.finish() };
  }

  /** Reads and writes after writes, and barriers. */
  #addForward(code: readonly Instruction[], latency: Int32Array, isBarrier: Uint8Array, edges: Edges): void {
    this.#now++;
    let lastBarrier = 0;
    for (let n = 0; n < code.length; n++) {
      edges.begin();
      if (isBarrier[n] === 1) {
        for (let before = n - 1; before >= lastBarrier; before--) edges.addBefore(before, n, 0);
        edges.addBarrier(n);
        lastBarrier = n;
      }
      this.#eachRead(code[n], (resource) => {
        const writer = this.#last(resource);
        if (writer >= 0) edges.addBefore(writer, n, latency[writer]);
      });
      this.#eachWrite(code[n], (resource) => {
        const writer = this.#last(resource);
        // writes of fixed registers are not ordered among themselves
        if (writer >= 0 && writer !== n && resource !== FIXED)
          edges.addBefore(writer, n, isFlag(resource) ? 0 : latency[writer]);
        this.#set(resource, n);
      });
    }
  }

  /** Writes after reads, from the end to the beginning. */
  #addBackward(code: readonly Instruction[], latency: Int32Array, edges: Edges): void {
    this.#now++;
    const isVec4 = this.#program.dialect === 'vec4';
    for (let n = code.length - 1; n >= 0; n--) {
      edges.beginBackward(n);
      this.#eachRead(code[n], (resource) => {
        const writer = this.#last(resource);
        if (writer < 0) return;
        const clocks = isMessage(resource)
          ? WRITE_AFTER_MESSAGE_READ
          : isVec4 || isFlag(resource) || (resource === ACCUMULATOR && code[n].opcode.readsAccumulator)
            ? latency[n]
            : 0;
        edges.addBehind(n, writer, clocks);
      });
      this.#eachWrite(code[n], (resource) => this.#set(resource, n));
    }
  }

  #last(resource: number): number {
    return this.#era[resource] === this.#now ? this.#writer[resource] : -1;
  }

  #set(resource: number, instruction: number): void {
    this.#writer[resource] = instruction;
    this.#era[resource] = this.#now;
  }

  #eachRead(instruction: Instruction, visit: (resource: number) => void): void {
    const program = this.#program;
    const { sources, opcode } = instruction;
    for (let k = 0; k < sources.length; k++)
      if (isRegisterFile(sources[k]))
        this.#eachOf(sources[k], bytesRead(instruction, k, program.dialect), visit);
    const payload = payloadMrf(instruction);
    for (let m = payload.first; m < payload.first + payload.count; m++) visit(MESSAGE + m);
    if (opcode.readsG0 && program.dialect === 'vec4') visit(FIXED);
    if (readsFlag(instruction)) this.#eachFlag(instruction, instruction.predicate?.flag, visit);
    if (opcode.readsAccumulator) visit(ACCUMULATOR);
  }

  #eachWrite(instruction: Instruction, visit: (resource: number) => void): void {
    const program = this.#program;
    const { destinations } = instruction;
    for (let k = 0; k < destinations.length; k++)
      if (isRegisterFile(destinations[k]))
        this.#eachOf(destinations[k], bytesWritten(instruction, k, program.dialect), visit);
    const implied = impliedMrf(instruction);
    for (let m = implied.first; m < implied.first + implied.count; m++) visit(MESSAGE + m);
    if (writesFlag(instruction)) this.#eachFlag(instruction, instruction.condition?.flag, visit);
    if (instruction.writesAccumulator) visit(ACCUMULATOR);
  }

  #eachFlag(
    instruction: Instruction,
    flag: Parameters<typeof flagNumbers>[2] | undefined,
    visit: (resource: number) => void,
  ): void {
    const range =
      this.#program.dialect === 'vec4'
        ? ([0, 0] as const)
        : flagNumbers(this.#program, instruction, flag ?? { kind: 'hardware', flag: 0 });
    if (range === undefined) return;
    for (let byte = range[0]; byte <= range[1]; byte++) visit(FLAG + byte);
  }

  #eachOf(operand: Operand, bytes: number, visit: (resource: number) => void): void {
    const program = this.#program;
    if (operand.file === 'immediate') return;
    if (operand.file === 'accumulator') {
      visit(ACCUMULATOR);
      return;
    }
    if (operand.file === 'message') {
      visit(MESSAGE + operand.number);
      return;
    }
    const count = registersTouched(operand.offset, bytes);
    if (operand.file === 'virtual') {
      const first = this.#virtualBase + this.#firstOfRegister[operand.register] + (operand.offset >> 5);
      for (let grf = first; grf < first + count; grf++) visit(grf);
    } else if (operand.file === 'grf') {
      const isSingle =
        program.dialect === 'vec4' ? operand.grf < program.firstFree : program.phase === 'virtual';
      if (isSingle) {
        visit(FIXED);
        return;
      }
      const first = operand.grf + (operand.offset >> 5);
      for (let grf = first; grf < Math.min(MESSAGE, first + count); grf++) visit(grf);
    }
  }
}

const isFlag = (resource: number): boolean => resource >= FLAG && resource < VIRTUAL;
const isMessage = (resource: number): boolean => resource >= MESSAGE && resource < FIXED;
const isRegisterFile = ({ file }: Operand): boolean =>
  file === 'virtual' || file === 'grf' || file === 'message' || file === 'accumulator';

/** Other architecture registers are not tracked: whoever names one keeps its place. */
export const namesArchitecture = ({ file }: Operand): boolean =>
  file === 'flag' || file === 'address' || file === 'architecture';

/** Ends of threads that i965's IR does not call so: only the URB flags say it. */
const hasUrbFlags = (name: string): boolean => name.endsWith('urb_write') || name.endsWith('_allocate');

export function isBarrierIn(program: Program, instruction: Instruction): boolean {
  const { opcode, message } = instruction;
  if (opcode.flow !== undefined && opcode.flow !== 'halt') return true;
  if (opcode.name === 'send') return sendHasSideEffects(instruction);
  if (opcode.hasSideEffects || (message.isEndOfThread && !hasUrbFlags(opcode.name))) return true;
  if (program.dialect === 'vec4' && isSplitScratchRead(instruction, program.platform)) return true;
  return instruction.sources.some(namesArchitecture) || instruction.destinations.some(namesArchitecture);
}
