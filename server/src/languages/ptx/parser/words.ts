/** Directive and type words by where they may stand. Measured with ptxas 13.0.88. */

export const stateSpaces: ReadonlySet<string> = new Set([
  '.reg',
  '.local',
  '.param',
  '.shared',
  '.global',
  '.const',
  '.sreg',
  '.tex',
]);

/** `.param::entry`, `.shared::cta`: the space without its sub-space. */
export const isStateSpace = (word: string): boolean => {
  const colon = word.indexOf('::');
  return stateSpaces.has(colon < 0 ? word : word.slice(0, colon));
};

export const linkageWords: ReadonlySet<string> = new Set(['.visible', '.extern', '.weak', '.common']);

/** Types that a variable or parameter may have. */
export const declarableTypes: ReadonlySet<string> = new Set([
  '.b8',
  '.b16',
  '.b32',
  '.b64',
  '.b128',
  '.u8',
  '.u16',
  '.u32',
  '.u64',
  '.s8',
  '.s16',
  '.s32',
  '.s64',
  '.f16',
  '.f16x2',
  '.f32',
  '.f64',
  '.pred',
  '.texref',
  '.samplerref',
  '.surfref',
]);

/** Types of instructions alone, and what holds their values. */
export const instructionTypes: ReadonlyMap<string, string> = new Map([
  ['.bf16', '.b16'],
  ['.bf16x2', '.b32'],
  ['.tf32', '.b32'],
  ['.e4m3', '.b8'],
  ['.e5m2', '.b8'],
  ['.e4m3x2', '.b16'],
  ['.e5m2x2', '.b16'],
  ['.e4m3x4', '.b32'],
  ['.e5m2x4', '.b32'],
  ['.e3m2', '.b8'],
  ['.e2m3', '.b8'],
  ['.e2m1', '.b8'],
  ['.e2m1x2', '.b8'],
  ['.e3m2x2', '.b16'],
  ['.e2m3x2', '.b16'],
  ['.ue8m0', '.b8'],
  ['.ue8m0x2', '.b16'],
  ['.f32x2', '.b64'],
  ['.u4', '.b32'],
  ['.s4', '.b32'],
  ['.b1', '.b32'],
]);

export interface PerformanceFact {
  /** How many numbers may follow. */
  readonly minimum: number;
  readonly maximum: number;
}

/** Directives between the head and the body of a function. */
export const performanceDirectives: ReadonlyMap<string, PerformanceFact> = new Map([
  ['.maxntid', { minimum: 1, maximum: 3 }],
  ['.reqntid', { minimum: 1, maximum: 3 }],
  ['.maxnreg', { minimum: 1, maximum: 1 }],
  ['.minnctapersm', { minimum: 1, maximum: 1 }],
  ['.maxnctapersm', { minimum: 1, maximum: 1 }],
  ['.reqnctapercluster', { minimum: 1, maximum: 3 }],
  ['.maxclusterrank', { minimum: 1, maximum: 1 }],
  ['.explicitcluster', { minimum: 0, maximum: 0 }],
  ['.blocksareclusters', { minimum: 0, maximum: 0 }],
  ['.noreturn', { minimum: 0, maximum: 0 }],
  ['.abi_preserve', { minimum: 1, maximum: 1 }],
  ['.abi_preserve_control', { minimum: 1, maximum: 1 }],
]);

/** Directives that start something at module level. */
export const moduleDirectives: readonly string[] = [
  '.version',
  '.target',
  '.address_size',
  '.visible',
  '.extern',
  '.weak',
  '.common',
  '.entry',
  '.func',
  '.global',
  '.const',
  '.shared',
  '.file',
  '.section',
  '.pragma',
  '.alias',
  '.attribute',
];

/** Directives that start a statement of a body. */
export const statementDirectives: readonly string[] = [
  '.reg',
  '.local',
  '.param',
  '.shared',
  '.global',
  '.const',
  '.loc',
  '.pragma',
];

export const labelledDirectives: readonly string[] = ['.branchtargets', '.calltargets', '.callprototype'];

/** Instructions that may stand without a modifier, for telling a new statement from a further operand. */
export const bareInstructions: ReadonlySet<string> = new Set([
  'ret',
  'exit',
  'trap',
  'brkpt',
  'bra',
  'call',
  'pmevent',
  'nanosleep',
  'discard',
  'alloca',
]);
