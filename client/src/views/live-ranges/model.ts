import type { LiveRangesView } from '../../../../server/src/features/views/data.js';

/**
 * The content of the live-range picture in the form that drawing asks for: typed arrays, and for each register the
 * extent from its first to its last point. Point 2i is where instruction i reads, point 2i + 1 where it writes.
 */
export interface Model {
  readonly view: LiveRangesView;
  readonly count: number;
  /** Bars: the virtual registers, and behind them those of the machine. */
  readonly registerCount: number;
  readonly virtualCount: number;
  readonly texts: readonly string[];
  /** Line of each instruction, relative to the function's; never falling. */
  readonly line: Int32Array;
  readonly blockStart: Int32Array;
  /** Loops around each instruction. */
  readonly loopDepth: Uint8Array;
  readonly deepestLoop: number;
  /** Extent in points, end excluded; -1 for a register that is never live. */
  readonly first: Int32Array;
  readonly last: Int32Array;
  readonly segmentStart: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly definitionStart: Int32Array;
  readonly definitions: Int32Array;
  readonly useStart: Int32Array;
  readonly uses: Int32Array;
  /** Number in `view.spills`, or -1. */
  readonly spillOf: Int32Array;
}

export function modelOf(view: LiveRangesView): Model {
  const { registers, instructions, blocks } = view;
  const count = instructions.line.length;
  const registerCount = registers.names.length;
  const segmentStart = Int32Array.from(registers.segmentStart);
  const from = Int32Array.from(registers.from);
  const to = Int32Array.from(registers.to);
  const first = new Int32Array(registerCount).fill(-1);
  const last = new Int32Array(registerCount).fill(-1);
  for (let r = 0; r < registerCount; r++) {
    if (segmentStart[r] === segmentStart[r + 1]) continue;
    first[r] = from[segmentStart[r]];
    last[r] = to[segmentStart[r + 1] - 1];
  }
  const line = Int32Array.from(instructions.line);
  for (let i = 1; i < count; i++) line[i] = Math.max(line[i], line[i - 1]);
  const loopDepth = new Uint8Array(count);
  let deepestLoop = 0;
  blocks.loopDepth.forEach((depth, b) => {
    loopDepth.fill(Math.min(depth, 255), blocks.start[b], blocks.start[b + 1]);
    deepestLoop = Math.max(deepestLoop, depth);
  });
  const spillOf = new Int32Array(registerCount).fill(-1);
  view.spills.forEach(({ register }, k) => {
    if (register >= 0 && register < registerCount) spillOf[register] = k;
  });
  return {
    view,
    count,
    registerCount,
    virtualCount: registers.virtualCount,
    texts: count === 0 ? [] : instructions.text.split('\n'),
    line,
    blockStart: Int32Array.from(blocks.start),
    loopDepth,
    deepestLoop,
    first,
    last,
    segmentStart,
    from,
    to,
    definitionStart: Int32Array.from(registers.definitionStart),
    definitions: Int32Array.from(registers.definitions),
    useStart: Int32Array.from(registers.useStart),
    uses: Int32Array.from(registers.uses),
    spillOf,
  };
}

/** First index of `sorted[low .. high)` whose value is greater than `value`. */
export function firstAbove(sorted: Int32Array, value: number, low = 0, high = sorted.length): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The instruction that a line of the document shows: the first one in it, else the last one above it; -1 above all. */
export function rowOfLine({ line, view }: Model, documentLine: number): number {
  const wanted = documentLine - view.line;
  const behind = firstAbove(line, wanted) - 1;
  if (behind < 0) return -1;
  return firstAbove(line, line[behind] - 1);
}

/** Line of the document (zero-based) in which an instruction stands. */
export const lineOfRow = ({ line, view }: Model, row: number): number => view.line + line[row];

/** The segment of a register that holds a point, or -1. */
export function segmentAt({ segmentStart, from, to }: Model, register: number, point: number): number {
  const k = firstAbove(to, point, segmentStart[register], segmentStart[register + 1]);
  return k < segmentStart[register + 1] && from[k] <= point ? k : -1;
}

/** Whether a register holds a value while an instruction executes. */
export const isLiveDuring = (m: Model, register: number, row: number): boolean =>
  segmentAt(m, register, 2 * row) >= 0 || segmentAt(m, register, 2 * row + 1) >= 0;

/** Registers of a class that hold a value while an instruction executes, ascending; of all classes for -1. */
export function liveDuring(m: Model, row: number, shownClass: number): number[] {
  const live: number[] = [];
  const of = m.view.registers.class;
  for (let r = 0; r < m.registerCount; r++) {
    if (shownClass >= 0 ? of[r] !== shownClass : of[r] < 0) continue;
    if (m.first[r] <= 2 * row + 1 && m.last[r] > 2 * row && isLiveDuring(m, r, row)) live.push(r);
  }
  return live;
}

/** The first mention at or behind an instruction in one of the lists, or -1. */
export function nextIn(start: Int32Array, all: Int32Array, register: number, row: number): number {
  const k = firstAbove(all, row - 1, start[register], start[register + 1]);
  return k < start[register + 1] ? all[k] : -1;
}

/** The last mention at or before an instruction, or -1. */
export function lastIn(start: Int32Array, all: Int32Array, register: number, row: number): number {
  const k = firstAbove(all, row, start[register], start[register + 1]) - 1;
  return k >= start[register] ? all[k] : -1;
}
