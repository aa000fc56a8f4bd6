import type { Allocated, SpilledRegister } from '../allocation.js';
import { GRF_BYTES, type Program } from '../program.js';
import { virtual } from '../../../ir/place.js';
import { assign, type Assignment, type Unplaced } from './assign.js';
import { atomsOf, type Atoms } from './atoms.js';
import { capacityOf, hardwareOf } from './hardware.js';
import { rangesOf, type Ranges } from './live.js';
import { recomputableOf, type Recomputable } from './recompute.js';
import { hazardous, referencesOf, type References } from './references.js';
import { regionsOf, type Regions } from './regions.js';
import { residenceOf, type Residence, type Shortage } from './residence.js';
import { splitProgram, type Split } from './rewrite.js';
import { reservedFor, type Cells } from './spill-code.js';

/**
 * One attempt to allocate a program in one order: without spilling if it fits, else with ranges split so that they
 * fit, and split further by one register at a time where gaps between wide registers leave too little.
 */
export interface Attempt {
  readonly allocation: Allocated;
  /** Scratch messages, each ten times as heavy for every loop around it. */
  readonly weight: number;
  readonly messages: number;
  readonly operations: number;
  readonly copies: number;
}

export interface Failed {
  readonly instruction: number;
  readonly register: number;
  readonly needed: number;
  readonly available: number;
}

export interface AttemptOptions {
  readonly recompute: boolean;
  readonly most: Cells;
}

export interface Facts {
  readonly program: Program;
  readonly references: References;
  readonly ranges: Ranges;
  readonly atoms: Atoms;
  readonly regions: Regions;
  readonly hazard: Uint8Array;
}

export function factsOf(program: Program, merges?: Uint8Array): Facts {
  const references = referencesOf(program, merges);
  const ranges = rangesOf(program, references);
  const atoms = atomsOf(program, references, ranges);
  return { program, references, ranges, atoms, regions: regionsOf(program), hazard: hazardous(program) };
}

/** Without spilling; undefined where it does not fit. */
export function fit(facts: Facts): Attempt | undefined {
  const hardware = hardwareOf(facts.program, facts.regions, { reserved: 0, reusesPayload: true });
  for (const policy of ['spread', 'pack'] as const) {
    const assignment = assign({ ...facts, hardware, policy, isTrial: true });
    if ('place' in assignment) return attempt(facts, undefined, assignment);
  }
  return undefined;
}

/** A program with its ranges split, not yet placed. */
export interface Plan {
  readonly facts: Facts;
  readonly options: AttemptOptions;
  readonly split: Split;
  readonly reserved: number;
}

/** Instructions that may still be walked; what is begun is finished. */
export interface Effort {
  left: number;
}

/** Splits ranges so that everything fits, with `slack` registers more left free at each instruction. */
export function plan(facts: Facts, options: AttemptOptions, slack?: Int32Array): Plan | Failed {
  const { found, reserved } = reside(facts, options, slack);
  if (!('arrivals' in found))
    return { instruction: found.instruction, register: -1, needed: found.needed, available: found.available };
  const split = splitProgram(
    facts.program,
    facts.references,
    facts.atoms,
    facts.regions,
    found,
    options.most,
  );
  return { facts, options, split, reserved };
}

/** Rounds in which more is left free where registers found no place; in the last one everywhere. */
const ROUNDS = 12;
const ROUNDS_OF_LARGE = 5;
const LARGE = 4000;
/** What the last round leaves free. */
const MUCH = 16;
/** Instructions on either side of such a place that are relieved too. */
const AROUND = 4;

/**
 * Places a plan. Gaps between wide registers cannot all be used: where one finds no place more is left free, and all
 * is split again. Given up once `isWorth` says that the split costs too much.
 */
export function place(first: Plan, isWorth: (split: Split) => boolean, effort?: Effort): Attempt | Failed {
  let current = first;
  let failed: Failed = { instruction: 0, register: -1, needed: 0, available: 0 };
  const slack = new Int32Array(first.facts.program.instructions.length);
  const rounds = slack.length > LARGE ? ROUNDS_OF_LARGE : ROUNDS;
  for (let round = 0; round <= rounds; round++) {
    if (round === rounds) slack.fill(MUCH);
    if (round > 0) {
      const next = plan(first.facts, first.options, slack);
      if (!('split' in next)) return next;
      current = next;
    }
    if (!isWorth(current.split)) return failed;
    if (effort !== undefined) effort.left -= (round === 0 ? 1 : 2) * current.split.source.length;
    const { split, reserved, facts } = current;
    const next = factsOf(split.program, split.merges);
    const hardware = hardwareOf(split.program, next.regions, { reserved, reusesPayload: true });
    const assignment: Assignment | Unplaced = assign({ ...next, hardware, policy: 'pack', isTrial: false });
    if ('place' in assignment) return attempt(facts, split, assignment, next);
    const [{ instruction, register }] = assignment.failures;
    failed = {
      instruction: split.source[instruction],
      register: split.original[register],
      needed: 0,
      available: 0,
    };
    for (const failure of assignment.failures)
      relieve(slack, split, next, failure, 1 + (slack.length > LARGE ? 2 * round : round >> 1));
  }
  return failed;
}

/** Leaves more registers free while the one that found no place lives its first instructions. */
function relieve(
  slack: Int32Array,
  split: Split,
  facts: Facts,
  failure: { readonly instruction: number; readonly register: number },
  amount: number,
): void {
  const { references, ranges } = facts;
  let end = failure.instruction;
  for (
    let cell = references.cellBase[failure.register];
    cell < references.cellBase[failure.register + 1];
    cell++
  )
    end = Math.max(end, Math.min(split.source.length - 1, ranges.to[cell] >> 1));
  const from = Math.max(0, split.source[failure.instruction] - AROUND);
  const to = Math.min(slack.length - 1, Math.min(split.source[end], from + 64) + AROUND);
  for (let i = from; i <= to; i++) slack[i] += amount;
}

/** Which atoms stay in registers where; registers for messages are set aside only if there are any. */
function reside(
  facts: Facts,
  options: AttemptOptions,
  slack: Int32Array | undefined,
): { found: Residence | Shortage; reserved: number } {
  const { program, references, atoms, regions } = facts;
  const pinned = pinnedAtoms(facts);
  const all = options.recompute ? recomputableOf(program, references, atoms, regions) : undefined;
  const run = (
    reserved: number,
    recomputable: Recomputable | undefined,
    keeps: Uint8Array,
  ): Residence | Shortage => {
    const hardware = hardwareOf(program, regions, { reserved, reusesPayload: true, keeps });
    const { reads, writes } = capacityOf(program, hardware);
    if (slack !== undefined)
      for (let i = 0; i < reads.length; i++) {
        reads[i] -= slack[i];
        writes[i] -= slack[i];
      }
    return residenceOf({
      ...facts,
      recomputable,
      capacity: { reads, writes },
      pinned,
      most: program.dialect === 'vec4' ? 1 : 4,
    });
  };
  const isLarge = program.instructions.length > LARGE;
  let reserved = isLarge ? reservedFor(program, options.most) : 0;
  for (;;) {
    let found = run(reserved, all, payloadOf(program, all?.cost));
    if (all !== undefined && !isLarge && 'arrivals' in found) {
      // keep only the payload that was read again, and allow only what reads that
      const used = new Int32Array(program.instructions.length);
      for (const { chain } of found.arrivals) for (const step of chain ?? []) used[step.instruction] = 1;
      const keeps = payloadOf(program, used);
      const again = run(reserved, restricted(all, program, keeps), keeps);
      if ('arrivals' in again && loads(again) <= loads(found)) found = again;
    }
    const isMessaging = 'arrivals' in found && loads(found) > 0;
    if (!isMessaging || reserved > 0 || reservedFor(program, options.most) === 0) return { found, reserved };
    reserved = reservedFor(program, options.most);
  }
}

const loads = (residence: Residence): number =>
  residence.arrivals.filter(({ chain }) => chain === undefined).length;

/** Payload registers that the marked instructions read. */
function payloadOf(program: Program, marked: Int32Array | undefined): Uint8Array {
  const keeps = new Uint8Array(128);
  if (marked === undefined) return keeps;
  program.instructions.forEach((instruction, i) => {
    if (marked[i] === 0) return;
    for (const source of instruction.sources)
      if (source.file === 'grf')
        keeps.fill(
          1,
          source.grf,
          Math.min(128, source.grf + reach(instruction.opcode.name, source.stride, instruction.execSize)),
        );
  });
  return keeps;
}

/** Registers that a payload operand may reach over. */
const reach = (name: string, stride: number, lanes: number): number =>
  stride === 0 && name !== 'linterp' ? 1 : Math.max(1, lanes / 8) * (name === 'linterp' ? 2 : 1);

function restricted(all: Recomputable, program: Program, keeps: Uint8Array): Recomputable {
  const isAllowed = (i: number): boolean =>
    program.instructions[i].sources.every((source) => source.file !== 'grf' || keeps[source.grf] === 1);
  const cost = all.cost.map((value, i) => (value > 0 && isAllowed(i) ? value : 0));
  // a chain stands only if all its links do: sources come before their users within one block or as only definitions
  const isFine = (i: number, depth: number): boolean => i >= 0 && cost[i] > 0 && depth < 8;
  const reads = all.reads.map((i) => (isFine(i, 0) ? i : -1));
  return { cost, definition: all.definition.map((i) => (isFine(i, 0) ? i : -1)), reads };
}

/**
 * Atoms that must stay: those that messages take as they lie, and in vec4 what is defined while a payload is being
 * built in m13 and up, where a scratch message would write over it.
 */
function pinnedAtoms(facts: Facts): Uint8Array {
  const { program, atoms } = facts;
  const pinned = Uint8Array.from(atoms.isBound);
  if (program.dialect !== 'vec4') return pinned;
  let isBuilding = false;
  const busy = new Uint8Array(program.instructions.length);
  for (let i = program.instructions.length - 1; i >= 0; i--) {
    const { message, opcode, destinations } = program.instructions[i];
    if (message.mlen > 0 && !opcode.sendsFromGrf && message.baseMrf >= 0 && opcode.scratch === undefined)
      isBuilding = message.baseMrf + message.mlen > 13;
    busy[i] = isBuilding ? 1 : 0;
    if (message.baseMrf < 0 && destinations.some(({ file }) => file === 'message')) continue;
  }
  for (let atom = 0; atom < atoms.count; atom++)
    for (let d = atoms.definitionStart[atom]; d < atoms.definitionStart[atom + 1]; d++)
      if (busy[atoms.definition[d]] !== 0) pinned[atom] = 1;
  return pinned;
}

function attempt(
  facts: Facts,
  split: Split | undefined,
  assignment: Assignment,
  next: Facts = facts,
): Attempt {
  const { program } = facts;
  const address = new Int32Array(program.registers.length).fill(-1);
  const spilled = split === undefined ? [] : spilledRegisters(split);
  const isSpilled = new Set(spilled.map(({ register }) => register));
  for (let register = 0; register < address.length; register++) {
    const place = assignment.place[next.references.cellBase[register]];
    if (place >= 0 && !isSpilled.has(virtual(register))) address[register] = place * GRF_BYTES;
  }
  const carries = Int32Array.from(assignment.made, (i, k) => {
    const moved = assignment.moves[k];
    if (moved >= 0) return split?.original[moved] ?? moved;
    return i < 0 || split === undefined ? -1 : split.carries[i];
  });
  return {
    allocation: {
      kind: 'allocated',
      code: {
        ...program,
        phase: 'allocated',
        registers: program.registers,
        instructions: assignment.instructions,
        blockStart: assignment.blockStart,
        scratchBytes: program.scratchBytes + (split?.scratchBytes ?? 0),
      },
      address,
      spilled,
      scratchBytes: split?.scratchBytes ?? 0,
      carries,
    },
    weight: split?.weight ?? 0,
    messages: split?.messages ?? 0,
    operations: (split?.operations ?? 0) + assignment.copies,
    copies: assignment.copies,
  };
}

function spilledRegisters(split: Split): SpilledRegister[] {
  const found = new Map<number, SpilledRegister>();
  for (const { register, cells, offset, stores, reloads } of split.spilled) {
    const known = found.get(register);
    found.set(register, {
      register: virtual(register),
      bytes: (known?.bytes ?? 0) + cells * GRF_BYTES,
      scratchOffset: known === undefined || known.scratchOffset < 0 ? offset : known.scratchOffset,
      cost: 0,
      how: offset >= 0 || known?.how === 'stored' ? 'stored' : 'recomputed',
      peak: reloads[0] ?? -1,
      stores: [...(known?.stores ?? []), ...stores],
      reloads: [...(known?.reloads ?? []), ...reloads],
    });
  }
  return [...found.values()];
}
