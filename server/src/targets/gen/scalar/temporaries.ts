import { virtual, type VirtualRegister } from '../../../ir/place.js';
import type { Allocation, Refused, SpilledRegister } from '../allocation.js';
import { loopWeight } from '../loop-weight.js';
import { GRF_BYTES, type Operand, type Program } from '../program.js';
import { analyse, CodeWriter, handedOver, one, poolOf, refused, type Analysis } from './allocate-program.js';
import { allocateFlags, type FlagAllocation } from './flags.js';
import { idOf, UNUSED } from './intervals.js';
import { linearScan, type Scanned } from './linear-scan.js';
import { referencesOf, type References } from './references.js';
import { placeScratch, type Scratch } from './scratch.js';
import { spillCosts, type SpillCosts } from './spill-costs.js';
import {
  needsMemory,
  SplitRegisters,
  type Piece,
  type Rewritten,
  type SplitRegister,
} from './split-registers.js';
import { planVectors, type VectorPlan } from './vectors.js';

/**
 * Allocation of a selection program without a pool: a spilled register gets fresh, short-lived registers for its uses
 * and definitions, which are allocated like all others and never spilled again; after each round of spills the scan
 * begins anew (as i965 does it, facts B.10). Flags, vectors and the scan are Beignet's. What the scratch messages need
 * for themselves stays out of the file: a header, and room for one register's data behind it, since a store takes its
 * data from there and 64-bit values are gathered there (facts A.14).
 */
export interface TemporaryOptions {
  readonly maxRegisters?: number | undefined;
  readonly reusesHoles?: boolean | undefined;
  /** Values stay in registers between their references while registers are free; where not, by the reference's rule. */
  readonly keeps?: boolean;
  /** Values of immediates and of arguments are computed again instead of stored. */
  readonly recomputes?: boolean;
}

/** GRFs that scratch messages take for themselves. */
export const messageRegisters = ({ width }: Program): number => 1 + width / 8;

/** Registers that live no longer than the ones that would stand in for them. */
const SHORTEST = 2;
/** Rounds of spills; in the later ones pieces are cut into single references. */
const MOST_ROUNDS = 48;
/** Instructions that all rounds together look at while pieces are cut finely. */
const CAREFUL_WORK = 60_000;

export function allocateWithTemporaries(
  program: Program,
  options: TemporaryOptions = {},
  analysis: Analysis = analyse(program),
): Allocation {
  const limit = Math.min(options.maxRegisters ?? program.registerLimit, program.registerLimit);
  const needed = messageRegisters(program);
  const pool = poolOf(program, { reserved: Math.max(needed, program.pool?.count ?? 0) }, limit);
  if (pool.first < 1)
    return refused('REGISTER_ALLOCATION_FAIL', `${limit} registers leave none beside scratch messages`, 0);
  if ((program.pool?.count ?? needed) < needed || names(program, pool.first, pool.first + pool.count))
    return refused('REGISTER_SPILL_FAIL', 'the program itself uses the registers of scratch messages', 0);
  const flags = allocateFlags(analysis.skeleton, analysis.intervals);
  if (flags === undefined)
    return refused('REGISTER_ALLOCATION_FAIL', 'the program names all four flags, none is left for bools', 0);
  return new Rounds(program, options, analysis, flags, pool, limit).run();
}

/** True where the text names one of the GRFs. */
function names({ instructions }: Program, first: number, end: number): boolean {
  const isIn = (operand: Operand): boolean =>
    operand.file === 'grf' &&
    operand.grf + Math.floor(operand.offset / GRF_BYTES) >= first &&
    operand.grf < end;
  return instructions.some(({ sources, destinations }) => sources.some(isIn) || destinations.some(isIn));
}

class Rounds {
  private readonly references: References;
  private readonly split: SplitRegisters;
  private readonly blockOf: Int32Array;
  private readonly cost = new Map<VirtualRegister, number>();
  private readonly recomputable = new Map<number, boolean>();

  constructor(
    private readonly program: Program,
    private readonly options: TemporaryOptions,
    private readonly analysis: Analysis,
    private readonly flags: FlagAllocation,
    private readonly pool: { readonly first: number; readonly count: number },
    private readonly registerLimit: number,
  ) {
    this.references = referencesOf(program, flags.instructions);
    this.blockOf = new Int32Array(program.instructions.length);
    for (let block = 0; block + 1 < program.blockStart.length; block++)
      this.blockOf.fill(block, program.blockStart[block], program.blockStart[block + 1]);
    this.split = new SplitRegisters(
      program,
      flags,
      this.references,
      this.blockOf,
      analysis.skeleton.isPayload,
      { keeps: options.keeps ?? false, recomputes: options.recomputes ?? false },
    );
  }

  run(): Allocation {
    const careful = Math.min(
      MOST_ROUNDS / 2,
      Math.max(4, CAREFUL_WORK / (this.program.instructions.length + 1)),
    );
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const made = this.split.rewrite();
      const scratch = this.scratch();
      if (scratch.kind === 'refused') return scratch;
      this.split.reloads(made, scratch.offset);
      const plan = this.plan(made);
      const costs = this.costs(plan, made);
      const scanned = this.scan(plan, costs, made);
      if (scanned.kind === 'refused') return scanned;
      if (scanned.spilled.size === 0) return this.write(made, plan, scanned, scratch);
      const cuts = new Map<Piece, number>();
      for (const [register, at] of scanned.spilled)
        if (register < made.base) {
          this.cost.set(register, costs.cost[register]);
          this.split.split(register, at);
        } else cuts.set(made.pieces[register - made.base], at);
      this.split.cutPieces(cuts, round >= careful);
    }
    return refused('REGISTER_ALLOCATION_FAIL', `no allocation within ${MOST_ROUNDS} rounds of spills`, 0);
  }

  private scratch(): ReturnType<typeof placeScratch> {
    const { min, max } = this.analysis.intervals;
    const stored = [...this.split.all.values()].filter(needsMemory).map(({ register }) => register);
    return placeScratch(this.program, { min, max, registers: this.program.registers }, stored);
  }

  private plan({ instructions, insertions, added, single }: Rewritten): VectorPlan {
    const { program, flags, analysis } = this;
    const intervals = {
      ...analysis.intervals,
      min: analysis.intervals.min.slice(),
      max: analysis.intervals.max.slice(),
    };
    this.split.stretch(intervals.min, intervals.max);
    for (const register of this.split.all.keys()) {
      intervals.min[register] = UNUSED;
      intervals.max[register] = -UNUSED;
    }
    return planVectors(program, instructions, intervals, insertions, {
      spills: true,
      isPayload: analysis.skeleton.isPayload,
      joins: single,
      added: flags.one === undefined ? added : [one(program), ...added],
    });
  }

  private costs(plan: VectorPlan, { insertions, base, pieces }: Rewritten): SpillCosts {
    const costs = spillCosts(this.analysis.skeleton, plan, insertions);
    for (let r = 0; r < this.program.registers.length; r++)
      if (this.references.isUnfit[r] || plan.max[r] - plan.min[r] <= SHORTEST) costs.isCandidate[r] = 0;
    costs.isCandidate.fill(0, this.program.registers.length);
    pieces.forEach(({ references }, p) => {
      if (references.length > 1) costs.isCandidate[base + p] = 1;
    });
    return costs;
  }

  private scan(plan: VectorPlan, costs: SpillCosts, made: Rewritten): Scanned | Refused {
    return linearScan(this.analysis.skeleton, this.analysis.intervals, plan, this.flags.isPure, costs, {
      spills: true,
      pool: this.pool,
      registerLimit: this.registerLimit,
      reusesHoles: this.options.reusesHoles ?? true,
      spillThreshold: Infinity,
      splitsVectors: true,
      ...(this.options.keeps && { costAt: (register, point) => this.costAt(made, plan, register, point) }),
    });
  }

  /** Messages that it costs to be without the register from `point` to its next reference, by the length of that. */
  private costAt({ base, pieces }: Rewritten, plan: VectorPlan, register: number, point: number): number {
    const piece = register < base ? undefined : pieces[register - base];
    const references = piece?.references ?? this.references.of[register];
    const next = firstFrom(references, Math.ceil(point / 2));
    const end = next < references.length ? idOf(references[next].at) - 1 : plan.max[register];
    const owner = piece?.owner.register ?? register;
    let messages = 0;
    if (next >= references.length || references[next].isSource)
      messages += this.weight(references[Math.min(next, references.length - 1)].at);
    if (piece === undefined || !needsMemory(piece.owner))
      for (let n = 0; n < Math.min(references.length, LOOKED_AT); n++)
        if (!references[n].isSource) messages += this.weight(references[n].at);
    if (this.isRecomputable(owner)) messages *= RECOMPUTED;
    return messages / Math.max(0.5, end - point);
  }

  private isRecomputable(register: number): boolean {
    let known = this.recomputable.get(register);
    if (known === undefined) {
      known = this.split.makerOf(virtual(register)) !== undefined;
      this.recomputable.set(register, known);
    }
    return known;
  }

  private weight(at: number): number {
    return loopWeight(this.analysis.skeleton.loops.depth[this.blockOf[at] + 1]);
  }

  private write(made: Rewritten, plan: VectorPlan, { address }: Scanned, scratch: Scratch): Allocation {
    const { program, pool } = this;
    const { skeleton } = this.analysis;
    const stores = new Map<VirtualRegister, number[]>();
    this.split.stores(made, scratch.offset, (register, at) => {
      const list = stores.get(register);
      if (list === undefined) stores.set(register, [at]);
      else list.push(at);
    });
    const code = new CodeWriter(program, plan, made.insertions, address, pool, new Map());
    const failure = code.write();
    if (failure) return failure;
    const spilled = [...this.split.all.values()].map((owner): SpilledRegister => {
      const { register, peak } = owner;
      return {
        register,
        bytes: program.registers[register].bytes,
        scratchOffset: scratch.offset.get(register) ?? -1,
        cost: this.cost.get(register) ?? 0,
        how: howOf(owner),
        peak,
        stores: stores.get(register) ?? [],
        reloads: owner.pieces
          .filter(({ references: [first] }) => first.isSource)
          .map(({ references: [first] }) => first.at),
      };
    });
    return {
      kind: 'allocated',
      code: {
        ...code.program(),
        ...(spilled.length > 0 && { pool }),
        scratchBytes: scratch.bytes,
        handedOver: handedOver(skeleton, address),
      },
      address: address.slice(0, program.registers.length),
      spilled,
      scratchBytes: scratch.bytes - program.scratchBytes,
      carries: Int32Array.from(code.carries),
    };
  }
}

/** Definitions of a register that its cost counts. */
const LOOKED_AT = 8;
/** A recomputation against a scratch message. */
const RECOMPUTED = 0.05;

function howOf({ maker, pieces }: SplitRegister): SpilledRegister['how'] {
  if (maker !== undefined) return 'recomputed';
  return pieces.some(({ references }) => references.length > 1) ? 'split' : 'stored';
}

/** The first reference at instruction `at` or behind it. */
function firstFrom(references: readonly { readonly at: number }[], at: number): number {
  let [low, high] = [0, references.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (references[middle].at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
