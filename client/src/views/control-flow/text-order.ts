import type { Layout, LayoutTask } from './layout.js';

/**
 * Blocks one below the other as in the text, moved to the right by their loops; branches forward run on the right,
 * branches back on the left, each in a lane that no other one uses along its way. O(edges log edges): for graphs of any
 * size, and until a better layout is there.
 */
export function inTextOrder({ sizes, edges }: LayoutTask, depths: readonly number[]): Layout {
  const indent = (b: number): number => Math.min(depths[b] ?? 0, MOST_INDENTS) * INDENT;
  const forward = lanesOf(edges.map(({ from, to }) => (to > from + 1 ? [from, to] : undefined)));
  const back = lanesOf(edges.map(({ from, to }) => (to <= from ? [to, from] : undefined)));
  const left = MARGIN + LANE * (1 + Math.min(back.count, MOST_LANES));
  const widest = sizes.reduce((most, { width }, b) => Math.max(most, width + indent(b)), 0);
  const right = left + widest;
  const x: number[] = [];
  const y: number[] = [];
  let top = MARGIN;
  sizes.forEach(({ width, height }, b) => {
    x.push(left + indent(b) + width / 2);
    y.push(top + height / 2);
    top += height + GAP;
  });
  const paths = edges.map(({ from, to }, e) => {
    const bottom = y[from] + sizes[from].height / 2;
    const upper = y[to] - sizes[to].height / 2;
    if (to === from + 1)
      return [x[from], bottom, x[from], (bottom + upper) / 2, x[to], (bottom + upper) / 2, x[to], upper];
    const isForward = to > from;
    const lane = 1 + ((isForward ? forward : back).lane[e] % MOST_LANES);
    const side = isForward ? right + lane * LANE : left - lane * LANE;
    const leaves = isForward ? x[from] + sizes[from].width / 2 : x[from] - sizes[from].width / 2;
    const enters = isForward ? x[to] + sizes[to].width / 2 : x[to] - sizes[to].width / 2;
    const fromY = y[from] + sizes[from].height / 4;
    const toY = y[to] - sizes[to].height / 4;
    return [leaves, fromY, side, fromY, side, toY, enters, toY];
  });
  return {
    width: right + LANE * (1 + Math.min(forward.count, MOST_LANES)) + MARGIN,
    height: top - GAP + MARGIN,
    x,
    y,
    edges: paths,
  };
}

const MARGIN = 24;
const GAP = 26;
const LANE = 10;
const INDENT = 22;
const MOST_INDENTS = 8;
/** More lanes begin again with the first. */
const MOST_LANES = 40;

type Way = readonly [first: number, last: number];

/** A lane for each way, such that ways of one lane do not overlap; the shortest ways are the nearest to the blocks. */
function lanesOf(ways: readonly (Way | undefined)[]): {
  readonly lane: readonly number[];
  readonly count: number;
} {
  const lane = ways.map(() => 0);
  const order = ways
    .flatMap((way, e) => (way === undefined ? [] : [{ e, way }]))
    .sort((a, b) => a.way[0] - b.way[0] || a.way[1] - b.way[1]);
  const ends: number[] = [];
  for (const { e, way } of order) {
    let k = ends.findIndex((end) => end < way[0]);
    if (k < 0) k = ends.length < MOST_LANES ? ends.length : ends.indexOf(Math.min(...ends));
    ends[k] = way[1];
    lane[e] = k;
  }
  return { lane, count: ends.length };
}
