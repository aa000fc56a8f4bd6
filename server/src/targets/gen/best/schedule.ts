import type { Program } from '../program.js';
import type { Ranges } from './live.js';
import { isBarrier, type Resources } from './resources.js';
import type { References } from './references.js';

/**
 * Orders every block anew so that few registers live at once, before allocation. From the end of the block upwards
 * (the direction of Beignet's pre-allocation scheduler and of Goodman and Hsu, "Code scheduling and register
 * allocation in large basic blocks", ICS 1988): of the instructions whose users stand below, the one is taken that
 * makes least new registers live; among equals the one that was released last, so that a tree is finished before
 * another is begun. Instructions that nothing may cross cut a block into parts.
 *
 * Each register's first reference and last open reference change the keys of the instructions that touch it, once
 * each, so that all work is linear in the references.
 */
export type Direction = 'upwards' | 'downwards';

/** The order as instruction numbers, block by block. */
export function pressureOrder(
  program: Program,
  references: References,
  ranges: Ranges,
  resources: Resources,
  direction: Direction,
): Int32Array {
  const order = new Int32Array(program.instructions.length);
  const state = makeState(program, references);
  for (let block = 0; block + 1 < program.blockStart.length; block++) {
    const end = program.blockStart[block + 1];
    let first = program.blockStart[block];
    for (let i = first; i <= end; i++) {
      if (i < end && !isBarrier(program.instructions[i])) continue;
      orderPart(first, i, order, references, ranges, resources, direction, state);
      if (i < end) order[i] = i;
      first = i + 1;
    }
  }
  return order;
}

/** The same program in another order within its blocks. */
export const reordered = (program: Program, order: Int32Array): Program => ({
  ...program,
  instructions: Array.from(order, (i) => program.instructions[i]),
});

interface State {
  /** By resource: the last writer in this part, and its readers since, as a list. */
  readonly writer: Map<number, number>;
  readonly readers: Map<number, number[]>;
  /** By cell: references in this part that are not placed yet, by instruction; whether it lives at the cut. */
  readonly open: Int32Array;
  readonly isLive: Uint8Array;
}

const makeState = (_program: Program, references: References): State => ({
  writer: new Map(),
  readers: new Map(),
  open: new Int32Array(references.cellCount),
  isLive: new Uint8Array(references.cellCount),
});

function orderPart(
  first: number,
  end: number,
  order: Int32Array,
  references: References,
  ranges: Ranges,
  resources: Resources,
  direction: Direction,
  state: State,
): void {
  const size = end - first;
  if (size <= 2) {
    for (let i = first; i < end; i++) order[i] = i;
    return;
  }
  const isUpwards = direction === 'upwards';
  const { waits, waiting } = dependences(first, end, resources, state, isUpwards);
  const touching = cellsOf(first, end, references, state);
  const comesLive = (cell: number): boolean =>
    isUpwards ? ranges.to[cell] > 2 * end : ranges.from[cell] < 2 * first;
  const staysLive = (cell: number): boolean =>
    isUpwards ? ranges.from[cell] < 2 * first : ranges.to[cell] > 2 * end;
  for (const cell of touching.cells) state.isLive[cell] = comesLive(cell) ? 1 : 0;

  const key = new Int32Array(size);
  const isPlaced = new Uint8Array(size);
  const isReady = new Uint8Array(size);
  const growth = (k: number): number => {
    let delta = 0;
    for (const cell of touching.byInstruction[k]) {
      if (state.isLive[cell] === 0) delta++;
      if (state.open[cell] === 1 && !staysLive(cell)) delta--;
    }
    return delta;
  };
  // stacks by key, with entries that a later push has overtaken
  const OFFSET = 64;
  const stacks: number[][] = Array.from({ length: 2 * OFFSET + 1 }, () => []);
  let lowest = stacks.length;
  const push = (k: number): void => {
    key[k] = Math.max(0, Math.min(2 * OFFSET, growth(k) + OFFSET));
    stacks[key[k]].push(k);
    lowest = Math.min(lowest, key[k]);
  };
  const release = (k: number): void => {
    isReady[k] = 1;
    push(k);
  };
  // the last to be pushed is the first to be taken: keep the order of the text among equals
  for (let n = 0; n < size; n++) {
    const k = isUpwards ? n : size - 1 - n;
    if (waits[k] === 0) release(k);
  }
  for (let placed = 0; placed < size; placed++) {
    const k = take();
    isPlaced[k] = 1;
    order[isUpwards ? end - 1 - placed : first + placed] = first + k;
    for (const cell of touching.byInstruction[k]) {
      const wasLive = state.isLive[cell] === 1;
      state.open[cell]--;
      state.isLive[cell] = state.open[cell] === 0 && !staysLive(cell) ? 0 : 1;
      if (wasLive && state.open[cell] !== 1) continue;
      for (const other of touching.byCell.get(cell) ?? [])
        if (isReady[other] && !isPlaced[other] && key[other] !== growth(other) + OFFSET) push(other);
    }
    for (const other of waiting[k]) if (--waits[other] === 0) release(other);
  }
  for (const cell of touching.cells) state.open[cell] = 0;

  function take(): number {
    for (;;) {
      while (stacks[lowest].length === 0) lowest++;
      const k = stacks[lowest].pop() as number;
      if (!isPlaced[k] && key[k] === lowest) return k;
    }
  }
}

/** Cells that each instruction of the part touches, once each, and the reverse. */
function cellsOf(
  first: number,
  end: number,
  references: References,
  state: State,
): { byInstruction: number[][]; byCell: Map<number, number[]>; cells: number[] } {
  const byInstruction: number[][] = [];
  const byCell = new Map<number, number[]>();
  const cells: number[] = [];
  for (let i = first; i < end; i++) {
    const own: number[] = [];
    for (let r = references.start[i]; r < references.start[i + 1]; r++)
      for (let cell = references.cell[r]; cell < references.cell[r] + references.count[r]; cell++) {
        let users = byCell.get(cell);
        if (users === undefined) {
          users = [];
          byCell.set(cell, users);
          cells.push(cell);
        }
        if (users[users.length - 1] === i - first) continue;
        users.push(i - first);
        own.push(cell);
        state.open[cell]++;
      }
    byInstruction.push(own);
  }
  return { byInstruction, byCell, cells };
}

/** Edges within the part, in the direction of the walk: how many each waits for, and who waits for it. */
function dependences(
  first: number,
  end: number,
  resources: Resources,
  state: State,
  isUpwards: boolean,
): { waits: Int32Array; waiting: number[][] } {
  const size = end - first;
  const waits = new Int32Array(size);
  const waiting: number[][] = Array.from({ length: size }, () => []);
  const seen = new Int32Array(size).fill(-1);
  state.writer.clear();
  state.readers.clear();
  for (let k = 0; k < size; k++) {
    const edge = (earlier: number): void => {
      if (earlier === k || seen[earlier] === k) return;
      seen[earlier] = k;
      if (isUpwards) {
        waits[earlier]++;
        waiting[k].push(earlier);
      } else {
        waits[k]++;
        waiting[earlier].push(k);
      }
    };
    const writes: number[] = [];
    resources.visit(first + k, (resource, isWrite) => {
      const writer = state.writer.get(resource);
      if (writer !== undefined) edge(writer);
      if (!isWrite) {
        const readers = state.readers.get(resource);
        if (readers === undefined) state.readers.set(resource, [k]);
        else if (readers[readers.length - 1] !== k) readers.push(k);
        return;
      }
      writes.push(resource);
    });
    for (const resource of writes) {
      for (const reader of state.readers.get(resource) ?? []) edge(reader);
      state.readers.delete(resource);
      state.writer.set(resource, k);
    }
  }
  return { waits, waiting };
}
