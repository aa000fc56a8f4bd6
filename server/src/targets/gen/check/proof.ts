import type { Violation } from '../../../passes/check-allocation.js';
import type { Allocated } from '../allocation.js';
import { GRF_BYTES, type Program, type RegisterOperand } from '../program.js';
import { effectsOf, isPlainMove, type Effects } from './effects.js';
import { copiedElements } from './footprint.js';
import { laneGraph, type LaneGraph } from './lane-graph.js';
import { matchPrograms, type Matching } from './matching.js';
import { commonUnit, lastBefore, nameOf, nameWrites, placeWrites, type Occurrences } from './occurrences.js';
import { Recomputation } from './recomputation.js';
import { createSpace, FLAG_ROW, nameText, placeText, SCRATCH_ROW, type Space } from './space.js';

/**
 * Proves that an allocated program means what its source means: wherever an instruction reads a place for a name,
 * the place holds the name's current value, for every channel, on every path. The proof goes backwards, by need, as
 * in passes/check-allocation.ts: "this place must hold this name here" goes up to what last wrote the place or the
 * name. A copy, store or reload turns it into the same need of the place that it read; the source's own instruction
 * that writes the name into the place meets it; anything else refutes it. Where no path from the entry can have
 * given the name a value yet, any place will do.
 *
 * What is done per channel matters twice: a write under the execution mask is none for channels that wait
 * (lane-graph.ts), and a predicated write meets a need only together with the value that was there before.
 *
 * Shares nothing with the allocators; their report is only believed as far as it can be checked. Time follows the
 * stretches between definitions and uses.
 */
export interface ProofOptions {
  /** Stop after so many violations. */
  readonly most: number;
}

export function proveAllocation(source: Program, allocated: Allocated, options: ProofOptions): Violation[] {
  const matching = matchPrograms(source, allocated);
  if (matching.faults.length > 0)
    return matching.faults.slice(0, options.most).map(({ code, message }) => ({
      instruction: code < 0 ? -1 : allocated.code.instructions[code].origin,
      code,
      message:
        code < 0 ? message : `code ${code} (${allocated.code.instructions[code].opcode.name}): ${message}`,
    }));
  return new Proof(source, allocated, matching, options).run();
}

interface Need {
  readonly node: number;
  /** Before this step. */
  readonly at: number;
  readonly place: number;
  readonly name: number;
  readonly reader: Reader;
  /** The last step that copied the value on its way to the reader. */
  readonly copier?: number;
  /** Only where the predicate of this step holds, or does not, is there a need. */
  readonly guard?: { readonly step: number; readonly holds: boolean };
}

interface Reader {
  readonly step: number;
  readonly place: number;
  readonly name: number;
}

class Proof {
  private readonly effects: readonly Effects[];
  private readonly space: Space;
  private readonly places: Occurrences;
  private readonly names: Occurrences;
  private readonly graph: LaneGraph;
  private readonly recomputation: Recomputation;
  private readonly needs: Need[] = [];
  private readonly seen = new Set<number>();
  private readonly given = new Map<number, Uint8Array>();
  private readonly violations: Violation[] = [];
  private readonly blamed = new Set<number>();

  constructor(
    private readonly source: Program,
    private readonly allocated: Allocated,
    private readonly matching: Matching,
    private readonly options: ProofOptions,
  ) {
    this.effects = matching.steps.map((step) => effectsOf(source, allocated, step));
    this.space = createSpace(source, commonUnit(this.effects), scratchEnd(this.effects));
    this.places = placeWrites(this.space, this.effects);
    this.names = nameWrites(this.space, this.effects);
    this.graph = laneGraph(source, matching);
    this.recomputation = new Recomputation({
      source,
      code: allocated.code,
      matching,
      effects: this.effects,
      space: this.space,
      places: this.places,
      names: this.names,
      graph: this.graph,
    });
  }

  run(): Violation[] {
    const { graph } = this;
    for (let s = 0; s + 1 < graph.start.length; s++)
      for (const node of graph.nodesOf[s])
        for (let at = graph.start[s]; at < graph.start[s + 1]; at++) {
          this.reads(node, at);
          this.settle();
          if (this.violations.length >= this.options.most) return this.violations;
        }
    return this.violations;
  }

  private reads(node: number, at: number): void {
    const { unit } = this.space;
    const isActive = this.graph.isActive[node];
    for (const range of this.effects[at].reads) {
      if (!isActive && !(range.crosses || !this.effects[at].isMasked)) continue;
      const first = nameOf(this.space, range);
      // The last need is looked at first: the report speaks of the first byte.
      for (let k = range.length - unit; k >= 0; k -= unit) {
        const place = (range.place + k) / unit;
        const name = first + k / unit;
        this.needs.push({ node, at, place, name, reader: { step: at, place, name } });
      }
    }
  }

  private settle(): void {
    for (let need = this.needs.pop(); need !== undefined; need = this.needs.pop()) {
      if (this.blamed.has(need.reader.step)) continue;
      this.follow(need);
    }
  }

  /** Goes up in one stretch, and into the stretches before it. */
  private follow(need: Need): void {
    const { graph } = this;
    const { node, place, name } = need;
    const from = graph.start[graph.stretch[node]];
    const counts = graph.isActive[node] ? always : (step: number): boolean => !this.effects[step].isMasked;
    const writer = lastBefore(this.places, place, from, need.at, counts);
    const definer = lastBefore(this.names, name, from, need.at, counts);
    if (writer < 0 && definer < 0) {
      this.climb(need);
      return;
    }
    const step = Math.max(writer, definer);
    const guard = this.guardAt(need, step);
    if (guard === false) this.needs.push({ ...need, at: step });
    else if (definer >= writer) this.meetDefinition(need, definer, guard !== true);
    else this.meetWrite(need, writer, guard !== true);
  }

  /** What a need's guard says of the predicate at an earlier step; undefined where it says nothing. */
  private guardAt({ guard }: Need, step: number): boolean | undefined {
    if (guard === undefined || !this.effects[step].isConditional) return undefined;
    const wanted = this.predicateAt(guard.step);
    const found = this.predicateAt(step);
    if (wanted === undefined || found === undefined) return undefined;
    const isSame = wanted.mode === found.mode && wanted.flag === found.flag;
    if (!isSame || this.isFlagWritten(found.flag, step, guard.step)) return undefined;
    return (wanted.inverse === found.inverse) === guard.holds;
  }

  private predicateAt(step: number): { flag: number; inverse: boolean; mode: string } | undefined {
    const { code } = this.matching.steps[step];
    const predicate = code < 0 ? undefined : this.allocated.code.instructions[code].predicate;
    if (predicate?.flag.kind !== 'hardware') return undefined;
    return { flag: predicate.flag.flag, inverse: predicate.inverse, mode: predicate.mode };
  }

  private isFlagWritten(flag: number, from: number, before: number): boolean {
    const { unit } = this.space;
    for (let byte = (FLAG_ROW + flag) * GRF_BYTES; byte < (FLAG_ROW + flag + 1) * GRF_BYTES; byte += unit)
      if (lastBefore(this.places, byte / unit, from, before, always) >= 0) return true;
    return false;
  }

  /** The needs of a place's old value where a step's predicate does not hold, and of what it put there where it does. */
  private part(need: Need, step: number, instead: Pick<Need, 'place' | 'name'> | undefined): void {
    this.needs.push({ ...need, at: step, guard: { step, holds: false } });
    if (instead !== undefined)
      this.needs.push({ ...need, ...instead, at: step, copier: step, guard: { step, holds: true } });
  }

  private climb(need: Need): void {
    const { node, place, name } = need;
    if (node === 0 && !this.holdsAtEntry(place, name)) {
      this.refute(need, 'holds something else at the entry');
      return;
    }
    // What a guard says ends with its stretch.
    const { guard, ...plain } = need;
    void guard;
    for (const before of this.graph.predecessors[node]) {
      const key = (before * this.space.placeCount + place) * this.space.nameCount + name;
      if (this.seen.has(key)) continue;
      this.seen.add(key);
      this.needs.push({ ...plain, node: before, at: this.graph.start[this.graph.stretch[before] + 1] });
    }
  }

  private holdsAtEntry(place: number, name: number): boolean {
    const own = name - this.space.fixedBase;
    return own < 0 || own === place || !this.isPayload(own);
  }

  private isPayload(place: number): boolean {
    return place * this.space.unit < this.source.firstFree * 32;
  }

  /** The name gets a value at `step`: into the need's place? */
  private meetDefinition(need: Need, step: number, mayFail: boolean): void {
    const { effects, space } = this;
    const { place, name } = need;
    const effect = effects[step];
    const { unit } = space;
    for (const range of effect.undefines) {
      const k = name - nameOf(space, range);
      if (k >= 0 && k * unit < range.length) return;
    }
    for (const range of effect.writes) {
      const k = name - nameOf(space, range);
      if (k < 0 || k * unit >= range.length || range.place < 0) continue;
      if (range.place + k * unit !== place * unit) continue;
      if (effect.isConditional && mayFail) this.part(need, step, undefined);
      return;
    }
    if (this.matching.steps[step].code >= 0) {
      this.refute(need, `has had its value elsewhere since ${this.stepText(step)}`);
      return;
    }
    const from = this.renamed(step, name);
    if (from < 0) {
      this.refute(need, `has its value from ${this.stepText(step)}, which was dropped`);
      return;
    }
    this.needs.push({ ...need, at: step, name: from });
    if (effect.isConditional && mayFail) this.needs.push({ ...need, at: step });
  }

  /** The name that a dropped copy reads for `name`, or -1. */
  private renamed(step: number, name: number): number {
    const instruction = this.source.instructions[this.matching.steps[step].source];
    if (!isPlainMove(instruction)) return -1;
    const { space } = this;
    const base = (operand: RegisterOperand): number =>
      operand.file === 'virtual' ? space.registerBase[operand.register] * space.unit : -1;
    const to = base(instruction.destinations[0] as RegisterOperand);
    const from = base(instruction.sources[0] as RegisterOperand);
    if (to < 0 || from < 0) return -1;
    const byte = name * space.unit - to;
    for (const element of copiedElements(this.source, instruction))
      if (byte >= element.to && byte < element.to + element.bytes)
        return (from + element.from + byte - element.to) / space.unit;
    return -1;
  }

  /** The place is written at `step`, and not with the name. */
  private meetWrite(need: Need, step: number, mayFail: boolean): void {
    const { unit } = this.space;
    const byte = need.place * unit;
    const effect = this.effects[step];
    const supposed = this.recomputation.holds(need.node, step, need.place, need.name);
    if (supposed !== undefined) {
      for (const one of supposed) this.needs.push({ ...one, reader: need.reader });
      return;
    }
    for (const copy of effect.copies) {
      if (byte < copy.to || byte >= copy.to + copy.length) continue;
      const instead = { place: (copy.from + byte - copy.to) / unit, name: need.name };
      if (effect.isConditional && mayFail) this.part(need, step, instead);
      else this.needs.push({ ...need, ...instead, at: step, copier: step });
      return;
    }
    if (this.mayBeGiven(need, step)) this.refute(need, this.holds(need.place, step));
  }

  /** Some path to here gives the name a value, so that the place must hold it. */
  private mayBeGiven({ node, name }: Need, step: number): boolean {
    const own = name - this.space.fixedBase;
    if (own >= 0 && this.isPayload(own)) return true;
    const { graph } = this;
    const from = graph.start[graph.stretch[node]];
    const counts = graph.isActive[node] ? always : (other: number): boolean => !this.effects[other].isMasked;
    if (lastBefore(this.names, name, from, step, counts) >= 0) return true;
    return this.givenAt(name)[node] !== 0;
  }

  /** By node: 1 where some path from the entry to its start gives the name a value. */
  private givenAt(name: number): Uint8Array {
    const known = this.given.get(name);
    if (known !== undefined) return known;
    const { graph, names, effects } = this;
    const found = new Uint8Array(graph.stretch.length);
    const pending: number[] = [];
    const spread = (node: number) => {
      for (const to of graph.successors[node])
        if (found[to] === 0) {
          found[to] = 1;
          pending.push(to);
        }
    };
    for (let k = names.start[name]; k < names.start[name + 1]; k++) {
      const step = names.step[k];
      if (effects[step].undefines.length > 0) continue;
      for (const node of graph.nodesOf[this.stretchOf(step)])
        if (graph.isActive[node] || !effects[step].isMasked) spread(node);
    }
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) spread(node);
    this.given.set(name, found);
    return found;
  }

  private stretchOf(step: number): number {
    const { start } = this.graph;
    let low = 0;
    let high = start.length - 1;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (start[middle] <= step) low = middle;
      else high = middle;
    }
    return low;
  }

  /** What a write left in a place, in words. */
  private holds(place: number, step: number): string {
    const { unit } = this.space;
    for (const range of this.effects[step].writes) {
      const k = place * unit - range.place;
      if (range.place < 0 || k < 0 || k >= range.length) continue;
      const name = nameText(this.space, this.source, nameOf(this.space, range) + k / unit);
      return `holds ${name} since ${this.stepText(step)}`;
    }
    return `holds something else since ${this.stepText(step)}`;
  }

  private stepText(step: number): string {
    const { source, code } = this.matching.steps[step];
    if (source >= 0) return `instruction ${source} (${this.source.instructions[source].opcode.name})`;
    return `the allocator's code ${code} (${this.allocated.code.instructions[code].opcode.name})`;
  }

  private refute({ reader, place, copier }: Need, why: string): void {
    if (this.blamed.has(reader.step) || this.violations.length >= this.options.most) return;
    this.blamed.add(reader.step);
    const { source, code } = this.matching.steps[reader.step];
    const instruction = source >= 0 ? this.source.instructions[source].origin : -1;
    const read = placeText(this.space, reader.place);
    const name = nameText(this.space, this.source, reader.name);
    const path =
      copier === undefined
        ? why
        : this.matching.steps[copier].source >= 0
          ? this.holds(reader.place, copier)
          : `comes from ${placeText(this.space, place)} by ${this.stepText(copier)}, which ${why}`;
    this.violations.push({
      instruction,
      code,
      message: `${this.stepText(reader.step)} reads ${read} for ${name}, which ${path}`,
    });
  }
}

const always = (): boolean => true;

function scratchEnd(effects: readonly Effects[]): number {
  let end = 0;
  const see = (byte: number) => {
    end = Math.max(end, byte - SCRATCH_ROW * 32);
  };
  for (const { reads, writes, copies, clobbers } of effects) {
    for (const list of [reads, writes]) for (const { place, length } of list) see(place + length);
    for (const { to, from, length } of copies) see(Math.max(to, from) + length);
    for (const [, to] of clobbers) see(to);
  }
  return end;
}
