import { virtual, type VirtualRegister } from '../../../ir/place.js';
import type { Refused } from '../allocation.js';
import { GRF_BYTES, type Program } from '../program.js';
import { bankPartners, madResults, UPPER_HALF } from './bank-conflicts.js';
import { familyOf, registerAlignment } from './families.js';
import { FreeList } from './free-list.js';
import { bestHole, borrowers, holesOf, type Hole } from './holes.js';
import type { Intervals } from './intervals.js';
import { fixedPlaces } from './fixed-places.js';
import type { Skeleton } from './skeleton.js';
import { roomMakers } from './spill-choice.js';
import type { SpillCosts } from './spill-costs.js';
import type { VectorPlan } from './vectors.js';

/**
 * Beignet's linear scan (facts A.10, allocateGRFs, allocateReg, expireGRF): registers in the order of their first point;
 * each goes to the lowest aligned free bytes. What has ended is given back in order of last points, but lazily, so that
 * the scheduler behind finds fewer registers shared: at every twelfth register, or when nothing is free. With a pool for
 * spill code it is given back at once. A register without room makes room by spilling others, else is spilled itself,
 * else the strategy fails.
 */
export interface ScanOptions {
  /** Spill code may be made. */
  readonly spills: boolean;
  /** GRFs that nobody gets: the pool. */
  readonly pool: { readonly first: number; readonly count: number };
  readonly registerLimit: number;
  readonly reusesHoles: boolean;
  /** More spilled registers than this fail the strategy. */
  readonly spillThreshold: number;
  /** Components of vectors leave by themselves; by default a vector leaves as a whole, and only for another vector. */
  readonly splitsVectors?: boolean;
  /** What it costs that a register has to go at an identifier; by default what `SpillCosts` says, wherever it is. */
  readonly costAt?: (register: VirtualRegister, point: number) => number;
}

export interface Scanned {
  readonly kind: 'scanned';
  /** First byte of each register of the plan, -1 where it has no place. */
  readonly address: Int32Array;
  /** In the order of spilling, with the instruction that had no room. */
  readonly spilled: ReadonlyMap<VirtualRegister, number>;
}

const LAZY_EXPIRY = 12;

export function linearScan(
  skeleton: Skeleton,
  intervals: Intervals,
  plan: VectorPlan,
  isPureFlag: Uint8Array,
  costs: SpillCosts,
  options: ScanOptions,
): Scanned | Refused {
  return new Scan(skeleton, intervals, plan, isPureFlag, costs, options).run();
}

class Scan {
  private readonly program: Program;
  private readonly free: FreeList;
  private readonly address: Int32Array;
  private readonly spilled = new Map<VirtualRegister, number>();
  /** Registers that lie in another's hole: their place is the owner's to give back. */
  private readonly isBorrower: Uint8Array;
  /** What ends when, ascending: registers by number, and fixed GRFs as `~grf`. */
  private readonly ending: Int32Array;
  private expired = 0;
  private allocations = 0;
  private readonly candidates: Set<VirtualRegister> = new Set();
  private readonly candidateAt = new Map<number, VirtualRegister>();
  private readonly partner: Int32Array;
  private readonly isMadResult: Uint8Array;
  private readonly holes: readonly Hole[];
  private nextHole = 0;
  private openHoles: Hole[] = [];
  private readonly mayBorrow: Uint8Array;

  constructor(
    private readonly skeleton: Skeleton,
    private readonly intervals: Intervals,
    private readonly plan: VectorPlan,
    private readonly isPureFlag: Uint8Array,
    private readonly costs: SpillCosts,
    private readonly options: ScanOptions,
  ) {
    const { program } = skeleton;
    const count = plan.registers.length;
    this.program = program;
    this.free = new FreeList(GRF_BYTES, options.registerLimit * GRF_BYTES);
    this.address = new Int32Array(count).fill(-1);
    this.isBorrower = new Uint8Array(count);
    this.partner = bankPartners(plan.instructions, count);
    this.isMadResult = madResults(plan.instructions, count);
    this.holes = options.reusesHoles ? holesOf(skeleton) : [];
    this.mayBorrow = borrowers(skeleton, intervals);
    this.ending = this.endings();
  }

  run(): Scanned | Refused {
    const { pool } = this.options;
    if (pool.count > 0) this.free.allocateAt(pool.first * GRF_BYTES, pool.count * GRF_BYTES);
    fixedPlaces(this.skeleton, this.plan, this.intervals, this.free, this.address);
    const refused = this.placePayload();
    if (refused) return refused;
    for (const register of this.starting()) {
      const failure = this.register(register);
      if (failure) return failure;
      if (this.spilled.size > this.options.spillThreshold) return this.exceeded(register);
    }
    return { kind: 'scanned', address: this.address, spilled: this.spilled };
  }

  private isUsed(register: number): boolean {
    return this.plan.min[register] <= this.plan.max[register] && this.isPureFlag[register] !== 1;
  }

  private endings(): Int32Array {
    const { plan, intervals } = this;
    const ends: number[] = [];
    for (let r = 0; r < plan.registers.length; r++) if (this.isUsed(r)) ends.push(r);
    intervals.grfMax.forEach((max, grf) => {
      if (max >= -1) ends.push(~grf);
    });
    return Int32Array.from(ends.sort((a, b) => this.end(a) - this.end(b) || a - b));
  }

  private end(ending: number): number {
    return ending < 0 ? this.intervals.grfMax[~ending] : this.plan.max[ending];
  }

  private starting(): VirtualRegister[] {
    const { min, max } = this.plan;
    const order: VirtualRegister[] = [];
    for (let r = 0; r < min.length; r++) if (this.isUsed(r) && this.address[r] < 0) order.push(virtual(r));
    return order.sort((a, b) => min[a] - min[b] || max[a] - max[b] || a - b);
  }

  /** What the dispatch hands over, first, by last point, from the low end (facts A.7). */
  private placePayload(): Refused | undefined {
    const { isPayload } = this.skeleton;
    const payload: VirtualRegister[] = [];
    for (let r = 0; r < isPayload.length; r++) if (isPayload[r] && this.isUsed(r)) payload.push(virtual(r));
    payload.sort((a, b) => this.plan.max[a] - this.plan.max[b] || a - b);
    for (const register of payload) {
      const { bytes } = this.plan.registers[register];
      const at = this.free.allocate(bytes, registerAlignment(bytes));
      if (at === 0) return this.failed(register, 0, bytes);
      this.address[register] = at;
    }
    return undefined;
  }

  private register(register: VirtualRegister): Refused | undefined {
    if (this.address[register] >= 0 || this.spilled.has(register)) return undefined;
    const vector = this.plan.vectorOf[register];
    if (vector >= 0) return this.vector(register, vector);
    if (this.borrow(register)) return undefined;
    const { bytes } = this.plan.registers[register];
    const alignment = this.alignment(register);
    const partner = this.partner[register];
    const fromTail = partner >= 0 && this.address[partner] >= 0 && this.address[partner] < UPPER_HALF;
    const at = this.allocate(register, bytes, alignment, fromTail, false);
    if (at > 0) {
      this.placed(register, at);
      return undefined;
    }
    return this.spillItself(register, [register], bytes);
  }

  /** All components in one block, which is cut so that each of them ends by itself. */
  private vector(first: VirtualRegister, number: number): Refused | undefined {
    const { components } = this.plan.vectors[number];
    const { bytes } = this.plan.registers[first];
    const total = bytes * components.length;
    const at = this.allocate(first, total, this.vectorAlignment(), false, true);
    if (at === 0) return this.spillItself(first, components, total);
    components.forEach((component, k) => {
      this.free.split(at + bytes * k, bytes);
      this.placed(component, at + bytes * k);
    });
    return undefined;
  }

  private vectorAlignment(): number {
    return (this.program.width / 8) * GRF_BYTES;
  }

  private alignment(register: VirtualRegister): number {
    const facts = this.plan.registers[register];
    if (this.program.dialect === 'scalar' && familyOf(this.program, facts) === undefined)
      return Math.max(facts.alignment, Math.min(this.vectorAlignment(), facts.bytes));
    const own = registerAlignment(facts.bytes);
    return this.isMadResult[register] ? Math.max(own, 16) : own;
  }

  private placed(register: VirtualRegister, at: number): void {
    this.address[register] = at;
    if (!this.options.spills || !this.costs.isCandidate[register]) return;
    this.candidates.add(register);
    this.candidateAt.set(at, register);
  }

  private allocate(
    register: VirtualRegister,
    bytes: number,
    alignment: number,
    fromTail: boolean,
    isVector: boolean,
  ): number {
    if (this.options.spills || ++this.allocations % LAZY_EXPIRY === 0) this.expire(this.plan.min[register]);
    for (;;) {
      const at = this.free.allocate(bytes, alignment, fromTail);
      if (at > 0) return at;
      if (this.expire(this.plan.min[register])) continue;
      if (!this.options.spills) return 0;
      const victims = roomMakers({
        bytes,
        alignment,
        isVector,
        candidates: this.candidates,
        candidateAt: this.candidateAt,
        address: this.address,
        registers: this.plan.registers,
        vectorAround: this.options.splitsVectors
          ? () => undefined
          : (victim) => {
              const vector = this.plan.vectorOf[victim];
              return vector < 0 ? undefined : this.plan.vectors[vector].components;
            },
        cost: this.costsAt(this.plan.min[register]),
        free: this.free,
      });
      if (victims === undefined || this.isCheaper(register, victims, isVector)) return 0;
      for (const victim of victims) this.evict(victim, register);
    }
  }

  /** It is better to spill the register itself than those that would make room for it. */
  private isCheaper(
    register: VirtualRegister,
    victims: readonly VirtualRegister[],
    isVector: boolean,
  ): boolean {
    const { costAt } = this.options;
    if (costAt === undefined || isVector || !this.costs.isCandidate[register]) return false;
    const theirs = victims.reduce((sum, victim) => sum + this.costs.cost[victim], 0);
    return costAt(register, this.plan.min[register] + 2) < theirs;
  }

  private costsAt(point: number): Float64Array {
    const { costAt } = this.options;
    const { cost } = this.costs;
    if (costAt !== undefined)
      for (const candidate of this.candidates) cost[candidate] = costAt(candidate, point);
    return cost;
  }

  /** Gives back what has ended before `point`; false where that was nothing. */
  private expire(point: number): boolean {
    let gaveBack = false;
    for (; this.expired < this.ending.length; this.expired++) {
      const ending = this.ending[this.expired];
      if (this.end(ending) >= point) break;
      if (ending < 0) {
        this.free.free(~ending * GRF_BYTES);
        gaveBack = true;
        continue;
      }
      const register = virtual(ending);
      if (this.address[register] < GRF_BYTES || this.isBorrower[register]) continue;
      this.giveBack(register);
      gaveBack = true;
    }
    return gaveBack;
  }

  private giveBack(register: VirtualRegister): void {
    this.free.free(this.address[register]);
    if (this.candidates.delete(register)) this.candidateAt.delete(this.address[register]);
  }

  private evict(victim: VirtualRegister, forRegister: VirtualRegister): void {
    this.giveBack(victim);
    this.address[victim] = -1;
    this.spilled.set(victim, this.instructionAt(forRegister));
  }

  private spillItself(
    register: VirtualRegister,
    components: readonly VirtualRegister[],
    bytes: number,
  ): Refused | undefined {
    const canAll = components.every((component) => this.costs.isCandidate[component]);
    if (!this.options.spills || !canAll) return this.failed(register, this.plan.min[register], bytes);
    for (let k = components.length - 1; k >= 0; k--)
      this.spilled.set(components[k], this.instructionAt(register));
    return undefined;
  }

  private borrow(register: VirtualRegister): boolean {
    const { min, max, registers } = this.plan;
    const point = min[register];
    while (this.nextHole < this.holes.length && this.holes[this.nextHole].from <= point)
      this.openHoles.push(this.holes[this.nextHole++]);
    if (this.openHoles.length === 0) return false;
    this.openHoles = this.openHoles.filter(
      (hole) => hole.to >= point && this.address[hole.owner] >= GRF_BYTES,
    );
    if (register >= this.mayBorrow.length || !this.mayBorrow[register]) return false;
    const { bytes } = registers[register];
    const block = this.intervals.onlyBlock[register];
    const hole = bestHole(this.openHoles, block, point, max[register], (owner) => {
      return registers[owner].bytes === bytes && owner !== register;
    });
    if (hole === undefined) return false;
    this.address[register] = this.address[hole.owner];
    this.isBorrower[register] = 1;
    hole.from = max[register] + 1;
    // an owner that has lent its place must keep it
    if (this.candidates.delete(hole.owner)) this.candidateAt.delete(this.address[hole.owner]);
    return true;
  }

  private instructionAt(register: VirtualRegister): number {
    const last = this.program.instructions.length - 1;
    return Math.min(Math.max(0, Math.ceil(this.plan.min[register] / 2)), last);
  }

  private failed(register: VirtualRegister, point: number, bytes: number): Refused {
    const { name } = this.plan.registers[register];
    const instruction = Math.max(0, Math.ceil(point / 2));
    return {
      kind: 'refused',
      reason: 'REGISTER_ALLOCATION_FAIL',
      detail:
        `${name} needs ${bytes} bytes in one piece; ${this.free.freeBytes} of the register file's ` +
        `${this.options.registerLimit * GRF_BYTES} bytes are free, not together` +
        (this.options.spills ? ', and nothing that may be spilled lies so that it would help' : ''),
      instruction,
    };
  }

  private exceeded(register: VirtualRegister): Refused {
    return {
      kind: 'refused',
      reason: 'REGISTER_SPILL_EXCEED_THRESHOLD',
      detail: `more than ${this.options.spillThreshold} registers would be spilled`,
      instruction: this.instructionAt(register),
    };
  }
}
