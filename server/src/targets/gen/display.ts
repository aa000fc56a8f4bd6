/** What a person is shown of a compiled Gen program: the strategy that won, registers, scratch traffic, cycles. */
import { count } from '../../text/words.js';
import type { Display, LineOf, Row } from '../target.js';
import type { SpilledRegister } from './allocation.js';
import type { GenCompilation } from './compilation.js';
import { holders } from './holders.js';
import { maskText } from './text.js';
import { ownersOf } from './pressure.js';
import { reasonText } from './problems.js';
import { GRF_BYTES } from './program.js';

export const display: Display<GenCompilation> = {
  summary,
  place,
  placeOfRegister,
  ofRegister,
  ofInstruction,
  ofFunction,
  holders,
  lanes: ({ code, program }) => (code ?? program).width,
  cyclesNote: 'loops ten times',
  stallNote: 'if no other thread runs',
};

/** `v_light: best · 118/128 GRF · 3 spilled (6 stores, 9 reloads, 1024 B scratch) · 4210 cycles (hsw)` */
function summary({ source, stats, code, program }: GenCompilation): string {
  const { spills, scratchBytes = 0, cycles } = stats;
  const traffic = [
    ...(spills.stores > 0 ? [count(spills.stores, 'store')] : []),
    ...(spills.loads > 0 ? [count(spills.loads, 'reload')] : []),
    ...(scratchBytes > 0 ? [`${scratchBytes} B scratch`] : []),
  ];
  const spilled =
    spills.registers > 0 || traffic.length > 0
      ? `${spills.registers} spilled${traffic.length > 0 ? ` (${traffic.join(', ')})` : ''}`
      : 'no spills';
  const figures =
    code === undefined
      ? [`${stats.pressure.asWritten}/${stats.limit} GRF as written`, 'no program']
      : [
          `${stats.registers.general ?? 0}/${stats.limit} GRF`,
          spilled,
          `${cycles ?? 0} cycles (${program.platform.name})`,
        ];
  return [`${source.name}: ${strategyText(stats.more)}`, ...figures].join(' · ');
}

const strategyText = (more: GenCompilation['stats']['more']): string => {
  const [entry, model] = [String(more?.strategy), String(more?.backEnd)];
  return entry === model || entry === 'none' || entry === 'as given' ? entry : `${model} ${entry}`;
};

/** Instructions of the code that stand for one of the source: its own, reloads before, stores behind. */
interface Sites {
  readonly own: readonly number[];
  readonly added: readonly number[];
}

const memo = new WeakMap<GenCompilation, readonly Sites[]>();

function sitesOf(compilation: GenCompilation): readonly Sites[] {
  const known = memo.get(compilation);
  if (known !== undefined) return known;
  const sites = Array.from({ length: compilation.source.instructionCount }, () => ({
    own: [] as number[],
    added: [] as number[],
  }));
  const { code } = compilation;
  if (code !== undefined)
    ownersOf(code).forEach((owner, i) => {
      if (owner < 0) return;
      (code.instructions[i].origin === owner ? sites[owner].own : sites[owner].added).push(i);
    });
  memo.set(compilation, sites);
  return sites;
}

function place(c: GenCompilation, instruction: number): string | undefined {
  const { own } = sitesOf(c)[instruction];
  return own.length === 0 ? undefined : `i${own[0]}`;
}

/** `g12`, of registers below a whole one with the byte: `g12.4`. */
function placeOfRegister(c: GenCompilation, register: number): string | undefined {
  const placement = c.placements[register];
  switch (placement.kind) {
    case 'register': {
      const address = c.allocation?.address[register] ?? -1;
      const byte = address % GRF_BYTES;
      const { bytes } = c.program.registers[register];
      const last = Math.floor((address + bytes - 1) / GRF_BYTES);
      const first = `g${placement.index}${byte > 0 ? `.${byte}` : ''}`;
      return last > placement.index ? `${first} to g${last}` : first;
    }
    case 'spilled':
      return `scratch byte ${placement.slot}`;
    case 'absorbed':
      return absorbedInto(c, register);
    default:
      return undefined;
  }
}

/** Where what was written to a coalesced register goes instead. */
function absorbedInto(c: GenCompilation, register: number): string | undefined {
  const byOrigin = new Map(c.lowered.instructions.map((instruction) => [instruction.origin, instruction]));
  for (const instruction of c.program.instructions) {
    const writes = instruction.destinations.some((d) => d.file === 'virtual' && d.register === register);
    const made = writes ? byOrigin.get(instruction.origin)?.destinations.at(0) : undefined;
    if (made === undefined || made.file === 'immediate') continue;
    if (made.file === 'message') return `coalesced into m${made.number}${maskText(made.mask)}`;
    if (made.file === 'virtual') return `coalesced into ${c.lowered.registers[made.register].name}`;
  }
  return undefined;
}

const hows = {
  stored: 'stored after each definition, reloaded for its uses',
  recomputed: 'computed again where it is read',
  temporary: 'in the pool for one instruction',
  split: 'in registers in parts of the program, in scratch between them',
} as const;

function ofRegister(c: GenCompilation, register: number, line: LineOf): readonly Row[] {
  const spilled = c.spilled.find((one) => one.register === register);
  if (spilled === undefined) return [];
  const lines = (sites: readonly number[]): string => linesOf(originsOf(c, sites), line);
  return [
    ['Spilled', `${hows[spilled.how]}; cost ${Math.round(100 * spilled.cost) / 100}`],
    ...(spilled.stores.length > 0 ? [['Stored behind', lines(spilled.stores)] as const] : []),
    ...(spilled.reloads.length > 0 ? [reloadRow(c, spilled, line)] : []),
  ];
}

const originsOf = ({ lowered }: GenCompilation, sites: readonly number[]): number[] =>
  sites.map((i) => lowered.instructions[i].origin);

const linesOf = (origins: readonly number[], line: LineOf): string =>
  listed([...new Set(origins.filter((i) => i >= 0))].map((i) => `line ${line(i)}`));

/** Where its value comes back: of what is computed again, the lines that follow it in the final order. */
function reloadRow(c: GenCompilation, spilled: SpilledRegister, line: LineOf): Row {
  if (spilled.how !== 'recomputed') return ['Reloaded before', linesOf(originsOf(c, spilled.reloads), line)];
  const found = recomputedBefore(c, spilled.register);
  return ['Computed again before', linesOf(found.length > 0 ? found : originsOf(c, spilled.reloads), line)];
}

/** Source instructions that stand behind its repeated definitions. Passes behind allocation keep the operands. */
function recomputedBefore({ allocation, code }: GenCompilation, register: number): number[] {
  const carries = allocation?.carries;
  if (allocation === undefined || code === undefined || carries === undefined) return [];
  const repeated = new Set(
    allocation.code.instructions
      .filter(
        ({ origin, opcode }, i) => carries[i] === register && origin < 0 && opcode.scratch === undefined,
      )
      .map(({ destinations }) => destinations),
  );
  const owners = ownersOf(code);
  return code.instructions.flatMap(({ destinations }, i) => (repeated.has(destinations) ? [owners[i]] : []));
}

const MOST_SHOWN = 8;

const listed = (items: readonly string[]): string =>
  items.length <= MOST_SHOWN
    ? items.join(', ')
    : `${items.slice(0, MOST_SHOWN).join(', ')} and ${items.length - MOST_SHOWN} more`;

function ofInstruction(c: GenCompilation, instruction: number): readonly Row[] {
  const { own, added } = sitesOf(c)[instruction];
  const { code, estimate, occupancy } = c;
  if (code === undefined) return [];
  if (own.length === 0) return [['Code', 'none: coalesced, or nothing that executes']];
  const bits = own.flatMap((i) => [
    ...(code.instructions[i].noDDClear ? ['NoDDClr'] : []),
    ...(code.instructions[i].noDDCheck ? ['NoDDChk'] : []),
  ]);
  const clocks = own.reduce((sum, i) => sum + (estimate?.clocks[i] ?? 0), 0);
  const waits = own.reduce((sum, i) => sum + (estimate?.waits[i] ?? 0), 0);
  return [
    ['Compiled as', `instruction ${listed(own.map(String))}${spillWords(c, added)}`],
    ['Cycles', `${clocks}, of them ${waits} waiting`],
    ...(occupancy === undefined
      ? []
      : [['In use here', `${occupancy.during[own[0]]} of ${c.stats.limit} GRF`] as const]),
    ...(bits.length === 0 ? [] : [['Dependency control', [...new Set(bits)].join(', ')] as const]),
  ];
}

function spillWords({ code }: GenCompilation, added: readonly number[]): string {
  const kind = (scratch: 'read' | 'write'): number =>
    added.filter((i) => code?.instructions[i].opcode.scratch === scratch).length;
  const words = [
    ...(kind('read') > 0 ? [`${count(kind('read'), 'reload')} before it`] : []),
    ...(kind('write') > 0 ? [`${count(kind('write'), 'store')} behind it`] : []),
  ];
  return words.length === 0 ? '' : `, ${words.join(', ')}`;
}

function ofFunction(c: GenCompilation): readonly Row[] {
  const { stats, attempts, dependencyControl } = c;
  const lost = attempts.filter(({ failure }) => failure !== undefined);
  return [
    ['Strategy', strategyText(stats.more)],
    ...(lost.length === 0 ? [] : [['Tried before', lost.map(reasonText).join('; ')] as const]),
    ...(stats.scratchBytes === undefined
      ? []
      : [['Scratch', `${stats.scratchBytes} bytes a thread`] as const]),
    ...(dependencyControl.instructions === 0
      ? []
      : [
          [
            'Dependency control',
            `saves ${count(Math.round(dependencyControl.cycles), 'cycle')} on ${count(dependencyControl.instructions, 'instruction')}`,
          ] as const,
        ]),
  ];
}
