import { isDefinition, isUse } from '../passes/occurrences.js';
import { blockOf, type Function } from '../ir/function.js';
import type { UnitSymbol } from '../languages/symbols.js';
import type { Compilation, Row } from '../targets/target.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { loopDepthOf } from './loops.js';
import { registerOccurrences } from './reaching.js';
import { count } from '../text/words.js';
import { placeWords } from './views/place-words.js';

/**
 * A register's life: where it is written and read, over which lines it holds a value, and where it was put. A
 * vector is several registers in a row, each with its own life.
 */
export function registerText(s: Snapshot, unit: Unit, c: Compilation, symbol: UnitSymbol): string {
  const elements = [symbol.register];
  const { registerNames } = c.source;
  while (registerNames[elements[0] + elements.length]?.startsWith(`${symbol.name}.`))
    elements.push(elements[0] + elements.length);
  const parts = elements.flatMap((register) => [
    ...(elements.length > 1 ? [`\`${registerNames[register]}\``] : []),
    ...lifeOf(s, unit, c, symbol, register),
  ]);
  return [...parts, `*${c.model}*`].join('\n\n');
}

function lifeOf(s: Snapshot, unit: Unit, c: Compilation, { kind }: UnitSymbol, register: number): string[] {
  const f = c.source;
  const line = (instruction: number): number => s.lines.lineAt(unit.start + f.spanStart[instruction]) + 1;
  const { definitions, uses } = mentionsOf(c, register);
  const { name, unit: unitName } = f.classes[f.registerClass[register]];
  const width = f.registerWidth[register];
  const depth = loopDepth(f, [...definitions, ...uses]);
  const { display } = s.target;
  const isTerse = display?.isTerse === true;
  const rows: Row[] = [
    ...(isTerse && name === kind && width === 1
      ? []
      : [['Class', `${name}, ${count(width, unitName)}`] as const]),
    ['Written', inLines(definitions.map(line))],
    ['Read', inLines(uses.map(line))],
    ['Live as written', liveLines(c, register, line)],
    ...(isTerse && depth === 0 ? [] : [['Loop depth', `${depth}`] as const]),
    ['Place as compiled', display?.placeOfRegister?.(c, register) ?? placeWords(c, register)],
    ...(display?.ofRegister?.(c, register, line) ?? []),
  ];
  const table = ['| | |', '|---|---|', ...rows.map(([key, value]) => `| ${key} | ${value} |`)].join('\n');
  return [table, ...spillText(c, register, line)];
}

function mentionsOf(c: Compilation, register: number): { definitions: number[]; uses: number[] } {
  const { start, operand, instruction } = registerOccurrences(c.source);
  const definitions: number[] = [];
  const uses: number[] = [];
  for (let k = start[register]; k < start[register + 1]; k++) {
    if (isDefinition(c.source, operand[k])) definitions.push(instruction[k]);
    if (isUse(c.source, operand[k])) uses.push(instruction[k]);
  }
  return { definitions, uses };
}

/** Longest list of lines that is written out. */
const LINES_SHOWN = 8;

function inLines(lines: readonly number[]): string {
  const unique = [...new Set(lines)];
  if (lines.length === 0) return 'never';
  const times = lines.length === 1 ? 'once' : count(lines.length, 'time');
  return `${times}: ${unique.length === 1 ? 'line' : 'lines'} ${shortened(unique.map(String))}`;
}

function shortened(items: readonly string[]): string {
  if (items.length <= LINES_SHOWN) return items.join(', ');
  return `${items.slice(0, LINES_SHOWN - 1).join(', ')}, … ${items.at(-1)}`;
}

/** `lines 4–9, 12–12 (7 instructions)`: the segments of the live range. */
function liveLines(c: Compilation, register: number, line: (instruction: number) => number): string {
  const { registerStart, segmentFrom, segmentTo } = c.liveRanges;
  const segments: string[] = [];
  let points = 0;
  for (let k = registerStart[register]; k < registerStart[register + 1]; k++) {
    points += segmentTo[k] - segmentFrom[k];
    const from = line(segmentFrom[k] >> 1);
    const to = line((segmentTo[k] - 1) >> 1);
    segments.push(from === to ? `${from}` : `${from}–${to}`);
  }
  if (segments.length === 0) return 'never';
  const length = Math.ceil(points / 2);
  return `${segments.length === 1 && !segments[0].includes('–') ? 'line' : 'lines'} ${shortened(segments)} (${count(length, 'instruction')})`;
}

function loopDepth(f: Function, instructions: readonly number[]): number {
  let deepest = 0;
  for (const i of instructions) deepest = Math.max(deepest, loopDepthOf(f, blockOf(f, i)));
  return deepest;
}

function spillText(c: Compilation, register: number, line: (instruction: number) => number): string[] {
  const spill = c.spills.find((x) => x.register === register);
  if (spill === undefined) return [];
  return [
    `**Spilled** at the peak in line ${line(spill.peakInstruction)}: ${spill.reason}`,
    `- ${count(spill.stores.length, 'store')} after ${inLines(spill.stores.map(line)).replace(/^.*: /, '')}\n` +
      `- ${count(spill.reloads.length, 'reload')} before ${inLines(spill.reloads.map(line)).replace(/^.*: /, '')}\n` +
      `- ${count(spill.bytes * (spill.stores.length + spill.reloads.length), 'byte')} a thread when each of them executes once`,
  ];
}
