/**
 * Pressure at the source's instructions, as compiled: values in the bypass network (class `value`) and components of
 * the register file (class `register`), by the words that an instruction stands for.
 */
import type { Function } from '../../ir/function.js';
import type { Pressure } from '../target.js';
import type { Occupancy } from './compilation.js';
import type { Sites } from './sites.js';

/** Register classes of a gpir function. */
export const VALUE = 0;
export const REGISTER = 1;

/**
 * `after` an instruction: what is held after the word in which it has its result, or its effect; 0 where it left no
 * trace in the code. `during`: the most that is held after any of the words that it stands for (`ownerOfWord`), so that the highest is that of
 * the whole program.
 */
export function compiledPressure(f: Function, sites: Sites, { values, registers }: Occupancy): Pressure {
  const after = f.classes.map(() => new Uint16Array(f.instructionCount));
  const during = f.classes.map(() => new Uint16Array(f.instructionCount));
  sites.ofInstruction.forEach((all, i) => {
    const result = resultWord(all);
    if (result < 0) return;
    after[VALUE][i] = during[VALUE][i] = values[result];
    after[REGISTER][i] = during[REGISTER][i] = registers[result];
  });
  sites.ownerOfWord.forEach((owner, word) => {
    if (owner < 0) return;
    during[VALUE][owner] = Math.max(during[VALUE][owner], values[word]);
    during[REGISTER][owner] = Math.max(during[REGISTER][owner], registers[word]);
  });
  const peak: number[] = [];
  const peakAt: number[] = [];
  for (const counts of during) {
    let at = counts.length > 0 ? 0 : -1;
    counts.forEach((count, i) => {
      if (count > counts[at]) at = i;
    });
    peakAt.push(at);
    peak.push(at < 0 ? 0 : counts[at]);
  }
  return { after, during, peak, peakAt };
}

/** The last word that computes it, else the first that stores, loads or branches; -1 without any. */
export function resultWord(sites: Sites['ofInstruction'][number]): number {
  const computed = sites.findLast(({ role }) => role === 'operation');
  return (computed ?? sites.at(0))?.word ?? -1;
}
