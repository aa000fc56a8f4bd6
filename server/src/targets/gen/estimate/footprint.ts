import {
  bytesRead,
  bytesWritten,
  payloadLength,
  readsFlag,
  registersTouched,
  writesFlag,
} from '../access.js';
import { isFloat, type Instruction, type Program } from '../program.js';
import {
  accumulatorResources,
  firstResource,
  flagResources,
  messageResource,
  resourcesOf,
  type Resources,
} from './resources.js';
import { executionType, timingOf, units } from './timing.js';

/**
 * A program as the estimate and our scheduler see it: what each instruction waits for, what it makes others wait for,
 * and how long, flat in typed arrays (list k of instruction i is `values[start[i] .. start[i + 1] - 1]`). Resources
 * are numbered in resources.ts.
 */
export interface Footprints {
  readonly resources: Resources;
  /** Sources, flags and accumulators read, payload in message registers. */
  readonly reads: Lists;
  /** Of the reads: payload that a send keeps others from overwriting until it has been fetched. */
  readonly held: Lists;
  /** Destinations, and accumulators and flags written by the way. */
  readonly writes: Lists;
  /** Number in `units`, -1 for none. */
  readonly unit: Int8Array;
  readonly frontEnd: Int32Array;
  readonly backEnd: Int32Array;
  /** From the start of the instruction: payload fetched; results written. */
  readonly sources: Int32Array;
  readonly destination: Int32Array;
  readonly accumulator: Int32Array;
  readonly flag: Int32Array;
  readonly noDDCheck: Uint8Array;
}

export interface Lists {
  readonly start: Int32Array;
  readonly values: Int32Array;
}

/** Appends to one growing typed array, instruction after instruction. */
class ListWriter {
  readonly #start: Int32Array;
  #values = new Int32Array(1024);
  #count = 0;
  #instruction = 0;

  constructor(instructions: number) {
    this.#start = new Int32Array(instructions + 1);
  }

  add(resource: number): void {
    if (resource < 0) return;
    if (this.#count === this.#values.length) {
      const larger = new Int32Array(2 * this.#count);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count++] = resource;
  }

  addRange(first: number, last: number): void {
    for (let resource = first; resource <= last; resource++) this.add(resource);
  }

  next(): void {
    this.#start[++this.#instruction] = this.#count;
  }

  lists(): Lists {
    return { start: this.#start, values: this.#values.subarray(0, this.#count) };
  }
}

export function footprintsOf(program: Program): Footprints {
  const { instructions } = program;
  const count = instructions.length;
  const resources = resourcesOf(program);
  const reads = new ListWriter(count);
  const held = new ListWriter(count);
  const writes = new ListWriter(count);
  const made = {
    unit: new Int8Array(count),
    frontEnd: new Int32Array(count),
    backEnd: new Int32Array(count),
    sources: new Int32Array(count),
    destination: new Int32Array(count),
    accumulator: new Int32Array(count),
    flag: new Int32Array(count),
    noDDCheck: new Uint8Array(count),
  };
  for (let i = 0; i < count; i++) {
    const instruction = instructions[i];
    const sourceGrfs = addReads(program, resources, instruction, reads, held);
    const destinationGrfs = addWrites(program, resources, instruction, writes);
    reads.next();
    held.next();
    writes.next();
    const timing = timingOf(program, instruction, destinationGrfs, sourceGrfs);
    made.unit[i] = timing.unit === undefined ? -1 : units.indexOf(timing.unit);
    made.frontEnd[i] = timing.frontEnd;
    made.backEnd[i] = timing.backEnd;
    made.sources[i] = timing.sources;
    made.destination[i] = timing.destination;
    made.accumulator[i] = timing.accumulator;
    made.flag[i] = timing.flag;
    made.noDDCheck[i] = instruction.noDDCheck ? 1 : 0;
  }
  return { resources, reads: reads.lists(), held: held.lists(), writes: writes.lists(), ...made };
}

/** Returns the GRFs of the largest source; of a split send those of both payloads together. */
function addReads(
  program: Program,
  resources: Resources,
  instruction: Instruction,
  reads: ListWriter,
  held: ListWriter,
): number {
  const { dialect } = program;
  const { opcode, message, sources } = instruction;
  let largest = 0;
  let payload = 0;
  for (let k = 0; k < sources.length; k++) {
    const source = sources[k];
    const bytes = bytesRead(instruction, k, dialect);
    const grfs = source.file === 'immediate' ? 0 : registersTouched(source.offset, bytes);
    // a uniform fills its GRF once it stands in the payload
    largest = Math.max(largest, source.file === 'uniform' ? 1 : Math.ceil(bytes / 32));
    const isPayload = payloadLength(instruction, k) >= 0;
    if (isPayload) payload += Math.ceil(bytes / 32);
    const first = firstResource(program, resources, source);
    if (first < 0) continue;
    reads.addRange(first, first + grfs - 1);
    // the vec4 back-end lets a send hold each source, the scalar one its payload
    if (opcode.sendsFromGrf && (dialect === 'vec4' || isPayload)) held.addRange(first, first + grfs - 1);
  }
  // sends out of general registers carry a message register 0 in the vec4 back-end (facts G.10)
  const base = dialect === 'vec4' && opcode.sendsFromGrf ? 0 : message.baseMrf;
  if (base >= 0)
    for (let m = 0; m < message.mlen; m++) {
      reads.add(messageResource(program, base + m));
      held.add(messageResource(program, base + m));
    }
  if (readsFlag(instruction)) {
    const flag = instruction.predicate?.flag ?? ({ kind: 'hardware', flag: 0 } as const);
    const range = flagResources(program, instruction, flag);
    if (range !== undefined) reads.addRange(...range);
  }
  if (opcode.readsAccumulator) reads.addRange(...implicitAccumulator(instruction));
  return opcode.name === 'send' ? payload : Math.max(dialect === 'vec4' ? 1 : 0, largest);
}

function addWrites(
  program: Program,
  resources: Resources,
  instruction: Instruction,
  writes: ListWriter,
): number {
  const { dialect } = program;
  let largest = 0;
  for (let k = 0; k < instruction.destinations.length; k++) {
    const destination = instruction.destinations[k];
    const bytes = bytesWritten(instruction, k, dialect);
    largest = Math.max(largest, Math.ceil(bytes / 32));
    if (destination.file === 'immediate') continue;
    const first = firstResource(program, resources, destination);
    if (first >= 0) writes.addRange(first, first + registersTouched(destination.offset, bytes) - 1);
  }
  if (instruction.writesAccumulator) writes.addRange(...implicitAccumulator(instruction));
  if (writesFlag(instruction) && instruction.condition !== undefined) {
    const range = flagResources(program, instruction, instruction.condition.flag);
    if (range !== undefined) writes.addRange(...range);
  }
  return largest;
}

const implicitAccumulator = (instruction: Instruction): readonly [number, number] =>
  accumulatorResources(instruction, isFloat(executionType(instruction)));
