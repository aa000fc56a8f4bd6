import { isConditional, writesFlag } from '../access.js';
import type { Instruction, Program } from '../program.js';
import type { Effects } from './effects.js';
import { isRegister, readFootprint, type Footprint } from './footprint.js';
import type { LaneGraph } from './lane-graph.js';
import { isImage, type Matching } from './matching.js';
import { lastBefore, type Occurrences } from './occurrences.js';
import { placeStart, type Space } from './space.js';

/**
 * Values that an allocator computes again instead of keeping them. An instruction of the source gives the same value
 * wherever it is executed when it is pure arithmetic on immediates, uniforms, payload registers and arguments that the
 * source never writes, and results of other such instructions of which there is but one definition. A second execution of
 * it stands for the name where, on every path, that instruction was the name's last definition, and where its own
 * sources hold what the instruction read.
 */
export interface RecomputationInput {
  readonly source: Program;
  readonly code: Program;
  readonly matching: Matching;
  readonly effects: readonly Effects[];
  readonly space: Space;
  readonly places: Occurrences;
  readonly names: Occurrences;
  readonly graph: LaneGraph;
}

/** What a place must hold before a step. */
export interface Supposed {
  readonly node: number;
  readonly at: number;
  readonly place: number;
  readonly name: number;
}

interface Repetition {
  /** From a name to its place. */
  readonly shift: number;
  /** What must hold for it, until somebody has asked for it. */
  readonly supposed: Supposed[];
}

const LONGEST = 16;

export class Recomputation {
  private readonly constant = new Map<number, boolean>();
  private readonly repetitions = new Map<string, Repetition | 'none'>();

  constructor(private readonly input: RecomputationInput) {}

  /**
   * Step `at`, of the allocator, leaves in `place` the value that `name` has there, if places hold what the result
   * lists (each asked for once); undefined where it does not.
   */
  holds(node: number, at: number, place: number, name: number): readonly Supposed[] | undefined {
    const { names } = this.input;
    if (this.input.matching.steps[at].source >= 0 || name >= this.input.space.fixedBase) return undefined;
    for (let k = names.start[name]; k < names.start[name + 1] && k < names.start[name] + LONGEST; k++) {
      const maker = names.step[k];
      const repetition = this.repetition(node, at, maker, 0);
      if (repetition === undefined || !this.puts(repetition, maker, place, name)) continue;
      if (this.isLastDefinition(node, at, name, maker)) return repetition.supposed.splice(0);
    }
    return undefined;
  }

  /** The repeated instruction's result for `name` lies in `place`. */
  private puts({ shift }: Repetition, maker: number, place: number, name: number): boolean {
    return place - name === shift && this.writesName(maker, name);
  }

  private writesName(step: number, name: number): boolean {
    const { effects, space } = this.input;
    return effects[step].writes.some((range) => {
      if (range.register < 0) return false;
      const k = name - (space.registerBase[range.register] + range.byte / space.unit);
      return k >= 0 && k * space.unit < range.length;
    });
  }

  /** The allocator's instruction at `at` as a repetition of what the maker computed, if it is one. */
  private repetition(node: number, at: number, maker: number, depth: number): Repetition | undefined {
    const key = `${node} ${at} ${maker}`;
    const known = this.repetitions.get(key);
    if (known !== undefined) return known === 'none' ? undefined : known;
    this.repetitions.set(key, 'none');
    const found = this.findRepetition(node, at, maker, depth);
    this.repetitions.set(key, found ?? 'none');
    return found;
  }

  private findRepetition(node: number, at: number, maker: number, depth: number): Repetition | undefined {
    const { source, code, matching, space } = this.input;
    const original = this.instructionOf(maker);
    const repeated = code.instructions[matching.steps[at].code];
    if (original === undefined || depth > LONGEST || !this.isConstant(maker)) return undefined;
    if (!isImage({ ...original, origin: repeated.origin, noMask: repeated.noMask }, repeated))
      return undefined;
    const [destination] = original.destinations;
    const [placed] = repeated.destinations;
    if (destination.file !== 'virtual' || placed.file !== 'grf') return undefined;
    const start = placeStart(code, placed) + placed.offset - destination.offset;
    const shift = start / space.unit - space.registerBase[destination.register];
    const supposed: Supposed[] = [];
    for (const [k, operand] of original.sources.entries()) {
      if (!isRegister(operand)) continue;
      const other = repeated.sources[k];
      if (!isRegister(other) || other.file === 'virtual') return undefined;
      const from = (placeStart(code, other) + other.offset - operand.offset) / space.unit;
      for (const unit of unitsOf(readFootprint(source, original, k), space.unit)) {
        if (operand.file === 'virtual') {
          const name = space.registerBase[operand.register] + unit;
          if (this.isArgument(name)) {
            supposed.push({ node, at, place: from + unit, name });
            continue;
          }
          const producer = this.producer(maker, name);
          if (
            producer < 0 ||
            !this.holdsResult({ node, at, place: from + unit, name }, producer, supposed, depth + 1)
          )
            return undefined;
        } else {
          const own = placeStart(source, operand) / space.unit + unit;
          if (!this.isNeverWritten(own)) return undefined;
          supposed.push({ node, at, place: from + unit, name: space.fixedBase + own });
        }
      }
    }
    return { shift, supposed };
  }

  /** On every path up from the need `place` was last given the result of `producer` for `name`. */
  private holdsResult(wanted: Supposed, producer: number, supposed: Supposed[], depth: number): boolean {
    const { places, graph, effects, space, matching } = this.input;
    const { name } = wanted;
    if (depth > LONGEST) return false;
    const seen = new Set<string>();
    const pending = [wanted];
    for (let need = pending.pop(); need !== undefined; need = pending.pop()) {
      const from = graph.start[graph.stretch[need.node]];
      const counts = graph.isActive[need.node] ? () => true : (step: number) => !effects[step].isMasked;
      const writer = lastBefore(places, need.place, from, need.at, counts);
      if (writer < 0) {
        if (need.node === 0 || graph.predecessors[need.node].length === 0) return false;
        for (const before of graph.predecessors[need.node]) {
          const key = `${before} ${need.place}`;
          if (seen.has(key)) continue;
          seen.add(key);
          pending.push({ ...need, node: before, at: graph.start[graph.stretch[before] + 1] });
        }
        continue;
      }
      const byte = need.place * space.unit;
      const effect = effects[writer];
      if (effect.isConditional) return false;
      if (writer === producer && this.writesInto(producer, need.place, name)) continue;
      const isOwn = matching.steps[writer].source < 0;
      const repetition = isOwn ? this.repetition(need.node, writer, producer, depth) : undefined;
      if (repetition !== undefined && this.puts(repetition, producer, need.place, name)) {
        supposed.push(...repetition.supposed.splice(0));
        continue;
      }
      const copy = effect.copies.find(({ to, length }) => byte >= to && byte < to + length);
      if (copy === undefined) return false;
      pending.push({ ...need, at: writer, place: (copy.from + byte - copy.to) / space.unit });
    }
    return true;
  }

  private writesInto(step: number, place: number, name: number): boolean {
    const { space, effects } = this.input;
    return effects[step].writes.some((range) => {
      if (range.register < 0 || range.place < 0) return false;
      const k = name - (space.registerBase[range.register] + range.byte / space.unit);
      return k >= 0 && k * space.unit < range.length && range.place + k * space.unit === place * space.unit;
    });
  }

  /** On every path up from `at` the name's last definition is the maker. */
  private isLastDefinition(node: number, at: number, name: number, maker: number): boolean {
    const { names, graph, effects } = this.input;
    const seen = new Set<number>();
    const pending = [{ node, at }];
    for (let need = pending.pop(); need !== undefined; need = pending.pop()) {
      const from = graph.start[graph.stretch[need.node]];
      const counts = graph.isActive[need.node] ? () => true : (step: number) => !effects[step].isMasked;
      const definer = lastBefore(names, name, from, need.at, counts);
      if (definer === maker) continue;
      if (definer >= 0) return false;
      for (const before of graph.predecessors[need.node]) {
        if (seen.has(before)) continue;
        seen.add(before);
        pending.push({ node: before, at: graph.start[graph.stretch[before] + 1] });
      }
    }
    return true;
  }

  private isConstant(step: number): boolean {
    const known = this.constant.get(step);
    if (known !== undefined) return known;
    this.constant.set(step, false);
    const { source, space } = this.input;
    const instruction = this.instructionOf(step);
    const result =
      instruction !== undefined &&
      isPure(instruction) &&
      instruction.sources.every((operand, k) => {
        if (operand.file === 'word') return false;
        if (!isRegister(operand)) return true;
        return readFootprint(source, instruction, k).every(([from, to]) => {
          for (let byte = from; byte < to; byte += space.unit) {
            if (operand.file === 'grf') {
              if (!this.isNeverWritten((placeStart(source, operand) + byte) / space.unit)) return false;
            } else if (operand.file !== 'virtual') return false;
            else {
              const name = space.registerBase[operand.register] + byte / space.unit;
              if (this.isArgument(name)) continue;
              const producer = this.producer(step, name);
              if (producer < 0 || !this.isConstant(producer)) return false;
            }
          }
          return true;
        });
      });
    this.constant.set(step, result);
    return result;
  }

  /** What the dispatch hands over in a virtual register that the source never writes. */
  private isArgument(name: number): boolean {
    const { names, source } = this.input;
    return source.dialect === 'selection' && names.start[name] === names.start[name + 1];
  }

  /** A payload register that the source never writes. */
  private isNeverWritten(place: number): boolean {
    const { space, names, source } = this.input;
    const name = space.fixedBase + place;
    return place * space.unit < source.firstFree * 32 && names.start[name] === names.start[name + 1];
  }

  /** The step whose result for `name` step `reader` reads: the last one in its stretch, or the only one at all. */
  private producer(reader: number, name: number): number {
    const { names, graph, effects } = this.input;
    let low = 0;
    let high = graph.start.length - 1;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (graph.start[middle] <= reader) low = middle;
      else high = middle;
    }
    const local = lastBefore(names, name, graph.start[low], reader, () => true);
    if (local >= 0) return effects[local].isConditional ? -1 : local;
    return names.start[name + 1] - names.start[name] === 1 ? names.step[names.start[name]] : -1;
  }

  private instructionOf(step: number): Instruction | undefined {
    const { source, matching } = this.input;
    const i = matching.steps[step].source;
    return i < 0 ? undefined : source.instructions[i];
  }
}

function* unitsOf(footprint: Footprint, unit: number): Generator<number> {
  for (const [from, to] of footprint) for (let byte = from; byte < to; byte += unit) yield byte / unit;
}

function isPure(instruction: Instruction): boolean {
  const { opcode } = instruction;
  return (
    (opcode.kind === 'alu' || opcode.kind === 'math') &&
    !opcode.hasSideEffects &&
    !opcode.readsAccumulator &&
    !opcode.modifiesAccumulator &&
    !opcode.readsG0 &&
    instruction.predicate === undefined &&
    !instruction.writesAccumulator &&
    !writesFlag(instruction) &&
    !isConditional(instruction) &&
    instruction.destinations.length === 1
  );
}
