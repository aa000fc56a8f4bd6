import type { Attributes } from '../tree.js';
import { decimal, digitsEnd, isBlank, isLetter, report, shown, wordEnd, type Scanner } from './scanner.js';

/**
 * `{mlen 2, base_mrf 13, NoDDClr}` at the end of an instruction: what the machine's instruction holds and the dump
 * does not print.
 */

type Numeric = 'mlen' | 'exMlen' | 'baseMrf' | 'header' | 'rlen' | 'offset';
type Switch =
  'isEndOfThread' | 'noDDClear' | 'noDDCheck' | 'writesAccumulator' | 'switchesThread' | 'align1' | 'align16';

export const numericAttributes: ReadonlyMap<string, Numeric> = new Map<string, Numeric>([
  ['mlen', 'mlen'],
  ['ex_mlen', 'exMlen'],
  ['base_mrf', 'baseMrf'],
  ['header', 'header'],
  ['rlen', 'rlen'],
  ['offset', 'offset'],
]);

export const switchAttributes: ReadonlyMap<string, Switch> = new Map<string, Switch>([
  ['eot', 'isEndOfThread'],
  ['NoDDClr', 'noDDClear'],
  ['NoDDChk', 'noDDCheck'],
  ['AccWrEn', 'writesAccumulator'],
  ['Switch', 'switchesThread'],
  ['align1', 'align1'],
  ['align16', 'align16'],
]);

export function parseBraces(s: Scanner, known: Attributes | undefined): Attributes {
  const { text, at: start } = s;
  const found: Attributes = known ?? { start: -1, end: -1 };
  found.start = start;
  let close = text.indexOf('}', start);
  if (close < 0 || close >= s.end) {
    report(s, 'syntax/unclosed', start, start + 1, "the braces have no closing '}'");
    close = s.end;
  }
  s.at = start + 1;
  for (;;) {
    while (s.at < close && (isBlank(text.charCodeAt(s.at)) || text.charCodeAt(s.at) === 44)) s.at++;
    if (s.at >= close) break;
    if (!parseAttribute(s, found, close)) break;
  }
  s.at = close < s.end ? close + 1 : s.end;
  found.end = s.at;
  return found;
}

function parseAttribute(s: Scanner, found: Attributes, close: number): boolean {
  const { text, at: start } = s;
  const end = wordEnd(text, start);
  const name = text.slice(start, Math.min(end, start + 40));
  const flag = switchAttributes.get(name);
  if (flag !== undefined) {
    found[flag] = true;
    s.at = end;
    return true;
  }
  let from = end;
  while (from < close && isBlank(text.charCodeAt(from))) from++;
  const numeric = numericAttributes.get(name);
  if (numeric !== undefined) {
    const last = digitsEnd(text, from);
    if (last === from) return bad(s, start, from, `'${name}' needs a number behind it`);
    found[numeric] = decimal(text, from, last);
    s.at = last;
    return true;
  }
  if (name === 'sfid') {
    const last = wordEnd(text, from);
    if (last === from || !isLetter(text.charCodeAt(from)))
      return bad(s, start, from, "'sfid' needs the name of a shared function behind it");
    found.sharedFunction = text.slice(from, last);
    s.at = last;
    return true;
  }
  if (name === 'desc') {
    const last = wordEnd(text, from);
    const written = text.slice(from, Math.min(last, from + 12));
    if (!/^0x[0-9a-fA-F]{1,8}$/.test(written))
      return bad(s, start, last, "'desc' needs a descriptor behind it, such as 0x02106e00");
    found.descriptor = Number(written) | 0;
    s.at = last;
    return true;
  }
  const known = [...numericAttributes.keys(), ...switchAttributes.keys(), 'sfid', 'desc'].join(', ');
  return bad(
    s,
    start,
    Math.max(end, start + 1),
    `'${shown(text, start, Math.max(end, start + 1))}' is no attribute; there are ${known}`,
  );
}

function bad(s: Scanner, start: number, end: number, message: string): false {
  report(s, 'syntax/attribute', start, end, message);
  return false;
}
