import { edit, nearest } from '../spelling.js';
import type { Operand } from '../operand.js';
import type { Directive, Name, NumberWord, RegisterRange } from '../tree.js';
import { typeAt } from '../types.js';
import { parseOperand } from './operand.js';
import {
  decimal,
  digitsEnd,
  isBlank,
  isLetter,
  isWord,
  peek,
  report,
  shown,
  skipBlanks,
  take,
  wordEnd,
  type Scanner,
} from './scanner.js';

/** Lines that begin with a dot: what a dump cannot say of itself. */

export const directiveWords: Readonly<Record<string, readonly string[] | undefined>> = {
  target: ['snb', 'ivb', 'byt', 'hsw', 'bdw'],
  stage: ['vs', 'tcs', 'tes', 'gs', 'fs', 'cs'],
  mode: ['simd4x2', 'simd4x1', 'dual_instance', 'simd8', 'simd16', 'simd32'],
  phase: ['virtual', 'allocated', 'hw'],
};

export const directiveNames: readonly string[] = [
  'gen',
  'program',
  'target',
  'stage',
  'mode',
  'phase',
  'payload',
  'uniforms',
  'attrs',
  'vgrf',
  'grf_limit',
  'reserved',
  'scratch',
  'option',
  'live_out',
];

/** The directive at the scanner, which stands on its dot. */
export function parseDirective(s: Scanner): Directive {
  const { text, at: start } = s;
  const nameEnd = wordEnd(text, start + 1);
  const directive: Name = { text: text.slice(start, Math.min(nameEnd, start + 80)), start, end: nameEnd };
  s.at = nameEnd;
  skipBlanks(s);
  const made = body(s, directive);
  if (made.kind !== 'unknownDirective') expectEnd(s, directive);
  s.at = s.end;
  const end = Math.max(nameEnd, trimmedEnd(text, s.end));
  return { ...made, end };
}

function trimmedEnd(text: string, end: number): number {
  let at = end;
  while (at > 0 && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

function body(s: Scanner, directive: Name): Directive {
  const { start } = directive;
  const base = { directive, start, end: start };
  const name = directive.text.slice(1);
  switch (name) {
    case 'gen':
      return { ...base, kind: 'gen', version: number(s, 'the version of the format, 1') };
    case 'program':
      return { ...base, kind: 'program', word: word(s, 'a name') };
    case 'target':
    case 'stage':
    case 'mode':
    case 'phase':
      return { ...base, kind: name, word: listed(s, directiveWords[name] ?? []) };
    case 'uniforms':
      return { ...base, kind: 'uniforms', count: number(s, 'a number'), isInterleaved: false };
    case 'grf_limit':
      return { ...base, kind: 'grfLimit', count: number(s, 'a number'), isInterleaved: false };
    case 'attrs':
      return {
        ...base,
        kind: 'attrs',
        count: number(s, 'a number'),
        isInterleaved: keyword(s, 'interleaved'),
      };
    case 'payload':
      return { ...base, kind: 'payload', ranges: ranges(s) };
    case 'vgrf':
      return virtualDirective(s, base);
    case 'reserved': {
      const count = number(s, 'a number of registers');
      const at = take(s, 64) ? registerNumber(s) : undefined;
      return { ...base, kind: 'reserved', count, at };
    }
    case 'scratch': {
      const bytes = number(s, 'a number of bytes');
      const limit = keyword(s, 'limit') ? number(s, 'a number of bytes') : undefined;
      return { ...base, kind: 'scratch', bytes, limit };
    }
    case 'option': {
      const option = word(s, 'a name');
      const value = take(s, 61) ? word(s, 'a word') : undefined;
      return { ...base, kind: 'option', name: option, value };
    }
    case 'live_out':
      return liveOut(s, base);
    default:
      return unknown(s, base, name);
  }
}

interface Base {
  readonly directive: Name;
  readonly start: number;
  readonly end: number;
}

function unknown(s: Scanner, base: Base, name: string): Directive {
  const near = nearest(name, directiveNames);
  const { start, end } = base.directive;
  report(
    s,
    'syntax/unknown-directive',
    start,
    Math.max(end, start + 1),
    `there is no directive '${shown(s.text, start, end)}'${near === undefined ? '' : `; did you mean .${near}?`}`,
    'error',
    near === undefined ? undefined : [edit(`Change to '.${near}'`, base.directive, `.${near}`)],
  );
  s.at = s.end;
  return { ...base, kind: 'unknownDirective' };
}

function virtualDirective(s: Scanner, base: Base): Directive {
  const at = s.at;
  if (s.text.startsWith('vgrf', at)) s.at += 4;
  let found = number(s, 'the number of a virtual register');
  if (found !== undefined) found = { ...found, start: at };
  const size = keyword(s, 'size') ? number(s, 'a number of registers') : undefined;
  let type: Name | undefined;
  if (keyword(s, 'type')) {
    type = word(s, 'a type');
    if (type !== undefined && typeAt(s.text, type.start, type.end) === undefined)
      report(s, 'syntax/unknown-type', type.start, type.end, `there is no type '${type.text}'`);
  }
  const name = isLetter(peek(s)) ? word(s, 'a name') : undefined;
  if (name?.text === 'name' && isLetter(peek(s)))
    report(
      s,
      'syntax/directive',
      name.start,
      name.end,
      'no keyword stands before the name: it is the last word itself, as in .vgrf 2 size 3 type F position',
      'error',
      [edit("Delete 'name'", { start: name.start, end: s.at }, '')],
    );
  return { ...base, kind: 'vgrf', number: found, size, type, name };
}

function liveOut(s: Scanner, base: Base): Directive {
  const operands: Operand[] = [];
  if (peek(s) < 0)
    fault(s, base.directive, 'the registers that outlive the program must follow, such as vgrf3');
  while (peek(s) >= 0) {
    operands.push(parseOperand(s, 'destination'));
    skipBlanks(s);
    if (!take(s, 44)) break;
    skipBlanks(s);
    if (peek(s) < 0) fault(s, { start: s.at - 1, end: s.at }, "a register must follow the ','");
  }
  return { ...base, kind: 'liveOut', operands, isFaulty: s.hasProblem };
}

function ranges(s: Scanner): RegisterRange[] {
  const all: RegisterRange[] = [];
  do {
    skipBlanks(s);
    const first = registerNumber(s);
    if (first === undefined) break;
    skipBlanks(s);
    const last = take(s, 45) ? (skipBlanks(s), registerNumber(s)) : first;
    if (last === undefined) break;
    if (last.value < first.value)
      report(s, 'syntax/directive', first.start, last.end, 'the range ends before it begins');
    all.push({ start: first.start, end: last.end, first: first.value, last: last.value });
    skipBlanks(s);
  } while (take(s, 44));
  return all;
}

/** `g12` */
function registerNumber(s: Scanner): NumberWord | undefined {
  const { text, at } = s;
  const end = text.charCodeAt(at) === 103 ? digitsEnd(text, at + 1) : at;
  if (end <= at + 1 || isWord(text.charCodeAt(end))) {
    expected(s, 'a register such as g4');
    return undefined;
  }
  s.at = end;
  skipBlanks(s);
  return { start: at, end, value: decimal(text, at + 1, end) };
}

function number(s: Scanner, what: string): NumberWord | undefined {
  const { text, at } = s;
  const end = digitsEnd(text, at);
  if (end === at || at >= s.end || isWord(text.charCodeAt(end))) {
    expected(s, what);
    return undefined;
  }
  s.at = end;
  skipBlanks(s);
  return { start: at, end, value: decimal(text, at, end) };
}

function word(s: Scanner, what: string): Name | undefined {
  const { text, at } = s;
  let end = wordEnd(text, at);
  while (end < s.end && end > at && /[-.$]/.test(text[end])) end = wordEnd(text, end + 1);
  if (end === at || at >= s.end) {
    expected(s, what);
    return undefined;
  }
  s.at = Math.min(end, s.end);
  skipBlanks(s);
  return { text: text.slice(at, Math.min(end, s.end)), start: at, end: Math.min(end, s.end) };
}

function listed(s: Scanner, words: readonly string[]): Name | undefined {
  const found = word(s, `one of ${words.join(', ')}`);
  if (found === undefined || words.includes(found.text)) return found;
  const near = nearest(found.text, words);
  report(
    s,
    'syntax/directive',
    found.start,
    found.end,
    `'${shown(s.text, found.start, found.end)}' is not one of ${words.join(', ')}`,
    'error',
    near === undefined ? undefined : [edit(`Change to '${near}'`, found, near)],
  );
  return undefined;
}

function keyword(s: Scanner, text: string): boolean {
  if (!s.text.startsWith(text, s.at) || isWord(s.text.charCodeAt(s.at + text.length))) return false;
  s.at += text.length;
  skipBlanks(s);
  return true;
}

function expected(s: Scanner, what: string): void {
  if (s.hasProblem) return;
  const start = s.at < s.end ? s.at : trimmedEnd(s.text, s.at);
  const end = Math.max(wordEnd(s.text, start), start);
  fault(
    s,
    { start: end > start ? start : Math.max(0, start - 1), end: Math.max(end, start) },
    `here ${what} must stand`,
  );
}

function fault(s: Scanner, { start, end }: { start: number; end: number }, message: string): void {
  if (!s.hasProblem) report(s, 'syntax/directive', start, end, message);
}

function expectEnd(s: Scanner, directive: Name): void {
  skipBlanks(s);
  if (peek(s) < 0 || s.hasProblem) return;
  fault(
    s,
    { start: s.at, end: trimmedEnd(s.text, s.end) },
    `'${directive.text}' ends before '${shown(s.text, s.at, s.end).trimEnd()}'`,
  );
}
