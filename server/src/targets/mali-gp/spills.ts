/**
 * What has no place of its own for all its life: values that leave the bypass network for a physical register, for a
 * stretch of their block, and values and cross-block registers that live in temporary memory.
 */
import type { Function } from '../../ir/function.js';
import { count } from '../../text/words.js';
import type { Spill } from '../target.js';
import { NETWORK_VALUES, type Occupancy, type ScheduledBlock } from './compilation.js';
import type { Program } from './graph.js';
import { registerName } from './places.js';
import { resultOf } from './sites.js';
import type { Relief } from './registers/relief.js';
import { UNITS } from './word.js';

/** Bytes of a value. */
const VALUE_BYTES = 4;

/** One value that the scheduler kept in a register. */
export interface KeptValue extends Spill {
  /** The source instruction that computes it (or of which it is a part). */
  readonly instruction: number;
  readonly node: number;
  readonly place: number;
  /** Words of the program. */
  readonly storeWord: number;
  readonly readWords: readonly number[];
}

/** Words for which a result can be read. */
const NETWORK_REACH = 2;

/** Moves that carry a value over so many words at the least. */
const movesFor = (distance: number): number => Math.max(0, Math.ceil(distance / NETWORK_REACH) - 1);

export function keptValues(
  f: Function,
  graph: Program,
  blocks: readonly ScheduledBlock[],
  occupancy: Occupancy,
  ownerOfWord: ArrayLike<number>,
): KeptValue[] {
  return blocks.flatMap(({ schedule, start }) =>
    schedule.spills.map((spill): KeptValue => {
      const { instruction } = graph.nodes[spill.node];
      const storeWord = start + spill.storeWord;
      const readWords = spill.readWords.map((word) => start + word);
      const last = Math.max(storeWord, ...readWords);
      const fullest = fullestWord(occupancy, storeWord, last);
      const moves = movesFor(last - storeWord);
      return {
        register: resultOf(f, instruction),
        cost: 1 + readWords.length,
        reason:
          `it is read ${count(last - storeWord, 'word')} later, and a result can be read for ${NETWORK_REACH}; ` +
          `to hand it on in the network would take ${count(moves, 'move')}, beside the ${occupancy.values[fullest]} of ${NETWORK_VALUES} values that it carries in word ${fullest}`,
        bytes: VALUE_BYTES,
        peakInstruction: Math.max(0, ownerOfWord[fullest]),
        stores: [instruction],
        reloads: readersOf(graph, schedule.words, spill.readWords, spill.place),
        instruction,
        node: spill.node,
        place: spill.place,
        storeWord,
        readWords,
      };
    }),
  );
}

function fullestWord({ values }: Occupancy, from: number, to: number): number {
  let fullest = from;
  for (let word = from; word <= to; word++) if (values[word] > values[fullest]) fullest = word;
  return fullest;
}

/** Source instructions whose operations read the place in those words (through port 0 also a word later). */
function readersOf(
  graph: Program,
  words: ScheduledBlock['schedule']['words'],
  readWords: readonly number[],
  place: number,
): number[] {
  const readers = new Set<number>();
  const component = place & 3;
  for (const w of readWords)
    for (let at = w; at < Math.min(words.length, w + 2); at++)
      for (let unit = 0; unit < UNITS; unit++) {
        const work = words[at].units[unit];
        if (work === undefined || work.node < 0) continue;
        const reads = work.sources.some(
          (source) =>
            (source.from === 'reg1' &&
              at === w &&
              words[w].reg1 === place >> 2 &&
              source.component === component) ||
            (source.from === 'reg0' &&
              at - source.distance === w &&
              words[w].reg0?.kind === 'register' &&
              words[w].reg0?.vector === place >> 2 &&
              source.component === component),
        );
        if (reads) readers.add(graph.nodes[work.node].instruction);
      }
  return [...readers].sort((a, b) => a - b);
}

/** `$3.x from word 12 to word 30`. */
export const keptWords = ({ place, storeWord, readWords }: KeptValue): string =>
  `${registerName(place)} from word ${storeWord} to word ${Math.max(...readWords)}`;

/** Spills to temporary memory, as the register allocation decided them. */
export function reliefSpills(f: Function, graph: Program, reliefs: readonly Relief[]): Spill[] {
  return reliefs
    .filter(({ remedy }) => remedy === 'spilled')
    .map(({ subject, cost, reason, bytes, peakInstruction, stores, reloads }) => ({
      register:
        subject.kind === 'register'
          ? (graph.registers.at(subject.register)?.virtual ?? -1)
          : resultOf(f, graph.nodes[subject.node].instruction),
      cost,
      reason,
      bytes,
      peakInstruction: Math.max(0, peakInstruction),
      stores,
      reloads,
    }));
}
