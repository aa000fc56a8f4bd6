import type { Compilation, FixedRange } from '../../targets/target.js';
import { isDefinition, isUse } from '../../passes/occurrences.js';
import type { Snapshot } from '../../workspace/snapshot.js';
import { loopDepthOf } from '../loops.js';
import { registerOccurrences } from '../reaching.js';
import { barsOf, drawnClasses, type Bars } from './bars.js';
import {
  placeKinds,
  type ClassView,
  type LiveRangesView,
  type RegistersView,
  type SpillView,
} from './data.js';
import { functionView, instructionLines, type ShownFunction } from './function.js';
import { placeWords } from './place-words.js';

/**
 * The picture of live ranges: instructions downward, registers as bars, the pressure beside them. O(instructions +
 * operands + segments).
 */
export function liveRangesView(s: Snapshot, shown: ShownFunction): LiveRangesView {
  const { unit, compilation: c } = shown;
  const { source: f, stats } = c;
  const bars = barsOf(s, c);
  const classes = drawnClasses(c, bars);
  return {
    ...functionView(s, shown),
    instructions: {
      line: Array.from(instructionLines(s, shown)),
      text: instructionTexts(unit.parsed.text, c).join('\n'),
    },
    blocks: {
      start: Array.from(f.blockStart),
      name: f.blockNames,
      loopDepth: f.blockNames.map((_, block) => loopDepthOf(f, block)),
    },
    classes: classes.map((k) => classView(c, k)),
    registers: registersView(s, c, bars, classes),
    spills: c.spills.map(({ register, reason, bytes, stores, reloads }): SpillView => ({
      register,
      reason,
      bytes,
      stores: ascending(stores),
      reloads: ascending(reloads),
    })),
    limit: stats.limit,
    limitedBy: stats.limitedBy,
    occupancySteps: s.target.display?.occupancySteps?.(c) ?? [],
  };
}

const ascending = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

/** Longest text of an instruction that is sent. */
const MOST_CHARACTERS = 120;

function instructionTexts(text: string, { source: f }: Compilation): string[] {
  const texts: string[] = [];
  for (let i = 0; i < f.instructionCount; i++) {
    const start = f.spanStart[i];
    if (start < 0) texts.push(f.opcodes.text(f.opcode[i]));
    else texts.push(onOneLine(text.slice(start, Math.min(f.spanEnd[i], start + 2 * MOST_CHARACTERS))));
  }
  return texts;
}

function onOneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line;
}

function classView({ source, asWritten, asCompiled, stats }: Compilation, k: number): ClassView {
  const { name, unit } = source.classes[k];
  const used = stats.registers[name];
  return {
    name,
    unit,
    asWritten: Array.from(asWritten.during[k]),
    asCompiled: Array.from(asCompiled.during[k]),
    peakWritten: asWritten.peak[k],
    peakWrittenAt: asWritten.peakAt[k],
    peakCompiled: asCompiled.peak[k],
    peakCompiledAt: asCompiled.peakAt[k],
    ...(used !== undefined && { used }),
  };
}

function registersView(s: Snapshot, c: Compilation, bars: Bars, classes: readonly number[]): RegistersView {
  const { source: f, placements } = c;
  const { start, operand, instruction } = registerOccurrences(f);
  const { fixed } = bars;
  const numberOf = f.classes.map((_, k) => classes.indexOf(k));
  const definitionStart = [0];
  const definitions: number[] = [];
  const useStart = [0];
  const uses: number[] = [];
  for (let r = 0; r < f.registerCount; r++) {
    const firstDefinition = definitions.length;
    const firstUse = uses.length;
    for (let k = start[r]; k < start[r + 1]; k++) {
      const i = instruction[k];
      if (isDefinition(f, operand[k])) addOnce(definitions, firstDefinition, i);
      if (isUse(f, operand[k])) addOnce(uses, firstUse, i);
    }
    definitionStart.push(definitions.length);
    useStart.push(uses.length);
  }
  for (const range of fixed) {
    for (const i of range.definitions) definitions.push(i);
    for (const i of range.uses) uses.push(i);
    definitionStart.push(definitions.length);
    useStart.push(uses.length);
  }
  const { display } = s.target;
  const fixedKind = placeKinds.indexOf('fixed');
  return {
    virtualCount: bars.virtualCount,
    names: [...f.registerNames, ...fixed.map(({ name }) => name)],
    class: Array.from({ length: bars.count }, (_, r) => numberOf[bars.registerClass[r]]),
    width: Array.from({ length: bars.count }, (_, r) => bars.width[r]),
    definitionStart,
    definitions,
    useStart,
    uses,
    segmentStart: Array.from(bars.start),
    from: Array.from(bars.from),
    to: Array.from(bars.to),
    kind: [...placements.map(({ kind }) => placeKinds.indexOf(kind)), ...fixed.map(() => fixedKind)],
    index: [
      ...placements.map((place) => (place.kind === 'register' ? place.index : -1)),
      ...fixed.map(({ index }) => index),
    ],
    placeClass: [
      ...placements.map((place) => (place.kind === 'register' ? place.registerClass : -1)),
      ...fixed.map(({ registerClass }) => registerClass),
    ],
    placeClasses: f.classes.map(({ name }) => name),
    place: [
      ...placements.map((_, r) => (display?.placeOfRegister?.(c, r) ?? placeWords(c, r)).replaceAll('`', '')),
      ...fixed.map((range) => fixedWords(f, range)),
    ],
  };
}

function fixedWords({ classes }: Compilation['source'], { registerClass, index, width }: FixedRange): string {
  const { name } = classes[registerClass];
  return width > 1 ? `${name} registers ${index}–${index + width - 1}` : `${name} register ${index}`;
}

function addOnce(list: number[], first: number, value: number): void {
  if (list.length === first || list[list.length - 1] !== value) list.push(value);
}
