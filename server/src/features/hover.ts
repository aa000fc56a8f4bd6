import type { Position } from '../text/span.js';
import { count } from '../text/words.js';
import type { UnitSymbol } from '../languages/symbols.js';
import type { Compilation } from '../targets/target.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { functionFrameText, symbolFrameText } from './hover-frame.js';
import { summaryTable } from './hover-function.js';
import { labelText } from './hover-label.js';
import { isHighest, liveText, peakText } from './hover-peak.js';
import { registerText } from './hover-register.js';
import type { Hover } from './data.js';
import { liveAtInstruction } from './peak.js';
import { waitsIn } from './stalls.js';
import { liveTable } from './live-table.js';
import { instructionBefore, occurrenceIn, occurrenceSpan, rangeIn } from './locate.js';

/**
 * What stands under the cursor, as Markdown: a register with its life and its place, a function with its figures,
 * a label with its block, an instruction with its reference text, its stall and the pressure after it; beside an
 * instruction, who is live there. Every figure names its model.
 */
export function hover(s: Snapshot, position: Position): Hover | undefined {
  return ofName(s, position) ?? ofInstruction(s, position) ?? ofLine(s, position);
}

function ofName(s: Snapshot, position: Position): Hover | undefined {
  const at = occurrenceIn(s, position);
  if (at === undefined) return undefined;
  const { unit, index, symbol } = at;
  const span = index >= 0 ? occurrenceSpan(unit, index) : symbol.declaration;
  if (span === undefined) return undefined;
  const parts = [heading(symbol)];
  const c = unit.compilation;
  if (symbol.register >= 0) {
    if (c !== undefined) parts.push(registerText(s, unit, c, symbol));
  } else if (symbol.kind === 'label') {
    if (c !== undefined) parts.push(labelText(s, unit, c, symbol));
  } else if (symbol.isGlobal && (symbol.kind === 'function' || symbol.kind === 'kernel')) {
    const bodies = s.declarations(symbol.name).filter((d) => d.declaration.isDefinition);
    const body = (bodies.find((d) => d.unit.index === unit.index) ?? bodies.at(0))?.unit;
    if (body?.compilation !== undefined) parts.push(summaryTable(s, body.compilation));
    if (body !== undefined) parts.push(...functionFrameText(s, body));
  }
  parts.push(...symbolFrameText(s, unit, symbol));
  const described = s.language.describe(unit.bound, s.lines.offsetAt(position) - unit.start);
  if (described !== undefined) parts.push(described.text);
  return { range: rangeIn(s, unit, span), contents: parts.join('\n\n') };
}

/** `**register** `%r1` : `.b32``; the detail is left out where the kind says it. */
function heading({ kind, kindName = kind, name, detail }: UnitSymbol): string {
  const plain = `**${kindName}** \`${name}\``;
  const isSaid = detail === '' || kindName === detail || kindName.endsWith(` ${detail}`);
  return isSaid ? plain : `${plain} : \`${detail}\``;
}

function ofInstruction(s: Snapshot, position: Position): Hover | undefined {
  const offset = s.lines.offsetAt(position);
  const unit = s.unitAt(offset);
  const local = offset - unit.start;
  const described = s.language.describe(unit.bound, local);
  const c = unit.compilation;
  const instruction = c === undefined ? -1 : instructionTouching(c, local);
  const parts: string[] = [];
  if (described !== undefined) parts.push(described.text);
  if (c !== undefined && instruction >= 0) parts.push(...figuresOf(s, unit, c, instruction));
  if (parts.length === 0) return undefined;
  const span =
    described?.span ??
    (c !== undefined && instruction >= 0
      ? { start: c.source.spanStart[instruction], end: c.source.spanEnd[instruction] }
      : { start: local, end: local });
  return { range: rangeIn(s, unit, span), contents: parts.join('\n\n') };
}

function instructionTouching(c: Compilation, offset: number): number {
  const at = instructionBefore(c.source.spanStart, offset);
  return at >= 0 && offset <= c.source.spanEnd[at] ? at : -1;
}

/** The blank part of a line beside its instruction, where a bar stands for the pressure: who is live. */
function ofLine(s: Snapshot, position: Position): Hover | undefined {
  const offset = s.lines.offsetAt(position);
  const line = s.lines.lineAt(offset);
  const lineStart = s.lines.offsetAt({ line, character: 0 });
  const lineEnd = s.lines.contentEnd(line);
  const isBlank = (start: number, end: number): boolean => s.lines.slice(start, end).trim() === '';
  if (isBlank(lineStart, lineEnd) || (!isBlank(lineStart, offset) && !isBlank(offset, lineEnd)))
    return undefined;
  const unit = s.unitAt(offset);
  const c = unit.compilation;
  if (c === undefined) return undefined;
  const { spanStart } = c.source;
  let most = -1;
  for (
    let i = instructionBefore(spanStart, lineEnd - unit.start);
    i >= 0 && unit.start + spanStart[i] >= lineStart;
    i--
  )
    if (most < 0 || c.asCompiled.during[0][i] >= c.asCompiled.during[0][most]) most = i;
  if (most < 0) return undefined;
  const range = s.lines.range({ start: lineStart, end: lineEnd });
  return { range, contents: liveText(s, unit, c, most) };
}

/** The stall and the pressure of one instruction; at a peak, who is live there. */
function figuresOf(s: Snapshot, unit: Unit, c: Compilation, i: number): string[] {
  const parts: string[] = [];
  const line = (instruction: number): number =>
    s.lines.lineAt(unit.start + c.source.spanStart[instruction]) + 1;
  const own = s.target.display?.ofInstruction?.(c, i, line) ?? [];
  if (own.length > 0)
    parts.push(['| | |', '|---|---|', ...own.map(([name, text]) => `| ${name} | ${text} |`)].join('\n'));
  for (const { stalls } of waitsIn(c, i, i))
    for (const { cycles, cause, producer } of stalls) {
      const where = producer < 0 ? '' : `, line ${line(producer)}`;
      parts.push(`**Stall** ${count(cycles, 'cycle')}: ${cause}${where}`);
    }
  parts.push(liveTable(c, i));
  if (isHighest(c, i)) parts.push(peakText(s, unit, c, i));
  else parts.push(...idleText(s, unit, c, i), `*${c.model}*`);
  return parts;
}

/** The values that nothing touches for longest while the instruction executes. */
function idleText(s: Snapshot, unit: Unit, c: Compilation, i: number): string[] {
  const line = (instruction: number): string =>
    `line ${s.lines.lineAt(unit.start + c.source.spanStart[instruction]) + 1}`;
  const live = liveAtInstruction(s, c, i, 'asCompiled');
  const idle = live.filter((r) => r.idle > 0);
  if (idle.length === 0) return [];
  const named = idle.slice(0, 3).map(({ register, definition, lastUse, nextUse }) => {
    const touched = Math.max(definition <= i ? definition : -1, lastUse);
    const last = touched < 0 ? 'not touched before' : `last touched ${line(touched)}`;
    const next = nextUse < i ? `${line(nextUse)} in the next turn of the loop` : line(nextUse);
    return `\`${c.source.registerNames[register]}\` (${last}, next use ${next})`;
  });
  const all = live.slice(0, NAMED).map(({ register }) => `\`${c.source.registerNames[register]}\``);
  const rest = live.length > NAMED ? ` and ${live.length - NAMED} more` : '';
  return [
    `Idle longest, of ${live.length} live: ${named.join(', ')}`,
    ...(live.length > named.length ? [`Live: ${all.join(', ')}${rest}`] : []),
  ];
}

/** Live registers that are named in one line. */
const NAMED = 24;
