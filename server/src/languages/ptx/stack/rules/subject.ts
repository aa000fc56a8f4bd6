import { OperandFlag, type Function } from '../../../../ir/function.js';
import type { Problem } from '../../../../text/problem.js';
import type { Span, TextEdit } from '../../../../text/span.js';
import type { PtxBound } from '../../bind/index.js';
import type { Frame, FrameFlow, FrameRegister } from '../frame.js';

/** What a rule about one function sees. All spans are relative to the unit. */
export interface Subject {
  readonly bound: PtxBound;
  readonly frame: Frame;
  readonly flow: FrameFlow;
}

/** Finds the faults of one kind in one function. Pure and linear. */
export type FunctionRule = (subject: Subject) => readonly Problem[];

export const spanOf = (f: Function, i: number): Span => ({ start: f.spanStart[i], end: f.spanEnd[i] });

export const operandSpan = (f: Function, k: number): Span => ({
  start: f.operandSpanStart[k],
  end: f.operandSpanEnd[k],
});

/** The opcode of an instruction where it stands: behind the guard. */
export function opcodeSpan({ bound, frame: { function: f } }: Subject, i: number): Span {
  const { text } = bound.parsed;
  let start = f.spanStart[i];
  const opcode = f.opcodes.text(f.opcode[i]);
  const at = text.indexOf(opcode, start);
  if (at >= 0 && at < f.spanEnd[i]) start = at;
  return { start, end: Math.min(f.spanEnd[i], start + opcode.length) };
}

/** `@%p `, or nothing: what stands before the opcode. */
export function guardText(subject: Subject, i: number): string {
  const { start } = opcodeSpan(subject, i);
  const guard = subject.bound.parsed.text.slice(subject.frame.function.spanStart[i], start).trim();
  return guard === '' ? '' : `${guard} `;
}

/** An edit that puts a statement on a line of its own before an instruction. */
export function insertBefore(
  { bound, frame: { function: f } }: Subject,
  i: number,
  statement: string,
): TextEdit {
  const start = f.spanStart[i];
  const indent = indentOf(bound.parsed.text, start);
  return {
    span: { start, end: start },
    newText: indent === undefined ? `${statement} ` : `${statement}\n${indent}`,
  };
}

/** An edit that puts a statement on a line of its own behind an instruction. */
export function insertAfter(
  { bound, frame: { function: f } }: Subject,
  i: number,
  statement: string,
): TextEdit {
  const end = f.spanEnd[i];
  const indent = indentOf(bound.parsed.text, f.spanStart[i]) ?? '\t';
  return { span: { start: end, end }, newText: `\n${indent}${statement}` };
}

/** The blanks before an offset, where nothing else stands on its line. */
function indentOf(text: string, offset: number): string | undefined {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return before.trim() === '' ? before : undefined;
}

/** Whether a register still holds what it was given, and can be named, at an instruction: nothing else writes it, and its scope encloses the place. */
export function isAvailable(
  { bound, frame: { function: f } }: Subject,
  r: FrameRegister,
  i: number,
): boolean {
  let definitions = 0;
  for (let k = 0; k < f.operandStart[f.instructionCount]; k++)
    if (f.operandPlace[k] === r.register && (f.operandFlags[k] & OperandFlag.Definition) !== 0) definitions++;
  if (definitions !== 1) return false;
  const entity = bound.functions.at(0)?.declared.find((e) => e.register === r.register);
  const scope = entity?.scope ?? entity?.range?.scope;
  return scope === undefined || (scope.start <= f.spanStart[i] && f.spanStart[i] < scope.end);
}

/** Lines of a list of problems that say the same of many places. */
export const REPORT_LIMIT = 20;

/** `.u64`, or `.u32` where addresses have 32 bits: the type of a slot. */
export const addressType = (f: Function): string => (f.attributes['addressSize'] === 32 ? '.u32' : '.u64');
