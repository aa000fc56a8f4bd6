import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import type { Entity } from '../bind/entities.js';
import type { PtxBound } from '../bind/index.js';
import { listedNames } from '../target-lists.js';
import type { FrameCall } from './frame.js';

/**
 * The calls of a function. In an instruction the results are definitions and stand first, so that the callee is the
 * first operand that is none; a call through a register ends with its prototype, or with a list of all its callees.
 */
export function callsOf(bound: PtxBound, f: Function): FrameCall[] {
  const calls: FrameCall[] = [];
  let lists: Map<string, Entity> | undefined;
  for (let i = 0; i < f.instructionCount; i++) {
    if ((f.instructionFlags[i] & InstructionFlag.Call) === 0) continue;
    const at = calleeOperand(f, i);
    const isDirect = at >= 0 && f.operandPlace[at] < 0;
    calls.push({
      instruction: i,
      span: { start: f.spanStart[i], end: f.spanEnd[i] },
      callee: isDirect ? nameAt(bound, f, at) : undefined,
      candidates: isDirect ? [] : candidatesIn((lists ??= targetLists(bound)), lastText(bound, f, i)),
    });
  }
  return calls;
}

/** Operand number of what a call names or holds as its callee, or -1. */
export function calleeOperand(f: Function, i: number): number {
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
    if ((f.operandFlags[k] & OperandFlag.Definition) === 0)
      return (f.operandFlags[k] & OperandFlag.Guard) === 0 ? k : -1;
  return -1;
}

/** What an operand that is no register says: the number, the name; '' for a name that is declared nowhere before. */
export const textOf = (f: Function, operand: number): string =>
  f.operandTexts?.text(f.operandPayload?.[operand] ?? 0) ?? '';

/** The name at an operand, known or not: GCC writes functions and variables before their declarations. */
export const nameAt = (bound: PtxBound, f: Function, operand: number): string =>
  f.operandPlace[operand] === (NoRegister.Unknown as number)
    ? bound.parsed.text.slice(f.operandSpanStart[operand], f.operandSpanEnd[operand])
    : textOf(f, operand);

export const targetLists = (bound: PtxBound): Map<string, Entity> =>
  new Map(
    (bound.functions.at(0)?.declared ?? [])
      .filter(({ node }) => node?.kind === 'targets')
      .map((e) => [e.name, e]),
  );

/** Longer lists say as little as no list. */
const CANDIDATE_LIMIT = 256;

/** The functions of the `.calltargets` list of that name; none where they are not known, or too many. */
export function candidatesIn(lists: ReadonlyMap<string, Entity>, name: string): readonly string[] {
  const list = lists.get(name);
  if (list?.node?.kind !== 'targets') return [];
  const names: string[] = [];
  for (const target of list.node.targets)
    for (const callee of listedNames(target)) {
      if (names.length === CANDIDATE_LIMIT) return [];
      names.push(callee);
    }
  return names;
}

/** The text of the last operand: the prototype or list of an indirect call. */
function lastText(bound: PtxBound, f: Function, i: number): string {
  let k = f.operandStart[i + 1] - 1;
  while (k >= f.operandStart[i] && (f.operandFlags[k] & OperandFlag.Guard) !== 0) k--;
  return k < f.operandStart[i] ? '' : bound.parsed.text.slice(f.operandSpanStart[k], f.operandSpanEnd[k]);
}
