/**
 * The compiled program as text, one line a word, its slots in columns. Behind the words stand the source values that
 * are computed there, then those that are only handed on because their readers are more than two words away.
 */
import { OperandFlag, type Function } from '../../ir/function.js';
import { isVirtual } from '../../ir/place.js';
import { count } from '../../text/words.js';
import { ListingWriter } from '../listing-writer.js';
import type { Listing } from '../target.js';
import type { GpCompilation } from './compilation.js';
import { WordDetails, type WrittenWord } from './listing-details.js';
import type { Role } from './sites.js';
import { unitOperations } from './unit-operations.js';
import { blockName, CELLS, MUL0_CELL, numberText, wordCells } from './word-text.js';
import { Unit, type PlacedConstant, type Word } from './word.js';

/** What a listing shows. */
export type Listed = Pick<GpCompilation, 'source' | 'model' | 'code' | 'sites' | 'blocks'>;

export function listingOf(c: Listed): Listing {
  const { code, sites, blocks } = c;
  const { words } = code;
  const writer = new ListingWriter(';');
  const bound = blocks.reduce((sum, block) => sum + block.bound.words, 0);
  writer.heading(`; ${code.name}: ${c.model}; ${count(words.length, 'word')} (bound ${bound})`);
  for (const text of surroundings(c)) writer.line(text);
  const written = wordTexts(c);
  const details = new WordDetails(c, writer, written);
  const first = writer.next;
  const lineOfBlock = code.blocks.map(({ start }, b) => first + start + b);
  code.blocks.forEach(({ start }, b) => {
    const end = b + 1 < code.blocks.length ? code.blocks[b + 1].start : words.length;
    const length = `${count(end - start, 'word')} (bound ${blocks.at(b)?.bound.words ?? 0})`;
    writer.block(successorsOf(c, b, end));
    writer.line(`${blockName(code, b)}:${code.blocks.length > 1 ? `  ; ${length}` : ''}`);
    for (let at = start; at < end; at++) {
      writer.line(written[at].text, sites.ownerOfWord[at]);
      details.write(at, start, lineOfBlock);
    }
  });
  return writer.finish();
}

/** Where the last word of a block branches to, and the block behind it. */
function successorsOf({ code }: Listed, block: number, end: number): number[] {
  const target = end > code.blocks[block].start ? code.words[end - 1].branch : undefined;
  const next = block + 1 < code.blocks.length ? [block + 1] : [];
  return target === undefined ? next : [...next, target];
}

/** What the program finds in uniform space and registers. */
function surroundings({ code }: Listed): string[] {
  const vectors = new Map<number, PlacedConstant[]>();
  for (const constant of code.constants)
    vectors.set(constant.vector, [...(vectors.get(constant.vector) ?? []), constant]);
  const constants = Array.from(
    vectors,
    ([vector, values]) => `; u${vector} = ${values.map(({ value }) => numberText(value)).join(', ')}`,
  );
  const registers = Object.entries(code.registers).map(([name, place]) => `${name} in ${place}`);
  return [...constants, ...(registers.length > 0 ? [`; ${registers.join(', ')}`] : [])];
}

/** Between columns. */
const GAP = '  ';

/** By word. */
function wordTexts(c: Listed): readonly WrittenWord[] {
  const { code } = c;
  const constants = new Map(code.constants.map((k) => [4 * k.vector + k.component, k.value]));
  const rows = code.words.map((word, at) => ({
    cells: wordCells(code, at, constants),
    isWide: takesBothMultipliers(word),
  }));
  const layout = layoutOf(rows);
  const numbers = String(Math.max(0, rows.length - 1)).length;
  const texts = rows.map((row, at) => `  ${String(at).padStart(numbers)}  ${rowText(row, layout)}`.trimEnd());
  const comments = commentsOf(c);
  const width = texts.reduce((most, text) => Math.max(most, text.length), 0);
  return texts.map((text, at) => ({
    text: comments[at] === '' ? text : `${text.padEnd(width)}  ; ${comments[at]}`,
    commentStart: comments[at] === '' ? text.length : width + GAP.length,
    cells: cellSpans(rows[at], layout, numbers + 2 * GAP.length),
  }));
}

/** Columns of each cell; undefined for a column that no word needs, or that the one before takes too. */
function cellSpans({ cells, isWide }: Row, widths: readonly number[], first: number): WrittenWord['cells'] {
  const isIdle = cells.every((cell) => cell === '');
  let column = first;
  return cells.map((cell, k) => {
    if (widths[k] === 0) return undefined;
    const start = column;
    column += widths[k] + GAP.length;
    if (isIdle || (isWide && k === MUL0_CELL + 1)) return undefined;
    return { start, end: start + (cell === '' ? widths[k] : cell.length), isEmpty: cell === '' };
  });
}

interface Row {
  readonly cells: readonly string[];
  /** What mul0 does takes the column of mul1 as well. */
  readonly isWide: boolean;
}

function takesBothMultipliers({ units }: Word): boolean {
  const work = units[Unit.Mul0];
  const facts = work === undefined ? undefined : unitOperations[work.op];
  return facts?.uses === 'both multipliers' && units[Unit.Mul1] === undefined;
}

/** Width of each column; 0 for one that is empty in all rows. */
function layoutOf(rows: readonly Row[]): readonly number[] {
  const widths = new Array<number>(CELLS).fill(0);
  let both = 0;
  for (const { cells, isWide } of rows)
    cells.forEach((cell, k) => {
      if (isWide && k === MUL0_CELL) both = Math.max(both, cell.length);
      else widths[k] = Math.max(widths[k], cell.length);
    });
  const missing =
    both - widths[MUL0_CELL] - (widths[MUL0_CELL + 1] > 0 ? GAP.length : 0) - widths[MUL0_CELL + 1];
  if (missing > 0) widths[widths[MUL0_CELL + 1] > 0 ? MUL0_CELL + 1 : MUL0_CELL] += missing;
  return widths;
}

function rowText({ cells, isWide }: Row, widths: readonly number[]): string {
  if (cells.every((cell) => cell === '')) return 'nop';
  const parts: string[] = [];
  for (let k = 0; k < cells.length; k++) {
    if (widths[k] === 0) continue;
    if (isWide && k === MUL0_CELL && widths[k + 1] > 0) {
      parts.push(cells[k].padEnd(widths[k] + GAP.length + widths[k + 1]));
      k++;
    } else parts.push(cells[k].padEnd(widths[k]));
  }
  return parts.join(GAP);
}

/** By word: `%s, %t; moves %u`. */
function commentsOf({ source, code, sites }: Listed): readonly string[] {
  const named = (wanted: readonly Role[]): string[] => {
    const names = code.words.map(() => new Set<string>());
    sites.ofInstruction.forEach((all, instruction) => {
      const name = resultName(source, instruction);
      if (name === undefined) return;
      for (const { word, role } of all) if (wanted.includes(role)) names.at(word)?.add(name);
    });
    return names.map((all) => [...all].join(', '));
  };
  const computed = named(['operation']);
  const moved = named(['move']);
  const kept = named(['keep']);
  return computed.map((names, at) =>
    [names, moved[at] && `moves ${moved[at]}`, kept[at] && `keeps ${kept[at]}`]
      .filter((part) => part !== '')
      .join('; '),
  );
}

function resultName(f: Function, instruction: number): string | undefined {
  const first = f.operandStart[instruction];
  if (first === f.operandStart[instruction + 1] || (f.operandFlags[first] & OperandFlag.Definition) === 0)
    return undefined;
  const place = f.operandPlace[first];
  return isVirtual(place) ? f.registerNames[place] : undefined;
}
