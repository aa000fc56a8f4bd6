/** The figures of a compiled program. A word is a cycle: the machine never waits by itself. */
import type { Pressure, Spill, Stats } from '../target.js';
import { NETWORK_VALUES, type Occupancy, type ScheduledBlock } from './compilation.js';
import { REGISTER, VALUE } from './pressure.js';
import type { Sites } from './sites.js';
import type { KeptValue } from './spills.js';
import { isEmpty, isWorking } from './stalls.js';
import { storedComponents } from './sites.js';
import type { CompiledProgram, Word } from './word.js';

/** Bytes of a vector of temporary memory. */
const VECTOR_BYTES = 16;

export interface Measured {
  readonly blocks: readonly ScheduledBlock[];
  readonly code: CompiledProgram;
  readonly sites: Sites;
  readonly occupancy: Occupancy;
  readonly kept: readonly KeptValue[];
  /** To temporary memory. */
  readonly spills: readonly Spill[];
  readonly temporaries: number;
  readonly asWritten: Pressure;
  readonly asCompiled: Pressure;
}

export function statsOf(measured: Measured): Stats {
  const { blocks, code, sites, kept, spills, temporaries, asWritten, asCompiled } = measured;
  const { words } = code;
  /** A program for which no schedule was found has no figures of words, rather than zeros. */
  const hasCode = blocks.every(({ schedule }) => schedule.failed === undefined);
  const empty = words.filter(isEmpty).length;
  const idle = words.filter((word) => !isWorking(word)).length;
  const bound = boundOf(blocks);
  const sum = (of: (spill: Spill) => number): number => spills.reduce((total, spill) => total + of(spill), 0);
  return {
    instructions: sites.ofInstruction.filter((all) => all.length > 0).length,
    registers: { value: asCompiled.peak[VALUE] ?? 0, register: registersUsed(words) },
    limit: NETWORK_VALUES,
    limitedBy: 'machine',
    pressure: { asWritten: asWritten.peak[VALUE] ?? 0, asCompiled: asCompiled.peak[VALUE] ?? 0 },
    spills: {
      registers: spills.length,
      stores: sum(({ stores }) => stores.length),
      loads: sum(({ reloads }) => reloads.length),
      storeBytes: sum(({ stores, bytes }) => stores.length * bytes),
      loadBytes: sum(({ reloads, bytes }) => reloads.length * bytes),
    },
    scratchBytes: temporaries * VECTOR_BYTES,
    ...(hasCode && { cycles: words.length, stallCycles: idle }),
    more: {
      ...(hasCode && { words: words.length }),
      bound,
      ...(hasCode && bound > 0 && { ratio: Math.round((100 * words.length) / bound) / 100 }),
      peakValues: asCompiled.peak[VALUE] ?? 0,
      peakRegisters: asCompiled.peak[REGISTER] ?? 0,
      movesSpilled: kept.length,
      moves: movesIn(words),
      emptyWords: empty,
      moveWords: idle - empty,
      constants: code.constants.length,
      temporaries,
      blocks: blocks.length,
    },
  };
}

/** The bounds of the blocks add up: no word belongs to two. */
export const boundOf = (blocks: readonly ScheduledBlock[]): number =>
  blocks.reduce((sum, { bound }) => sum + bound.words, 0);

const movesIn = (words: readonly Word[]): number =>
  words.reduce(
    (sum, { units }) =>
      sum + units.filter((work) => work?.purpose === 'move' || work?.purpose === 'load').length,
    0,
  );

/** Components of the register file that the code reads or writes. */
function registersUsed(words: readonly Word[]): number {
  const used = new Set<number>();
  words.forEach((word, w) => {
    for (const { half, component } of storedComponents(word))
      if (half.kind === 'register') used.add(4 * half.vector + component);
    for (const work of word.units)
      for (const source of work?.sources ?? []) {
        if (source.from === 'reg1' && word.reg1 !== undefined) used.add(4 * word.reg1 + source.component);
        if (source.from !== 'reg0') continue;
        const port = words[w - source.distance]?.reg0;
        if (port?.kind === 'register') used.add(4 * port.vector + source.component);
      }
  });
  return used.size;
}
