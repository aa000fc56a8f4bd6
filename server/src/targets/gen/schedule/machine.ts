import { Clock } from '../estimate/estimate.js';
import type { Footprints } from '../estimate/footprint.js';
import type { Program } from '../program.js';
import { Runs, runEntry, runReads, unsafety } from '../vec4/dependency-control.js';
import type { OrderGraph } from './order.js';

/** The estimate's clock together with the runs of dependency control that the order so far allows. */
export class Machine {
  readonly footprints: Footprints;
  readonly #noDDCheck: Uint8Array;
  readonly #clock: Clock;
  readonly #saved: Clock;
  readonly #runs = new Runs();
  readonly #isSafe: Uint8Array;
  readonly #entry: Int16Array;
  readonly #offset: Int32Array;
  readonly #mask: Uint8Array;
  readonly #reads: readonly (readonly number[])[];

  constructor(program: Program, footprints: Footprints) {
    const { instructions } = program;
    this.#noDDCheck = new Uint8Array(instructions.length);
    this.footprints = { ...footprints, noDDCheck: this.#noDDCheck };
    this.#clock = new Clock(this.footprints);
    this.#saved = new Clock(this.footprints);
    const canRun = program.dialect === 'vec4';
    this.#isSafe = Uint8Array.from(instructions, (instruction) =>
      canRun && unsafety(program, instruction) === undefined ? 1 : 0,
    );
    this.#entry = new Int16Array(instructions.length).fill(-1);
    this.#offset = new Int32Array(instructions.length);
    this.#mask = new Uint8Array(instructions.length);
    instructions.forEach((instruction, i) => {
      const destination = instruction.destinations.at(0);
      if (this.#isSafe[i] === 0 || destination === undefined || destination.file === 'immediate') return;
      this.#entry[i] = runEntry(program, destination);
      this.#offset[i] = destination.offset;
      this.#mask[i] = destination.mask;
    });
    this.#reads = instructions.map((instruction) => (canRun ? runReads(program, instruction) : []));
  }

  get frontEnd(): number {
    return this.#clock.frontEnd;
  }

  /** Makes the state of now the one that `restore` comes back to. */
  beginBlock(): void {
    this.#saved.copyFrom(this.#clock);
  }

  restore(): void {
    this.#clock.copyFrom(this.#saved);
    this.#runs.forgetAll();
  }

  /** Writers of part of a register, which may be joined to runs, make chains shorter than they look. */
  hasRuns({ first, count }: OrderGraph): boolean {
    for (let i = first; i < first + count; i++) if (this.#entry[i] >= 0 && this.#mask[i] !== 15) return true;
    return false;
  }

  startOf(i: number): number {
    this.#predict(i);
    return this.#clock.startOf(i);
  }

  issue(i: number): void {
    this.#predict(i);
    this.#clock.issue(i);
    for (const entry of this.#reads[i]) this.#runs.forget(entry);
    if (this.#isSafe[i] === 0) this.#runs.forgetAll();
    else if (this.#entry[i] >= 0) this.#runs.write(this.#entry[i], i, this.#offset[i], this.#mask[i]);
  }

  #predict(i: number): void {
    const joins =
      this.#entry[i] >= 0 &&
      !this.#reads[i].includes(this.#entry[i]) &&
      this.#runs.continues(this.#entry[i], this.#offset[i], this.#mask[i]);
    this.#noDDCheck[i] = joins ? 1 : 0;
  }
}
