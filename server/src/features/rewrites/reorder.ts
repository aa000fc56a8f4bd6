import { blockOf, InstructionFlag, OperandFlag, placeOf, type Function } from '../../ir/function.js';
import { isPhysical, NoRegister } from '../../ir/place.js';
import { LexicalKind, type LexicalTokens } from '../../languages/language.js';
import { dependenceGraph } from '../../passes/dependence.js';
import { Heap } from '../../passes/heap.js';
import type { Compilation } from '../../targets/target.js';
import type { TextEdit } from '../../text/span.js';
import type { Snapshot, Unit } from '../../workspace/snapshot.js';
import { firstFrom, peaksOf, statementOf, type Rewrite, type Statement } from './candidates.js';

/**
 * The order of a block as the machine's scheduler leaves it, carried back into the text: a list schedule over the
 * dependence graph that takes, of what is ready, what stands first in the compiled program. An instruction that is
 * nowhere in it stands before the first that needs it.
 *
 * Only runs of whole statements are reordered. A barrier, a call, a read of the clock, a register of the machine, a
 * declaration or a label ends a run.
 */
export function reorderRewrites(s: Snapshot, unit: Unit, c: Compilation): Rewrite[] {
  const f = c.source;
  const peaks = peaksOf(c);
  const blocks = [...new Set(peaks.map((peak) => blockOf(f, peak)))];
  const position = compiledPositions(s, unit, c);
  return blocks.flatMap((block) => reordered(s, unit, f, block, position, peaks) ?? []);
}

/** Longer blocks are left alone: nobody would read them again. */
const LONGEST = 4000;

/** A block in the order of `position` (by instruction, -1 for none); undefined where it has that order. */
export function reordered(
  s: Snapshot,
  unit: Unit,
  f: Function,
  block: number,
  position: Int32Array,
  peaks: readonly number[] = [],
): Rewrite | undefined {
  const from = f.blockStart[block];
  const to = f.blockStart[block + 1];
  if (to - from > LONGEST) return undefined;
  const order = Int32Array.from({ length: f.instructionCount }, (_, k) => k);
  const schedule = blockSchedule(f, block, position);
  const edits: TextEdit[] = [];
  const anchors = [...peaks];
  for (const run of runsOf(s, unit, f, from, to)) {
    const own = schedule.filter((i) => i >= run.first && i < run.first + run.statements.length);
    if (own.every((i, k) => i === run.first + k)) continue;
    own.forEach((i, k) => (order[run.first + k] = i));
    const span = { start: run.statements[0].start, end: run.statements[own.length - 1].end };
    const text = own.map((i) => {
      const { start, end } = run.statements[i - run.first];
      return unit.parsed.text.slice(start, end);
    });
    edits.push({ span, newText: text.join('') });
    anchors.push(run.first, run.first + own.length - 1);
  }
  if (edits.length === 0) return undefined;
  const name = f.blockNames[block];
  return {
    title: `Reorder ${name === '' ? 'the block' : `block \`${name}\``} as it is scheduled`,
    anchors,
    order,
    blockStart: f.blockStart,
    edits,
  };
}

/** By source instruction: the first line of the compiled program that carries it out, or -1. */
function compiledPositions(s: Snapshot, unit: Unit, c: Compilation): Int32Array {
  const { source, details } = s.target.listing(c, unit.parsed.text);
  const position = new Int32Array(c.source.instructionCount).fill(-1);
  const note = (instruction: number, line: number): void => {
    if (instruction >= 0 && position[instruction] < 0) position[instruction] = line;
  };
  source.forEach((instruction, line) => {
    if (details === undefined) note(instruction, line);
    else
      for (let k = details.carriesStart[line]; k < details.carriesStart[line + 1]; k++)
        note(details.carries[k], line);
  });
  return position;
}

/** All instructions of a block, each behind what it depends on, otherwise by position. O(edges + n log n). */
function blockSchedule(f: Function, block: number, position: Int32Array): number[] {
  const { first, count, start, to, incoming } = dependenceGraph(f, block);
  const key = new Float64Array(count);
  for (let n = count - 1; n >= 0; n--) {
    key[n] = position[first + n];
    if (key[n] >= 0) continue;
    key[n] = Infinity;
    for (let e = start[n]; e < start[n + 1]; e++) key[n] = Math.min(key[n], key[to[e]]);
  }
  const waiting = incoming.slice();
  const ready = new Heap((a, b) => key[a] < key[b] || (key[a] === key[b] && a < b));
  for (let n = 0; n < count; n++) if (waiting[n] === 0) ready.push(n);
  const schedule: number[] = [];
  for (let n = ready.pop(); n !== undefined; n = ready.pop()) {
    schedule.push(first + n);
    for (let e = start[n]; e < start[n + 1]; e++) if (--waiting[to[e]] === 0) ready.push(to[e]);
  }
  return schedule;
}

/** Consecutive instructions that may change places; a statement has the comments above it too, but for the first. */
interface Run {
  readonly first: number;
  readonly statements: Statement[];
}

function runsOf(s: Snapshot, unit: Unit, f: Function, from: number, to: number): Run[] {
  const runs: Run[] = [];
  const comments = commentsOf(s.language.lexical(unit.bound));
  let run: Run | undefined;
  for (let i = from; i < to; i++) {
    const own = isFence(f, i) ? undefined : statementOf(s, unit, f, i);
    if (own === undefined) {
      run = undefined;
      continue;
    }
    const above = run?.statements[run.statements.length - 1].end ?? -1;
    if (run !== undefined && isBlank(unit.parsed.text, above, own.start, comments))
      run.statements.push({ start: above, end: own.end });
    else runs.push((run = { first: i, statements: [own] }));
  }
  return runs.filter(({ statements }) => statements.length > 1);
}

const FENCE =
  InstructionFlag.Call |
  InstructionFlag.Branch |
  InstructionFlag.Return |
  InstructionFlag.Barrier |
  InstructionFlag.Entry;

/** What keeps its place whatever it depends on, and what reads nothing that `ir/` knows and is still no constant. */
function isFence(f: Function, instruction: number): boolean {
  const flags = f.instructionFlags[instruction];
  if ((flags & FENCE) !== 0) return true;
  let isKnown =
    (flags & (InstructionFlag.Constant | InstructionFlag.ReadsMemory | InstructionFlag.WritesMemory)) !== 0;
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
    const place = placeOf(f, o);
    if (f.operandFixed.has(o) || isPhysical(place) || place === NoRegister.SpecialVolatile) return true;
    if (place >= 0 && (f.operandFlags[o] & OperandFlag.Use) !== 0) isKnown = true;
  }
  return !isKnown;
}

interface Comments {
  readonly start: readonly number[];
  readonly end: readonly number[];
}

function commentsOf({ start, end, kind }: LexicalTokens): Comments {
  const found = [...kind.keys()].filter((k) => kind[k] === (LexicalKind.Comment as number));
  return { start: found.map((k) => start[k]), end: found.map((k) => end[k]) };
}

/** Whether nothing but blanks and whole comments stands in `[from, to)`. */
function isBlank(text: string, from: number, to: number, { start, end }: Comments): boolean {
  let at = from;
  for (let k = firstFrom(start, from); k < start.length && start[k] < to; k++) {
    if (end[k] > to || text.slice(at, start[k]).trim() !== '') return false;
    at = end[k];
  }
  return text.slice(at, to).trim() === '';
}
