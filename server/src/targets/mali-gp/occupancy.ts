/**
 * What is in flight after each word: results in the bypass network (6 of the word itself, 5 of the one before, of
 * which COMPLEX is none), and components of the register file whose value some path still reads.
 */
import type { Occupancy, ScheduledBlock } from './compilation.js';
import { REGISTER_COMPONENTS, type Program } from './graph.js';
import { portReads, storedComponents } from './sites.js';
import { UNITS, type Word } from './word.js';

export function occupancyOf(graph: Program, blocks: readonly ScheduledBlock[], words: number): Occupancy {
  const values = new Uint8Array(words);
  for (const { start, schedule } of blocks)
    countValues(schedule.words, values.subarray(start, start + schedule.words.length));
  return { values, registers: liveRegisters(graph, blocks, words) };
}

function countValues(words: readonly Word[], values: Uint8Array): void {
  const reach = reachOf(words);
  for (let w = 0; w < words.length; w++)
    for (let unit = 0; unit < UNITS; unit++) {
      if (reach[UNITS * w + unit] > 0) values[w]++;
      if (reach[UNITS * w + unit] > 1) values[w + 1]++;
    }
}

/** By `UNITS * word + unit`: how many words later the unit's result is read at the latest: 0 (never), 1 or 2. */
export function reachOf(words: readonly Word[]): Uint8Array {
  const reach = new Uint8Array(UNITS * words.length);
  words.forEach(({ units }, w) => {
    for (const work of units)
      for (const source of work?.sources ?? []) {
        if (source.from !== 'unit' || source.distance > w) continue;
        const at = UNITS * (w - source.distance) + source.unit;
        reach[at] = Math.max(reach[at], source.distance);
      }
  });
  return reach;
}

/** Backward over the words, blocks until nothing changes. A set is one byte a component. */
function liveRegisters(graph: Program, blocks: readonly ScheduledBlock[], words: number): Uint8Array {
  const liveAfter = new Uint8Array(words);
  const entry = blocks.map(() => new Uint8Array(REGISTER_COMPONENTS));
  const handedOver = new Uint8Array(REGISTER_COMPONENTS);
  const places = blocks.at(0)?.task.places;
  if (places !== undefined)
    graph.registers.forEach(({ isLiveOut }, register) => {
      if (isLiveOut && places[register] >= 0) handedOver[places[register]] = 1;
    });
  const isLive = new Uint8Array(REGISTER_COMPONENTS);
  for (let changed = true; changed;) {
    changed = false;
    for (let b = blocks.length - 1; b >= 0; b--) {
      const { task, schedule, start } = blocks[b];
      const { branch } = task.block;
      isLive.fill(0);
      if (branch !== undefined) merge(isLive, entry.at(branch.target) ?? handedOver);
      if (branch === undefined || branch.condition !== undefined)
        merge(isLive, entry.at(b + 1) ?? handedOver);
      for (let w = schedule.words.length - 1; w >= 0; w--) {
        liveAfter[start + w] = isLive.reduce((sum, live) => sum + live, 0);
        for (const { half, component } of storedComponents(schedule.words[w]))
          if (half.kind === 'register') isLive[4 * half.vector + component] = 0;
        for (const place of registerReads(schedule.words, w)) isLive[place] = 1;
      }
      if (isLive.some((live, place) => live > entry[b][place])) {
        merge(entry[b], isLive);
        changed = true;
      }
    }
  }
  return liveAfter;
}

function merge(into: Uint8Array, from: Uint8Array): void {
  for (let place = 0; place < into.length; place++) into[place] |= from[place];
}

/** Places that the ports of word `w` load for readers in this word and, through port 0, in the next. */
function* registerReads(words: readonly Word[], w: number): Generator<number> {
  for (let reader = w; reader < Math.min(words.length, w + 2); reader++)
    for (const { source, loadedIn } of portReads(words[reader], reader)) {
      if (loadedIn !== w) continue;
      const { reg0, reg1 } = words[w];
      if (source.from === 'reg0' && reg0?.kind === 'register') yield 4 * reg0.vector + source.component;
      if (source.from === 'reg1' && reg1 !== undefined) yield 4 * reg1 + source.component;
    }
}
