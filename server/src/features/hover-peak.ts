import { smallestSet, type HeldRegister } from '../passes/peak.js';
import type { Compilation } from '../targets/target.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { liveAtInstruction, type View } from './peak.js';
import { count } from '../text/words.js';

/**
 * Who is live at an instruction, longest idle first; and where most registers are needed, what to free for the next
 * occupancy step: a value that was touched long ago and is wanted much later holds a register for nothing in between.
 */
const ROWS_SHOWN = 24;

/** Whether the instruction needs most in one of the two views. */
export const isHighest = (c: Compilation, at: number): boolean =>
  c.asCompiled.peakAt[0] === at || c.asWritten.peakAt[0] === at;

/** Who is live while an instruction of the compiled program executes. */
export function liveText(s: Snapshot, unit: Unit, c: Compilation, at: number): string {
  if (isHighest(c, at)) return peakText(s, unit, c, at);
  const { name, classes } = c.source;
  const [compiled, written] = [c.asCompiled.during[0][at], c.asWritten.during[0][at]];
  return [
    `**Pressure** in \`${name}\`, in ${classes[0].unit}s: ${compiled} as compiled, ${written} as written`,
    ...liveTable(s, unit, c, liveAtInstruction(s, c, at, 'asCompiled')),
    ...fixedText(s, c, at),
    modelText(c),
  ].join('\n\n');
}

export function peakText(s: Snapshot, unit: Unit, c: Compilation, at: number): string {
  const view: View = c.asCompiled.peakAt[0] === at ? 'asCompiled' : 'asWritten';
  const live = liveAtInstruction(s, c, at, view);
  const { unit: unitName } = c.source.classes[0];
  return [
    `**Peak** of \`${c.source.name}\`, in ${unitName}s: ${peakWords(c, at)}`,
    ...liveTable(s, unit, c, live),
    ...fixedText(s, c, at),
    ...(view === 'asCompiled' ? nextStepText(c, at, live) : []),
    modelText(c),
  ].join('\n\n');
}

const modelText = (c: Compilation): string =>
  `*${c.model}*; idle: instructions between the mentions around this one`;

/** Nothing where nobody is live. */
function liveTable(s: Snapshot, unit: Unit, c: Compilation, live: readonly HeldRegister[]): string[] {
  if (live.length === 0) return [];
  const line = (instruction: number): string =>
    instruction < 0 ? '–' : `${s.lines.lineAt(unit.start + c.source.spanStart[instruction]) + 1}`;
  const rows = live
    .slice(0, ROWS_SHOWN)
    .map(
      (r) =>
        `| \`${c.source.registerNames[r.register]}\` | ${r.width} | ${line(r.definition)} | ${line(r.lastUse)} | ${line(r.nextUse)} | ${r.idle} |`,
    );
  const rest = live.length > ROWS_SHOWN ? [`\n… and ${live.length - ROWS_SHOWN} more, used sooner`] : [];
  return [
    [
      '| Live here | size | written in line | last read | next read | idle for |',
      '|---|--:|--:|--:|--:|--:|',
      ...rows,
      ...rest,
    ].join('\n'),
  ];
}

/** What the machine holds beside them: a payload, or registers of a program that is in hardware registers. */
function fixedText({ target }: Snapshot, c: Compilation, at: number): string[] {
  const held = (target.display?.holders?.(c).fixed ?? []).filter(
    ({ registerClass, from, to }) =>
      registerClass === 0 && from.some((point, k) => point <= 2 * at + 1 && to[k] > 2 * at),
  );
  if (held.length === 0) return [];
  const units = held.reduce((sum, { width }) => sum + width, 0);
  return [`Held as written, without a virtual register: ${listed(held.map(({ name }) => name))} (${units})`];
}

function peakWords(c: Compilation, at: number): string {
  const figures: string[] = [];
  if (c.asCompiled.peakAt[0] === at) figures.push(`${c.asCompiled.peak[0]} as compiled`);
  if (c.asWritten.peakAt[0] === at) figures.push(`${c.asWritten.peak[0]} as written`);
  return figures.join(', ');
}

/** How many units have to go for the next occupancy step, which registers would do here, and where else it is too much. */
function nextStepText(c: Compilation, at: number, live: readonly HeldRegister[]): string[] {
  const step = c.stats.occupancy?.nextStep;
  if (step === undefined || step === null) return [];
  const { name } = c.source.classes[0];
  const used = c.stats.registers[name] ?? 0;
  const excess = used - step.registers;
  if (excess <= 0) return [];
  const chosen = smallestSet(live, excess).map((h) => `\`${c.source.registerNames[h.register]}\``);
  const goal = `${count(step.warps, 'warp')} ${step.warps === 1 ? 'needs' : 'need'} at most ${count(step.registers, `${name} register`)}, ${excess} fewer than now`;
  const here =
    chosen.length === 0
      ? 'the values that wait here are too few for that'
      : `here ${listed(chosen)} would do`;
  return [`**Next step**: ${goal}; ${here}${othersText(c, at, c.asCompiled.peak[0] - excess)}`];
}

/** Other instructions that need more than `most`. */
function othersText(c: Compilation, at: number, most: number): string {
  let others = 0;
  for (const [i, needed] of c.asCompiled.during[0].entries()) if (i !== at && needed > most) others++;
  if (others === 0) return '';
  return `; ${count(others, 'more instruction needs', 'more instructions need')} more than ${most}`;
}

const listed = (items: readonly string[]): string =>
  items.length <= 6 ? items.join(', ') : `${items.slice(0, 6).join(', ')} and ${items.length - 6} more`;
