import { blockOf, InstructionFlag, OperandFlag, type Function } from '../ir/function.js';
import { isDefinition, isUse } from '../passes/occurrences.js';
import { isLiveAt } from '../passes/live-ranges.js';
import type { Compilation } from '../targets/target.js';
import { occurrenceAt } from '../languages/symbols.js';
import { shift, type Span, type TextEdit } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { CodeAction } from './data.js';
import { registerOccurrences } from './reaching.js';

/**
 * Rematerialisation by hand (Briggs, Cooper, Torczon, "Rematerialization", PLDI 1992): a value that depends on
 * nothing that changes need not be kept in a register over a long stretch. Its one defining instruction is repeated
 * before distant uses, into the same register, so that the register is free in between. Every execution reads the
 * same values as before.
 */

/** Uses closer than this to the mention before them, in one block, go on sharing its value. */
const DISTANT = 16;
/** With more copies than this the instructions cost more than the register. */
const MOST_COPIES = 8;

/** Offers for the registers that stand in `place` (offsets of the document) and are spilled or live at a peak. */
export function recomputeActions(s: Snapshot, unit: Unit, place: Span): CodeAction[] {
  if (!unit.isCompiled || unit.compilation === undefined) return [];
  const c = unit.compilation;
  const local = shift(place, -unit.start);
  const { symbols, occurrenceStart, occurrenceSymbol } = unit.bound.symbols;
  const registers = new Set<number>();
  const first = Math.max(0, occurrenceAt(unit.bound.symbols, local.start));
  for (let k = first; k < occurrenceStart.length && occurrenceStart[k] <= local.end; k++) {
    if (unit.bound.symbols.occurrenceEnd[k] < local.start) continue;
    const { register } = symbols[occurrenceSymbol[k]];
    if (register >= 0) registers.add(register);
  }
  return [...registers].flatMap((register) => actionFor(s, unit, c, register) ?? []);
}

function actionFor(s: Snapshot, unit: Unit, c: Compilation, register: number): CodeAction | undefined {
  if (!isCostly(c, register)) return undefined;
  const definition = constantDefinition(c, register);
  if (definition < 0) return undefined;
  const { distant, remaining } = usesOf(c, register, definition);
  if (distant.length === 0 || distant.length > MOST_COPIES) return undefined;
  if (distant.some((use) => !meansTheSame(unit, c.source, definition, use))) return undefined;

  const { source } = c;
  const text = unit.parsed.text.slice(source.spanStart[definition], source.spanEnd[definition]);
  const edits: TextEdit[] = distant.map((use) => {
    const at = unit.start + source.spanStart[use];
    return { span: { start: at, end: at }, newText: `${text}\n${indentation(s, at)}` };
  });
  if (remaining === 0) edits.push({ span: wholeInstruction(s, unit, source, definition), newText: '' });
  edits.sort((a, b) => a.span.start - b.span.start);
  const lines = distant.map((use) => s.lines.lineAt(unit.start + source.spanStart[use]) + 1);
  const where = lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.join(', ')}`;
  return {
    title: `Compute \`${source.registerNames[register]}\` again in ${where} instead of keeping it`,
    kind: 'refactor.rewrite',
    edits: edits.map((e) => ({ range: s.lines.range(e.span), newText: e.newText })),
    isPreferred: false,
  };
}

/** Spilled, or kept in a register where most are needed, in the order of the text or in the compiled program. */
function isCostly(c: Compilation, register: number): boolean {
  const { kind } = c.placements[register];
  if (kind !== 'register') return kind === 'spilled';
  const registerClass = c.source.registerClass[register];
  return [c.asWritten, c.asCompiled].some(({ peakAt }) => {
    const at = peakAt[registerClass];
    return (
      at >= 0 && (isLiveAt(c.liveRanges, register, 2 * at) || isLiveAt(c.liveRanges, register, 2 * at + 1))
    );
  });
}

/** The one instruction that defines the register, whole and unguarded, if it reads no register; else -1. */
function constantDefinition(c: Compilation, register: number): number {
  const f = c.source;
  const { start, operand, instruction } = registerOccurrences(c.source);
  let definition = -1;
  for (let k = start[register]; k < start[register + 1]; k++) {
    if (!isDefinition(f, operand[k])) continue;
    if (definition >= 0) return -1;
    if ((f.operandFlags[operand[k]] & (OperandFlag.Predicated | OperandFlag.Partial)) !== 0) return -1;
    definition = instruction[k];
  }
  if (definition < 0 || (f.instructionFlags[definition] & InstructionFlag.Constant) === 0) return -1;
  for (let o = f.operandStart[definition]; o < f.operandStart[definition + 1]; o++)
    if (f.operandPlace[o] >= 0 && f.operandPlace[o] !== register) return -1;
  return definition;
}

/** Instructions before which the value is computed again, and how many uses the first definition keeps. */
function usesOf(
  c: Compilation,
  register: number,
  definition: number,
): { distant: number[]; remaining: number } {
  const f = c.source;
  const { start, operand, instruction } = registerOccurrences(c.source);
  const distant: number[] = [];
  let remaining = 0;
  let isShared = false;
  let before = -1;
  let block = -1;
  for (let k = start[register]; k < start[register + 1]; k++) {
    const i = instruction[k];
    if (i === before || (i !== definition && !isUse(f, operand[k]))) continue;
    const home = blockOf(f, i);
    if (i === definition) isShared = true;
    else if (home !== block || i - before >= DISTANT) {
      distant.push(i);
      isShared = false;
    } else if (isShared) remaining++;
    before = i;
    block = home;
  }
  return { distant, remaining };
}

/** True when every name of the defining instruction means the same thing at the use. */
function meansTheSame(unit: Unit, f: Function, definition: number, use: number): boolean {
  const { symbols, occurrenceStart, occurrenceSymbol } = unit.bound.symbols;
  const from = f.spanStart[definition];
  const to = f.spanEnd[definition];
  const at = f.spanStart[use];
  for (let k = Math.max(0, occurrenceAt(unit.bound.symbols, from)); k < occurrenceStart.length; k++) {
    if (occurrenceStart[k] >= to) break;
    if (occurrenceStart[k] < from) continue;
    const meant = symbols[occurrenceSymbol[k]];
    if (meant.scope !== undefined && (at < meant.scope.start || at >= meant.scope.end)) return false;
    const isHidden = symbols.some(
      (x) =>
        x !== meant &&
        x.name === meant.name &&
        x.scope !== undefined &&
        x.scope.start <= at &&
        at < x.scope.end &&
        (meant.scope === undefined || x.scope.start > meant.scope.start),
    );
    if (isHidden) return false;
  }
  return true;
}

/** Blanks in front of the first word of the line that holds `offset`. */
function indentation(s: Snapshot, offset: number): string {
  const start = s.lines.startOf(s.lines.lineAt(offset));
  let end = start;
  while (end < offset && (s.text[end] === ' ' || s.text[end] === '\t')) end++;
  return s.text.slice(start, end);
}

/** The instruction, with its line when nothing else is on it. */
function wholeInstruction(s: Snapshot, unit: Unit, f: Function, instruction: number): Span {
  const start = unit.start + f.spanStart[instruction];
  const end = unit.start + f.spanEnd[instruction];
  const line = s.lines.lineAt(start);
  const lineStart = s.lines.startOf(line);
  const isAlone =
    s.lines.lineAt(end) === line &&
    line + 1 < s.lines.lineCount &&
    s.lines.slice(lineStart, start).trim() === '' &&
    s.lines.slice(end, s.lines.contentEnd(line)).trim() === '';
  return isAlone ? { start: lineStart, end: s.lines.startOf(line + 1) } : { start, end };
}
