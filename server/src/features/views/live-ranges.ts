import type { Compilation } from '../../targets/target.js';
import { isDefinition, isUse } from '../../passes/occurrences.js';
import type { Snapshot } from '../../workspace/snapshot.js';
import { classesOf } from '../live-table.js';
import { loopDepthOf } from '../loops.js';
import { registerOccurrences } from '../reaching.js';
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
  const classes = classesOf(c);
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
    registers: registersView(s, c, classes),
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

function registersView(s: Snapshot, c: Compilation, classes: readonly number[]): RegistersView {
  const { source: f, liveRanges, placements } = c;
  const { start, operand, instruction } = registerOccurrences(f);
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
  const { display } = s.target;
  return {
    names: f.registerNames,
    class: Array.from(f.registerClass.subarray(0, f.registerCount), (k) => numberOf[k]),
    width: Array.from(f.registerWidth.subarray(0, f.registerCount)),
    definitionStart,
    definitions,
    useStart,
    uses,
    segmentStart: Array.from(liveRanges.registerStart),
    from: Array.from(liveRanges.segmentFrom),
    to: Array.from(liveRanges.segmentTo),
    kind: placements.map(({ kind }) => placeKinds.indexOf(kind)),
    index: placements.map((place) => (place.kind === 'register' ? place.index : -1)),
    placeClass: placements.map((place) => (place.kind === 'register' ? place.registerClass : -1)),
    placeClasses: f.classes.map(({ name }) => name),
    place: placements.map((_, r) =>
      (display?.placeOfRegister?.(c, r) ?? placeWords(c, r)).replaceAll('`', ''),
    ),
  };
}

function addOnce(list: number[], first: number, value: number): void {
  if (list.length === first || list[list.length - 1] !== value) list.push(value);
}
