import { intern } from '../../../text/intern.js';
import type { Problem } from '../../../text/problem.js';
import {
  blanks,
  isAtEnd,
  isDigit,
  isLower,
  isUpper,
  isWord,
  peek,
  take,
  takeNumber,
  takeRegister,
  takeWhile,
  takeWord,
  type Cursor,
} from './cursor.js';
import { isBlank } from './sections.js';
import { immediateType, isImmediate, registerType, selectionTypeNames } from './values.js';
import type {
  FlagName,
  LabelLine,
  LabelName,
  Name,
  Operand,
  Predicate,
  RegisterName,
  SelectionLine,
} from './tree.js';

/**
 * Lines of the selection IR, as Beignet's gen_insn_selection_output.cpp prints them:
 *
 *   [6](f0.1)	SEL(16)             %51<1>:F	:	%45<8,8,1>:F	%46<8,8,1>:F
 *
 * and as two later forks do, which tell more: `; jip=L3 uip=L5` or ` uip=L5 jip=L3` for the targets of branches,
 * `= ` between results and sources, `null`, `acc.0` and `arf.3` for `arf`, `.lt`, `.gt`, `.ne`, `.sat`, `(16)[f44]`
 * for the flag that is written, `{NoMask Q2 AccWr}`. All of them are read in any mixture.
 */
export function parseSelectionLine(
  text: string,
  start: number,
  end: number,
  problems: Problem[],
): SelectionLine | LabelLine | undefined {
  const c: Cursor = { text, at: start, end };
  blanks(c);
  const first = c.at;
  if (!take(c, '[')) return undefined;
  const id = takeNumber(c);
  if (id < 0 || !take(c, ']')) return undefined;
  blanks(c);
  const predicate = takePredicate(c);
  blanks(c);
  const label = predicate === undefined ? takeLabel(c) : undefined;
  if (label !== undefined && take(c, ':'))
    return { kind: 'label', start: first, end, name: label, number: label.number };
  return takeInstruction(c, first, id, predicate, problems);
}

/** `(f44)`, `(f0.1)`; forks also `(-f0.1.any8h)`. */
function takePredicate(c: Cursor): Predicate | undefined {
  const start = c.at;
  if (!take(c, '(')) return undefined;
  const isInverse = take(c, '-') || take(c, '!');
  if (!isInverse) take(c, '+');
  const flag = takeFlag(c);
  const mode = flag !== undefined && take(c, '.') ? (takeWord(c)?.text ?? '') : '';
  if (flag === undefined || flag.kind === 'unknown' || !take(c, ')')) {
    c.at = start;
    return undefined;
  }
  return { start, end: c.at, flag, isInverse, mode };
}

/** `f44`, `f0.1`, `f` */
function takeFlag(c: Cursor): FlagName | undefined {
  const start = c.at;
  if (!take(c, 'f')) return undefined;
  const digits = c.at;
  const number = takeNumber(c);
  if (number < 0) return { kind: 'unknown' };
  const end = c.at;
  if (peek(c) === 46 && isDigit(c.text.charCodeAt(c.at + 1))) {
    c.at++;
    const sub = takeNumber(c);
    return { kind: 'physical', number: 2 * (number & 1) + (sub & 1), span: { start, end: c.at } };
  }
  return { kind: 'virtual', register: { start: digits, end, number } };
}

/** `L3` */
function takeLabel(c: Cursor): LabelName | undefined {
  const start = c.at;
  if (!take(c, 'L')) return undefined;
  const number = takeNumber(c);
  if (number < 0 || isWord(peek(c))) {
    c.at = start;
    return undefined;
  }
  return { start, end: c.at, text: c.text.slice(start, c.at), number };
}

interface Body {
  destinations: Operand[];
  sources: Operand[];
  jip: LabelName | undefined;
  uip: LabelName | undefined;
  noMask: boolean;
  group: number;
  writesAccumulator: boolean;
  isFaulty: boolean;
}

function takeInstruction(
  c: Cursor,
  start: number,
  id: number,
  predicate: Predicate | undefined,
  problems: Problem[],
): SelectionLine {
  const opcodeStart = c.at;
  const opcode = isUpper(peek(c)) ? takeWord(c) : undefined;
  const head = { suffix: undefined as Name | undefined, saturates: false };
  while (opcode !== undefined && take(c, '.')) {
    const suffix = takeWhile(c, isLower);
    if (suffix?.text === 'sat') head.saturates = true;
    else if (suffix !== undefined) head.suffix = suffix;
  }
  const body: Body = {
    destinations: [],
    sources: [],
    jip: undefined,
    uip: undefined,
    noMask: false,
    group: 0,
    writesAccumulator: false,
    isFaulty: opcode === undefined,
  };
  if (opcode === undefined)
    report(problems, opcodeStart, c.end, "an opcode in capitals must stand here, such as 'ADD(16)'");
  const width = opcode === undefined ? 0 : takeWidth(c, opcode, body, problems);
  const flag = opcode !== undefined && take(c, '[') ? takeFlag(c) : undefined;
  if (flag !== undefined) take(c, ']');
  if (opcode !== undefined) takeBody(c, body, problems);
  return {
    kind: 'selection',
    start,
    end: c.end,
    id,
    predicate,
    opcode: opcode ?? { start: opcodeStart, end: opcodeStart, text: '' },
    suffix: head.suffix,
    saturates: head.saturates,
    width,
    flag,
    ...body,
  };
}

/** `(16)` */
function takeWidth(c: Cursor, opcode: Name, body: Body, problems: Problem[]): number {
  const start = c.at;
  if (take(c, '(')) {
    const width = takeNumber(c);
    if (take(c, ')') && isWidth(width)) return width;
  }
  body.isFaulty = true;
  while (c.at < c.end && !isBlank(c.text.charCodeAt(c.at))) c.at++;
  const end = Math.max(c.at, opcode.end);
  report(
    problems,
    start < end ? start : opcode.start,
    end,
    `the number of lanes must stand behind '${opcode.text}': (1), (8) or (16)`,
  );
  return 0;
}

const isWidth = (width: number): boolean => width >= 1 && width <= 32 && (width & (width - 1)) === 0;

/** Results, the sign between, sources, and what forks print behind them. */
function takeBody(c: Cursor, body: Body, problems: Problem[]): void {
  let list = body.destinations;
  let isBehindSign = false;
  for (;;) {
    blanks(c);
    if (isAtEnd(c)) break;
    const code = peek(c);
    if (code === 59) {
      takeTail(c, body);
      return;
    }
    if (code === 123) {
      takeNotes(c, body);
      continue;
    }
    if (!isBehindSign && isSign(c)) {
      c.at++;
      isBehindSign = true;
      list = body.sources;
      continue;
    }
    if (takeTarget(c, body)) continue;
    const operand = takeOperand(c);
    if (operand.kind === 'bad') {
      body.isFaulty = true;
      report(
        problems,
        operand.start,
        operand.end,
        `'${shown(c.text.slice(operand.start, operand.end))}' is no operand: a register reads '%12<8,8,1>:F', a number '0x3f:UD'`,
      );
    } else if (typeOf(operand) === undefined) {
      body.isFaulty = true;
      report(
        problems,
        operand.start,
        operand.end,
        `'${shown(c.text.slice(operand.start, operand.end))}' has no type of the selection: ${selectionTypeNames.join(', ')}`,
      );
    }
    list.push(operand);
  }
  // forks leave the sign out where there are no sources
  if (!isBehindSign && body.destinations.length > 0 && body.jip === undefined && body.uip === undefined) {
    body.isFaulty = true;
    report(problems, c.end - 1, c.end, "a ':' between tabs must stand before the sources");
  }
}

/** `:` or `=` with nothing glued to it that would make it a type. */
function isSign(c: Cursor): boolean {
  const code = peek(c);
  const next = c.at + 1 < c.end ? c.text.charCodeAt(c.at + 1) : 32;
  return (code === 58 || code === 61) && isBlank(next);
}

/** `; jip=L3 uip=L5`, or any other remark. */
function takeTail(c: Cursor, body: Body): void {
  c.at++;
  while (!isAtEnd(c)) {
    blanks(c);
    if (!takeTarget(c, body) && !isAtEnd(c)) c.at++;
  }
}

/** `jip=L3` or `uip=L5` */
function takeTarget(c: Cursor, body: Body): boolean {
  const isJip = c.text.startsWith('jip=', c.at);
  if (!isJip && !c.text.startsWith('uip=', c.at)) return false;
  const start = c.at;
  c.at += 4;
  const label = takeLabel(c);
  if (label === undefined) {
    c.at = start;
    return false;
  }
  if (isJip) body.jip = label;
  else body.uip = label;
  return true;
}

/** `{NoMask Q2 AccWr}` */
function takeNotes(c: Cursor, body: Body): void {
  c.at++;
  while (!isAtEnd(c) && !take(c, '}')) {
    const word = takeWord(c);
    if (word === undefined) c.at++;
    else if (word.text === 'NoMask') body.noMask = true;
    else if (word.text.startsWith('AccWr')) body.writesAccumulator = true;
    else if (/^Q[1-4]$/.test(word.text)) body.group = 8 * (Number(word.text[1]) - 1);
    else if (/^H[12]$/.test(word.text)) body.group = 16 * (Number(word.text[1]) - 1);
  }
}

function takeOperand(c: Cursor): Operand {
  const start = c.at;
  const code = peek(c);
  // a colon with a type alone: a DF immediate, whose value is not printed
  if (code === 58) return typedImmediate(c, start, '');
  if (isDigit(code) || (code === 45 && startsNumber(c.text.charCodeAt(c.at + 1)))) return takeImmediate(c);
  if (code === 43 || code === 46) return takeImmediate(c);
  const negate = take(c, '-');
  const absolute = take(c, '(abs)');
  const register = takeRegister(c);
  if (register !== undefined) return takeRegion(c, start, negate, absolute, register);
  if (peek(c) === 103 && isDigit(c.text.charCodeAt(c.at + 1))) {
    c.at++;
    const grf = takeNumber(c);
    return takeRegion(c, start, negate, absolute, grf);
  }
  if (!negate && !absolute) {
    const file = takeFile(c, start);
    if (file !== undefined) return file;
  }
  return takeBad(c, start);
}

function takeBad(c: Cursor, start: number): Operand {
  while (c.at < c.end && !isBlank(c.text.charCodeAt(c.at))) c.at++;
  if (c.at === start) c.at++;
  return { kind: 'bad', start, end: c.at };
}

/** `arf`, `null`, `acc.0`, `arf.3`; `inf` and `nan` are numbers. */
function takeFile(c: Cursor, start: number): Operand | undefined {
  const word = takeWhile(c, isLower);
  if (word === undefined) return undefined;
  if (word.text === 'inf' || word.text === 'nan') return typedImmediate(c, start, word.text);
  if (word.text !== 'arf' && word.text !== 'null' && word.text !== 'acc') {
    c.at = start;
    return undefined;
  }
  const number = peek(c) === 46 ? (c.at++, takeNumber(c)) : takeNumber(c);
  if (peek(c) === 60) while (!isAtEnd(c) && !take(c, '>')) c.at++;
  const type = peek(c) === 58 && isUpper(c.text.charCodeAt(c.at + 1)) ? takeType(c) : '';
  return { kind: 'file', start, end: c.at, file: word.text, number, type };
}

/** Behind `-`: a digit, a point, `inf`, `nan`. */
const startsNumber = (code: number): boolean => isDigit(code) || code === 46 || code === 105 || code === 110;

/** `0x3f800000:UD`, `-3:D`, `1.5e-05:F` */
function takeImmediate(c: Cursor): Operand {
  const start = c.at;
  while (c.at < c.end) {
    const code = c.text.charCodeAt(c.at);
    const isSigned = (code === 43 || code === 45) && (c.at === start || isExponent(c.text, start, c.at));
    if (!isWord(code) && code !== 46 && !isSigned) break;
    c.at++;
  }
  const text = intern(c.text, start, c.at);
  if (peek(c) !== 58) return takeBad(c, start);
  return typedImmediate(c, start, text);
}

/** Whether the sign at `at` belongs to an exponent. */
const isExponent = (text: string, start: number, at: number): boolean =>
  (text.charCodeAt(at - 1) | 32) === 101 && !text.startsWith('0x', start);

/** `.4<8,8,1>:F` */
function takeRegion(
  c: Cursor,
  start: number,
  negate: boolean,
  absolute: boolean,
  what: RegisterName | number,
): Operand {
  const byte = peek(c) === 46 && isDigit(c.text.charCodeAt(c.at + 1)) ? (c.at++, takeNumber(c)) : -1;
  const region = takeRegionNumbers(c);
  if (region === undefined) return takeBad(c, start);
  const colon = c.at;
  const type = takeType(c);
  const end = c.at;
  const typeStart = Math.min(colon + 1, end);
  return typeof what === 'number'
    ? { kind: 'physical', start, end, negate, absolute, byte, region, type, typeStart, grf: what }
    : { kind: 'register', start, end, negate, absolute, byte, region, type, typeStart, register: what };
}

const none: readonly number[] = [];
const strides: readonly (readonly number[])[] = [[0], [1], [2], [3], [4]];
const packed: readonly number[] = [8, 8, 1];
const uniform: readonly number[] = [0, 1, 0];

/** `<8,8,1>`; undefined for one that is malformed. The regions that nearly all operands have are shared. */
function takeRegionNumbers(c: Cursor): readonly number[] | undefined {
  if (!take(c, '<')) return none;
  const first = takeNumber(c);
  if (first < 0) return undefined;
  if (take(c, '>')) return first < strides.length ? strides[first] : [first];
  if (!take(c, ',')) return undefined;
  const second = takeNumber(c);
  if (second < 0 || !take(c, ',')) return undefined;
  const third = takeNumber(c);
  if (third < 0 || !take(c, '>')) return undefined;
  if (first === 8 && second === 8 && third === 1) return packed;
  if (first === 0 && second === 1 && third === 0) return uniform;
  return [first, second, third];
}

/** `:F`; without letters behind the colon, or without a colon, it is ''. */
function takeType(c: Cursor): string {
  if (!take(c, ':')) return '';
  const start = c.at;
  while (isUpper(peek(c))) c.at++;
  return intern(c.text, start, c.at);
}

/** An immediate with its type, which the cursor stands before. */
function typedImmediate(c: Cursor, start: number, text: string): Operand {
  const type = takeType(c);
  return { kind: 'immediate', start, end: c.at, text, type };
}

/** The operand's type in the lowered function's words; '' for what has none, undefined for one that there is not. */
export function typeOf(operand: Operand): string | undefined {
  switch (operand.kind) {
    case 'register':
    case 'physical':
      return registerType(operand.type);
    case 'immediate':
      return operand.text !== '' && !isImmediate(operand.text)
        ? undefined
        : immediateType(operand.type, operand.text === '');
    case 'file':
      return operand.type === '' ? '' : registerType(operand.type);
    case 'bad':
      return undefined;
  }
}

const shown = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

function report(problems: Problem[], start: number, end: number, message: string): void {
  problems.push({ code: 'syntax/operand', severity: 'error', span: { start, end }, message });
}
