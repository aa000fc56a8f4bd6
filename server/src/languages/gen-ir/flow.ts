/**
 * Blocks and edges from structured control flow, as i965 finds them in the flat list of instructions (Mesa's
 * brw_cfg.cpp). Because the channels of one thread go different ways, an edge may be there for other channels only:
 * `else` also falls into the else branch, a loop may be left by the channels that others keep running. Passes see
 * all of them.
 *
 * A block ends behind `if`, `else`, `do`, `break`, `cont`, `while` and jumps; `endif`, `do` and labels begin one.
 * `halt` ends none.
 */
export const enum FlowKind {
  None = 0,
  If,
  Else,
  EndIf,
  Do,
  While,
  Break,
  Continue,
  /** Goes to a label. */
  Jump,
  /** Ends the program. */
  End,
}

export interface FlowInput {
  readonly count: number;
  /** `FlowKind` by instruction. */
  readonly kinds: Uint8Array;
  /** 1 where the instruction is predicated. */
  readonly isPredicated: Uint8Array;
  /** Label in front of an instruction, sorted by instruction; `count` for one behind all. */
  readonly labels: readonly { readonly instruction: number; readonly name: string }[];
  /** Label that a jump goes to: a number in `labels`, -1 where it is not known. */
  readonly targets: ReadonlyMap<number, number>;
}

export interface FlowFault {
  readonly instruction: number;
  readonly kind: 'noIf' | 'noLoop' | 'openIf' | 'openLoop' | 'crossed';
}

export interface Blocks {
  readonly blockCount: number;
  /** First instruction of each block, and the instruction count at the end. */
  readonly start: Int32Array;
  readonly names: readonly string[];
  readonly successorStart: Int32Array;
  readonly successors: Int32Array;
  /** By edge: 1 where only the thread goes this way, carried by other channels, so that no channel's value does. */
  readonly isPhysical: Uint8Array;
  /**
   * Ways of channels that are no edges, since the thread goes another way there: from a predicated `while` to the
   * block behind the loop. From and to, in turn.
   */
  readonly exits: readonly number[];
  /** Block that each jump goes to, or -1, by instruction. */
  readonly jumpTargets: ReadonlyMap<number, number>;
  readonly isComplete: boolean;
  readonly faults: readonly FlowFault[];
}

interface If {
  readonly kind: 'if';
  readonly instruction: number;
  readonly block: number;
  elseBlock: number;
}

interface Loop {
  readonly kind: 'loop';
  readonly instruction: number;
  readonly block: number;
  /** Blocks that go to the block behind the loop. */
  readonly leaving: number[];
}

export function blocksOf(input: FlowInput): Blocks {
  const { count, kinds, isPredicated, labels, targets } = input;
  const starts: number[] = [0];
  const names: string[] = [''];
  const edgeFrom: number[] = [];
  const edgeTo: number[] = [];
  const edgePhysical: number[] = [];
  const faults: FlowFault[] = [];
  const stack: (If | Loop)[] = [];
  const loops: Loop[] = [];
  const jumps: number[] = [];
  const exits: number[] = [];
  const labelBlock = new Int32Array(labels.length);
  let isComplete = true;
  let nextLabel = 0;
  let current = 0;
  const edge = (from: number, to: number, isPhysical = false): void => {
    edgeFrom.push(from);
    edgeTo.push(to);
    edgePhysical.push(isPhysical ? 1 : 0);
  };
  const begin = (at: number): number => {
    starts.push(at);
    names.push('');
    current = starts.length - 1;
    return current;
  };
  /** The current block if it is empty, else a new one that it falls into. */
  const beginHere = (at: number): void => {
    if (starts[current] === at) return;
    const before = current;
    edge(before, begin(at));
  };
  const closeLabels = (at: number): void => {
    while (nextLabel < labels.length && labels[nextLabel].instruction <= at) {
      beginHere(at);
      if (names[current] === '') names[current] = labels[nextLabel].name;
      labelBlock[nextLabel++] = current;
    }
  };
  for (let i = 0; i < count; i++) {
    if (nextLabel < labels.length && labels[nextLabel].instruction <= i) closeLabels(i);
    switch (kinds[i] as FlowKind) {
      case FlowKind.None:
        break;
      case FlowKind.If: {
        const block = current;
        stack.push({ kind: 'if', instruction: i, block, elseBlock: -1 });
        edge(block, begin(i + 1));
        break;
      }
      case FlowKind.Else: {
        const top = stack.at(-1);
        if (top?.kind !== 'if' || top.elseBlock >= 0) {
          faults.push({ instruction: i, kind: top?.kind === 'loop' ? 'crossed' : 'noIf' });
          break;
        }
        top.elseBlock = current;
        begin(i + 1);
        edge(top.elseBlock, current, true);
        edge(top.block, current);
        break;
      }
      case FlowKind.EndIf: {
        beginHere(i);
        const top = stack.at(-1);
        if (top?.kind !== 'if') {
          faults.push({ instruction: i, kind: top === undefined ? 'noIf' : 'crossed' });
          break;
        }
        stack.pop();
        edge(top.elseBlock >= 0 ? top.elseBlock : top.block, current);
        break;
      }
      case FlowKind.Do: {
        beginHere(i);
        const loop: Loop = { kind: 'loop', instruction: i, block: current, leaving: [current] };
        stack.push(loop);
        loops.push(loop);
        edge(loop.block, begin(i + 1));
        break;
      }
      case FlowKind.Break:
      case FlowKind.Continue: {
        const loop = loops.at(-1);
        const block = current;
        if (loop === undefined) {
          faults.push({ instruction: i, kind: 'noLoop' });
          edge(block, begin(i + 1));
          break;
        }
        begin(i + 1);
        if ((kinds[i] as FlowKind) === FlowKind.Continue) {
          edge(block, current, isPredicated[i] === 0);
          edge(block, loop.block + 1);
        } else {
          if (isPredicated[i] === 1) edge(block, current);
          loop.leaving.push(block);
          edge(block, loop.block, true);
        }
        break;
      }
      case FlowKind.While: {
        const top = stack.at(-1);
        if (top?.kind !== 'loop') {
          faults.push({ instruction: i, kind: top === undefined ? 'noLoop' : 'crossed' });
          const block = current;
          edge(block, begin(i + 1));
          break;
        }
        stack.pop();
        loops.pop();
        edge(current, isPredicated[i] === 1 ? top.block : top.block + 1);
        if (isPredicated[i] === 1) exits.push(current, current + 1);
        begin(i + 1);
        for (const from of top.leaving) edge(from, current, from === top.block);
        break;
      }
      case FlowKind.Jump: {
        const block = current;
        begin(i + 1);
        if (isPredicated[i] === 1) edge(block, current);
        jumps.push(i, block);
        break;
      }
      case FlowKind.End:
        if (isPredicated[i] === 1) break;
        begin(i + 1);
        break;
    }
  }
  closeLabels(count);
  for (const open of stack)
    faults.push({ instruction: open.instruction, kind: open.kind === 'if' ? 'openIf' : 'openLoop' });
  const jumpTargets = new Map<number, number>();
  for (let k = 0; k < jumps.length; k += 2) {
    const label = targets.get(jumps[k]) ?? -1;
    const to = label < 0 ? -1 : labelBlock[label];
    jumpTargets.set(jumps[k], to);
    if (to < 0) isComplete = false;
    else edge(jumps[k + 1], to);
  }
  // Of an unfinished branch or loop only the fall-through is known.
  for (const open of stack) {
    if (open.kind === 'if' && open.elseBlock < 0) edge(open.block, current);
    if (open.kind === 'if' && open.elseBlock >= 0) edge(open.elseBlock, current);
    if (open.kind === 'loop') for (const from of open.leaving) if (from !== current) edge(from, current);
  }
  dropUnreachedEnd(starts, names, edgeTo, count);
  return {
    ...packed(starts.length, edgeFrom, edgeTo, edgePhysical),
    start: Int32Array.from([...starts, count]),
    names,
    exits,
    jumpTargets,
    isComplete,
    faults,
  };
}

/** The empty block behind a program that ends in a jump is none, unless something goes there. */
function dropUnreachedEnd(starts: number[], names: string[], edgeTo: readonly number[], count: number): void {
  const last = starts.length - 1;
  if (last === 0 || starts[last] !== count || names[last] !== '' || edgeTo.includes(last)) return;
  starts.pop();
  names.pop();
}

/** Edges by block, the fall-through first, each once; one that a channel can take is not physical. */
function packed(
  blockCount: number,
  edgeFrom: readonly number[],
  edgeTo: readonly number[],
  edgePhysical: readonly number[],
): Pick<Blocks, 'blockCount' | 'successorStart' | 'successors' | 'isPhysical'> {
  const first = new Int32Array(blockCount + 1);
  for (const from of edgeFrom) first[from + 1]++;
  for (let b = 0; b < blockCount; b++) first[b + 1] += first[b];
  const sorted = new Int32Array(edgeFrom.length);
  const fill = first.slice(0, blockCount);
  for (let fallThrough = 1; fallThrough >= 0; fallThrough--)
    for (let e = 0; e < edgeFrom.length; e++)
      if ((edgeTo[e] === edgeFrom[e] + 1) === (fallThrough === 1)) sorted[fill[edgeFrom[e]]++] = e;
  const successors: number[] = [];
  const isPhysical: number[] = [];
  const successorStart = new Int32Array(blockCount + 1);
  const placed = new Int32Array(blockCount).fill(-1);
  for (let b = 0; b < blockCount; b++) {
    successorStart[b] = successors.length;
    for (let k = first[b]; k < first[b + 1]; k++) {
      const to = edgeTo[sorted[k]];
      const physical = edgePhysical[sorted[k]];
      if (placed[to] >= successorStart[b]) isPhysical[placed[to]] &= physical;
      else {
        placed[to] = successors.push(to) - 1;
        isPhysical.push(physical);
      }
    }
  }
  successorStart[blockCount] = successors.length;
  return {
    blockCount,
    successorStart,
    successors: Int32Array.from(successors),
    isPhysical: Uint8Array.from(isPhysical),
  };
}
