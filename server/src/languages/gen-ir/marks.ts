import { numericAttributes, switchAttributes } from './parser/braces.js';
import { isBlank, wordEnd } from './parser/scanner.js';
import { headEnd, type Attributes, type Instruction } from './tree.js';

/**
 * Where the words of an instruction stand that are neither mnemonic nor operand, so that a rule of the machine can
 * point at one and a fix can take it away: the span of a word is what is deleted then, with the blank or comma that
 * goes with it. They are lowered as operands without a place (`mark:sat`).
 */
export interface Mark {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * In text order. `attrs`, with an empty span, is where another attribute goes, if there are braces; `braces` is what
 * goes when all of several attributes go. A single attribute is its braces.
 */
export function marksOf(text: string, instruction: Instruction): Mark[] {
  const marks: Mark[] = [];
  const { predicate, opcode, condition, destination, sources, attributes } = instruction;
  if (predicate !== undefined)
    marks.push({ name: 'pred', start: predicate.start, end: blanksEnd(text, predicate.end) });
  if (instruction.saturate) {
    const at = text.indexOf('.sat', opcode.end);
    marks.push({ name: 'sat', start: at, end: at + 4 });
  }
  if (condition !== undefined) marks.push({ name: 'cond', start: condition.start - 1, end: condition.end });
  if (attributes !== undefined) lengthMarks(text, instruction, marks);
  if (instruction.noMask || instruction.group >= 0) {
    const last = sources.at(-1) ?? destination;
    const limit = instruction.end;
    for (let at = last.end; at < limit;) {
      if (at === attributes?.start) at = attributes.end;
      const start = at;
      while (at < limit && (isBlank(text.charCodeAt(at)) || text.charCodeAt(at) === 44)) at++;
      const from = at;
      at = Math.max(wordEnd(text, from), from + 1);
      if (text.startsWith('NoMask', from)) marks.push({ name: 'NoMask', start, end: at });
      else if (text.startsWith('group', from)) marks.push({ name: 'group', start, end: at });
    }
  }
  if (attributes !== undefined && attributes.start >= 0) braceMarks(text, attributes, marks);
  return marks;
}

function blanksEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at++;
  return at;
}

/** `(mlen: 2) (EOT)` between head and destination. */
function lengthMarks(text: string, instruction: Instruction, marks: Mark[]): void {
  const from = headEnd(instruction);
  const head = text.slice(from, instruction.destination.start);
  if (!head.includes('(')) return;
  for (const found of head.matchAll(/\((mlen|ex_mlen|EOT)[^)]*\)\s*/g))
    marks.push({
      name: found[1] === 'EOT' ? 'eot' : found[1],
      start: from + found.index,
      end: from + found.index + found[0].length,
    });
}

/** The attributes between braces. */
function braceMarks(text: string, { start, end }: Attributes, marks: Mark[]): void {
  const isClosed = text.charCodeAt(end - 1) === 125;
  const close = isClosed ? end - 1 : end;
  const items: Mark[] = [];
  for (let at = start + 1; at < close;) {
    const code = text.charCodeAt(at);
    if (code === 44 || isBlank(code)) {
      at++;
      continue;
    }
    const nameEnd = Math.max(wordEnd(text, at), at + 1);
    const name = text.slice(at, nameEnd);
    let itemEnd = nameEnd;
    if (!switchAttributes.has(name) && (numericAttributes.has(name) || name === 'sfid' || name === 'desc'))
      itemEnd = wordEnd(text, blanksEnd(text, nameEnd));
    items.push({ name, start: at, end: itemEnd });
    at = itemEnd;
  }
  let from = start;
  while (from > 0 && isBlank(text.charCodeAt(from - 1))) from--;
  if (items.length === 1) marks.push({ name: items[0].name, start: from, end });
  else if (items.length > 1) marks.push(...items, { name: 'braces', start: from, end });
  const inside = items.at(-1)?.end ?? close;
  marks.push({ name: 'attrs', start: inside, end: inside });
}
