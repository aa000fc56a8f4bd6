import { blockOf, InstructionFlag, type Function } from '../../ir/function.js';
import type { RegisterNaming } from '../../languages/language.js';
import { Role } from '../../languages/symbols.js';
import { dominatorsOf } from '../../passes/dominators.js';
import { livenessOf } from '../../passes/liveness.js';
import { loopsOf, type Loops } from '../../passes/loops.js';
import { reachingDefinitions } from '../../passes/reaching.js';
import { websOf } from '../../passes/webs.js';
import type { Compilation } from '../../targets/target.js';
import type { TextEdit } from '../../text/span.js';
import type { Snapshot, Unit } from '../../workspace/snapshot.js';
import { controlFlowOf, registerOccurrences } from '../reaching.js';
import { heldOver, peaksOf, statementOf, type Rewrite } from './candidates.js';

/**
 * Splitting of live ranges (Cooper, Simpson, "Live Range Splitting in a Graph Coloring Register Allocator", CC 1998). An
 * allocator that gives a name one place, or spills it everywhere, treats a range better when the part that crosses the
 * peak and the parts with the uses have names of their own.
 *
 * - Unrelated values under one name (webs) get a name each. No copy is needed.
 * - A range with a stretch without a mention, and the peak in it, is cut there: in front of the stretch, behind it, or
 *   both. A copy stands outside of a loop that the stretch is not in.
 */
export function splitRewrites(s: Snapshot, unit: Unit, c: Compilation): Rewrite[] {
  const splitter = new Splitter(s, unit, c.source);
  const peaks = peaksOf(c);
  const found: (Rewrite & { readonly worth: number })[] = [];
  const spilled = new Set<number>();
  for (const { register, reloads } of c.spills) {
    if (register < 0 || spilled.has(register)) continue;
    spilled.add(register);
    const anchors = [...peaks, ...reloads];
    found.push(...splitter.webs(register, anchors), ...splitter.gaps(register, anchors));
  }
  for (const register of new Set(peaks.flatMap((peak) => heldOver(c, peak)))) {
    if (spilled.has(register)) continue;
    found.push(...splitter.webs(register, peaks));
    for (const peak of peaks) found.push(...splitter.gap(register, peak, peaks));
  }
  return found.sort((a, b) => b.worth - a.worth);
}

/** Every split of every register that a stretch without a mention, or a second value, gives cause for. */
export function* allSplits(s: Snapshot, unit: Unit, f: Function): Generator<Rewrite> {
  const splitter = new Splitter(s, unit, f);
  for (let register = 0; register < f.registerCount; register++) {
    yield* splitter.webs(register, []);
    yield* splitter.gaps(register, [], 1);
  }
}

/** A stretch of fewer instructions is not worth a copy. */
const SHORTEST = 6;
/** A register with more values than this stays one. */
const MOST_NAMES = 8;

/** A copy directly before an instruction, or behind it. */
interface Copy {
  readonly at: number;
  readonly isBehind?: true;
  readonly to: number;
  readonly from: number;
}

type Found = Rewrite & { readonly worth: number };

class Splitter {
  private loops: Loops | undefined;
  private webOf: Int32Array | undefined;

  constructor(
    private readonly s: Snapshot,
    private readonly unit: Unit,
    private readonly f: Function,
  ) {}

  private get shape(): Loops {
    const cfg = controlFlowOf(this.f);
    return (this.loops ??= loopsOf(cfg, dominatorsOf(cfg)));
  }

  /** A name for each of the unrelated values that a register holds. */
  webs(register: number, peaks: readonly number[]): Found[] {
    const { f } = this;
    const { start, operand } = registerOccurrences(f);
    if (start[register + 1] - start[register] < 4) return [];
    this.webOf ??= websOf(
      f,
      reachingDefinitions(f, controlFlowOf(f), livenessOf(f, controlFlowOf(f))),
    ).ofOperand;
    const names = new Map<number, number>();
    for (let k = start[register]; k < start[register + 1]; k++) {
      const web = this.webOf[operand[k]];
      if (!names.has(web)) names.set(web, names.size);
    }
    if (names.size < 2 || names.size > MOST_NAMES) return [];
    const webOf = this.webOf;
    return this.made(register, names.size, [], peaks, (o) => names.get(webOf[o]) ?? 0);
  }

  /** The cuts around every stretch that is long enough. */
  gaps(register: number, anchors: readonly number[], shortest = SHORTEST): Found[] {
    const { start, instruction } = registerOccurrences(this.f);
    const found: Found[] = [];
    for (let k = start[register]; k + 1 < start[register + 1]; k++)
      if (instruction[k + 1] > instruction[k] + shortest)
        found.push(...this.gap(register, instruction[k] + 1, anchors, shortest));
    return found;
  }

  /** The cuts around `at`, which the register is held at and not mentioned. */
  gap(register: number, at: number, peaks: readonly number[], shortest = SHORTEST): Found[] {
    const { start, instruction } = registerOccurrences(this.f);
    let k = start[register];
    while (k < start[register + 1] && instruction[k] < at) k++;
    if (k === start[register] || k === start[register + 1] || instruction[k] === at) return [];
    const above = instruction[k - 1];
    const below = instruction[k];
    if (below - above <= shortest) return [];
    const entry = this.outsideBelow(above, below);
    const exit = this.outsideAbove(above, below);
    const hasManyAbove = instruction[start[register]] !== above || exit.at !== above;
    const hasManyBelow = instruction[start[register + 1] - 1] !== below || entry.at !== below;
    const part = (i: number): 0 | 1 => (i < at ? 0 : 1);
    const inFront: Copy = { ...exit, to: 1, from: 0 };
    const behind: Copy = { ...entry, to: 1, from: 0 };
    const found: Found[] = [];
    if (hasManyAbove && hasManyBelow)
      found.push(
        ...this.made(register, 3, [inFront, { ...entry, to: 2, from: 1 }], peaks, (_, i) => 2 * part(i)),
      );
    if (hasManyBelow) found.push(...this.made(register, 2, [behind], peaks, (_, i) => part(i)));
    if (hasManyAbove) found.push(...this.made(register, 2, [inFront], peaks, (_, i) => part(i)));
    return found;
  }

  /** Directly before `below`, or before the outermost loop around it that does not hold `above`. */
  private outsideBelow(above: number, below: number): Pick<Copy, 'at' | 'isBehind'> {
    const { f } = this;
    const header = this.outermost(below, above);
    if (header <= 0) return { at: below };
    const last = f.blockStart[header] - 1;
    return isLeaving(f, last) ? { at: last } : { at: last, isBehind: true };
  }

  /** Directly behind `above`, or behind the outermost loop around it that does not hold `below`. */
  private outsideAbove(above: number, below: number): Pick<Copy, 'at' | 'isBehind'> {
    const { f } = this;
    const header = this.outermost(above, below);
    if (header < 0) return { at: above, isBehind: true };
    let last = header;
    for (let b = header; b < f.blockCount; b++) if (this.isInLoop(b, header)) last = b;
    const next = f.blockStart[last + 1];
    return next < f.instructionCount ? { at: next } : { at: above, isBehind: true };
  }

  /** Header of the outermost loop that holds `inside` and not `outside`, or -1. */
  private outermost(inside: number, outside: number): number {
    const { f } = this;
    const { header, outer } = this.shape;
    let found = -1;
    for (let h = header[blockOf(f, inside)]; h >= 0 && !this.isInLoop(blockOf(f, outside), h); h = outer[h])
      found = h;
    return found;
  }

  private isInLoop(block: number, loop: number): boolean {
    const { header, outer } = this.shape;
    for (let h = header[block]; h >= 0; h = outer[h]) if (h === loop) return true;
    return false;
  }

  /** Mentions that need no place any more where the rest has one, less the copies; a loop counts ten times. */
  private worthOf(register: number, copies: readonly Copy[]): number {
    const { start, instruction } = registerOccurrences(this.f);
    const weight = (i: number): number => 10 ** Math.min(3, this.shape.depth[blockOf(this.f, i)]);
    let worth = 0;
    for (let k = start[register]; k < start[register + 1]; k++) worth += weight(instruction[k]);
    for (const { at } of copies) worth -= weight(at);
    return worth;
  }

  private made(
    register: number,
    count: number,
    copies: readonly Copy[],
    peaks: readonly number[],
    nameOf: (operand: number, instruction: number) => number,
  ): Found[] {
    const { s, unit, f } = this;
    const naming = s.language.naming?.(unit.bound, register);
    if (naming === undefined) return [];
    const names = [f.registerNames[register]];
    for (let k = 1; k < count; k++) names.push(naming.name(k - 1));
    const renamed = this.renamings(register, names, nameOf);
    const inserted = this.insertions(copies, names, naming);
    if (renamed === undefined || inserted === undefined) return [];
    const declared = names.slice(1).flatMap((name) => naming.declaration?.(name) ?? []);
    const edits = [...declared, ...inserted.edits, ...renamed.edits].sort(
      (a, b) => a.span.start - b.span.start,
    );
    const lines = [...new Set(inserted.edits.map((e) => s.lines.lineAt(unit.start + e.span.start) + 1))];
    const where =
      copies.length === 0
        ? ` into its ${count} values`
        : ` with ${lines.length === 1 ? `a copy in line ${lines[0]}` : `copies in lines ${lines.join(', ')}`}`;
    return [
      {
        title: `Split \`${names[0]}\`${where}`,
        anchors: [...renamed.instructions, ...peaks],
        order: inserted.order,
        blockStart: f.blockStart,
        split: { register, names: names.slice(1) },
        edits,
        worth: this.worthOf(register, copies),
      },
    ];
  }

  /** The mentions with other names; undefined where one stands in no text, or belongs to a name for several registers. */
  private renamings(
    register: number,
    names: readonly string[],
    nameOf: (operand: number, instruction: number) => number,
  ): { readonly edits: TextEdit[]; readonly instructions: number[] } | undefined {
    const { f, unit } = this;
    const {
      symbols,
      occurrenceStart,
      occurrenceEnd,
      occurrenceSymbol,
      occurrenceInstruction,
      occurrenceRole,
    } = unit.bound.symbols;
    const symbol = symbols.findIndex((x) => x.register === register);
    if (symbol < 0 || symbols[symbol].name !== names[0]) return undefined;
    const { start, operand, instruction } = registerOccurrences(f);
    const edits: TextEdit[] = [];
    const instructions = new Set<number>();
    let seen = 0;
    for (let k = 0; k < occurrenceStart.length; k++) {
      if (occurrenceSymbol[k] !== symbol || (occurrenceRole[k] & Role.Declaration) !== 0) continue;
      const i = occurrenceInstruction[k];
      if (i < 0) return undefined;
      instructions.add(i);
      const [from, to] = [occurrenceStart[k], occurrenceEnd[k]];
      let name = -1;
      for (let x = start[register]; x < start[register + 1]; x++) {
        const o = operand[x];
        if (instruction[x] !== i || f.operandSpanStart[o] > from || f.operandSpanEnd[o] < to) continue;
        const own = nameOf(o, i);
        if (name >= 0 && own !== name) return undefined;
        name = own;
        seen++;
      }
      if (name > 0) edits.push({ span: { start: from, end: to }, newText: names[name] });
    }
    if (seen < start[register + 1] - start[register] || [...instructions].some((i) => isPseudo(f, i)))
      return undefined;
    return { edits, instructions: [...instructions] };
  }

  private insertions(
    copies: readonly Copy[],
    names: readonly string[],
    naming: RegisterNaming,
  ): { readonly edits: TextEdit[]; readonly order: Int32Array } | undefined {
    const { s, unit, f } = this;
    const { text } = unit.parsed;
    const edits: TextEdit[] = [];
    const before = new Map<number, number>();
    for (const { at, isBehind, to, from } of copies) {
      const own = statementOf(s, unit, f, at);
      const next = isBehind === true ? at + 1 : at;
      const statements = naming.copy(names[to], names[from], next);
      if (own === undefined || statements === undefined) return undefined;
      const lineEnd = /\r?\n$/.exec(text.slice(own.start, own.end))?.[0] ?? '\n';
      const indentation = /^[ \t]*/.exec(text.slice(own.start, f.spanStart[at]))?.[0] ?? '';
      const place = isBehind === true ? own.end : own.start;
      edits.push({
        span: { start: place, end: place },
        newText: statements.map((line) => `${indentation}${line}${lineEnd}`).join(''),
      });
      before.set(next, (before.get(next) ?? 0) + statements.length);
    }
    const order: number[] = [];
    for (let i = 0; i <= f.instructionCount; i++) {
      for (let n = before.get(i) ?? 0; n > 0; n--) order.push(-1);
      if (i < f.instructionCount) order.push(i);
    }
    return { edits, order: Int32Array.from(order) };
  }
}

const LEAVING = InstructionFlag.Branch | InstructionFlag.Return;

const isLeaving = (f: Function, instruction: number): boolean =>
  (f.instructionFlags[instruction] & LEAVING) !== 0;

/** What a program is handed, and what it leaves behind, has names that others know. */
const isPseudo = (f: Function, instruction: number): boolean =>
  (f.instructionFlags[instruction] & InstructionFlag.Entry) !== 0 ||
  f.spanStart[instruction] === f.spanEnd[instruction];
