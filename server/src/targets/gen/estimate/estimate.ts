import { depthAfter, loopWeight } from '../loop-weight.js';
import type { Program } from '../program.js';
import { estimateSelection } from './selection.js';
import { footprintsOf, type Footprints, type Lists } from './footprint.js';
import { isAccumulator, isFlag, nameOfResource, resourcesOf } from './resources.js';
import { units, type Unit } from './timing.js';

/**
 * How many clocks a program takes: one pass over the listing with a clock of the front end, one for each unit and a
 * time at which each register is ready (facts B.11, "Cycle estimate"; G.10). Loops count ten times. For programs of
 * Beignet's selection the clocks are those of its scheduler's table (selection.ts); `model` says which.
 */
export interface Estimate {
  readonly model: 'i965' | 'beignet';
  /** Clocks of the front end from the first instruction to the last, loops weighted. */
  readonly cycles: number;
  /** By instruction: clocks of the front end in one execution, the wait among them. */
  readonly clocks: Int32Array;
  /** By instruction: of these, clocks that it waits. */
  readonly waits: Int32Array;
  /** By instruction: how often it counts. */
  readonly weights: Float64Array;
  /** By instruction that waits longest for a resource or a unit (`-2 - unit`); -1 for none. Read through `stallsOf`. */
  readonly causes: Int32Array;
  /** By instruction: the one it waits for, -1 for none. */
  readonly producers: Int32Array;
}

/** One wait, in words that a report can use. */
export interface Stall {
  readonly instruction: number;
  /** In one execution. */
  readonly cycles: number;
  /** Instruction that it waits for. */
  readonly producer: number;
  /** A register (`g12`, `acc0`, `f0`) or a unit that is busy. */
  readonly cause: { readonly register: string } | { readonly unit: Unit };
}

export function estimate(program: Program): Estimate {
  if (program.dialect === 'selection') return estimateSelection(program);
  return estimateFootprints(program, footprintsOf(program));
}

/** As `estimate` for the Mesa dialects, for a caller that has the footprints already. */
export function estimateFootprints(program: Program, footprints: Footprints): Estimate {
  const { instructions } = program;
  const clock = new Clock(footprints);
  const clocks = new Int32Array(instructions.length);
  const waits = new Int32Array(instructions.length);
  const causes = new Int32Array(instructions.length);
  const producers = new Int32Array(instructions.length);
  const weights = new Float64Array(instructions.length);
  let cycles = 0;
  let depth = 0;
  for (let i = 0; i < instructions.length; i++) {
    const before = clock.frontEnd;
    clock.issue(i);
    clocks[i] = clock.frontEnd - before;
    waits[i] = clock.waited;
    causes[i] = clock.cause;
    producers[i] = clock.producer;
    weights[i] = loopWeight(depth);
    cycles += clocks[i] * weights[i];
    depth = depthAfter(instructions[i].opcode, depth);
  }
  return { model: 'i965', cycles, clocks, waits, weights, causes, producers };
}

/** The longest wait of each instruction that waits, in the order of the listing. */
export function stallsOf(program: Program, found: Estimate): Stall[] {
  const stalls: Stall[] = [];
  const resources = resourcesOf(program);
  for (let i = 0; i < found.waits.length; i++) {
    if (found.waits[i] === 0) continue;
    const code = found.causes[i];
    const cause =
      code <= -2
        ? { unit: units[-2 - code] }
        : {
            register: nameOfResource(program, resources, code),
          };
    stalls.push({ instruction: i, cycles: found.waits[i], producer: found.producers[i], cause });
  }
  return stalls;
}

/** The machine's state between two instructions of a listing; `issue` takes the next one. */
export class Clock {
  /** When the front end takes the next instruction. */
  frontEnd = 0;
  /** Of the last instruction: how long it waited, mostly for what, and for whom. */
  waited = 0;
  cause = -1;
  producer = -1;
  readonly #footprints: Footprints;
  readonly #ready: Int32Array;
  readonly #readyBy: Int32Array;
  readonly #unitReady = new Int32Array(units.length);
  readonly #unitBy = new Int32Array(units.length).fill(-1);

  constructor(footprints: Footprints) {
    this.#footprints = footprints;
    this.#ready = new Int32Array(footprints.resources.count);
    this.#readyBy = new Int32Array(footprints.resources.count).fill(-1);
  }

  /** Takes over the state of another clock of the same program. */
  copyFrom(other: Clock): void {
    this.frontEnd = other.frontEnd;
    this.#ready.set(other.#ready);
    this.#readyBy.set(other.#readyBy);
    this.#unitReady.set(other.#unitReady);
    this.#unitBy.set(other.#unitBy);
  }

  /** When instruction `i` could start if it came next: operands ready, and its unit free. */
  startOf(i: number): number {
    const { reads, writes, noDDCheck, unit, frontEnd } = this.#footprints;
    let start = this.#latest(reads, i, this.frontEnd);
    if (noDDCheck[i] === 0) start = this.#latest(writes, i, start);
    if (unit[i] >= 0) start = Math.max(start, this.#unitReady[unit[i]] - frontEnd[i]);
    return start;
  }

  issue(i: number): void {
    const {
      reads,
      held,
      writes,
      noDDCheck,
      unit,
      frontEnd,
      backEnd,
      sources,
      destination,
      accumulator,
      flag,
    } = this.#footprints;
    this.cause = -1;
    this.producer = -1;
    const ready = this.#latest(reads, i, this.frontEnd, true);
    const start = noDDCheck[i] === 0 ? this.#latest(writes, i, ready, true) : ready;
    const forOperands = start - this.frontEnd;
    this.waited = forOperands;
    let end = start + frontEnd[i];
    const u = unit[i];
    if (u >= 0) {
      const forUnit = this.#unitReady[u] - end;
      if (forUnit > 0) {
        end += forUnit;
        this.waited += forUnit;
        if (forUnit > forOperands) {
          this.cause = -2 - u;
          this.producer = this.#unitBy[u];
        }
      }
      this.#unitReady[u] = end + backEnd[i];
      this.#unitBy[u] = i;
    }
    this.frontEnd = end;
    for (let k = held.start[i]; k < held.start[i + 1]; k++) this.#mark(held.values[k], end + sources[i], i);
    for (let k = writes.start[i]; k < writes.start[i + 1]; k++) {
      const resource = writes.values[k];
      const latency = isAccumulator(resource) ? accumulator[i] : isFlag(resource) ? flag[i] : destination[i];
      this.#mark(resource, end + latency, i);
    }
  }

  #mark(resource: number, time: number, by: number): void {
    this.#ready[resource] = time;
    this.#readyBy[resource] = by;
  }

  #latest(lists: Lists, i: number, from: number, explain = false): number {
    let latest = from;
    for (let k = lists.start[i]; k < lists.start[i + 1]; k++) {
      const resource = lists.values[k];
      if (this.#ready[resource] <= latest) continue;
      latest = this.#ready[resource];
      if (!explain) continue;
      this.cause = resource;
      this.producer = this.#readyBy[resource];
    }
    return latest;
  }
}
