import type { Program } from '../program.js';
import type { Atoms } from './atoms.js';
import type { Ranges } from './live.js';
import type { Recomputable } from './recompute.js';
import { Role, type References } from './references.js';
import { blockWeights, FAR, nextUses } from './next-use.js';
import type { Regions } from './regions.js';
import { Residents } from './residents.js';

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
  /** By version: touched together with other atoms, as they lie in the register. */
  readonly isWhole: readonly boolean[];
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

/** A recomputed operation beside a scratch message. */
const OPERATION = 0.05;
/** Instructions ahead for which a neighbour is loaded along. */
const SOON = 16;
/** Walks of one loop before it gives up keeping values in registers round the loop; fewer where much is walked. */
const WALKS = 6;
const WALKS_OF_LARGE = 2;
const LARGE = 2000;
const NONE = new Int32Array(0);

export function residenceOf(input: Input): Residence | Shortage {
  const { program, references, atoms, regions, recomputable, hazard, capacity, pinned, most } = input;
  const { blockStart } = program;
  const blockCount = blockStart.length - 1;
  const versionAtom: number[] = [];
  const isDefined: boolean[] = [];
  const isWhole: boolean[] = [];
  // by version: the instruction before or at which it began
  const since: number[] = [];
  const versions = new Int32Array(references.cell.length).fill(-1);
  const arrivals: Arrival[] = [];
  const residents = new Residents(atoms.size);
  const { version } = residents;
  const nextUse = nextUses(program, atoms, regions);
  // by atom: number of its first load, if that still stands there
  const firstLoad = new Int32Array(atoms.count).fill(-1);
  const isEvicted = new Uint8Array(atoms.count);
  // by atom: the step (of any walk) that needs it now
  const needed = new Int32Array(atoms.count).fill(-1);
  let present = 0;
  const firstHalt = program.instructions.findIndex((instruction) => instruction.opcode.flow === 'halt');
  const entries: (Int32Array | undefined)[] = [];
  const exits: (Int32Array | undefined)[] = [];
  const marks = new Int32Array(blockCount);
  const excluded = new Map<number, Set<number>>();
  const walks = new Int32Array(blockCount);
  const mostWalks = program.instructions.length > LARGE ? WALKS_OF_LARGE : WALKS;
  const storeCost = storeCosts();
  const bornAt = bornByBlock();
  // for merging what several blocks leave
  const agreeing = new Int32Array(atoms.count);
  const offered = new Int32Array(atoms.count);
  const whole = program.dialect === 'vec4' ? 15 : 255;

  for (let block = 0; block < blockCount; block++) {
    enter(block);
    for (let i = blockStart[block]; i < blockStart[block + 1]; i++) {
      const shortage = step(i);
      if (shortage !== undefined) return shortage;
      if (firstHalt >= 0 && program.instructions[i].opcode.flow === 'haltTarget') forget();
    }
    exits[block] = residents.snapshot();
    const again = firstBroken(block);
    if (again >= 0) block = again - 1;
  }
  return { atomOf: versionAtom, isDefined, isWhole, versions, arrivals };

  /** A thread whose lanes have all halted jumps here: what was moved on the way is not where it seems. */
  function forget(): void {
    for (const atom of [...residents.list])
      if (pinned[atom] === 0 && atoms.from[atom] <= 2 * firstHalt && since[version[atom]] > firstHalt)
        residents.leave(atom);
  }

  function newVersion(atom: number, defined: boolean, i: number): number {
    since.push(i);
    versionAtom.push(atom);
    isDefined.push(defined);
    isWhole.push(false);
    return versionAtom.length - 1;
  }

  function isLoaded(atom: number): boolean {
    const first = firstLoad[atom];
    return first >= 0 && first < arrivals.length && arrivals[first].atoms.includes(atom);
  }

  /** Registers at the start of a block: what all its predecessors that were walked agree on. */
  function enter(block: number): void {
    marks[block] = arrivals.length;
    residents.clear();
    const start = 2 * blockStart[block];
    const out = excluded.get(block);
    const before = regions.predecessors[block].filter((predecessor) => predecessor < block);
    const met: number[] = [];
    for (const predecessor of before) {
      const left = exits[predecessor] ?? NONE;
      for (let k = 0; k < left.length; k += 2) {
        const atom = left[k];
        if (agreeing[atom] === 0) {
          met.push(atom);
          offered[atom] = left[k + 1];
        }
        agreeing[atom] += offered[atom] === left[k + 1] ? 1 : -blockCount;
      }
    }
    for (const atom of met) {
      let agreed = agreeing[atom];
      agreeing[atom] = 0;
      if (atoms.from[atom] >= start || atoms.to[atom] <= start || out?.has(atom) === true) continue;
      // where it is not born yet it has no value that could be lost
      if (agreed < before.length)
        for (const predecessor of before) if (atoms.from[atom] >= 2 * blockStart[predecessor + 1]) agreed++;
      if (agreed === before.length) residents.arrive(atom, offered[atom]);
    }
    for (const atom of bornAt.get(block) ?? [])
      if (out?.has(atom) !== true) residents.arrive(atom, newVersion(atom, true, blockStart[block]));
    if (!isLoopTop(block)) return;
    // only a block that a later one leads back to is asked
    entries[block] = residents.snapshot();
  }

  function isLoopTop(block: number): boolean {
    return regions.predecessors[block].some((predecessor) => predecessor >= block);
  }

  /** The outermost loop that ends here and has lost a value it began with, or -1. */
  function firstBroken(block: number): number {
    let broken = -1;
    for (const successor of regions.successors[block]) {
      if (successor > block) continue;
      const entry = entries[successor] ?? NONE;
      const isLost = (k: number): boolean => version[entry[k]] !== entry[k + 1] && pinned[entry[k]] === 0;
      let lost = 0;
      for (let k = 0; k < entry.length; k += 2) if (isLost(k)) lost++;
      if (lost === 0) continue;
      let out = excluded.get(successor);
      if (out === undefined) excluded.set(successor, (out = new Set()));
      const isHopeless = walks[successor] >= mostWalks;
      for (let k = 0; k < entry.length; k += 2)
        if (isLost(k) || (isHopeless && pinned[entry[k]] === 0)) out.add(entry[k]);
      walks[successor]++;
      if (broken < 0 || successor < broken) broken = successor;
    }
    if (broken >= 0) arrivals.length = marks[broken];
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
        } else if (hasOld(atom, i) && wantsOld(atom, i)) {
          missing.push(atom);
          if (atoms.to[atom] <= 2 * i + 1) dying += atoms.size[atom];
        } else born.push(atom);
      }
    const incoming = sizes(missing);
    const outgoing = sizes(born);
    let temporaries = 0;
    for (const atom of missing) temporaries = Math.max(temporaries, chainCells(atom));
    for (;;) {
      const reads = residents.cells + incoming + (hazard[i] ? outgoing : 0);
      const writes = residents.cells + incoming - (hazard[i] ? 0 : dying) + outgoing;
      if (
        Math.max(reads, residents.cells + incoming + temporaries) <= capacity.reads[i] &&
        writes <= capacity.writes[i]
      )
        break;
      const victim = worst(i);
      if (victim < 0) {
        if (reads <= capacity.reads[i] && writes <= capacity.writes[i]) break;
        return { instruction: i, needed: Math.max(reads, writes), available: capacity.reads[i] };
      }
      isEvicted[victim] = 1;
      residents.leave(victim);
    }
    for (const atom of missing) if (version[atom] < 0) bring(atom, i);
    for (let r = first; r < end; r++) {
      if ((references.role[r] & Role.Definition) === 0) continue;
      for (let atom = atoms.atomOf[references.cell[r]]; atom <= lastAtom(r); atom++)
        if (version[atom] < 0) residents.arrive(atom, newVersion(atom, true, i));
    }
    for (let r = first; r < end; r++) {
      const firstAtom = atoms.atomOf[references.cell[r]];
      versions[r] = version[firstAtom];
      if (firstAtom === lastAtom(r)) continue;
      for (let atom = firstAtom; atom <= lastAtom(r); atom++)
        if (version[atom] >= 0) isWhole[version[atom]] = true;
    }
    for (let r = first; r < end; r++)
      for (let atom = atoms.atomOf[references.cell[r]]; atom <= lastAtom(r); atom++)
        if (version[atom] >= 0 && atoms.to[atom] <= 2 * i + 2) residents.leave(atom);
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

  /** Before its first reference an atom has no value to bring back, unless it is handed round a loop that begins here. */
  function hasOld(atom: number, i: number): boolean {
    if (atoms.from[atom] < 2 * i) return true;
    const block = regions.blockOf[i];
    return atoms.from[atom] === 2 * i && blockStart[block] === i && isLoopTop(block);
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
    return isRead || isWritten !== whole || regions.isDivergent[regions.blockOf[i]] !== 0;
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
        if (!isLoaded(each)) firstLoad[each] = arrivals.length - 1;
        residents.arrive(each, made[k]);
      });
      return;
    }
    const v = newVersion(atom, false, i);
    const chain: ChainStep[] = [];
    follow(definition, chain);
    arrivals.push({ before: i, atoms: [atom], versions: [v], chain });
    residents.arrive(atom, v);
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
      (needed[other] === present || residents.cells + cells + atoms.size[other] <= capacity.reads[i]) &&
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
    for (const atom of residents.list) {
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
    return next.distance / (next.weight + (isLoaded(atom) ? 0 : storeCost[atom] * storeShare(atom)));
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

  function storeCosts(): Float64Array {
    const cost = new Float64Array(atoms.count);
    const weights = blockWeights(program, regions);
    for (let atom = 0; atom < atoms.count; atom++)
      for (let d = atoms.definitionStart[atom]; d < atoms.definitionStart[atom + 1]; d++) {
        const block = regions.blockOf[atoms.definition[d]];
        const isSameBlock =
          d > atoms.definitionStart[atom] && regions.blockOf[atoms.definition[d - 1]] === block;
        if (!isSameBlock) cost[atom] += weights[block];
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
