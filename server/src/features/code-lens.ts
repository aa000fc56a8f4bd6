import type { Compilation, Target } from '../targets/target.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { CodeLens } from './data.js';
import { rangeIn } from './locate.js';
import { frameSummary, totalBytes } from './hover-frame.js';
import { peakOf } from './peak.js';
import { stackTotals } from './stack-totals.js';
import { count } from '../text/words.js';

/** The summary of each function above its name, and its stack frame beside it. A click goes to the peak, or to where the frame is made. */
export function codeLenses(s: Snapshot): CodeLens[] {
  return s.settings.codeLens ? s.units.flatMap((unit) => lensesOf(s, unit)) : [];
}

function lensesOf(s: Snapshot, unit: Unit): CodeLens[] {
  return [...summaryLens(s, unit), ...frameLens(s, unit)];
}

function frameLens(s: Snapshot, unit: Unit): CodeLens[] {
  const frame = s.language.frame?.(unit.bound);
  if (frame === undefined) return [];
  const total = stackTotals(s).get(frame.name);
  const isDeeper = total !== undefined && (total.total > total.own || total.recursion.length > 0);
  if (frame.place === '' && !isDeeper) return [];
  const parts = [frame.place === '' ? 'no frame' : frameSummary(frame)];
  if (isDeeper) parts.push(`${totalBytes(total)} with callees`);
  if (total !== undefined && total.recursion.length > 0) parts.push('recursive');
  const at = s.lines.positionAt(unit.start + (frame.madeAt ?? frame.span).start);
  return [
    {
      range: rangeIn(s, unit, frame.span),
      title: parts.join(' · '),
      command: { id: 'spillway.showPeak', arguments: [s.uri, at.line, at.character] },
    },
  ];
}

function summaryLens(s: Snapshot, unit: Unit): CodeLens[] {
  const compilation = unit.compilation;
  if (compilation === undefined) return [];
  const { nameStart, nameEnd } = compilation.source;
  const peak = peakOf(s, unit, compilation);
  return [
    {
      range: rangeIn(s, unit, { start: nameStart, end: nameEnd }),
      title: summaryIn(s, unit, compilation),
      command:
        peak === undefined
          ? undefined
          : { id: 'spillway.showPeak', arguments: [s.uri, peak.start.line, peak.start.character] },
    },
  ];
}

const limitNames = {
  registers: 'registers limit',
  sharedMemory: 'shared memory limits',
  blocks: 'the number of blocks limits',
  warps: undefined,
} as const;

const summaries = new WeakMap<Compilation, string>();

export function summaryOf({ display }: Target, c: Compilation): string {
  let summary = summaries.get(c);
  if (summary === undefined) summaries.set(c, (summary = display?.summary?.(c) ?? summarise(c)));
  return summary;
}

/** The summary; where the unit has errors it says that the figures are of what is left without them. */
export function summaryIn(s: Snapshot, unit: Unit, c: Compilation): string {
  const errors = errorsIn(unit);
  const summary = summaryOf(s.target, c);
  return errors === 0 ? summary : `${summary} · ${count(errors, 'error')} left out`;
}

/** Errors of the text: an instruction that has one is not compiled. */
export const errorsIn = ({ parsed, bound }: Unit): number => errorsAmong(parsed) + errorsAmong(bound);

const errorsAmong = ({ problems }: Unit['parsed'] | Unit['bound']): number =>
  problems.reduce((sum, { severity }) => sum + (severity === 'error' ? 1 : 0), 0);

/** `sm_90 · 40 registers (36 to 46, limit 255) · spills 0 · 48 of 64 warps, registers limit` */
function summarise({ stats, model, source }: Compilation): string {
  const limit = `limit ${stats.limit}`;
  const name = model
    .split(', ')
    .filter((part) => part !== limit)
    .join(', ');
  const [low, high] = stats.registersRange ?? [0, 0];
  const range = low === high ? '' : `${low} to ${high}, `;
  const parts = [
    name,
    `${count(stats.registers[source.classes[0].name] ?? 0, 'register')} (${range}${limit})`,
  ];
  const { spills, occupancy, scratchBytes } = stats;
  const bytes = scratchBytes !== undefined && scratchBytes > 0 ? ` (${count(scratchBytes, 'byte')})` : '';
  parts.push(`spills ${spills.registers}${bytes}`);
  if (occupancy !== undefined) {
    const why = limitNames[occupancy.limitedBy];
    parts.push(`${occupancy.warps} of ${occupancy.maxWarps} warps${why === undefined ? '' : `, ${why}`}`);
  }
  return parts.join(' · ');
}
