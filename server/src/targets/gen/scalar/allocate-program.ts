import { virtual, type VirtualRegister } from '../../../ir/place.js';
import type { Allocation, Refused, SpilledRegister } from '../allocation.js';
import type { Instruction, Program, Register } from '../program.js';
import { allocateFlags } from './flags.js';
import { lastPayloads } from './fixed-places.js';
import type { Insertions } from './insertions.js';
import { idOf, intervalsOf, type Intervals } from './intervals.js';
import { linearScan } from './linear-scan.js';
import { placed, placedOperand } from './place-operands.js';
import { placeScratch } from './scratch.js';
import { skeletonOf, type Skeleton } from './skeleton.js';
import { spillCosts, type SpillCosts } from './spill-costs.js';
import { SpillCode, type Pool, type SpillSites } from './spill-code.js';
import { planVectors, type VectorPlan } from './vectors.js';

/**
 * One entry of Beignet's strategy list: allocation of a program as it is, with or without a pool for spill code (facts
 * A.1 step 5). Intervals, flags, vectors, scan, scratch, spill code, one pass behind the other.
 */
export interface PoolOptions {
  /** GRFs reserved for spill code; 0: nothing may be spilled. */
  readonly reserved: number;
  /** First GRF of the pool; by default it is at the upper end of the file. */
  readonly reservedAt?: number;
  readonly maxRegisters?: number | undefined;
  readonly reusesHoles?: boolean | undefined;
  /** Registers that may be spilled at most. */
  readonly spillThreshold?: number | undefined;
}

export interface Analysis {
  readonly skeleton: Skeleton;
  readonly intervals: Intervals;
}

/** What does not depend on the strategy. */
export function analyse(program: Program): Analysis {
  const skeleton = skeletonOf(program);
  return { skeleton, intervals: intervalsOf(skeleton) };
}

export function allocateWithPool(
  program: Program,
  options: PoolOptions,
  { skeleton, intervals }: Analysis = analyse(program),
): Allocation {
  const registerLimit = Math.min(options.maxRegisters ?? program.registerLimit, program.registerLimit);
  const spills = options.reserved > 0;
  const pool = poolOf(program, options, registerLimit);
  // The payload is there before the pool is.
  if (pool.first < (pool.count > 0 ? Math.max(1, program.firstFree) : 1))
    return refused('REGISTER_ALLOCATION_FAIL', `${registerLimit} registers leave none beside the pool`, 0);
  const flags = allocateFlags(skeleton, intervals);
  if (flags === undefined)
    return refused('REGISTER_ALLOCATION_FAIL', 'the program names all four flags, none is left for bools', 0);
  const plan = planVectors(program, flags.instructions, intervals, flags.insertions, {
    spills,
    isPayload: skeleton.isPayload,
    added: flags.one === undefined ? [] : [one(program)],
  });
  const costs = spillCosts(skeleton, plan, flags.insertions);
  const scanned = linearScan(skeleton, intervals, plan, flags.isPure, costs, {
    spills,
    pool,
    registerLimit: windowStart(program, spills, registerLimit),
    reusesHoles: options.reusesHoles ?? true,
    spillThreshold: options.spillThreshold ?? Infinity,
  });
  if (scanned.kind === 'refused') return scanned;
  const scratch = placeScratch(program, plan, [...scanned.spilled.keys()]);
  if (scratch.kind === 'refused') return scratch;

  const code = new CodeWriter(program, plan, flags.insertions, scanned.address, pool, scratch.offset);
  const failure = code.write();
  if (failure) return failure;
  const spilled = [...scanned.spilled]
    .filter(([register]) => register < program.registers.length)
    .map(([register, peak]) => spilledRegister(plan, costs, register, peak, scratch.offset, code));
  return {
    kind: 'allocated',
    code: {
      ...code.program(),
      ...(spills && { pool }),
      scratchBytes: scratch.bytes,
      handedOver: handedOver(skeleton, scanned.address),
    },
    address: scanned.address.slice(0, program.registers.length),
    spilled,
    scratchBytes: scratch.bytes - program.scratchBytes,
    carries: Int32Array.from(code.carries),
  };
}

/** Places of what the dispatch hands over; nothing for dialects whose payload lies in hardware registers. */
export function handedOver({ isPayload }: Skeleton, address: Int32Array): Program['handedOver'] {
  const found: { register: VirtualRegister; address: number }[] = [];
  isPayload.forEach((is, r) => {
    if (is && address[r] > 0) found.push({ register: virtual(r), address: address[r] });
  });
  return found.length > 0 ? found : undefined;
}

export function refused(reason: string, detail: string, instruction: number): Refused {
  return { kind: 'refused', reason, detail, instruction };
}

/** Registers of i965's scratch message in the message window: a header and the data of one operand. */
const messageWindow = (program: Program): number => 1 + program.width / 8;

/**
 * Where general registers end. i965's stores build their message in the last message registers, which are general
 * ones on Gen7: nothing else may lie there.
 */
function windowStart(program: Program, spills: boolean, registerLimit: number): number {
  const { messageWindow: window, registers } = program.platform;
  if (!spills || program.dialect !== 'scalar' || window === undefined) return registerLimit;
  return Math.min(registerLimit, registers - messageWindow(program));
}

/**
 * The pool is allocated first, from the upper end (facts A.13): 8 are g120 to g127, 16 are g112 to g127. Messages that
 * end the thread must come from there, so the pool makes room for them.
 */
export function poolOf(program: Program, options: PoolOptions, registerLimit: number): Pool {
  const count = options.reserved;
  if (count === 0) return program.pool ?? { first: registerLimit, count: 0 };
  const own = options.reservedAt ?? program.pool?.first;
  if (own !== undefined) return { first: own, count };
  const end = windowStart(program, true, registerLimit);
  const last = lastPayloads(program).reduce(
    (sum, register) => sum + Math.ceil(program.registers[register].bytes / 32),
    0,
  );
  return { first: end - last - count, count };
}

/** The uniform register that holds -1 for copies of flags: live in all of the program (facts A.7, `one`). */
export const one = (program: Program): { register: Register; min: number; max: number } => ({
  register: { name: 'one', bytes: 2, alignment: 4, family: 'word', isUniform: true },
  min: -1,
  max: idOf(program.instructions.length),
});

function spilledRegister(
  plan: VectorPlan,
  { cost }: SpillCosts,
  register: VirtualRegister,
  peak: number,
  offset: ReadonlyMap<VirtualRegister, number>,
  code: CodeWriter,
): SpilledRegister {
  const scratchOffset = offset.get(register)!;
  const sites = code.sites.get(register);
  return {
    register,
    bytes: plan.registers[register].bytes,
    scratchOffset,
    cost: cost[register],
    how: scratchOffset < 0 ? 'temporary' : 'stored',
    peak,
    stores: sites?.stores ?? [],
    reloads: sites?.reloads ?? [],
  };
}

/** Writes the program in hardware registers: the plan's instructions, insertions and spill code at their places. */
export class CodeWriter {
  readonly carries: number[] = [];
  readonly sites = new Map<VirtualRegister, SpillSites>();
  private readonly instructions: Instruction[] = [];
  private readonly blockStart: Int32Array;
  private readonly spillCode: SpillCode;

  constructor(
    private readonly source: Program,
    private readonly plan: VectorPlan,
    private readonly insertions: Insertions,
    private readonly address: Int32Array,
    pool: Pool,
    offset: ReadonlyMap<VirtualRegister, number>,
  ) {
    this.blockStart = new Int32Array(source.blockStart.length);
    this.spillCode = new SpillCode(source, plan, pool, offset);
  }

  write(): Refused | undefined {
    const { blockStart } = this.source;
    const { insertions } = this;
    for (let block = 0; block + 1 < blockStart.length; block++) {
      this.blockStart[block] = this.instructions.length;
      for (let i = blockStart[block]; i < blockStart[block + 1]; i++) {
        for (const { instruction, carries } of insertions.aheadOf(i)) {
          const failure = this.add(instruction, carries, i);
          if (failure) return failure;
        }
        const failure = this.add(this.plan.instructions[i], -1, i);
        if (failure) return failure;
        for (const { instruction, carries } of insertions.behindOf(i)) {
          const failed = this.add(instruction, carries, i);
          if (failed) return failed;
        }
      }
    }
    this.blockStart[this.blockStart.length - 1] = this.instructions.length;
    return undefined;
  }

  program(): Program {
    return {
      ...this.source,
      phase: 'allocated',
      instructions: this.instructions,
      blockStart: this.blockStart,
      liveOut: this.source.liveOut.map((operand) => placedOperand(operand, this.address)),
    };
  }

  private add(instruction: Instruction, carries: number, at: number): Refused | undefined {
    const spilled = this.spillCode.around(instruction, at);
    if (spilled === undefined) {
      this.push(instruction, carries);
      return undefined;
    }
    if (spilled.kind === 'refused') return spilled;
    spilled.before.forEach((reload, k) => {
      this.push(reload, spilled.carriesBefore[k]);
      this.site(spilled.carriesBefore[k]).reloads.push(at);
    });
    this.push(spilled.instruction, carries);
    spilled.after.forEach((store, k) => {
      this.push(store, spilled.carriesAfter[k]);
      this.site(spilled.carriesAfter[k]).stores.push(at);
    });
    return undefined;
  }

  private site(register: VirtualRegister): SpillSites {
    let site = this.sites.get(register);
    if (site === undefined) this.sites.set(register, (site = { stores: [], reloads: [] }));
    return site;
  }

  private push(instruction: Instruction, carries: number): void {
    this.instructions.push(placed(instruction, this.address));
    this.carries.push(carries < this.source.registers.length ? carries : -1);
  }
}
