import { blockOf, type Function } from '../ir/function.js';
import { isLiveAt } from '../passes/live-ranges.js';
import type { UnitSymbol } from '../languages/symbols.js';
import type { Compilation, Row } from '../targets/target.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { loopDepthOf, loopEntriesAt, loopHeadedBy } from './loops.js';
import { controlFlowOf } from './reaching.js';
import { count } from '../text/words.js';

/**
 * The block that a label starts: its length, the loops around it, from where it is reached, and what is live on
 * entering it, as written and as compiled.
 */
export function labelText(s: Snapshot, unit: Unit, c: Compilation, symbol: UnitSymbol): string {
  const f = c.source;
  const block = symbol.declaration === undefined ? -1 : blockBehind(f, symbol.declaration.end);
  if (block < 0) return `Ends the function: no instruction follows.\n\n*${c.model}*`;
  const line = (instruction: number): number => s.lines.lineAt(unit.start + f.spanStart[instruction]) + 1;
  const first = f.blockStart[block];
  const last = f.blockStart[block + 1] - 1;
  const rows: Row[] = [
    ['Block', `${count(last - first + 1, 'instruction')}, ${linesOf(line(first), line(last))}`],
    [
      'Loop depth',
      `${loopDepthOf(f, block)}${loopHeadedBy(f, block) ? ', head of a loop' : ''}${loopEntriesAt(f, block) > 0 ? `, one of ${loopEntriesAt(f, block)} entries of a loop` : ''}`,
    ],
    ['Reached from', predecessorsOf(f, block, line)],
    ['Live on entry as written', liveOnEntry(c, first, (r) => f.registerClass[r])],
    ['Live on entry as compiled', liveOnEntry(c, first, (r) => classAsCompiled(c, r))],
    ...(s.target.display?.ofBlock?.(c, block, line) ?? []),
  ];
  const table = ['| | |', '|---|---|', ...rows.map(([key, value]) => `| ${key} | ${value} |`)].join('\n');
  return `${table}\n\n*${c.model}*`;
}

/** The block whose first instruction is the next one behind `offset`, or -1 where no instruction follows. */
function blockBehind(f: Function, offset: number): number {
  let low = 0;
  let high = f.instructionCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (f.spanStart[middle] < offset) low = middle + 1;
    else high = middle;
  }
  return low < f.instructionCount ? blockOf(f, low) : -1;
}

const linesOf = (from: number, to: number): string => (from === to ? `line ${from}` : `lines ${from}–${to}`);

const MOST_SHOWN = 6;

function predecessorsOf(f: Function, block: number, line: (instruction: number) => number): string {
  const { predecessorStart, predecessors } = controlFlowOf(f);
  const all = Array.from(predecessors.subarray(predecessorStart[block], predecessorStart[block + 1]));
  const words = all.slice(0, MOST_SHOWN).map((p) => {
    const last = f.blockStart[p + 1] - 1;
    const way = p === block - 1 && f.successors[f.successorStart[p]] === block ? 'falls through' : 'branch';
    return last < f.blockStart[p] ? way : `line ${line(last)} (${way})`;
  });
  if (block === 0) words.unshift('the entry');
  if (words.length === 0) return 'nowhere';
  return all.length > MOST_SHOWN
    ? `${words.join(', ')} and ${all.length - MOST_SHOWN} more`
    : words.join(', ');
}

/** The class of registers that the value is in, or -1. */
function classAsCompiled({ placements }: Compilation, register: number): number {
  const place = placements[register];
  return place.kind === 'register' ? place.registerClass : -1;
}

/** Units of each class that hold a value before instruction `first` reads. O(registers log segments). */
function liveOnEntry(c: Compilation, first: number, classOf: (register: number) => number): string {
  const f = c.source;
  const units = f.classes.map(() => 0);
  for (let r = 0; r < f.registerCount; r++)
    if (classOf(r) >= 0 && isLiveAt(c.liveRanges, r, 2 * first)) units[classOf(r)] += f.registerWidth[r];
  return units.map((n, k) => count(n, f.classes[k].unit)).join(', ');
}
