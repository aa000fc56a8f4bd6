import { IntList } from '../../../ir/int-list.js';
import type { Place } from '../../../ir/place.js';
import type { Graph } from '../../../passes/cfg.js';
import type { Instruction, LiveOutDirective } from '../tree.js';

/**
 * The program as it is lowered: sound instructions in text order with their operands, the labels between them, and
 * the blocks that they form. Operands are flat, the result first. Two kinds of pseudo instruction have no node of
 * their own: `entry` before the first instruction is not in here, and `live_out`, behind the last one, has its
 * directive.
 */
export interface Code {
  readonly nodes: (Instruction | LiveOutDirective)[];
  readonly flags: IntList;
  /** First operand of each instruction; one more at the end once the code is complete. */
  readonly operandStart: IntList;
  readonly place: IntList;
  readonly operandFlags: IntList;
  readonly payload: IntList;
  readonly spanStart: IntList;
  readonly spanEnd: IntList;
  /** Virtual registers, in order of appearance. */
  readonly registerNames: string[];
  readonly registerClasses: IntList;
  readonly labels: PlacedLabel[];
  /** Targets of branches, by instruction. */
  readonly targets: Map<number, PlacedLabel>;
}

export interface PlacedLabel {
  readonly name: string;
  /** Number of the instruction behind it; -1 as long as the text has not come to it. */
  position: number;
}

/** `size`: about how many instructions there will be. */
export const emptyCode = (size: number): Code => ({
  nodes: [],
  flags: new IntList(size),
  operandStart: new IntList(size),
  place: new IntList(3 * size),
  operandFlags: new IntList(3 * size),
  payload: new IntList(3 * size),
  spanStart: new IntList(3 * size),
  spanEnd: new IntList(3 * size),
  registerNames: [],
  registerClasses: new IntList(size),
  labels: [],
  targets: new Map(),
});

export function addOperand(
  code: Code,
  place: Place,
  flags: number,
  payload: number,
  start: number,
  end: number,
): void {
  code.place.push(place);
  code.operandFlags.push(flags);
  code.payload.push(payload);
  code.spanStart.push(start);
  code.spanEnd.push(end);
}

/** Numbers of the operands of instruction `i`: from `operandStart` to this. */
export const operandEnd = (code: Code, i: number): number =>
  i + 1 < code.operandStart.length ? code.operandStart.at(i + 1) : code.place.length;

/** Blocks of the code; block 0 is the entry. */
export interface Blocks extends Graph {
  /** First instruction of each block, and the instruction count at the end. */
  readonly start: Int32Array;
  readonly names: readonly string[];
  /** Block of each instruction; of the end of the code, the last block. */
  readonly blockAt: Int32Array;
}

export const isBranch = (node: Instruction | LiveOutDirective): boolean =>
  node.kind === 'instruction' && (node.opcode.text === 'branch' || node.opcode.text === 'branch_cond');

const isJump = (node: Instruction | LiveOutDirective): boolean =>
  node.kind === 'instruction' && node.opcode.text === 'branch';

/** Whether a block ends behind instruction `i`: at a branch, unless it is conditional and a branch follows. */
function endsBlock(code: Code, i: number, isLabelled: (position: number) => boolean): boolean {
  const node = code.nodes[i];
  if (!isBranch(node)) return false;
  if (isJump(node)) return true;
  return i + 1 >= code.nodes.length || !isJump(code.nodes[i + 1]) || isLabelled(i + 1);
}

export function blocksOf(code: Code): Blocks {
  const count = code.nodes.length;
  const leader = new Uint8Array(count + 1);
  const names = new Map<number, string>();
  leader[0] = 1;
  for (const { name, position } of code.labels) {
    leader[position] = 1;
    if (!names.has(position)) names.set(position, name);
  }
  for (let i = 0; i + 1 < count; i++) if (endsBlock(code, i, (p) => leader[p] === 1)) leader[i + 1] = 1;

  const starts: number[] = [];
  const blockAt = new Int32Array(count + 1);
  for (let i = 0; i <= count; i++) {
    if (leader[i] === 1) starts.push(i);
    blockAt[i] = starts.length - 1;
  }
  const blockCount = starts.length;
  starts.push(count);
  const successorStart = new Int32Array(blockCount + 1);
  const successors: number[] = [];
  for (let b = 0; b < blockCount; b++) {
    addSuccessors(code, starts, blockAt, b, successors, successorStart[b]);
    successorStart[b + 1] = successors.length;
  }
  return {
    start: Int32Array.from(starts),
    names: starts.slice(0, blockCount).map((position) => names.get(position) ?? ''),
    blockAt,
    blockCount,
    successorStart,
    successors: Int32Array.from(successors),
  };
}

/** What is executed next when no conditional branch is taken, then where that one goes; each block once. */
function addSuccessors(
  code: Code,
  starts: readonly number[],
  blockAt: Int32Array,
  block: number,
  successors: number[],
  first: number,
): void {
  const add = (to: number): void => {
    if (successors.length === first || successors[first] !== to) successors.push(to);
  };
  const goTo = (instruction: number): void => {
    const position = code.targets.get(instruction)?.position ?? -1;
    if (position >= 0) add(blockAt[position]);
  };
  const last = starts[block + 1] - 1;
  const isEmpty = last < starts[block];
  if (!isEmpty && isJump(code.nodes[last])) goTo(last);
  else if (block + 2 < starts.length) add(block + 1);
  for (let i = Math.max(starts[block], last - 1); i <= last; i++)
    if (isBranch(code.nodes[i]) && !isJump(code.nodes[i])) goTo(i);
}
