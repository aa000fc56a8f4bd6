/**
 * Where each source instruction went: the words and slots of the compiled program that carry it out. One instruction
 * can have many (a special function over several words, a value that is moved on, a uniform that is loaded wherever
 * it is read), one slot can serve many (a uniform that the text loads twice).
 */
import { OperandFlag, type Function } from '../../ir/function.js';
import type { BlockTask, Program, Value } from './graph.js';
import type { ScheduledBlock } from './compilation.js';
import { componentNames, constantKey, leafKey, locationName } from './places.js';
import { UNITS, unitNames, type Source, type StoreHalf, type UniformPort, type Word } from './word.js';

export interface Site {
  /** Number of the word in the program. */
  readonly word: number;
  /** `mul0`, `reg0.x`, `store.w`, `branch`. */
  readonly slot: string;
  readonly role: Role;
}

export type Role =
  /** Computes it, or one step of it. */
  | 'operation'
  /** Hands its result on, for readers more than two words away. */
  | 'move'
  /** Reads it from where it lies. */
  | 'load'
  | 'store'
  /** Keeps the value in a register or temporary, and takes it back, where the source has no such instruction. */
  | 'keep'
  | 'reload'
  | 'branch';

export interface Sites {
  /** By source instruction, in the order of the words; empty for one that left no trace. */
  readonly ofInstruction: readonly (readonly Site[])[];
  /**
   * By word: the source instruction that stands for it, the first one that is computed there (else stored, ...). A
   * word that only moves values, or does nothing, belongs to the instruction before it in its block (the one after it
   * at the block's start); -1 where a block has none at all.
   */
  readonly ownerOfWord: Int32Array;
}

const none: readonly Site[] = [];

export function sitesOf(f: Function, graph: Program, blocks: readonly ScheduledBlock[]): Sites {
  const visit = new BlockVisit(graph);
  for (const block of blocks) visit.block(block);
  const loaded = loadedInstructions(f, graph);
  const twins = twinInstructions(f, graph);
  const ofInstruction = Array.from({ length: f.instructionCount }, (_, i) => {
    const mine = visit.own.get(i) ?? visit.own.get(twins.get(i) ?? -1);
    const key = loaded.get(i);
    const shared = key === undefined ? undefined : visit.loads.get(key);
    if (mine === undefined) return shared ?? none;
    return shared === undefined ? mine : [...shared, ...mine].sort((a, b) => a.word - b.word);
  });
  return { ofInstruction, ownerOfWord: ownersOf(ofInstruction, blocks) };
}

/** For an instruction whose value another one computes already: that one. */
function twinInstructions(f: Function, graph: Program): ReadonlyMap<number, number> {
  const twins = new Map<number, number>();
  for (let i = 0; i < f.instructionCount; i++) {
    const register = resultOf(f, i);
    const fate = register < 0 ? undefined : graph.fates.at(register);
    if (fate?.kind === 'node') twins.set(i, graph.nodes[fate.node].instruction);
  }
  return twins;
}

/** The register that an instruction defines, or -1. */
export function resultOf(f: Function, instruction: number): number {
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++)
    if (f.operandPlace[o] >= 0 && (f.operandFlags[o] & OperandFlag.Definition) !== 0)
      return f.operandPlace[o];
  return -1;
}

/** For instructions that load something, or whose result is loaded in other blocks: what is loaded. */
function loadedInstructions(f: Function, graph: Program): ReadonlyMap<number, string> {
  const loaded = new Map<number, string>();
  graph.registers.forEach(({ virtual }, register) => {
    const fate = graph.fates.at(virtual);
    if (virtual >= 0 && fate?.kind === 'node')
      loaded.set(graph.nodes[fate.node].instruction, leafKey({ kind: 'register', register, stored: false }));
  });
  for (let i = 0; i < f.instructionCount; i++) {
    const register = resultOf(f, i);
    const fate = register < 0 ? undefined : graph.fates.at(register);
    if (fate?.kind === 'leaf') loaded.set(i, leafKey(fate.leaf));
  }
  return loaded;
}

/** What stands for a word, the lowest first. */
const ranks: Readonly<Record<Role, number>> = {
  operation: 0,
  store: 1,
  branch: 2,
  load: 3,
  reload: 4,
  keep: 5,
  move: 6,
};

function ownersOf(ofInstruction: Sites['ofInstruction'], blocks: readonly ScheduledBlock[]): Int32Array {
  const last = blocks.at(-1);
  const owners = new Int32Array(last === undefined ? 0 : last.start + last.schedule.words.length).fill(-1);
  const rank = new Uint8Array(owners.length).fill(ranks.move);
  const seen = new Set<readonly Site[]>();
  ofInstruction.forEach((sites, instruction) => {
    if (seen.has(sites)) return;
    seen.add(sites);
    for (const { word, role } of sites)
      if (ranks[role] < rank[word]) [owners[word], rank[word]] = [instruction, ranks[role]];
  });
  for (const { start, schedule } of blocks) {
    const own = owners.subarray(start, start + schedule.words.length);
    for (let w = 1; w < own.length; w++) if (own[w] < 0) own[w] = own[w - 1];
    own.fill(
      own.find((owner) => owner >= 0) ?? -1,
      0,
      Math.max(
        0,
        own.findIndex((owner) => owner >= 0),
      ),
    );
  }
  return owners;
}

class BlockVisit {
  readonly own = new Map<number, Site[]>();
  readonly loads = new Map<string, Site[]>();

  constructor(private readonly graph: Program) {}

  block({ task, schedule, start }: ScheduledBlock): void {
    const names = registersRead(task);
    const reloads = new Map<string, number>();
    for (const { node, place, readWords } of schedule.spills)
      for (const word of readWords) reloads.set(`${word} ${place}`, this.graph.nodes[node].instruction);
    const keeps = new Map<string, number>();
    for (const { node, place, storeWord } of schedule.spills)
      keeps.set(`${storeWord} ${place}`, this.graph.nodes[node].instruction);
    schedule.words.forEach((word, w) => {
      this.units(word, start + w);
      this.ports(word, w > 0 ? schedule.words[w - 1] : undefined, w, start, names, reloads);
      this.stores(word, w, start, task, keeps);
      const { branch } = task.block;
      if (word.branch !== undefined && branch !== undefined)
        this.add(branch.instruction, { word: start + w, slot: 'branch', role: 'branch' });
    });
  }

  private add(instruction: number, site: Site): void {
    const known = this.own.get(instruction);
    if (known === undefined) this.own.set(instruction, [site]);
    else known.push(site);
  }

  private load(key: string, site: Site): void {
    const known = this.loads.get(key);
    if (known === undefined) this.loads.set(key, [site]);
    else if (known[known.length - 1].word !== site.word) known.push(site);
  }

  private units(word: Word, at: number): void {
    word.units.forEach((work, unit) => {
      if (work === undefined || work.node < 0) return;
      if (work.purpose !== 'operation' && work.purpose !== 'move') return;
      const { instruction } = this.graph.nodes[work.node];
      this.add(instruction, { word: at, slot: unitNames[unit], role: work.purpose });
    });
  }

  private ports(
    word: Word,
    before: Word | undefined,
    w: number,
    start: number,
    names: ReadonlyMap<number, string>,
    reloads: ReadonlyMap<string, number>,
  ): void {
    for (const { source, loadedIn } of portReads(word, w)) {
      const holder = loadedIn === w ? word : before;
      if (holder === undefined) continue;
      const slot = `${source.from}.${componentNames[source.component]}`;
      const site: Site = { word: start + loadedIn, slot, role: 'load' };
      if (source.from === 'uniform') {
        const key = uniformKey(holder.uniform, source.component);
        if (key !== undefined) this.load(key, site);
        continue;
      }
      if (source.from === 'reg0' && holder.reg0?.kind === 'attribute') {
        this.load(locationName('attribute', holder.reg0.vector, source.component), site);
        continue;
      }
      const vector = source.from === 'reg0' ? holder.reg0?.vector : holder.reg1;
      if (vector === undefined) continue;
      const place = 4 * vector + source.component;
      const spilled = reloads.get(`${w} ${place}`) ?? reloads.get(`${loadedIn} ${place}`);
      if (spilled !== undefined) this.add(spilled, { ...site, role: 'reload' });
      else this.load(names.get(place) ?? `place ${place}`, site);
    }
  }

  private stores(
    word: Word,
    w: number,
    start: number,
    { block, places }: BlockTask,
    keeps: ReadonlyMap<string, number>,
  ): void {
    for (const { half, component } of storedComponents(word)) {
      const site: Site = { word: start + w, slot: `store.${componentNames[component]}`, role: 'store' };
      const place = 4 * half.vector + component;
      const kept = half.kind === 'register' ? keeps.get(`${w} ${place}`) : undefined;
      if (kept !== undefined) {
        this.add(kept, { ...site, role: 'keep' });
        continue;
      }
      const store = block.stores.find(({ to }) =>
        to.kind === 'register'
          ? half.kind === 'register' && places[to.register] === place
          : to.kind === half.kind && to.vector === half.vector && to.component === component,
      );
      if (store === undefined) continue;
      this.add(store.instruction, store.inserted === undefined ? site : { ...site, role: 'keep' });
    }
  }
}

/** A read through a port, and the word of the block whose port it is. */
interface PortRead {
  readonly source: Extract<Source, { readonly from: 'reg0' | 'reg1' | 'uniform' }>;
  readonly loadedIn: number;
}

export function portReads(word: Word, w: number): PortRead[] {
  const reads: PortRead[] = [];
  for (let unit = 0; unit < UNITS; unit++)
    for (const source of word.units[unit]?.sources ?? []) {
      if (source.from === 'reg0') reads.push({ source, loadedIn: w - source.distance });
      else if (source.from === 'reg1' || source.from === 'uniform') reads.push({ source, loadedIn: w });
    }
  return reads;
}

export function storedComponents(word: Word): { half: StoreHalf; component: number; unit: number }[] {
  const found: { half: StoreHalf; component: number; unit: number }[] = [];
  for (const [half, first] of [
    [word.xy, 0],
    [word.zw, 2],
  ] as const)
    half?.units.forEach((unit, k) => {
      if (unit >= 0) found.push({ half, component: first + k, unit });
    });
  return found;
}

function uniformKey(port: UniformPort | undefined, component: number): string | undefined {
  if (port === undefined) return undefined;
  if (port.kind === 'constants') return constantKey(port.values[component]);
  return locationName(port.kind, port.vector, component);
}

/** Of a block: which register is behind a place that the block reads; its key among the loads. */
function registersRead({ block, program, places }: BlockTask): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  const note = (value: Value | undefined): void => {
    if (value?.kind === 'register') names.set(places[value.register], leafKey(value));
  };
  for (const id of block.nodes) for (const input of program.nodes[id].inputs) note(input);
  for (const { value } of block.stores) note(value);
  note(block.branch?.condition);
  return names;
}
