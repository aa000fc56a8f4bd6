import { bytesRead, bytesWritten, impliedMrf, payloadMrf, registersTouched, writesFlag } from '../access.js';
import {
  GRF_BYTES,
  typeSize,
  type FlagReference,
  type Instruction,
  type Operand,
  type Program,
} from '../program.js';

/**
 * The dependence graph of one block as Beignet's scheduler sees it (facts A.17, gen_insn_scheduling.cpp). Resources are
 * GRFs after allocation (in SIMD16 pairs of them, which makes false dependences), virtual registers before; flags, the
 * accumulator, the address and state registers; and one for all memory, scratch included, which keeps spill code in
 * order with every surface access. Spill code writes the whole pool, as far as the order goes. Instructions that use the
 * pool stay in order among themselves too, which the reference does not ask: so a pool register is still valid for one
 * user only (facts A.16).
 *
 * Between two instructions there is one edge, of the first kind that was found. Reads come before writes, and anti
 * dependences are found by a second walk, from the end. Linear in the operands; barriers have an edge with every
 * instruction between them.
 */
export const enum EdgeKind {
  ReadAfterWrite = 0,
  /** Reads what a memory read has fetched. */
  ReadAfterMemory = 1,
  WriteAfterWrite = 2,
  WriteAfterRead = 3,
}

export interface ScheduleGraph {
  readonly first: number;
  readonly count: number;
  /** Edges to dependents of n, as numbers of the arrays below: `edgeStart[n] .. edgeStart[n + 1]`, in the order of finding. */
  readonly edgeStart: Int32Array;
  readonly to: Int32Array;
  readonly kind: Uint8Array;
  /** By instruction: those that it depends on by a read, for the distance to memory reads. */
  readonly dependsOn: readonly (readonly number[])[];
  readonly parents: Int32Array;
}

const MEMORY = 0;
const FLAGS = 1;
const ACCUMULATOR = 9;
const ADDRESS = 10;
const STATE = 11;
const POOL = 12;
const GRF = 13;
const VIRTUAL = GRF + 256;

const barriers = new Set(
  'read_arf barrier calc_timestamp store_profiling wait workgroup_op halt_target live_out nop'.split(' '),
);
/** They read and write memory as far as the order goes (facts A.17). */
const fences = new Set(['fence', 'barrier', 'wait', 'memory_fence']);

export const isBarrier = ({ opcode, message }: Instruction): boolean =>
  opcode.flow !== undefined ||
  opcode.kind === 'unknown' ||
  barriers.has(opcode.name) ||
  message.isEndOfThread;

export const readsMemory = ({ opcode }: Instruction): boolean =>
  opcode.memory === 'read' || opcode.memory === 'both' || opcode.name === 'send';

function memoryUse(instruction: Instruction): { readonly reads: boolean; readonly writes: boolean } {
  const { opcode } = instruction;
  const isFence = fences.has(opcode.name);
  return {
    reads: isFence || readsMemory(instruction) || opcode.scratch === 'read',
    writes:
      isFence ||
      opcode.memory === 'write' ||
      opcode.memory === 'both' ||
      opcode.name === 'send' ||
      opcode.scratch === 'write',
  };
}

export class ScheduleGraphs {
  private readonly writer: Int32Array;
  private readonly step: number;

  constructor(private readonly program: Program) {
    this.writer = new Int32Array(VIRTUAL + program.registers.length).fill(-1);
    this.step = program.phase !== 'virtual' && program.width === 16 ? 2 : 1;
  }

  of(block: number): ScheduleGraph {
    const { blockStart, instructions } = this.program;
    const first = blockStart[block];
    const code = instructions.slice(first, blockStart[block + 1]);
    const edges = new Edges(code.map(readsMemory));
    const touched = new Set<number>();
    const set = (resource: number, n: number): void => {
      this.writer[resource] = n;
      touched.add(resource);
    };
    const clear = (): void => {
      for (const resource of touched) this.writer[resource] = -1;
      touched.clear();
    };
    code.forEach((instruction, n) => {
      const writes = this.writes(instruction);
      for (const resource of this.reads(instruction))
        edges.add(this.writer[resource], n, EdgeKind.ReadAfterWrite);
      for (const resource of writes) edges.add(this.writer[resource], n, EdgeKind.WriteAfterWrite);
      for (const resource of writes) set(resource, n);
    });
    clear();
    for (let n = code.length - 1; n >= 0; n--) {
      for (const resource of this.reads(code[n]))
        edges.add(n, this.writer[resource], EdgeKind.WriteAfterRead);
      for (const resource of this.writes(code[n])) set(resource, n);
    }
    clear();
    let last = -1;
    code.forEach((instruction, n) => {
      if (!isBarrier(instruction)) {
        edges.add(last, n, EdgeKind.WriteAfterWrite);
        return;
      }
      for (let before = Math.max(last, 0); before < n; before++)
        edges.add(before, n, EdgeKind.WriteAfterWrite);
      last = n;
    });
    return edges.graph(first);
  }

  private reads(instruction: Instruction): number[] {
    const { dialect } = this.program;
    const found: number[] = [];
    instruction.sources.forEach((source, k) =>
      this.operand(source, bytesRead(instruction, k, dialect), found),
    );
    if (instruction.predicate) this.flag(instruction, instruction.predicate.flag, found);
    const { first, count } = payloadMrf(instruction);
    for (let m = first; m < first + count; m++) this.message(m, found);
    if (instruction.opcode.readsAccumulator) found.push(ACCUMULATOR);
    if (memoryUse(instruction).reads) found.push(MEMORY);
    return found;
  }

  private writes(instruction: Instruction): number[] {
    const { dialect, pool } = this.program;
    const found: number[] = [];
    instruction.destinations.forEach((d, k) => this.operand(d, bytesWritten(instruction, k, dialect), found));
    if (instruction.condition && writesFlag(instruction))
      this.flag(instruction, instruction.condition.flag, found);
    const { first, count } = impliedMrf(instruction);
    for (let m = first; m < first + count; m++) this.message(m, found);
    if (instruction.opcode.modifiesAccumulator || instruction.writesAccumulator) found.push(ACCUMULATOR);
    if (memoryUse(instruction).writes) found.push(MEMORY);
    if (pool === undefined) return found;
    const isSpillCode = instruction.opcode.scratch !== undefined;
    if (isSpillCode || usesPool(instruction, pool)) found.push(POOL);
    if (isSpillCode) for (let grf = pool.first; grf < pool.first + pool.count; grf++) this.grf(grf, found);
    return found;
  }

  private operand(operand: Operand, bytes: number, found: number[]): void {
    switch (operand.file) {
      case 'virtual':
        found.push(VIRTUAL + operand.register);
        return;
      case 'grf': {
        const first = operand.grf + Math.floor(operand.offset / GRF_BYTES);
        const isWide = typeSize(operand.type) === 8;
        const count = Math.max(isWide ? 2 : 1, registersTouched(operand.offset, bytes));
        for (let grf = first; grf < first + count; grf++) this.grf(grf, found);
        return;
      }
      case 'message':
        this.message(operand.number, found);
        return;
      case 'flag':
        found.push(FLAGS + operand.number);
        return;
      case 'accumulator':
        found.push(ACCUMULATOR);
        return;
      case 'address':
        found.push(ADDRESS);
        return;
      case 'architecture':
        found.push(STATE);
        return;
      default:
    }
  }

  private message(number: number, found: number[]): void {
    this.grf((this.program.platform.messageWindow ?? 128) + number, found);
  }

  private grf(grf: number, found: number[]): void {
    if (grf >= 0 && grf < VIRTUAL - GRF) found.push(GRF + Math.floor(grf / this.step));
  }

  private flag({ execSize }: Instruction, flag: FlagReference, found: number[]): void {
    if (flag.kind === 'virtual') {
      found.push(VIRTUAL + flag.register);
      return;
    }
    found.push(FLAGS + flag.flag);
    if (execSize > 16) found.push(FLAGS + (flag.flag ^ 1));
  }
}

function usesPool(
  { sources, destinations }: Instruction,
  { first, count }: NonNullable<Program['pool']>,
): boolean {
  const isInPool = (operand: Operand): boolean =>
    operand.file === 'grf' && operand.grf >= first && operand.grf < first + count;
  return sources.some(isInPool) || destinations.some(isInPool);
}

class Edges {
  private readonly from: number[] = [];
  private readonly to: number[] = [];
  private readonly kinds: number[] = [];
  private readonly known = new Set<number>();
  private readonly dependsOn: number[][];

  constructor(private readonly isMemoryRead: readonly boolean[]) {
    this.dependsOn = isMemoryRead.map(() => []);
  }

  /** `later` depends on `earlier`; -1 is nobody. */
  add(earlier: number, later: number, kind: EdgeKind): void {
    if (earlier < 0 || later < 0 || earlier === later) return;
    const key = earlier * this.isMemoryRead.length + later;
    if (this.known.has(key)) return;
    this.known.add(key);
    const isFetched = kind === EdgeKind.ReadAfterWrite && this.isMemoryRead[earlier];
    this.from.push(earlier);
    this.to.push(later);
    this.kinds.push(isFetched ? EdgeKind.ReadAfterMemory : kind);
    if (kind === EdgeKind.ReadAfterWrite) this.dependsOn[later].push(earlier);
  }

  graph(first: number): ScheduleGraph {
    const count = this.isMemoryRead.length;
    const edgeStart = new Int32Array(count + 1);
    const parents = new Int32Array(count);
    for (const from of this.from) edgeStart[from + 1]++;
    for (const to of this.to) parents[to]++;
    for (let n = 0; n < count; n++) edgeStart[n + 1] += edgeStart[n];
    const fill = edgeStart.slice(0, count);
    const to = new Int32Array(this.to.length);
    const kind = new Uint8Array(this.to.length);
    this.from.forEach((from, e) => {
      const at = fill[from]++;
      to[at] = this.to[e];
      kind[at] = this.kinds[e];
    });
    return { first, count, edgeStart, to, kind, dependsOn: this.dependsOn, parents };
  }
}
