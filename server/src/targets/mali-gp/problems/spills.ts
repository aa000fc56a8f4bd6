/**
 * Values and registers that could not stay where they would cost nothing: over the 11 values of the bypass network
 * into a register, over the 64 components of the register file into temporary memory.
 */
import type { Problem, RelatedPlace } from '../../../text/problem.js';
import { count } from '../../../text/words.js';
import type { Spill } from '../../target.js';
import { NETWORK_VALUES, type ScheduledBlock } from '../compilation.js';
import { REGISTER_COMPONENTS } from '../graph.js';
import { reachOf } from '../occupancy.js';
import { keptWords, type KeptValue } from '../spills.js';
import { UNITS } from '../word.js';
import type { Compiled } from './index.js';
import { blockSpan, instructionSpan, nameSpan, resultSpan, valueName } from './spans.js';

/** Values of a program whose waiting is shown, the longest; ordinary programs have some everywhere. */
const MOST_KEPT = 6;
/** The same of those in temporary memory, which ordinary programs do not have. */
const MOST_TEMPORARIES = 32;
const MOST_READERS = 8;

export const spillProblems = (c: Compiled): Problem[] => [
  ...valueProblems(c),
  ...registerProblems(c),
  ...longestKept(c).map((value) => keptProblem(c, value)),
  ...temporariesOf(c)
    .slice(0, MOST_TEMPORARIES)
    .map((spill) => temporaryProblem(c, spill)),
];

const longestKept = ({ kept }: Compiled): KeptValue[] =>
  kept
    .map((value) => ({ value, wait: Math.max(...value.readWords) - value.storeWord }))
    .sort((a, b) => b.wait - a.wait || a.value.instruction - b.value.instruction)
    .slice(0, MOST_KEPT)
    .map(({ value }) => value);

const temporariesOf = ({ spills, kept }: Compiled): Spill[] => {
  const inRegisters = new Set<Spill>(kept);
  return spills.filter((spill) => !inRegisters.has(spill));
};

/** A block in which more values live at once than the network carries, at the fullest word. */
function valueProblems(c: Compiled): Problem[] {
  return c.blocks.flatMap((block): Problem[] => {
    const { word, alive, waiting } = fullestMoment(block);
    if (alive <= NETWORK_VALUES) return [];
    const at = c.sites.ownerOfWord[block.start + word];
    const here = new Set(waiting);
    return [
      {
        code: 'pressure/values',
        severity: 'hint',
        span: at < 0 ? nameSpan(c.source) : instructionSpan(c.source, at),
        message:
          `${alive} values of the block live after word ${block.start + word}, and the bypass network holds ${NETWORK_VALUES} (${c.model}, as compiled): ` +
          `${count(waiting.length, 'value waits', 'values wait')} in registers`,
        related: c.kept
          .filter((value) => here.has(value.node))
          .slice(0, MOST_READERS)
          .map((value) => ({
            span: resultSpan(c.source, value.instruction),
            message: `${valueName(c.source, value.instruction)} waits in ${keptWords(value)}`,
          })),
      },
    ];
  });
}

interface Moment {
  /** Word of the block. */
  readonly word: number;
  /** Values in the network or in a register that only waits for their readers. */
  readonly alive: number;
  /** Nodes that are in registers. */
  readonly waiting: readonly number[];
}

/** The word after which most values of a block live. O(words + spills), with 11 results in flight at most. */
function fullestMoment({ schedule: { words, spills } }: ScheduledBlock): Moment {
  const reach = reachOf(words);
  const begins = words.map((): number[] => []);
  const ends = words.map((): number[] => []);
  for (const { node, storeWord, readWords } of spills) {
    begins[storeWord].push(node);
    ends[Math.max(storeWord, ...readWords)].push(node);
  }
  const waiting = new Set<number>();
  let fullest: Moment = { word: 0, alive: 0, waiting: [] };
  for (let w = 0; w < words.length; w++) {
    for (const node of begins[w]) waiting.add(node);
    for (const node of ends[w]) waiting.delete(node);
    const moving = new Set<number>();
    for (let back = 0; back <= Math.min(1, w); back++)
      words[w - back].units.forEach((work, unit) => {
        const isRead = reach[UNITS * (w - back) + unit] > back;
        if (work !== undefined && work.node >= 0 && isRead && !waiting.has(work.node)) moving.add(work.node);
      });
    const alive = waiting.size + moving.size;
    if (alive > fullest.alive) fullest = { word: w, alive, waiting: [...waiting] };
  }
  return fullest;
}

/** More cross-block registers than there are. */
function registerProblems(c: Compiled): Problem[] {
  const { reliefs } = c.parts.allocation;
  const relieved = reliefs.filter(({ subject }) => subject.kind === 'register');
  if (relieved.length === 0) return [];
  const number = (remedy: string): number => relieved.filter((relief) => relief.remedy === remedy).length;
  const words = [
    ['reloaded', 'loaded again where they are read'],
    ['recomputed', 'computed again'],
    ['spilled', 'kept in temporary memory'],
  ] as const;
  const at = relieved.find(({ peakInstruction }) => peakInstruction >= 0)?.peakInstruction ?? -1;
  return [
    {
      code: 'pressure/registers',
      severity: number('spilled') > 0 ? 'information' : 'hint',
      span: at < 0 ? blockSpan(c, 0) : instructionSpan(c.source, at),
      message:
        `more registers live from block to block here than the ${REGISTER_COMPONENTS} components of the register file hold (${c.model}): ` +
        words
          .filter(([remedy]) => number(remedy) > 0)
          .map(([remedy, what]) => `${number(remedy)} ${what}`)
          .join(', '),
    },
  ];
}

function keptProblem(c: Compiled, value: KeptValue): Problem {
  const { source: f, model } = c;
  const name = valueName(f, value.instruction);
  return {
    code: 'spill/value',
    severity: 'hint',
    span: resultSpan(f, value.instruction),
    message: `${name} waits in ${keptWords(value)} (${model}): ${value.reason}`,
    related: [
      { span: instructionSpan(f, value.peakInstruction), message: 'most values are held here meanwhile' },
      ...readersOf(c, value.reloads, `${name} is read from the register here`),
    ],
  };
}

function temporaryProblem(c: Compiled, spill: Spill): Problem {
  const { source: f, model } = c;
  const home = spill.stores.at(0) ?? spill.peakInstruction;
  const name = spill.register >= 0 ? f.registerNames[spill.register] : valueName(f, home);
  return {
    code: 'spill/temporary',
    severity: 'information',
    span: resultSpan(f, home),
    message: `${name} lives in temporary memory, with ${count(spill.stores.length, 'store')} and ${count(spill.reloads.length, 'reload')} (${model}): ${spill.reason}`,
    related: [
      { span: instructionSpan(f, spill.peakInstruction), message: 'the pressure that it had to give way to' },
      ...readersOf(c, spill.reloads, `${name} is loaded from temporary memory for this`),
    ],
  };
}

const readersOf = ({ source }: Compiled, instructions: readonly number[], message: string): RelatedPlace[] =>
  instructions.slice(0, MOST_READERS).map((i) => ({ span: instructionSpan(source, i), message }));
