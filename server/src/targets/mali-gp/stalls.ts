/**
 * Words in which nothing is computed. The machine has no interlock: where an operand is not there yet, the program
 * has a word that is empty, or that only hands values on. Which latency forces it is read off the first word behind
 * such a stretch that does something: of its operands, the one that could not have been there a word earlier.
 *
 * Distances: a result can be read in the next word; that of complex1 exactly 2 words later; a register 3 words after
 * its store, a temporary 4, an address register 4 words after it was set. Registers are not stored in a block's last
 * two words; temporaries and address registers not in its last three, since the next block may use them in its first
 * word (facts from Mesa's lima compiler).
 */
import type { Function } from '../../ir/function.js';
import { count } from '../../text/words.js';
import type { Stall } from '../target.js';
import type { ScheduledBlock } from './compilation.js';
import type { Program } from './graph.js';
import { registerName } from './places.js';
import { portReads, resultOf, storedComponents } from './sites.js';
import { Unit, UNITS, unitNames, type UnitWork, type Word } from './word.js';

/** Words from a register's store to the first that can read it; a temporary's; from setting an address register. */
const REGISTER_LATENCY = 3;
const TEMPORARY_LATENCY = 4;
const ADDRESS_LATENCY = 4;
/** Words at a block's end that store no register. */
const TAIL = 2;

/** Whether a word computes, stores or branches anything: not empty, and more than moves and loads. */
export const isWorking = (word: Word): boolean =>
  word.xy !== undefined ||
  word.zw !== undefined ||
  word.branch !== undefined ||
  word.units.some((work) => work?.purpose === 'operation');

export const isEmpty = (word: Word): boolean => word.units.every((work) => work === undefined);

/** `instructionOf`: the source instruction that stands for a word of the program. */
export function stallsOf(
  f: Function,
  graph: Program,
  blocks: readonly ScheduledBlock[],
  instructionOf: ArrayLike<number>,
): Stall[] {
  return blocks.flatMap((block) => blockStalls(f, graph, block, instructionOf));
}

function blockStalls(
  f: Function,
  graph: Program,
  block: ScheduledBlock,
  instructionOf: ArrayLike<number>,
): Stall[] {
  const { words } = block.schedule;
  const stalls: Stall[] = [];
  for (let first = 0; first < words.length; first++) {
    if (isWorking(words[first])) continue;
    let next = first + 1;
    while (next < words.length && !isWorking(words[next])) next++;
    const reason =
      (next < words.length ? reasonBefore(graph, block, first, next) : undefined) ??
      (next >= words.length - 1 ? endReason(graph, block, first, next) : undefined);
    const producer = reason?.producer ?? -1;
    // at a block's end nobody waits: it is the store that has to come so early
    const waiting =
      next < words.length ? instructionOf[block.start + next] : lastOf(block, producer, instructionOf);
    if (waiting >= 0) {
      const register = producer < 0 ? -1 : resultOf(f, producer);
      const name = register < 0 ? '' : ` of ${f.registerNames[register]}`;
      stalls.push({
        instruction: waiting,
        cycles: next - first,
        producer,
        register,
        cause: reason?.cause(name) ?? movesOnly(words.slice(first, next)),
      });
    }
    first = next;
  }
  return stalls;
}

const lastOf = (block: ScheduledBlock, producer: number, instructionOf: ArrayLike<number>): number =>
  producer >= 0 ? producer : instructionOf[block.start + block.schedule.words.length - 1];

interface Reason {
  /** Words from the producer to the earliest reader. */
  readonly latency: number;
  readonly producer: number;
  /** With ` of NAME`, or '' where the producer has no name. */
  readonly cause: (ofName: string) => string;
}

function movesOnly(words: readonly Word[]): string {
  const works = words.flatMap(({ units }) => units.filter((work) => work !== undefined));
  const moves = works.length;
  if (moves > 0 && works.every(({ purpose }) => purpose === 'load'))
    return `the next operation reads more vectors than a word has ports for, and ${count(moves, 'operand')} ${moves === 1 ? 'is' : 'are'} brought in before`;
  return moves === 0
    ? 'no operation is ready'
    : `no operation is ready, and ${count(moves, 'move')} ${moves === 1 ? 'carries' : 'carry'} values on`;
}

/** The longest latency that ends in word `next` and covers a word from `first` on. */
function reasonBefore(
  graph: Program,
  block: ScheduledBlock,
  first: number,
  next: number,
): Reason | undefined {
  const { words } = block.schedule;
  let longest: Reason | undefined;
  const consider = (reason: Reason | undefined): void => {
    if (reason !== undefined && next - reason.latency < first && reason.latency > (longest?.latency ?? 1))
      longest = reason;
  };
  for (let unit = 0; unit < UNITS; unit++)
    for (const source of words[next].units[unit]?.sources ?? []) {
      if (source.from !== 'unit') continue;
      const at = next - source.distance;
      const work = words.at(at)?.units[source.unit];
      if (work?.op === 'complex1' && at >= 0) consider(complexReason(graph, work));
    }
  for (const { source, loadedIn } of portReads(words[next], next))
    if (loadedIn === next) consider(memoryReason(block, next, source));
  return longest;
}

const complexReason = (graph: Program, { node }: UnitWork): Reason => ({
  latency: 2,
  producer: node < 0 ? -1 : graph.nodes[node].instruction,
  cause: (ofName) =>
    `waits for the special function${ofName}, whose result can be read exactly 2 words after its last step`,
});

/** A register or temporary that was stored as few words ago as is allowed. */
function memoryReason(
  { schedule: { words }, task }: ScheduledBlock,
  reader: number,
  source: ReturnType<typeof portReads>[number]['source'],
): Reason | undefined {
  const word = words[reader];
  const isTemporary = source.from === 'uniform';
  if (isTemporary && word.uniform?.kind !== 'temporary') return undefined;
  const vector = isTemporary ? portVector(word) : source.from === 'reg0' ? registerVector(word) : word.reg1;
  if (vector === undefined) return undefined;
  const latency = isTemporary ? TEMPORARY_LATENCY : REGISTER_LATENCY;
  const stored = words.at(reader - latency);
  if (reader < latency || stored === undefined) return undefined;
  const store = storedComponents(stored).find(
    ({ half, component }) =>
      half.kind === (isTemporary ? 'temporary' : 'register') &&
      half.vector === vector &&
      component === source.component,
  );
  if (store === undefined) return undefined;
  const place = 4 * vector + source.component;
  return {
    latency,
    producer: storeInstruction(task, isTemporary, place),
    cause: (ofName) =>
      `waits for the store${ofName} to ${isTemporary ? 'temporary memory' : registerName(place)}: it can be read ${latency} words later`,
  };
}

const registerVector = ({ reg0 }: Word): number | undefined =>
  reg0?.kind === 'register' ? reg0.vector : undefined;

const portVector = ({ uniform }: Word): number | undefined =>
  uniform?.kind === 'temporary' ? uniform.vector : undefined;

/** The source instruction that a block's store is for, or -1. */
const storeInstruction = (
  { block, places }: ScheduledBlock['task'],
  isTemporary: boolean,
  place: number,
): number =>
  block.stores.find(({ to }) =>
    isTemporary
      ? to.kind === 'temporary' && 4 * to.vector + to.component === place
      : to.kind === 'register' && places[to.register] === place,
  )?.instruction ?? -1;

/**
 * A block whose last words idle, or all but its branch: what stands last so far from the end that the rule which holds
 * it there explains them.
 */
function endReason(graph: Program, block: ScheduledBlock, first: number, next: number): Reason | undefined {
  return registerTail(graph, block, first) ?? temporaryTail(graph, block, first) ?? addressTail(block, next);
}

/** The word that lies `latency` words before the block's end, where the idle words begin behind it. */
function heldWord({ schedule: { words } }: ScheduledBlock, latency: number, first: number): Word | undefined {
  const at = words.length - latency;
  return at < 0 || at >= first ? undefined : words[at];
}

function registerTail(graph: Program, block: ScheduledBlock, first: number): Reason | undefined {
  const stored = heldWord(block, TAIL + 1, first);
  const store = stored && storedComponents(stored).find(({ half }) => half.kind === 'register');
  if (stored === undefined || store === undefined) return undefined;
  const place = 4 * store.half.vector + store.component;
  return {
    latency: TAIL + 1,
    producer: storeProducer(graph, block, stored, store, place),
    cause: (ofName) =>
      `follows the store${ofName} to ${registerName(place)}: no register can be stored in the last ${count(TAIL, 'word')} of a block`,
  };
}

function temporaryTail(graph: Program, block: ScheduledBlock, first: number): Reason | undefined {
  const stored = heldWord(block, TEMPORARY_LATENCY, first);
  const store = stored && storedComponents(stored).find(({ half }) => half.kind === 'temporary');
  if (stored === undefined || store === undefined) return undefined;
  const place = 4 * store.half.vector + store.component;
  return {
    latency: TEMPORARY_LATENCY,
    producer: storeProducer(graph, block, stored, store, place),
    cause: (ofName) =>
      `follows the store${ofName} to temporary memory: no temporary can be stored in the last ${count(TEMPORARY_LATENCY - 1, 'word')} of a block`,
  };
}

/** The word that sets an address register computes nothing either: it may be the first of the idle ones. */
function addressTail(block: ScheduledBlock, next: number): Reason | undefined {
  const operation = heldWord(block, ADDRESS_LATENCY, next)?.units[Unit.Complex]?.op;
  if (operation === undefined || !operation.startsWith('load_addr')) return undefined;
  const register = Number(operation.slice(-1));
  const store = block.task.block.stores.find(({ to }) => to.kind === 'address' && to.vector === register);
  return {
    latency: ADDRESS_LATENCY,
    producer: store?.instruction ?? -1,
    cause: (ofName) =>
      `follows the word that sets address register ${register}${ofName === '' ? '' : ` for the load${ofName}`}: none can be set in the last ${count(ADDRESS_LATENCY - 1, 'word')} of a block`,
  };
}

/** The instruction behind a store, be it of the source or the one whose value is put away. */
function storeProducer(
  graph: Program,
  { task }: ScheduledBlock,
  word: Word,
  { half, unit }: ReturnType<typeof storedComponents>[number],
  place: number,
): number {
  const known = storeInstruction(task, half.kind === 'temporary', place);
  const { node } = word.units[unit] ?? { node: -1 };
  return known >= 0 || node < 0 ? known : graph.nodes[node].instruction;
}

/** Units of a word that do something, as `mul0 mul, add1 mov`. */
export const workOf = (word: Word): string =>
  word.units
    .flatMap((work, unit) => (work === undefined ? [] : [`${unitNames[unit]} ${work.op}`]))
    .join(', ');
