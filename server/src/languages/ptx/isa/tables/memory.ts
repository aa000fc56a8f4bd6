import type { Form, Gate, InstructionEntry } from '../schema.js';
import { asyncStoreForms, tensormapPrefetchForms } from './async-store.js';

/**
 * Loads and stores of every state space, with their memory orders, cache operators and hints. Which of them go
 * together, and the gates, are verdicts of ptxas 13.0 on every combination.
 */
const small = 'b8 u8 s8 b16 u16 s16 b32 u32 s32 f32';
const wide = 'b64 u64 s64 f64';

const spaceGates: Readonly<Record<string, Gate>> = {
  '.shared::cta': { isa: '7.8' },
  '.shared::cluster': { isa: '7.8', sm: 90 },
  '.param::entry': { isa: '8.3' },
  '.param::func': { isa: '8.3' },
};
const hintGates: Readonly<Record<string, Gate>> = {
  '.L1::evict_normal': { isa: '7.4', sm: 70 },
  '.L1::evict_unchanged': { isa: '7.4', sm: 70 },
  '.L1::evict_first': { isa: '7.4', sm: 70 },
  '.L1::evict_last': { isa: '7.4', sm: 70 },
  '.L1::no_allocate': { isa: '7.4', sm: 70 },
  '.L2::64B': { isa: '7.4', sm: 75 },
  '.L2::128B': { isa: '7.4', sm: 75 },
  '.L2::256B': { isa: '7.4', sm: 80 },
  '.L2::cache_hint': { isa: '7.4', sm: 80 },
};
const gates: Readonly<Record<string, Gate>> = {
  ...spaceGates,
  ...hintGates,
  '.weak': { isa: '6.0', sm: 70 },
  '.cluster': { isa: '7.8', sm: 90 },
};

const level1 = '{.(L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate)}';
const level2 = '{.(L2::evict_last|L2::evict_normal|L2::evict_first)}';
const hint = '{.L2::cache_hint}';
const prefetchSize = '{.(L2::64B|L2::128B|L2::256B)}';
const policy = 'policy:r u64 if .L2::cache_hint';
const scopes = 'cta cluster gpu sys';

interface Access {
  readonly vector: string;
  readonly sets: Readonly<Record<string, string>>;
  readonly gate?: Gate;
}

const wideGate: Gate = { isa: '8.8', sm: 100 };

/** The widths that one access may have: up to 16 bytes, as a scalar or a vector. */
const accesses: readonly Access[] = [
  { vector: '{.$vec}', sets: { vec: 'v2 v4', t: small } },
  { vector: '{.$vec}', sets: { vec: 'v2', t: wide } },
  { vector: '', sets: { t: 'b128' }, gate: { isa: '8.3', sm: 70 } },
];
/** 32 bytes at once, global memory of sm_100 only. */
const wideAccesses: readonly Access[] = [
  { vector: '.$vec', sets: { vec: 'v8', t: small } },
  { vector: '.$vec', sets: { vec: 'v4', t: wide } },
];

interface Shape {
  /** What stands before the vector and the type. */
  readonly modifiers: string;
  /** With `VALUE` where the loaded or stored value stands. */
  readonly operands: string;
  readonly sets?: Readonly<Record<string, string>>;
  readonly isa?: string;
  readonly sm?: number;
}

function forms(shape: Shape, value: string, isWide = false): Form[] {
  const list = isWide ? wideAccesses : accesses;
  return list.map((access) => {
    const gate = isWide ? wideGate : access.gate;
    const isa = gate?.isa ?? shape.isa;
    const sm = gate?.sm ?? shape.sm;
    const modifiers = `${shape.modifiers}${access.vector}.$t`;
    const sets = { ...shape.sets, ...access.sets };
    const words = `${modifiers} ${Object.values(sets).join(' ')} `;
    const named = Object.entries(gates).filter(([name]) => words.includes(name.slice(1)));
    return {
      modifiers,
      operands: shape.operands.replace('VALUE', access.vector === '' ? value.replace('v$vec', 'v1') : value),
      sets,
      gates: Object.fromEntries(named),
      ...(isa !== undefined && { isa }),
      ...(sm !== undefined && { sm }),
      ...(isWide && { instead: 'two accesses of half the width' }),
    };
  });
}

const loaded = 'd:w v$vec t+ _ loose';
const stored = 'b:v$vec t+ loose';
const anySpace = 'global shared shared::cta shared::cluster local const param param::entry param::func';
const stateSpaces = 'global shared shared::cta shared::cluster local param param::func';
const shared = 'shared shared::cta shared::cluster';
const sharedOrGlobal = `global ${shared}`;
const global = { ss: 'global' };
const address = '[a:$ss]';

/** Device memory: single registers only, and every access happens once. */
const mmio = {
  modifiers: '.mmio.relaxed.sys{.$ss}.$t',
  sets: { ...global, t: `${small} ${wide}` },
  isa: '8.2',
  sm: 70,
};

const loads: readonly Form[] = [
  ...forms(
    { modifiers: '{.weak}{.$ss}{.(ca|cg|cs|lu|cv)}', operands: `VALUE, ${address}`, sets: { ss: anySpace } },
    loaded,
  ),
  ...forms(
    {
      modifiers: `{.weak}{.$ss}{.(ca|cg|cs|lu|cv)}${prefetchSize}`,
      operands: `VALUE, ${address}`,
      sets: global,
    },
    loaded,
  ),
  ...forms(
    {
      modifiers: `{.weak}{.$ss}${level1}${hint}${prefetchSize}`,
      operands: `VALUE, ${address}, ${policy}`,
      sets: global,
    },
    loaded,
  ),
  ...forms(
    {
      modifiers: `.volatile{.$ss}${prefetchSize}`,
      operands: `VALUE, ${address}`,
      sets: global,
    },
    loaded,
  ),
  ...forms({ modifiers: '.volatile.$ss', operands: `VALUE, ${address}`, sets: { ss: shared } }, loaded),
  ...forms(
    {
      modifiers: `.(relaxed|acquire).$scope{.$ss}${level1}${hint}${prefetchSize}`,
      operands: `VALUE, ${address}, ${policy}`,
      sets: { ...global, scope: scopes },
      isa: '6.0',
      sm: 70,
    },
    loaded,
  ),
  ...forms(
    {
      modifiers: '.(relaxed|acquire).$scope.$ss',
      operands: `VALUE, ${address}`,
      sets: { ss: shared, scope: scopes },
      isa: '6.0',
      sm: 70,
    },
    loaded,
  ),
  { ...mmio, operands: `d:w t+, ${address}` },
  ...forms(
    {
      modifiers: `.global{.(ca|cg|cs)}.nc${prefetchSize}`,
      operands: 'VALUE, [a:global]',
      isa: '3.1',
      sm: 32,
    },
    loaded,
  ),
  ...forms(
    {
      modifiers: `.global.nc${level1}${hint}${prefetchSize}`,
      operands: `VALUE, [a:global], ${policy}`,
      isa: '3.1',
      sm: 32,
    },
    loaded,
  ),
  ...[
    `{.weak}{.$ss}{.(ca|cg|cs|lu|cv)}${prefetchSize}`,
    `{.weak}{.$ss}${level1}${level2}${hint}${prefetchSize}`,
    `.volatile{.$ss}${prefetchSize}`,
    `.$ss.nc${level1}${level2}${hint}${prefetchSize}`,
    `.(relaxed|acquire).$scope{.$ss}${level1}${level2}${hint}${prefetchSize}`,
  ].flatMap((modifiers) =>
    forms(
      { modifiers, operands: `VALUE, ${address}, ${policy}`, sets: { ...global, scope: scopes } },
      loaded,
      true,
    ),
  ),
];

const stores: readonly Form[] = [
  ...forms(
    { modifiers: '{.weak}{.$ss}{.(wb|cg|cs|wt)}', operands: `${address}, VALUE`, sets: { ss: stateSpaces } },
    stored,
  ),
  ...forms(
    {
      modifiers: `{.weak}{.$ss}${level1}${hint}`,
      operands: `${address}, VALUE, ${policy}`,
      sets: global,
    },
    stored,
  ),
  ...forms(
    { modifiers: '.volatile{.$ss}', operands: `${address}, VALUE`, sets: { ss: sharedOrGlobal } },
    stored,
  ),
  ...forms(
    {
      modifiers: `.(relaxed|release).$scope{.$ss}${level1}${hint}`,
      operands: `${address}, VALUE, ${policy}`,
      sets: { ...global, scope: scopes },
      isa: '6.0',
      sm: 70,
    },
    stored,
  ),
  ...forms(
    {
      modifiers: '.(relaxed|release).$scope.$ss',
      operands: `${address}, VALUE`,
      sets: { ss: shared, scope: scopes },
      isa: '6.0',
      sm: 70,
    },
    stored,
  ),
  { ...mmio, operands: `${address}, b:t+` },
  ...[
    '{.weak}{.$ss}{.(wb|cg|cs|wt)}',
    `{.weak}{.$ss}${level1}${level2}${hint}`,
    '.volatile{.$ss}',
    `.(relaxed|release).$scope{.$ss}${level1}${level2}${hint}`,
  ].flatMap((modifiers) =>
    forms(
      { modifiers, operands: `${address}, VALUE, ${policy}`, sets: { ...global, scope: scopes } },
      stored,
      true,
    ),
  ),
];

export const memory: readonly InstructionEntry[] = [
  {
    opcode: 'ld',
    group: 'data movement',
    text: 'Loads from memory. Without a state space the address is generic and the machine finds out at run time which memory it means; naming the space is faster and tells ptxas what cannot alias. The register may be wider than the type: `.uN` extends with zeros, `.sN` with the sign, `.bN` leaves it to the reader. A vector needs the alignment of the whole and costs one instruction and one transaction; 32 bytes at once need sm_100. `.nc` promises that nobody writes the data while the kernel runs and takes the texture path. `.volatile` may not be cached, merged or repeated; `.relaxed` and `.acquire` are atomic for the given scope, `.acquire` also orders what follows. `.ca .cg .cs .lu .cv` and the `L1::`, `L2::` modifiers are hints about caching and never change the value.',
    forms: loads,
  },
  {
    opcode: 'ldu',
    group: 'data movement',
    text: 'Loads from global memory an address that is the same for all threads of the warp. A relic of sm_20: present machines treat it as `ld.global`, and `ld.global.nc` is the better hint for read-only data.',
    forms: accesses.map((access) => ({
      modifiers: `{.$ss}${access.vector}.$t`,
      operands: `${access.vector === '' ? 'd:w v1 t+' : loaded}, ${address}`,
      sets: { ...global, ...access.sets },
      ...access.gate,
    })),
  },
  {
    opcode: 'st',
    group: 'data movement',
    text: 'Stores to memory. Only the low bits of a wider register are written. A vector needs the alignment of the whole and is one transaction; without a state space the address is generic. `.volatile` is neither merged nor removed; `.relaxed` and `.release` are atomic for the given scope, `.release` also orders what came before. `.wb .cg .cs .wt` and the `L1::`, `L2::` modifiers are hints about caching. `.const` and kernel parameters cannot be written.',
    forms: [...stores, ...asyncStoreForms],
  },
  {
    opcode: 'prefetch',
    group: 'data movement',
    text: 'Brings the cache line with this address into the level named, without waiting and without a result; an address that is not mapped is ignored. With an eviction priority the line is only re-marked in L2.',
    forms: [
      { modifiers: '{.$ss}.(L1|L2)', operands: '[a:$ss]', sets: { ss: 'global local' }, isa: '2.0', sm: 20 },
      {
        modifiers: '{.$ss}.(L2::evict_last|L2::evict_normal)',
        operands: '[a:$ss]',
        sets: global,
        isa: '7.4',
        sm: 80,
      },
      ...tensormapPrefetchForms,
    ],
  },
  {
    opcode: 'prefetchu',
    group: 'data movement',
    text: 'Brings the line at a generic address into the uniform cache. A relic; present machines ignore it.',
    forms: [{ modifiers: '.L1', operands: '[a:]', isa: '2.0', sm: 20 }],
  },
];
