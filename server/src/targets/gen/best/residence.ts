import type { Program } from '../program.js';
import type { Atoms } from './atoms.js';
import type { Ranges } from './live.js';
import type { Recomputable } from './recompute.js';
import { Role, type References } from './references.js';
import { weightOf, type Regions } from './regions.js';

/**
 * Decides at every instruction which atoms are in registers, so that there are never more than the file holds:
 * Belady's rule (the one needed last goes first, "A study of replacement algorithms", IBM Systems Journal 1966) with
 * each candidate's distance divided by what bringing it back costs, loops weighted by ten. A reloaded value stays for
 * later uses, in later blocks too: a block begins with what all blocks before it leave in the same place, and a loop
 * with what its last block still has (the loop is walked again without what it lost).
 *
 * Each stay of an atom in registers is a *version*; versions become registers of their own, so that a range is split
 * wherever its value leaves the file. Stores belong to definitions, not to evictions: a value that is evicted twice is
 * stored once, and what is defined before a loop is not stored in it.
 */
export interface Residence {
  /** By version: its atom, and whether a definition (not a reload) began it. */
  readonly atomOf: readonly number[];
  readonly isDefined: readonly boolean[];
  /** By reference: the version of its first atom. */
  readonly versions: Int32Array;
  readonly arrivals: readonly Arrival[];
}

/** Versions that are brought into registers before an instruction: one, or neighbours that one message loads. */
export interface Arrival {
  readonly before: number;
  readonly atoms: readonly number[];
  readonly versions: readonly number[];
  /** Computed again: versions that chain steps read are looked up here by instruction; absent: loaded. */
  readonly chain?: readonly ChainStep[];
}

/** One operation of a chain: what instruction it repeats, and where each of its reads comes from. */
export interface ChainStep {
  readonly instruction: number;
  /** By reference of that instruction that reads: a version, or minus one minus the step that made it. */
  readonly sources: ReadonlyMap<number, number>;
}

export interface Shortage {
  readonly instruction: number;
  readonly needed: number;
  readonly available: number;
}

export interface Input {
  readonly program: Program;
  readonly references: References;
  readonly ranges: Ranges;
  readonly atoms: Atoms;
  readonly regions: Regions;
  readonly recomputable: Recomputable | undefined;
  readonly hazard: Uint8Array;
  readonly capacity: { readonly reads: Int32Array; readonly writes: Int32Array };
  /** By atom: must stay in registers. */
  readonly pinned: Uint8Array;
  /** Registers that one message loads at most. */
  readonly most: number;
}

type Place = readonly [atom: number, version: number];

const FAR = 1e9;
/** A recomputed operation beside a scratch message. */
const OPERATION = 0.05;
/** Instructions ahead for which a neighbour is loaded along. */
const SOON = 16;
/** Walks of one loop before it gives up keeping values in registers round the loop. */
const WALKS = 6;

export function residenceOf(input: Input): Residence | Shortage {
  const { program, references, atoms, regions, recomputable, hazard, capacity, pinned, most } = input;
  const { blockStart } = program;
  const blockCount = blockStart.length - 1;
  const versionAtom: number[] = [];
  const isDefined: boolean[] = [];
  const versions = new Int32Array(references.cell.length).fill(-1);
  const arrivals: Arrival[] = [];
  const version = new Int32Array(atoms.count).fill(-1);
  const slotOf = new Int32Array(atoms.count);
  const resident: number[] = [];
  let total = 0;
  const isLoaded = new Uint8Array(atoms.count);
  const isEvicted = new Uint8Array(atoms.count);
  // by atom: the step (of any walk) that needs it now
  const needed = new Int32Array(atoms.count).fill(-1);
  let present = 0;
  // by version: the instruction before or at which it began
  const since: number[] = [];
  const firstHalt = program.instructions.findIndex((instruction) => instruction.opcode.flow === 'halt');
  const entries: (readonly Place[] | undefined)[] = [];
  const exits: (readonly Place[] | undefined)[] = [];
  const marks = new Int32Array(blockCount);
  const excluded = new Map<number, Set<number>>();
  const walks = new Int32Array(blockCount);
  const storeCost = storeCosts();
  const bornAt = bornByBlock();

  for (let block = 0; block < blockCount; block++) {
    enter(block);
    for (let i = blockStart[block]; i < blockStart[block + 1]; i++) {
      const shortage = step(i);
      if (shortage !== undefined) return shortage;
      if (firstHalt >= 0 && program.instructions[i].opcode.flow === 'haltTarget') forget();
    }
    exits[block] = snapshot();
    const again = firstBroken(block);
    if (again >= 0) block = again - 1;
  }
  return { atomOf: versionAtom, isDefined, versions, arrivals };

  /** A thread whose lanes have all halted jumps here: what was moved on the way is not where it seems. */
  function forget(): void {
    for (const atom of [...resident])
      if (pinned[atom] === 0 && atoms.from[atom] <= 2 * firstHalt && since[version[atom]] > firstHalt)
        leave(atom);
  }

  function newVersion(atom: number, defined: boolean, i: number): number {
    since.push(i);
    versionAtom.push(atom);
    isDefined.push(defined);
    return versionAtom.length - 1;
  }

  function arrive(atom: number, v: number): void {
    if (version[atom] < 0) {
      slotOf[atom] = resident.length;
      resident.push(atom);
      total += atoms.size[atom];
    }
    version[atom] = v;
  }

  function leave(atom: number): void {
    const last = resident.pop() as number;
    if (last !== atom) {
      resident[slotOf[atom]] = last;
      slotOf[last] = slotOf[atom];
    }
    version[atom] = -1;
    total -= atoms.size[atom];
  }

  function snapshot(): Place[] {
    return resident.map((atom) => [atom, version[atom]] as const);
  }

  /** Registers at the start of a block: what all its predecessors that were walked agree on. */
  function enter(block: number): void {
    marks[block] = arrivals.length;
    while (resident.length > 0) leave(resident[resident.length - 1]);
    const start = 2 * blockStart[block];
    const out = excluded.get(block);
    const before = regions.predecessors[block].filter((predecessor) => predecessor < block);
    const counts = new Map<number, { version: number; agreeing: number }>();
    for (const predecessor of before)
      for (const [atom, v] of exits[predecessor] ?? []) {
        const seen = counts.get(atom);
        if (seen === undefined) counts.set(atom, { version: v, agreeing: 1 });
        else if (seen.version === v) seen.agreeing++;
        else seen.agreeing = -FAR;
      }
    for (const [atom, { version: v, agreeing }] of counts) {
      if (atoms.from[atom] >= start || atoms.to[atom] <= start || out?.has(atom) === true) continue;
      // where it is not born yet it has no value that could be lost
      const unborn = before.filter(
        (predecessor) =>
          atoms.from[atom] >= 2 * blockStart[predecessor + 1] &&
          !(exits[predecessor] ?? []).some(([a]) => a === atom),
      );
      if (agreeing + unborn.length === before.length) arrive(atom, v);
    }
    for (const atom of bornAt.get(block) ?? [])
      if (out?.has(atom) !== true) arrive(atom, newVersion(atom, true, blockStart[block]));
    entries[block] = snapshot();
  }

  /** The outermost loop that ends here and has lost a value it began with, or -1. */
  function firstBroken(block: number): number {
    let broken = -1;
    for (const successor of regions.successors[block]) {
      if (successor > block) continue;
      const lost = (entries[successor] ?? []).filter(([atom, v]) => version[atom] !== v);
      if (lost.length === 0) continue;
      let out = excluded.get(successor);
      if (out === undefined) excluded.set(successor, (out = new Set()));
      const all = ++walks[successor] > WALKS ? (entries[successor] ?? []) : lost;
      for (const [atom] of all) if (pinned[atom] === 0) out.add(atom);
      if (lost.every(([atom]) => pinned[atom] !== 0)) continue;
      if (broken < 0 || successor < broken) broken = successor;
    }
    if (broken >= 0) {
      arrivals.length = marks[broken];
      isLoaded.fill(0);
      for (const arrival of arrivals)
        if (arrival.chain === undefined) for (const atom of arrival.atoms) isLoaded[atom] = 1;
    }
    return broken;
  }

  function step(i: number): Shortage | undefined {
    const first = references.start[i];
    const end = references.start[i + 1];
    present++;
    const missing: number[] = [];
    const born: number[] = [];
    let dying = 0;
    for (let r = first; r < end; r++)
      for (let atom = atoms.atomOf[references.cell[r]]; atom <= lastAtom(r); atom++) {
        if (needed[atom] === present) continue;
        needed[atom] = present;
        if (version[atom] >= 0) {
          if (atoms.to[atom] <= 2 * i + 1) dying += atoms.size[atom];
        } else if (wantsOld(atom, i)) {
          missing.push(atom);
          if (atoms.to[atom] <= 2 * i + 1) dying += atoms.size[atom];
        } else born.push(atom);
      }
    const incoming = sizes(missing);
    const outgoing = sizes(born);
    let temporaries = 0;
    for (const atom of missing) temporaries = Math.max(temporaries, chainCells(atom));
    for (;;) {
      const reads = total + incoming + (hazard[i] ? outgoing : 0);
      const writes = total + incoming - (hazard[i] ? 0 : dying) + outgoing;
      if (
        Math.max(reads, total + incoming + temporaries) <= capacity.reads[i] &&
        writes <= capacity.writes[i]
      )
        break;
      const victim = worst(i);
      if (victim < 0) {
        if (reads <= capacity.reads[i] && writes <= capacity.writes[i]) break;
        return { instruction: i, needed: Math.max(reads, writes), available: capacity.reads[i] };
      }
      isEvicted[victim] = 1;
      leave(victim);
    }
    for (const atom of missing) if (version[atom] < 0) bring(atom, i);
    for (let r = first; r < end; r++) {
      if ((references.role[r] & Role.Definition) === 0) continue;
      for (let atom = atoms.atomOf[references.cell[r]]; atom <= lastAtom(r); atom++)
        if (version[atom] < 0) arrive(atom, newVersion(atom, true, i));
    }
    for (let r = first; r < end; r++) versions[r] = version[atoms.atomOf[references.cell[r]]];
    for (let r = first; r < end; r++)
      for (let atom = atoms.atomOf[references.cell[r]]; atom <= lastAtom(r); atom++)
        if (version[atom] >= 0 && atoms.to[atom] <= 2 * i + 2) leave(atom);
    return undefined;
  }

  function lastAtom(r: number): number {
    return atoms.atomOf[references.cell[r] + references.count[r] - 1];
  }

  function sizes(list: readonly number[]): number {
    let sum = 0;
    for (const atom of list) sum += atoms.size[atom];
    return sum;
  }

  /** Not in registers: does the instruction need what it was before? */
  function wantsOld(atom: number, i: number): boolean {
    let isRead = false;
    let isWritten = 0;
    for (let r = references.start[i]; r < references.start[i + 1]; r++) {
      if (atoms.atomOf[references.cell[r]] > atom || lastAtom(r) < atom) continue;
      if (references.role[r] & Role.Use) isRead = true;
      else if (references.role[r] & Role.Kills)
        isWritten |= references.count[r] >= atoms.size[atom] ? references.parts[r] : 0;
    }
    if (isRead) return true;
    if (atoms.from[atom] >= 2 * i) return false;
    const whole = program.dialect === 'vec4' ? 15 : 255;
    return isWritten !== whole || regions.isDivergent[regions.blockOf[i]] !== 0;
  }

  function chainCells(atom: number): number {
    const definition = recomputable?.definition[atom] ?? -1;
    if (recomputable === undefined || definition < 0) return 0;
    return (recomputable.cost[definition] - 1) * atoms.size[atom];
  }

  function bring(atom: number, i: number): void {
    const definition = recomputable?.definition[atom] ?? -1;
    if (definition < 0) {
      const group = neighbours(atom, i);
      const made = group.map((each) => newVersion(each, false, i));
      arrivals.push({ before: i, atoms: group, versions: made });
      group.forEach((each, k) => {
        isLoaded[each] = 1;
        arrive(each, made[k]);
      });
      return;
    }
    const v = newVersion(atom, false, i);
    const chain: ChainStep[] = [];
    follow(definition, chain);
    arrivals.push({ before: i, atoms: [atom], versions: [v], chain });
    arrive(atom, v);
  }

  /** The atom with others beside it in its register that are needed soon too: one message can load them all. */
  function neighbours(atom: number, i: number): number[] {
    const group = [atom];
    let cells = atoms.size[atom];
    const isWanted = (other: number): boolean =>
      other >= 0 &&
      other < atoms.count &&
      atoms.register[other] === atoms.register[atom] &&
      version[other] < 0 &&
      pinned[other] === 0 &&
      (recomputable?.definition[other] ?? -1) < 0 &&
      cells + atoms.size[other] <= most &&
      atoms.from[other] < 2 * i &&
      atoms.to[other] > 2 * i + 1 &&
      (needed[other] === present || total + cells + atoms.size[other] <= capacity.reads[i]) &&
      (needed[other] === present || nextUse(other, i).distance <= SOON);
    for (let isGrowing = true; isGrowing;) {
      isGrowing = false;
      for (const other of [group[group.length - 1] + 1, group[0] - 1]) {
        if (!isWanted(other)) continue;
        if (other > atom) group.push(other);
        else group.unshift(other);
        cells += atoms.size[other];
        isGrowing = true;
      }
    }
    // messages load 1, 2 or 4 registers
    while (group.length > 1 && cells !== 2 && cells !== 4) {
      const last = group[group.length - 1] === atom ? group.shift() : group.pop();
      cells -= atoms.size[last ?? atom];
    }
    return group;
  }

  /** Steps that compute an instruction's result again, its sources first; values in registers are taken from there. */
  function follow(instruction: number, chain: ChainStep[]): number {
    const sources = new Map<number, number>();
    for (let r = references.start[instruction]; r < references.start[instruction + 1]; r++) {
      if ((references.role[r] & Role.Use) === 0) continue;
      const atom = atoms.atomOf[references.cell[r]];
      const producer = recomputable?.reads[r] ?? -1;
      const isOnly = recomputable?.definition[atom] === producer;
      if (isOnly && version[atom] >= 0) sources.set(r, version[atom]);
      else sources.set(r, -1 - follow(producer, chain));
    }
    chain.push({ instruction, sources });
    return chain.length - 1;
  }

  /** The resident atom whose absence costs least, or -1. */
  function worst(i: number): number {
    let best = -1;
    let bestScore = -1;
    for (const atom of resident) {
      if (needed[atom] === present || pinned[atom] !== 0) continue;
      const score = scoreOf(atom, i);
      if (score > bestScore || (score === bestScore && atom < best)) {
        best = atom;
        bestScore = score;
      }
    }
    return best;
  }

  function scoreOf(atom: number, i: number): number {
    const next = nextUse(atom, i);
    if (next.distance >= FAR) return Number.MAX_VALUE;
    const definition = recomputable?.definition[atom] ?? -1;
    if (recomputable !== undefined && definition >= 0)
      return next.distance / (OPERATION * recomputable.cost[definition] * next.weight);
    return next.distance / (next.weight + (isLoaded[atom] ? 0 : storeCost[atom] * storeShare(atom)));
  }

  /** A neighbour that was evicted before is stored anyway, and one message can store both. */
  function storeShare(atom: number): number {
    for (const other of [atom - 1, atom + 1])
      if (
        other >= 0 &&
        other < atoms.count &&
        isEvicted[other] !== 0 &&
        atoms.register[other] === atoms.register[atom] &&
        atoms.size[other] + atoms.size[atom] <= most
      )
        return 0.5;
    return 1;
  }

  /** Instructions until an atom is referenced again, round the loops that hold `i`, and the weight of that place. */
  function nextUse(atom: number, i: number): { distance: number; weight: number } {
    const low = atoms.referenceStart[atom];
    const high = atoms.referenceStart[atom + 1];
    const k = firstAfter(i, low, high);
    const next = k < high ? atoms.reference[k] : FAR;
    let waited = 0;
    let position = i;
    for (let loop = regions.loopOf[regions.blockOf[i]]; loop >= 0; loop = regions.loops[loop].parent) {
      const { first, end, parent, depth } = regions.loops[loop];
      if (next < end) break;
      const isCarried = atoms.from[atom] <= 2 * first && atoms.to[atom] >= 2 * end;
      const top = isCarried ? firstAfter(first - 1, low, high) : high;
      if (top < high && atoms.reference[top] <= i)
        return {
          distance: waited + (end - position) + (atoms.reference[top] - first),
          weight: weightAt(atoms.reference[top]),
        };
      waited += 10 * (end - position);
      position = end;
      if (parent < 0 && depth < 0) break;
    }
    if (next === FAR) return { distance: FAR, weight: 1 };
    return { distance: waited + next - position, weight: weightAt(next) };
  }

  function weightAt(i: number): number {
    return weightOf(regions, regions.blockOf[i]);
  }

  function firstAfter(i: number, low: number, high: number): number {
    let from = low;
    let to = high;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (atoms.reference[middle] > i) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  function storeCosts(): Float64Array {
    const cost = new Float64Array(atoms.count);
    for (let atom = 0; atom < atoms.count; atom++)
      for (let d = atoms.definitionStart[atom]; d < atoms.definitionStart[atom + 1]; d++) {
        const block = regions.blockOf[atoms.definition[d]];
        const isSameBlock =
          d > atoms.definitionStart[atom] && regions.blockOf[atoms.definition[d - 1]] === block;
        if (!isSameBlock) cost[atom] += weightOf(regions, block);
      }
    return cost;
  }

  /** Atoms whose range a loop's waiting lanes have widened to a block's start: they begin there, without a value. */
  function bornByBlock(): ReadonlyMap<number, readonly number[]> {
    const found = new Map<number, number[]>();
    for (let atom = 0; atom < atoms.count; atom++) {
      if (atoms.from[atom] < 0 || atoms.from[atom] % 2 !== 0) continue;
      const i = atoms.from[atom] / 2;
      if (i >= regions.blockOf.length) continue;
      const block = regions.blockOf[i];
      if (blockStart[block] !== i) continue;
      const list = found.get(block);
      if (list === undefined) found.set(block, [atom]);
      else list.push(atom);
    }
    return found;
  }
}
