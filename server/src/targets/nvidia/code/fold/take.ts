import { Modifier } from '../operands.js';
import type { Draft } from './draft.js';
import { Op } from './forms.js';

/** What the rules of instruction selection have in common: operands by position, and taking a definition in. */

export const operandAfter = (draft: Draft, i: number, n: number): number => draft.first[i] + n;

/** Sources of an instruction with one result, the guard left out. */
export function sourceEnd(draft: Draft, i: number): number {
  return draft.isGuarded(i) ? draft.end[i] - 1 : draft.end[i];
}

/** The definition of operand `o` if it does `op` with results of `bits` bits. */
export function definitionOf(draft: Draft, o: number, op: Op, bits: number): number {
  const d = draft.valueOf(o);
  if (d < 0) return -1;
  const form = draft.form(d);
  return form.op === op && form.bits === bits ? d : -1;
}

export const usesOf = (draft: Draft, o: number): number => draft.uses[draft.canonical(draft.place.at(o))];

function operandsOf(draft: Draft, d: number): number[] {
  const operands: number[] = [];
  for (let o = draft.first[d] + 1; o < draft.end[d]; o++) operands.push(o);
  return operands;
}

export function take(draft: Draft, i: number, o: number, d: number, modifier = 0): boolean {
  if (!draft.mayAbsorb(i, o, d)) return false;
  draft.absorb(i, o, d, operandsOf(draft, d), modifier);
  return true;
}

export const isSum = (op: Op): boolean => op === Op.Add || op === Op.Subtract;

/** Makes a difference a sum with a negated term, and term `n` (1 or 2) the first. */
export function asSum(draft: Draft, i: number, n: number): void {
  const form = draft.form(i);
  if (form.op === Op.Subtract) {
    draft.flip(operandAfter(draft, i, 2), Modifier.Negated);
    draft.opcode[i] = draft.opcodeNumber(`add.${form.kind}${form.bits}`);
  }
  if (n === 2) draft.exchange(operandAfter(draft, i, 1), operandAfter(draft, i, 2));
}
