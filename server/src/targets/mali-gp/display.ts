/** What a person is shown of a compiled program in the machine's own terms: words, slots, values in flight. */
import { occurrencesOf, isUse } from '../../passes/occurrences.js';
import { count } from '../../text/words.js';
import type { Display, LineOf, Row } from '../target.js';
import { NETWORK_VALUES, type GpCompilation, type ScheduledBlock } from './compilation.js';
import { reachOf } from './occupancy.js';
import { registerName } from './places.js';
import { resultWord } from './pressure.js';
import { boundWords, usageWords } from './problems/units.js';
import { resultOf, type Role, type Site } from './sites.js';
import { keptWords } from './spills.js';
import { workOf } from './stalls.js';
import { UNITS, WORD_LIMIT } from './word.js';

export const display: Display<GpCompilation> = {
  summary,
  place: (c, instruction) => placeLabel(c.sites.ofInstruction[instruction]),
  placeOfRegister,
  isTerse: true,
  ofRegister,
  ofInstruction,
  ofBlock,
  ofFunction,
  heldAt,
  stallNote: 'every word is a cycle',
  minimumStall: 1,
};

/** `lit_cube: 40 words · bound 36 · peak 9/11 values · 3 registers · 2 moves spilled` */
function summary({ source, stats, kept, parts }: GpCompilation): string {
  const words = stats.cycles;
  const { temporaries } = parts.allocation;
  return [
    `${source.name}: ${words === undefined ? 'no program' : count(words, 'word')}${words !== undefined && words > WORD_LIMIT ? ` of ${WORD_LIMIT}` : ''}`,
    `bound ${String(stats.more?.['bound'])}`,
    `peak ${stats.pressure.asCompiled}/${NETWORK_VALUES} values`,
    count(stats.registers['register'] ?? 0, 'register'),
    `${count(kept.length, 'move')} spilled`,
    ...(temporaries > 0 ? [count(temporaries, 'temporary vector')] : []),
  ].join(' · ');
}

/** `w12 mul0`; of several words the first and the last that compute it. */
function placeLabel(sites: readonly Site[]): string | undefined {
  const chosen = sites.filter(({ role }) => role === 'operation');
  const shown = chosen.length > 0 ? chosen : sites;
  const first = shown.at(0);
  const last = chosen.at(-1) ?? first;
  if (first === undefined || last === undefined) return undefined;
  const words = first.word === last.word ? `w${first.word}` : `w${first.word}–${last.word}`;
  const further = chosen.length > 0 ? 0 : new Set(shown.map(({ word }) => word)).size - 1;
  return `${words} ${last.slot}${further > 0 ? ` +${further}` : ''}`;
}

const MOST_SHOWN = 8;

const listed = (items: readonly string[]): string =>
  items.length <= MOST_SHOWN
    ? items.join(', ')
    : `${items.slice(0, MOST_SHOWN).join(', ')} and ${items.length - MOST_SHOWN} more`;

const roleNames: readonly (readonly [Role, string])[] = [
  ['load', 'Loaded'],
  ['operation', 'Computed'],
  ['move', 'Moved on'],
  ['keep', 'Kept'],
  ['reload', 'Taken back'],
  ['store', 'Stored'],
  ['branch', 'Branches'],
];

const siteRows = (sites: readonly Site[]): Row[] =>
  roleNames.flatMap(([role, name]): Row[] => {
    const mine = sites.filter((site) => site.role === role);
    return mine.length === 0 ? [] : [[name, listed(mine.map(({ word, slot }) => `w${word} ${slot}`))]];
  });

/** `$0.x` as the listing writes it; and of a value that only its negative stands for, that it does. */
function placeOfRegister(c: GpCompilation, register: number): string | undefined {
  const placement = c.placements[register];
  if (placement.kind === 'register') return registerName(placement.index);
  const isComputed = placement.kind === 'absorbed' && definedIn(c, register).some((i) => isOwnNode(c, i));
  return isComputed ? 'none: its negative goes from unit to unit' : undefined;
}

/** Whether the program computes something for an instruction itself, and not only for its readers. */
const isOwnNode = ({ sites }: GpCompilation, instruction: number): boolean =>
  sites.ofInstruction[instruction].some(({ role }) => role === 'operation');

function definedIn({ source: f }: GpCompilation, register: number): number[] {
  const { start, operand, instruction } = occurrencesOf(f);
  const found: number[] = [];
  for (let k = start[register]; k < start[register + 1]; k++)
    if (!isUse(f, operand[k])) found.push(instruction[k]);
  return found;
}

function ofRegister(c: GpCompilation, register: number, line: LineOf): readonly Row[] {
  const f = c.source;
  const { start, operand, instruction } = occurrencesOf(f);
  const definitions = new Set<number>();
  const readers: string[] = [];
  for (let k = start[register]; k < start[register + 1]; k++) {
    const i = instruction[k];
    if (!isUse(f, operand[k])) definitions.add(i);
    else readers.push(`line ${line(i)}${suffix(placeLabel(c.sites.ofInstruction[i]))}`);
  }
  const sites = [...definitions].flatMap((i) => c.sites.ofInstruction[i]);
  const kept = c.kept.filter((value) => value.register === register);
  return [
    ...siteRows(sites),
    ...kept.map((value): Row => ['Waits in', keptWords(value)]),
    ...(readers.length === 0 ? [] : [['Readers', listed([...new Set(readers)])] as const]),
  ];
}

const suffix = (label: string | undefined): string => (label === undefined ? '' : ` (${label})`);

function ofInstruction(c: GpCompilation, instruction: number): readonly Row[] {
  const sites = c.sites.ofInstruction[instruction];
  const word = resultWord(sites);
  if (word < 0) return [['Code', noCode(c, instruction)]];
  const held = heldAfter(c, word);
  const values = `${c.occupancy.values[word]} of ${NETWORK_VALUES} values`;
  const registers = count(c.occupancy.registers[word], 'register');
  const named = held.map((r) => `\`${c.source.registerNames[r]}\``);
  return [
    ...siteRows(sites),
    [`Word ${word}`, workOf(c.code.words[word])],
    [`Held after word ${word}`, `${values}${named.length === 0 ? '' : ` (${listed(named)})`}, ${registers}`],
  ];
}

function noCode({ source, placements }: GpCompilation, instruction: number): string {
  const register = resultOf(source, instruction);
  const kind = register < 0 ? undefined : placements[register].kind;
  if (kind === 'absorbed') return 'none: its readers do its work';
  if (kind === 'unused') return 'none: nothing reads it';
  return 'none';
}

function ofBlock(c: GpCompilation, block: number): readonly Row[] {
  const scheduled = c.blocks.find(({ task }) => task.block.sources.includes(block));
  return scheduled === undefined ? [['Words', 'none']] : blockRows(scheduled);
}

function blockRows({ schedule, start, bound, task }: ScheduledBlock): Row[] {
  const { length } = schedule.words;
  const joined =
    task.block.sources.length > 1 ? ` (with ${count(task.block.sources.length - 1, 'further block')})` : '';
  return [
    ['Words', length === 0 ? 'none' : `${length}, w${start} to w${start + length - 1}${joined}`],
    ['Bound', boundWords(bound)],
    ['In use', usageWords({ schedule })],
    ['Values in registers', `${schedule.spills.length}`],
  ];
}

function ofFunction(c: GpCompilation): readonly Row[] {
  const { more = {}, cycles = 0, stallCycles = 0 } = c.stats;
  const only = c.blocks.length === 1 ? blockRows(c.blocks[0]).slice(1) : [];
  return [
    ['Words', `${cycles} of ${WORD_LIMIT}, at least ${String(more['bound'])}`],
    ['Words without an operation', `${stallCycles}, of them ${String(more['emptyWords'])} empty`],
    ['Moves', String(more['moves'])],
    ['Constants in uniform space', String(more['constants'])],
    ...only,
  ];
}

/** Registers of the source whose values are in the network after a word. */
function heldAfter(c: GpCompilation, word: number): number[] {
  const block = c.blocks.findLast(({ start, schedule }) => start <= word && schedule.words.length > 0);
  if (block === undefined) return [];
  const held = new Set<number>();
  const reach = reachOf(block.schedule.words);
  for (const distance of [1, 2]) {
    const w = word - block.start - distance + 1;
    if (w < 0) continue;
    block.schedule.words[w].units.forEach((work, unit) => {
      if (work === undefined || work.node < 0 || reach[UNITS * w + unit] < distance) return;
      const register = resultOf(c.source, c.graph.nodes[work.node].instruction);
      if (register >= 0) held.add(register);
    });
  }
  return [...held].sort((a, b) => a - b);
}

function heldAt(c: GpCompilation, instruction: number): readonly number[] {
  let fullest = -1;
  c.sites.ownerOfWord.forEach((owner, word) => {
    if (owner === instruction && (fullest < 0 || c.occupancy.values[word] > c.occupancy.values[fullest]))
      fullest = word;
  });
  if (fullest < 0) fullest = resultWord(c.sites.ofInstruction[instruction]);
  return fullest < 0 ? [] : heldAfter(c, fullest);
}
