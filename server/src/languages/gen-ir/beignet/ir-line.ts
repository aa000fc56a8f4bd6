import type { Problem } from '../../../text/problem.js';
import {
  blanks,
  isAtEnd,
  isDigit,
  isUpper,
  isWord,
  peek,
  take,
  takeChunk,
  takeNumber,
  takeRegister,
  takeWhile,
  takeWord,
  type Cursor,
} from './cursor.js';
import { irShape, type IrShape } from './ir-opcodes.js';
import { isBlank } from './sections.js';
import type { DeclarationLine, IrLine, IrRegister, LabelLine, LabelName, Name } from './tree.js';

/** Lines of GEN IR, as Beignet's ir/function.cpp and ir/instruction.cpp print them. */
export function parseIrLine(
  text: string,
  start: number,
  end: number,
  problems: Problem[],
): IrLine | LabelLine | DeclarationLine | undefined {
  const c: Cursor = { text, at: start, end };
  blanks(c);
  if (peek(c) === 46 || peek(c) === 100) return takeDeclaration(c);
  if (!isUpper(peek(c))) return undefined;
  if (take(c, 'LABEL')) {
    const lineStart = c.at - 5;
    blanks(c);
    const nameStart = c.at;
    if (!take(c, '$')) return undefined;
    const number = takeNumber(c);
    if (number < 0) return undefined;
    const name = { start: nameStart, end: c.at, text: text.slice(nameStart, c.at) };
    return { kind: 'label', start: lineStart, end, name, number };
  }
  return takeInstruction(c, problems);
}

/** `.decl.dword %0 local_id_0`, `decl_input.global %41 dst`, `decl_output %3`, `decl_pushed %43 @{1,4}` */
function takeDeclaration(c: Cursor): DeclarationLine | undefined {
  const start = c.at;
  const sort = take(c, '.decl')
    ? 'register'
    : take(c, 'decl_input')
      ? 'input'
      : take(c, 'decl_output')
        ? 'output'
        : take(c, 'decl_pushed')
          ? 'pushed'
          : undefined;
  if (sort === undefined) return undefined;
  const directive = { start, end: c.at, text: c.text.slice(start, c.at) };
  const what = take(c, '.') ? takeChunk(c) : undefined;
  if (sort === 'register' && what === undefined) return undefined;
  blanks(c);
  const register = takeRegister(c);
  if (register === undefined) return undefined;
  blanks(c);
  const name = sort === 'pushed' ? undefined : takeChunk(c);
  return { kind: 'declaration', start, end: c.end, directive, sort, what, register, name };
}

interface Body {
  registers: IrRegister[];
  predicate: IrRegister | undefined;
  isInverse: boolean;
  target: LabelName | undefined;
  immediate: Name | undefined;
  numbers: Name[];
  isFaulty: boolean;
}

function takeInstruction(c: Cursor, problems: Problem[]): IrLine | undefined {
  const start = c.at;
  const opcode = takeWhile(c, isWord);
  if (opcode === undefined) return undefined;
  const shape = irShape(opcode.text);
  // captured output has lines in capitals that are no instruction; one with a register is meant as one
  if (shape === undefined && (!isOpcodeLike(opcode.text) || !hasRegister(c))) return undefined;
  const suffixes: Name[] = [];
  while (take(c, '.')) {
    const suffix = takeWord(c);
    if (suffix !== undefined) suffixes.push(suffix);
  }
  const body: Body = {
    registers: [],
    predicate: undefined,
    isInverse: false,
    target: undefined,
    immediate: undefined,
    numbers: [],
    isFaulty: false,
  };
  if (shape === undefined)
    problems.push({
      code: 'isa/unknown-instruction',
      severity: 'warning',
      span: { start: opcode.start, end: opcode.end },
      message: `GEN IR has no instruction '${opcode.text}': it may do anything`,
    });
  takeBody(c, opcode.text, shape ?? 'first', body);
  const isShort = shape === 'first' && body.registers.length === 0;
  if (isShort) {
    body.isFaulty = true;
    problems.push({
      code: 'syntax/operand',
      severity: 'error',
      span: { start: opcode.start, end: opcode.end },
      message: `'${opcode.text}' has no result: a register such as '%41' must follow`,
    });
  }
  return { kind: 'ir', start, end: c.end, opcode, suffixes, ...body };
}

const isOpcodeLike = (word: string): boolean => word.length > 1 && /^[A-Z][A-Z0-9_]*$/.test(word);

function hasRegister(c: Cursor): boolean {
  for (let i = c.at; i + 1 < c.end; i++)
    if (c.text.charCodeAt(i) === 37 && isDigit(c.text.charCodeAt(i + 1))) return true;
  return false;
}

/** Everything behind the opcode: registers, braces, words that say what a number or register is. */
function takeBody(c: Cursor, opcode: string, shape: IrShape, body: Body): void {
  let groups = 0;
  let isInGroup = false;
  /** The word in front, which tells what a register or number is. */
  let word = '';
  for (;;) {
    blanks(c);
    if (isAtEnd(c)) return;
    const code = peek(c);
    if (code === 37) {
      const register = takeRegister(c);
      if (register === undefined) {
        c.at++;
        continue;
      }
      const isResult = isResultOf(shape, body.registers.length, groups, isInGroup, word);
      body.registers.push({ ...register, isResult });
      word = '';
    } else if (code === 123 || code === 125) {
      c.at++;
      isInGroup = code === 123;
      if (isInGroup) groups++;
    } else if (code === 60 || (code === 33 && c.text.charCodeAt(c.at + 1) === 60)) {
      takeGuard(c, body);
    } else if (isNumberStart(c)) {
      const number = takeNumberText(c);
      if (opcode === 'LOADI' && body.immediate === undefined) body.immediate = number;
      else body.numbers.push(number);
      word = '';
    } else {
      const found = takeWord(c);
      if (found === undefined) c.at++;
      else if (found.text === 'label') takeLabelNumber(c, body);
      else if (opcode === 'LOADI' && body.immediate === undefined) {
        while (!isAtEnd(c) && !isBlank(peek(c))) c.at++;
        body.immediate = { start: found.start, end: c.at, text: c.text.slice(found.start, c.at) };
      } else word = found.text;
    }
  }
}

function isResultOf(
  shape: IrShape,
  count: number,
  groups: number,
  isInGroup: boolean,
  word: string,
): boolean {
  switch (shape) {
    case 'first':
      return count === 0;
    case 'braces':
      return isInGroup && groups === 1;
    case 'coordinates':
      return word !== 'u' && word !== 'v' && word !== 'w';
    case 'none':
      return false;
  }
}

/** `<%44>`, `!<%44>` */
function takeGuard(c: Cursor, body: Body): void {
  body.isInverse = take(c, '!');
  c.at++;
  const register = takeRegister(c);
  if (register !== undefined) body.predicate = { ...register, isResult: false };
  take(c, '>');
}

/** `label$3`; the name is `$3`. Some have a blank in front of the number, others a colon. */
function takeLabelNumber(c: Cursor, body: Body): void {
  const start = c.at;
  if (!take(c, '$')) return;
  const number = takeNumber(c);
  if (number >= 0) body.target ??= { start, end: c.at, text: c.text.slice(start, c.at), number };
}

function isNumberStart(c: Cursor): boolean {
  const code = peek(c);
  if (isDigit(code)) return true;
  const next = c.at + 1 < c.end ? c.text.charCodeAt(c.at + 1) : 0;
  return (code === 45 || code === 43) && (isDigit(next) || next === 105 || next === 110);
}

function takeNumberText(c: Cursor): Name {
  const start = c.at;
  c.at++;
  while (c.at < c.end) {
    const code = c.text.charCodeAt(c.at);
    const isSigned = (code === 43 || code === 45) && (c.text.charCodeAt(c.at - 1) | 32) === 101;
    if (!isWord(code) && code !== 46 && !isSigned) break;
    c.at++;
  }
  return { start, end: c.at, text: c.text.slice(start, c.at) };
}
