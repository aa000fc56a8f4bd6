import { OperandFlag, type Function } from '../../ir/function.js';
import { controlFlow } from '../../passes/cfg.js';
import { isDefinition, isUse, kills } from '../../passes/occurrences.js';

/**
 * Whether a register that has several names is read under a name that holds its value at that time, on every path. A name
 * is current when nothing was written to another one since it was written, or was copied from a current one. A forward
 * problem over sets of names, met by intersection: what is current at a block's entry is so at the end of all blocks
 * before it. At the function's entry nothing was written, and all names are as good as another.
 *
 * `order` is -1 for copies; those that stand side by side and have the same two registers make one. O(instructions + passes
 * x blocks); names beyond the 31st are refused.
 */
export function isCurrentEverywhere(
  f: Function,
  order: Int32Array,
  isName: (register: number) => boolean,
): boolean {
  const bitOf = new Map<number, number>();
  const bit = (register: number): number => {
    const known = bitOf.get(register);
    if (known !== undefined) return known;
    const fresh = 2 ** bitOf.size;
    bitOf.set(register, fresh);
    return fresh;
  };
  const steps = stepsOf(f, order, isName, bit);
  if (steps === undefined || bitOf.size > 31) return false;
  const all = 2 ** bitOf.size - 1;
  const { predecessorStart, predecessors, order: blocks } = controlFlow(f);
  const atExit = new Int32Array(f.blockCount).fill(all);
  const entryOf = (block: number): number => {
    let set = all;
    for (let e = predecessorStart[block]; e < predecessorStart[block + 1]; e++)
      set &= atExit[predecessors[e]];
    return set;
  };
  const run = (block: number): number | undefined => {
    let set = entryOf(block);
    for (const step of steps[block]) {
      if ((step.reads & ~set) !== 0) return undefined;
      set = after(step, set);
    }
    return set;
  };
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const block of blocks) {
      let set = entryOf(block);
      for (const step of steps[block]) set = after(step, set);
      if (set === atExit[block]) continue;
      atExit[block] = set;
      isChanged = true;
    }
  }
  return steps.every((_, block) => run(block) !== undefined);
}

/** What one instruction does to the names, as sets. */
interface Step {
  readonly reads: number;
  /** Written, the whole of it in every case. */
  readonly makes: number;
  /** Written in part, or perhaps. */
  readonly changes: number;
  /** Made equal to what is read here. */
  readonly copies: { readonly from: number; readonly to: number } | undefined;
}

function after({ makes, changes, copies }: Step, set: number): number {
  if (copies !== undefined) return (set & copies.from) !== 0 ? set | copies.to : set & ~copies.to;
  if (makes !== 0) return makes;
  return changes !== 0 ? set & changes : set;
}

/** By block; undefined where a copy is none, or an instruction writes two names. */
function stepsOf(
  f: Function,
  order: Int32Array,
  isName: (register: number) => boolean,
  bit: (register: number) => number,
): Step[][] | undefined {
  const steps: Step[][] = [];
  for (let b = 0; b < f.blockCount; b++) {
    const own: Step[] = [];
    const end = f.blockStart[b + 1];
    for (let k = f.blockStart[b]; k < end;) {
      if (order[k] >= 0) {
        const step = stepOf(f, k++, isName, bit);
        if (step === undefined) return undefined;
        if ((step.reads | step.makes | step.changes) !== 0) own.push(step);
        continue;
      }
      const first = copyOf(f, k);
      if (first === undefined) return undefined;
      let width = 0;
      for (; k < end && order[k] < 0; k++) {
        const copy = copyOf(f, k);
        if (copy?.from !== first.from || copy.to !== first.to) break;
        width += copy.width;
      }
      if (width < f.registerWidth[first.to]) return undefined;
      own.push({ reads: 0, makes: 0, changes: 0, copies: { from: bit(first.from), to: bit(first.to) } });
    }
    steps.push(own);
  }
  return steps;
}

function stepOf(
  f: Function,
  instruction: number,
  isName: (register: number) => boolean,
  bit: (register: number) => number,
): Step | undefined {
  let reads = 0;
  let makes = 0;
  let changes = 0;
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
    const register = f.operandPlace[o];
    if (register < 0 || !isName(register)) continue;
    if (isUse(f, o)) reads |= bit(register);
    if (kills(f, o)) makes |= bit(register);
    else if (isDefinition(f, o)) changes |= bit(register);
  }
  const written = makes | changes;
  return (written & (written - 1)) === 0 ? { reads, makes, changes, copies: undefined } : undefined;
}

/** The two registers of an instruction that copies one to the other, and how much of it; undefined for others. */
function copyOf(
  f: Function,
  instruction: number,
): { readonly from: number; readonly to: number; readonly width: number } | undefined {
  let from = -1;
  let to = -1;
  let width = 0;
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
    const register = f.operandPlace[o];
    if (register < 0) continue;
    if ((f.operandFlags[o] & (OperandFlag.Predicated | OperandFlag.Guard)) !== 0) return undefined;
    if (isUse(f, o) === isDefinition(f, o) || (isUse(f, o) ? from : to) >= 0) return undefined;
    if (isUse(f, o)) from = register;
    else {
      to = register;
      width = f.operandWidth[o];
    }
  }
  return from < 0 || to < 0 || from === to ? undefined : { from, to, width };
}
