import { InstructionFlag, blockOf, type Function } from '../../ir/function.js';
import type { Compilation } from '../../targets/target.js';
import { isReachable } from '../../passes/cfg.js';
import type { Snapshot } from '../../workspace/snapshot.js';
import { closesLoop, loopDepthOf, loopEntriesAt, loopHeadedBy } from '../loops.js';
import { controlFlowOf } from '../reaching.js';
import { barsOf, drawnClasses, unitsAtPoints, type Bars } from './bars.js';
import type { BlockView, ControlFlowView, EdgeView } from './data.js';
import { firstLineOf, functionView, instructionLines, type ShownFunction } from './function.js';

/** The picture of control flow: blocks with what they need and cost, and the ways between them. O(function). */
export function controlFlowView(s: Snapshot, shown: ShownFunction): ControlFlowView {
  const { compilation: c } = shown;
  const { source: f } = c;
  const bars = barsOf(s, c);
  const classes = drawnClasses(c, bars);
  return {
    ...functionView(s, shown),
    classes: classes.map((k) => ({
      name: f.classes[k].name,
      unit: f.classes[k].unit,
      peak: c.asWritten.peak[k],
    })),
    limit: c.stats.limit,
    blocks: blocksView(s, shown, bars, classes),
    edges: edgesView(f),
  };
}

function blocksView(s: Snapshot, shown: ShownFunction, bars: Bars, classes: readonly number[]): BlockView[] {
  const { unit, compilation: c } = shown;
  const { source: f } = c;
  const lines = instructionLines(s, shown);
  const first = firstLineOf(s, unit);
  const lineOf = (i: number): number => first + lines[i] + 1;
  const cfg = controlFlowOf(f);
  const entering = liveOnEntry(c, bars);
  const { stores, loads, stalls } = costsOf(c);
  const blocks: BlockView[] = [];
  for (let b = 0; b < f.blockCount; b++) {
    const start = f.blockStart[b];
    const end = f.blockStart[b + 1];
    const standing = (flags: number): boolean => (flags & InstructionFlag.Entry) === 0;
    let from = start;
    while (from < end && !standing(f.instructionFlags[from])) from++;
    const most = (counts: Uint16Array): number => {
      let peak = 0;
      for (let i = start; i < end; i++) peak = Math.max(peak, counts[i]);
      return peak;
    };
    blocks.push({
      name: f.blockNames[b],
      first: start,
      length: end - start,
      firstLine: from < end ? lines[from] : -1,
      lastLine: from < end ? lines[end - 1] : -1,
      loopDepth: loopDepthOf(f, b),
      isLoopHead: loopHeadedBy(f, b),
      loopEntries: loopEntriesAt(f, b),
      isReachable: isReachable(cfg, b),
      entry: classes.map((k) => entering[k][b]),
      exit: classes.map((k) => (end > start ? c.asWritten.after[k][end - 1] : entering[k][b])),
      peakWritten: classes.map((k) => most(c.asWritten.during[k])),
      peakCompiled: classes.map((k) => most(c.asCompiled.during[k])),
      spillStores: stores[b],
      spillLoads: loads[b],
      stallCycles: stalls[b],
      notes: s.target.display?.ofBlock?.(c, b, lineOf) ?? [],
    });
  }
  return blocks;
}

/** Units of each class that hold a value before the first instruction of each block reads. */
const liveOnEntry = (c: Compilation, bars: Bars): Int32Array[] =>
  unitsAtPoints(c, bars).map((units) =>
    Int32Array.from({ length: c.source.blockCount }, (_, b) => Math.ceil(units[2 * c.source.blockStart[b]])),
  );

/** Stores, reloads and waiting cycles by block. */
function costsOf(c: Compilation): { stores: Int32Array; loads: Int32Array; stalls: Int32Array } {
  const f = c.source;
  const stores = new Int32Array(f.blockCount);
  const loads = new Int32Array(f.blockCount);
  const stalls = new Int32Array(f.blockCount);
  const add = (counts: Int32Array, instruction: number, n: number): void => {
    if (instruction >= 0 && instruction < f.instructionCount) counts[blockOf(f, instruction)] += n;
  };
  for (const spill of c.spills) {
    for (const i of spill.stores) add(stores, i, 1);
    for (const i of spill.reloads) add(loads, i, 1);
  }
  for (const { instruction, cycles } of c.stalls) add(stalls, instruction, cycles);
  return { stores, loads, stalls };
}

function edgesView(f: Function): EdgeView[] {
  const edges: EdgeView[] = [];
  for (let from = 0; from < f.blockCount; from++) {
    const first = f.successorStart[from];
    for (let e = first; e < f.successorStart[from + 1]; e++) {
      const to = f.successors[e];
      const isBack = closesLoop(f, from, to);
      edges.push({ from, to, kind: e === first && fallsThrough(f, from) ? 'fallThrough' : 'taken', isBack });
    }
  }
  return edges;
}

/** Whether the first way out of a block is the next block without a branch: a branch with one way out is always taken. */
function fallsThrough(f: Function, block: number): boolean {
  const first = f.successorStart[block];
  const ways = f.successorStart[block + 1] - first;
  if (ways === 0 || f.successors[first] !== block + 1) return false;
  const last = f.blockStart[block + 1] - 1;
  const branches = last >= f.blockStart[block] && (f.instructionFlags[last] & InstructionFlag.Branch) !== 0;
  return ways > 1 || !branches;
}
