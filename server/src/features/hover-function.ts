import type { Compilation, Row } from '../targets/target.js';
import { classesOf } from './live-table.js';
import type { Snapshot } from '../workspace/snapshot.js';
import { count, wordsOf } from '../text/words.js';

/** The figures of one function as a table, its model below. What the target does not know has no row. */
export function summaryTable(s: Snapshot, c: Compilation): string {
  const { stats, source } = c;
  const rows: Row[] = [
    ['Instructions', `${stats.instructions}`],
    ...classesOf(c).map((n): Row => {
      const k = source.classes[n];
      return [
        k.isCountedByUnit === true ? `${capitalised(k.unit)}s` : `Registers, ${k.name}`,
        `${stats.registers[k.name] ?? 0}${k === source.classes[0] ? `, limit ${stats.limit} (${stats.limitedBy})` : ''}`,
      ];
    }),
    ...rangeRow(c),
    ['Peak as written', `${stats.pressure.asWritten}`],
    ['Peak as compiled', `${stats.pressure.asCompiled}`],
    ['Spilled', spilled(c)],
  ];
  if (stats.frameBytes !== undefined && stats.frameBytes > 0)
    rows.push(['Stack frame', count(stats.frameBytes, 'byte')]);
  if (stats.scratchBytes !== undefined && stats.scratchBytes > 0)
    rows.push(['Spill slots', `${count(stats.scratchBytes, 'byte')} a thread`]);
  if (stats.cycles !== undefined)
    rows.push([
      `Issue cycles, ${s.target.display?.cyclesNote ?? 'each block once'}`,
      `${stats.cycles}, of them stalled ${stats.stallCycles ?? 0}`,
    ]);
  const { occupancy } = stats;
  if (occupancy !== undefined) {
    const assumed = occupancy.threadsAssumed ? ', assumed' : '';
    rows.push([
      'Occupancy',
      `${occupancy.warps} of ${occupancy.maxWarps} warps (${count(occupancy.threads, 'thread')} a block${assumed})`,
    ]);
    if (occupancy.warps < occupancy.maxWarps) rows.push(['Limited by', limitWords[occupancy.limitedBy]]);
    if (occupancy.nextStep !== null)
      rows.push([
        'Next step',
        `${count(occupancy.nextStep.warps, 'warp')} with at most ${count(occupancy.nextStep.registers, 'register')}`,
      ]);
  }
  rows.push(...(s.target.display?.ofFunction?.(c) ?? furtherFigures(c)));
  const table = [`| | *${c.model}* |`, '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)];
  return [...table, ...assumed(c)].join('\n');
}

/** Where the real compiler's number lies for most functions like this one. */
function rangeRow({ stats: { registersRange } }: Compilation): Row[] {
  if (registersRange === undefined) return [];
  const [low, high] = registersRange;
  return [['Expected', low === high ? `${low}` : `${low} to ${high} in nine of ten such functions`]];
}

/** What the figures suppose, as a list behind the table. */
function assumed({ assumptions = [] }: Compilation): string[] {
  return assumptions.length === 0 ? [] : ['', 'Assumed:', ...assumptions.map((what) => `- ${what}`)];
}

const furtherFigures = ({ stats }: Compilation): Row[] =>
  Object.entries(stats.more ?? {}).map(([name, value]) => [capitalised(wordsOf(name)), `${value}`]);

const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const limitWords = {
  registers: 'registers',
  sharedMemory: 'shared memory',
  blocks: 'blocks an SM',
  warps: 'warps',
} as const;

function spilled({ stats: { spills } }: Compilation): string {
  if (spills.registers === 0) return '0';
  return `${spills.registers} (${count(spills.stores, 'store')}, ${count(spills.loads, 'reload')}, ${count(spills.storeBytes + spills.loadBytes, 'byte')})`;
}
