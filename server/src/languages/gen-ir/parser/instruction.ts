import { intern } from '../../../text/intern.js';
import type { Operand } from '../operand.js';
import type { Attributes, Condition, ConditionName, FlagNumber, Instruction, Predicate } from '../tree.js';
import { parseBraces } from './braces.js';
import { absentAt, flagAt, missing, parseOperand } from './operand.js';
import {
  decimal,
  digitsEnd,
  isBlank,
  isDigit,
  isWord,
  peek,
  report,
  shown,
  skipBlanks,
  stretchEnd,
  take,
  wordEnd,
  type Scanner,
} from './scanner.js';

/**
 * One instruction, in the order of either back-end: `add(8).sat` as vec4 prints it, `add.sat(8)` as the scalar one
 * does. Which of the two a program is in is found out from its lines (parse.ts).
 */

/** What stands in front of the head; reused for every line. */
export interface Prefix {
  start: number;
  ip: number;
  pressure: number;
}

const conditions: Readonly<Record<string, ConditionName>> = {
  z: 'z',
  e: 'z',
  nz: 'nz',
  ne: 'nz',
  g: 'g',
  ge: 'ge',
  l: 'l',
  le: 'le',
  r: 'r',
  o: 'o',
  u: 'u',
};

const isCondition = (text: string): boolean => Object.hasOwn(conditions, text);

export const predicateModes: ReadonlySet<string> = new Set(
  'x y z w any4h all4h any2h all2h any8h all8h any16h all16h'.split(' '),
);

/** `(+f0.0.any4h) ` at the scanner, which stands on the parenthesis. */
export function parsePredicate(s: Scanner): Predicate | undefined {
  const { text, at: start } = s;
  const stretch = stretchEnd(s, start);
  const close = text.indexOf(')', start);
  const end = close < 0 || close >= stretch ? stretch : close + 1;
  const sign = text.charCodeAt(start + 1);
  const flag = flagAt(text, start + 2);
  s.at = end;
  const bad = (): undefined => {
    report(
      s,
      'syntax/guard',
      start,
      end,
      `'${shown(text, start, end)}' is no predicate; one is (+f0.0), (-f0.1) or (+f0.0.any4h)`,
    );
    return undefined;
  };
  if ((sign !== 43 && sign !== 45) || flag < 0 || text.charCodeAt(end - 1) !== 41) return bad();
  let mode = '';
  const flagEnd = start + 6;
  if (flagEnd < end - 1) {
    mode = text.slice(flagEnd + 1, end - 1);
    if (text.charCodeAt(flagEnd) !== 46 || !predicateModes.has(mode)) return bad();
  }
  return {
    start,
    end,
    isInverse: sign === 45,
    flag: flag as FlagNumber,
    flagStart: start + 2,
    flagEnd,
    mode,
  };
}

/** The head's parts; reused for every line. */
const head = {
  width: 0,
  widthStart: -1,
  widthEnd: -1,
  saturate: false,
  modifiersFirst: undefined as boolean | undefined,
  condition: undefined as Condition | undefined,
};

/** Whether what stands at `at` goes on like an instruction behind its mnemonic. */
export const continuesHead = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code === 40 || (code === 46 && isWord(text.charCodeAt(at + 1)));
};

/** Structured control flow, which a dump prints with `(null):UD` for an operand and people write without. */
const withoutOperands: ReadonlySet<string> = new Set(
  'if else endif do while break cont continue halt'.split(' '),
);

const IS_ZERO = 'tcs_src0<0,1,0>_is_zero';

/** End of the mnemonic that begins at `at`. */
export const mnemonicEnd = (text: string, at: number): number =>
  text.startsWith(IS_ZERO, at) ? at + IS_ZERO.length : wordEnd(text, at);

/** An instruction whose mnemonic begins at the scanner. */
export function parseInstruction(s: Scanner, prefix: Prefix, predicate: Predicate | undefined): Instruction {
  const { text, at: opcodeStart } = s;
  const opcodeEnd = mnemonicEnd(text, opcodeStart);
  s.at = opcodeEnd;
  parseHead(s, opcodeStart);
  let attributes = parseHeadAttributes(s);
  const behindHead = s.at;
  skipBlanks(s);
  let destination: Operand;
  let sources = noSources;
  let code = peek(s);
  if (!s.hasProblem && withoutOperands.has(text.slice(opcodeStart, opcodeEnd)) && endsList(s)) {
    destination = absentAt(behindHead);
  } else if (code < 0 || code === 123) {
    destination = missing(behindHead, behindHead);
    if (!s.hasProblem)
      report(
        s,
        'syntax/operand',
        opcodeStart,
        Math.max(head.widthEnd, opcodeEnd),
        'the destination is missing; an instruction without one has (null):UD',
      );
  } else {
    destination = parseOperand(s, 'destination');
    sources = parseSources(s);
  }
  let noMask = false;
  let group = -1;
  for (;;) {
    skipBlanks(s);
    code = peek(s);
    if (code < 0) break;
    if (code === 123) {
      attributes = parseBraces(s, attributes);
      continue;
    }
    const start = s.at;
    const end = wordEnd(text, start);
    if (end - start === 6 && text.startsWith('NoMask', start)) noMask = true;
    else if (text.startsWith('group', start) && isDigit(text.charCodeAt(start + 5)))
      group = decimal(text, start + 5, digitsEnd(text, start + 5));
    else {
      unexpected(s, start);
      break;
    }
    s.at = end;
  }
  return {
    kind: 'instruction',
    start: prefix.start,
    end: codeEnd(s),
    ip: prefix.ip,
    pressure: prefix.pressure,
    predicate,
    opcode: { text: intern(text, opcodeStart, opcodeEnd), start: opcodeStart, end: opcodeEnd },
    width: head.width,
    widthStart: head.widthStart,
    widthEnd: head.widthEnd,
    saturate: head.saturate,
    modifiersFirst: head.modifiersFirst,
    condition: head.condition,
    destination,
    sources,
    noMask,
    group,
    attributes,
    isFaulty: s.hasProblem,
  };
}

/** Behind the last character that is no blank; the scanner goes to the end of the line. */
function codeEnd(s: Scanner): number {
  s.at = s.end;
  let end = s.end;
  while (end > 0 && isBlank(s.text.charCodeAt(end - 1))) end--;
  return end;
}

function unexpected(s: Scanner, start: number): void {
  const end = Math.max(stretchEnd(s, start), start + 1);
  if (!s.hasProblem)
    report(
      s,
      'syntax/missing-comma',
      start,
      end,
      `',' or the end of the line must stand before '${shown(s.text, start, end)}'`,
    );
}

function parseHead(s: Scanner, opcodeStart: number): void {
  head.width = 0;
  head.widthStart = -1;
  head.widthEnd = -1;
  head.saturate = false;
  head.modifiersFirst = undefined;
  head.condition = undefined;
  for (;;) {
    const code = peek(s);
    if (code === 46) {
      const before = head.widthStart < 0;
      if (!parseModifier(s)) return;
      head.modifiersFirst ??= before;
    } else if (code === 40 && head.widthStart < 0) {
      if (!parseWidth(s)) return;
    } else break;
  }
  if (head.widthStart >= 0) return;
  report(
    s,
    'syntax/width',
    opcodeStart,
    s.at,
    `'${shown(s.text, opcodeStart, s.at)}' needs its execution size behind it, such as (8)`,
  );
}

function parseWidth(s: Scanner): boolean {
  const { text, at: start } = s;
  const end = digitsEnd(text, start + 1);
  const width = decimal(text, start + 1, end);
  const isClosed = text.charCodeAt(end) === 41;
  s.at = isClosed ? end + 1 : end;
  head.widthStart = start;
  head.widthEnd = s.at;
  if (
    isClosed &&
    (width === 1 || width === 2 || width === 4 || width === 8 || width === 16 || width === 32)
  ) {
    head.width = width;
    return true;
  }
  report(s, 'syntax/width', start, s.at, 'the execution size is one of (1), (2), (4), (8), (16), (32)');
  return isClosed;
}

function parseModifier(s: Scanner): boolean {
  const { text, at: start } = s;
  const end = wordEnd(text, start + 1);
  s.at = end;
  if (end - start === 4 && text.startsWith('sat', start + 1)) {
    head.saturate = true;
    return true;
  }
  const name = text.slice(start + 1, Math.min(end, start + 40));
  if (isCondition(name) && head.condition === undefined) {
    const flag = text.charCodeAt(end) === 46 ? flagAt(text, end + 1) : -1;
    if (flag >= 0) s.at = end + 5;
    head.condition = {
      test: conditions[name],
      start: start + 1,
      end: s.at,
      flag,
      flagStart: flag >= 0 ? end + 1 : -1,
    };
    return true;
  }
  report(
    s,
    'syntax/modifier',
    start,
    Math.max(end, start + 1),
    `'${shown(text, start, end)}' is no modifier; there are .sat and the conditions .z .nz .g .ge .l .le .r .o .u with a flag behind`,
  );
  return false;
}

/** `(mlen: 2) (ex_mlen: 1) (EOT)`, as the scalar back-end prints them. */
function parseHeadAttributes(s: Scanner): Attributes | undefined {
  let found: Attributes | undefined;
  const { text } = s;
  for (;;) {
    let at = s.at;
    while (at < s.end && isBlank(text.charCodeAt(at))) at++;
    if (at >= s.end || text.charCodeAt(at) !== 40 || text.startsWith('(null)', at)) return found;
    if (text.startsWith('(EOT)', at)) {
      found ??= { start: -1, end: -1 };
      found.isEndOfThread = true;
      s.at = at + 5;
      continue;
    }
    const isLong = text.startsWith('(ex_mlen:', at);
    if (!isLong && !text.startsWith('(mlen:', at)) return found;
    let from = at + (isLong ? 9 : 6);
    while (text.charCodeAt(from) === 32) from++;
    const end = digitsEnd(text, from);
    if (end === from || text.charCodeAt(end) !== 41) {
      s.at = stretchEnd(s, at);
      report(s, 'syntax/attribute', at, s.at, `a message length is written (mlen: 2)`);
      return found;
    }
    found ??= { start: -1, end: -1 };
    if (isLong) found.exMlen = decimal(text, from, end);
    else found.mlen = decimal(text, from, end);
    s.at = end + 1;
  }
}

const noSources: readonly Operand[] = [];

/** The sources of the line at hand; a copy of it takes no more room than it needs. */
const gathered: Operand[] = [];

/** The sources behind the destination: separated by commas, an absent one glued to the one before it. */
function parseSources(s: Scanner): readonly Operand[] {
  const { text } = s;
  const sources = gathered;
  sources.length = 0;
  for (;;) {
    if (text.startsWith('(null)', s.at) && s.at < s.end) {
      sources.push(parseOperand(s, 'source'));
      continue;
    }
    skipBlanks(s);
    const comma = s.at;
    if (!take(s, 44)) break;
    skipBlanks(s);
    if (sources.length === 0 && endsList(s)) break;
    if (s.at >= s.end) {
      if (!s.hasProblem) report(s, 'syntax/operand', comma, comma + 1, "an operand must follow the ','");
      sources.push(missing(comma + 1, comma + 1));
      break;
    }
    sources.push(parseOperand(s, 'source'));
  }
  return sources.length === 0 ? noSources : sources.slice();
}

/** True where the list of sources ends before it begins: `endif(8) (null):UD,  NoMask`. */
function endsList(s: Scanner): boolean {
  const { text, at } = s;
  const code = peek(s);
  if (code < 0 || code === 123) return true;
  return (
    (text.startsWith('NoMask', at) && !isWord(text.charCodeAt(at + 6))) ||
    (text.startsWith('group', at) && isDigit(text.charCodeAt(at + 5)))
  );
}
