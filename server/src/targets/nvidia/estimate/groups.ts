import { OperandFlag, type Function } from '../../../ir/function.js';
import type { Bundles } from '../../../passes/bundles.js';
import { GENERAL } from '../code/code.js';
import { rolesOf } from './roles.js';

/**
 * Values that must lie side by side: the elements of a vector that one instruction loads or stores, and the fragments
 * of a matrix instruction (HMMA reads and writes aligned pairs and quads). A group is a list of bundles with the
 * offset of each. A bundle that two instructions want in different places belongs to the first of them; ptxas copies
 * it for the other.
 */
export interface Groups {
  /** By bundle: the next member of its group (a ring), itself where it is alone. */
  readonly next: Int32Array;
  /** By bundle: its first register relative to the group's. */
  readonly offset: Int32Array;
  /** By bundle: registers of its whole group, and what the group's first register is a multiple of. */
  readonly width: Int32Array;
  readonly alignment: Int32Array;
  /** Whether there are pairs of the halves of one product. */
  readonly hasHalves: boolean;
}

/** `halves`: whether the halves of a product lie side by side (IMAD.WIDE) or not (IMAD, IMAD.HI). */
export function groupsOf(f: Function, bundles: Bundles, fragments: boolean, halves = true): Groups {
  const count = bundles.width.length;
  let hasHalves = false;
  const groups = {
    next: new Int32Array(count),
    offset: new Int32Array(count),
    width: new Int32Array(count),
    alignment: new Int32Array(count),
  };
  for (let b = 0; b < count; b++) {
    groups.next[b] = b;
    groups.width[b] = bundles.width[b];
    groups.alignment[b] = alignmentOf(bundles.width[b]);
  }
  if (!fragments) return { ...groups, hasHalves };
  const definitions: number[] = [];
  const uses: number[] = [];
  const join = (list: readonly number[], from: number, to: number): void =>
    unite(groups, bundles, list, from, to);
  for (let i = 0; i < f.instructionCount; i++) {
    const { vector, matrix, isWide } = rolesOf(f.opcodes, f.opcode[i]);
    if (vector === 1 && matrix === 'none' && !isWide) continue;
    collect(f, i, bundles, definitions, uses);
    if (isWide) {
      if (definitions.length < 2 || !halves) continue;
      join(definitions, 0, definitions.length);
      hasHalves = true;
      continue;
    }
    if (vector > 1 || matrix === 'load' || matrix === 'store' || matrix === 'group') {
      if (definitions.length > 1) join(definitions, 0, definitions.length);
      else if (uses.length > 1) join(uses, 0, uses.length);
      continue;
    }
    const accumulators = Math.min(definitions.length, uses.length);
    const rest = uses.length - accumulators;
    const a = matrix === 'wideA' ? Math.round((2 * rest) / 3) : rest >> 1;
    join(definitions, 0, definitions.length);
    join(uses, 0, a);
    join(uses, a, rest);
    join(uses, rest, uses.length);
  }
  return { ...groups, hasHalves };
}

/** Pairs are even, three and four registers begin at a multiple of four, more at a multiple of eight. */
function alignmentOf(width: number): number {
  if (width <= 2) return width;
  return width <= 4 ? 4 : 8;
}

function collect(f: Function, i: number, bundles: Bundles, definitions: number[], uses: number[]): void {
  definitions.length = 0;
  uses.length = 0;
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
    const r = f.operandPlace[o];
    const flags = f.operandFlags[o];
    if ((flags & (OperandFlag.Guard | OperandFlag.Address)) !== 0) continue;
    const bundle = r >= 0 && f.registerClass[r] === GENERAL ? bundles.bundleOf[r] : -1;
    if ((flags & OperandFlag.Definition) !== 0) definitions.push(bundle);
    else if ((flags & OperandFlag.Use) !== 0) uses.push(bundle);
  }
}

function unite(
  { next, offset, width, alignment }: Omit<Groups, 'hasHalves'>,
  bundles: Bundles,
  list: readonly number[],
  from: number,
  to: number,
): void {
  if (to - from < 2) return;
  let total = 0;
  for (let k = from; k < to; k++) {
    const b = list[k];
    // an element that is missing, repeated or placed already: ptxas copies
    if (b < 0 || next[b] !== b || list.indexOf(b, from) !== k) return;
    total += bundles.width[b];
  }
  if (total > 128) return;
  const aligned = alignmentOf(total);
  let at = 0;
  for (let k = from; k < to; k++) {
    const b = list[k];
    next[b] = list[k + 1 < to ? k + 1 : from];
    offset[b] = at;
    width[b] = total;
    alignment[b] = aligned;
    at += bundles.width[b];
  }
}
