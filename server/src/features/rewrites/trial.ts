import type { Function } from '../../ir/function.js';
import type { Compilation } from '../../targets/target.js';
import type { TextEdit } from '../../text/span.js';
import type { Problem } from '../../text/problem.js';
import type { Snapshot, Unit } from '../../workspace/snapshot.js';
import { driven } from '../steps.js';
import type { Rewrite } from './candidates.js';
import { isCurrentEverywhere } from './current-names.js';

/**
 * A rewrite is tried like an edit: the new text is parsed, bound, lowered and compiled. Whether the text says what the
 * rewrite meant is not believed but compared: each instruction must be the one that it was meant to be, with the same
 * operands in corresponding registers, in blocks that follow each other as before. A name that means something else
 * at its new place, a comment that swallows a line, a label that is passed: all of them show there.
 */
export function* tried(
  s: Snapshot,
  unit: Unit,
  rewrite: Rewrite,
): Generator<undefined, Compilation | undefined> {
  const after = rewritten(s, unit, rewrite);
  if (after === undefined) return undefined;
  const options = s.settings.targets[s.target.id] ?? {};
  return (yield* driven(s.target.compileInSteps?.(after, options, s))) ?? s.target.compile(after, options, s);
}

/** The function that the new text holds, if it is what was meant. */
export function rewritten(s: Snapshot, unit: Unit, rewrite: Rewrite): Function | undefined {
  const before = unit.function;
  if (before === undefined) return undefined;
  const text = withEdits(unit.parsed.text, rewrite.edits);
  const parsed = s.language.parse(text);
  if (faults(parsed.problems) > faults(unit.parsed.problems)) return undefined;
  const bound = s.language.bind(parsed, unit.environment);
  if (faults(bound.problems) > faults(unit.bound.problems)) return undefined;
  const after = s.language.lower(bound);
  if (after === undefined || !isAsMeant(before, unit.parsed.text, after, text, rewrite)) return undefined;
  return after;
}

/** What a person would be told of; hints about style and figures do not count. */
const faults = (problems: readonly Problem[]): number =>
  problems.filter(({ severity }) => severity === 'error' || severity === 'warning').length;

/** `edits` are sorted and do not overlap; of several at one place the first comes first. */
export function withEdits(text: string, edits: readonly TextEdit[]): string {
  let made = '';
  let at = 0;
  for (const { span, newText } of edits) {
    made += text.slice(at, span.start) + newText;
    at = span.end;
  }
  return made + text.slice(at);
}

function isAsMeant(
  before: Function,
  textBefore: string,
  after: Function,
  textAfter: string,
  rewrite: Rewrite,
): boolean {
  const { order, blockStart, split } = rewrite;
  if (after.instructionCount !== order.length || after.blockCount !== before.blockCount) return false;
  if (!isEqual(after.successorStart, before.successorStart)) return false;
  if (!isEqual(after.successors, before.successors)) return false;
  if (after.blockNames.some((name, b) => name !== before.blockNames[b])) return false;
  if (!(split === undefined ? isEqual(after.blockStart, blockStart) : areSameBlocks(before, after, order)))
    return false;
  const there = new Int32Array(before.registerCount).fill(-1);
  const back = new Int32Array(after.registerCount).fill(-1);
  for (let k = 0; k < order.length; k++) {
    const i = order[k];
    if (i < 0) continue;
    if (after.opcode[k] !== before.opcode[i] && opcodeOf(after, k) !== opcodeOf(before, i)) return false;
    if (after.instructionFlags[k] !== before.instructionFlags[i]) return false;
    if (
      withoutNames(textAfter.slice(after.spanStart[k], after.spanEnd[k]), before, split) !==
      textBefore.slice(before.spanStart[i], before.spanEnd[i])
    )
      return false;
    const count = before.operandStart[i + 1] - before.operandStart[i];
    if (after.operandStart[k + 1] - after.operandStart[k] !== count) return false;
    for (let n = 0; n < count; n++) {
      const o = before.operandStart[i] + n;
      const p = after.operandStart[k] + n;
      if (!isSameOperand(before, o, after, p)) return false;
      const r = before.operandPlace[o];
      if (r < 0) continue;
      const q = after.operandPlace[p];
      if (back[q] < 0 && (there[r] < 0 || r === split?.register)) {
        there[r] = q;
        back[q] = r;
        if (before.registerClass[r] !== after.registerClass[q]) return false;
        if (before.registerWidth[r] !== after.registerWidth[q]) return false;
      } else if (back[q] !== r || (there[r] !== q && r !== split?.register)) return false;
    }
  }
  return split === undefined || isCurrentEverywhere(after, order, (q) => back[q] === split.register);
}

const opcodeOf = (f: Function, instruction: number): string => f.opcodes.text(f.opcode[instruction]);

/** The text with the old name in place of the new ones, which occur nowhere else. */
function withoutNames(text: string, { registerNames }: Function, split: Rewrite['split']): string {
  if (split === undefined) return text;
  return split.names.reduce((made, name) => made.replaceAll(name, registerNames[split.register]), text);
}

/** Whether each block has the instructions that it had, and copies. */
function areSameBlocks(before: Function, after: Function, order: Int32Array): boolean {
  let next = 0;
  for (let b = 0; b < before.blockCount; b++) {
    for (let k = after.blockStart[b]; k < after.blockStart[b + 1]; k++)
      if (order[k] >= 0 && order[k] !== next++) return false;
    if (next !== before.blockStart[b + 1]) return false;
  }
  return true;
}

const isSameOperand = (before: Function, o: number, after: Function, p: number): boolean =>
  before.operandFlags[o] === after.operandFlags[p] &&
  before.operandWidth[o] === after.operandWidth[p] &&
  before.operandOffset[o] === after.operandOffset[p] &&
  before.operandFixed.get(o) === after.operandFixed.get(p) &&
  (before.operandPlace[o] >= 0
    ? after.operandPlace[p] >= 0
    : before.operandPlace[o] === after.operandPlace[p]);

const isEqual = (a: Int32Array, b: Int32Array): boolean =>
  a.length === b.length && a.every((value, k) => value === b[k]);
