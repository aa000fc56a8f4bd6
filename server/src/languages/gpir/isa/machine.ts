/**
 * The geometry processor as far as a person who writes `gpir` has to know it: the slots of an instruction word, the
 * ports that feed them, how many words lie between a result and its readers, and the limits. One word a cycle, no
 * interlocks: a value that is not where the next word looks for it costs a word.
 *
 * Read from the public source of Mesa's lima compiler (src/gallium/drivers/lima/ir/gp) and measured over its output;
 * no hardware was involved.
 */

/** How a fact is known: read in lima's source, measured over what lima emits, or a decision of this model. */
export type Evidence = 'source' | 'measured' | 'model';

export type SlotName =
  'MUL0' | 'MUL1' | 'ADD0' | 'ADD1' | 'PASS' | 'COMPLEX' | 'REG0' | 'REG1' | 'MEM' | 'STORE';

export interface Slot {
  readonly name: SlotName;
  /** How many of them a word has. */
  readonly count: number;
  readonly text: string;
  readonly evidence: Evidence;
}

export const slots: readonly Slot[] = [
  {
    name: 'MUL0',
    count: 1,
    text: 'First multiplier: `mul`, `neg`, `mov`, `complex2`. With MUL1 it executes `select` and `complex1`.',
    evidence: 'source',
  },
  {
    name: 'MUL1',
    count: 1,
    text: 'Second multiplier: `mul`, `neg`, `mov`, and the second half of `select` and `complex1`.',
    evidence: 'source',
  },
  {
    name: 'ADD0',
    count: 1,
    text: 'First adder: `add`, `min`, `max`, `ge`, `lt`, `floor`, `sign`, `neg`, `mov`. It shares one opcode with ADD1, where `mov` and `neg` count as `add`.',
    evidence: 'source',
  },
  {
    name: 'ADD1',
    count: 1,
    text: 'Second adder: the same operations, and in one word the same opcode, as ADD0.',
    evidence: 'measured',
  },
  {
    name: 'PASS',
    count: 1,
    text: 'Hands a value on (`mov`), begins `exp2` (`preexp2`), ends `log2` (`postlog2`), and holds the condition of a branch.',
    evidence: 'source',
  },
  {
    name: 'COMPLEX',
    count: 1,
    text: 'First approximations `rcp_impl`, `rsqrt_impl`, `exp2_impl`, `log2_impl`, or `mov`. Its result can be read in the next word only, and not as second operand of an adder or multiplier, as condition of `select`, by `complex2`, or as second or third operand of `complex1`.',
    evidence: 'measured',
  },
  {
    name: 'REG0',
    count: 4,
    text: 'Read port 0: the four components of one attribute or of one register vector.',
    evidence: 'source',
  },
  {
    name: 'REG1',
    count: 4,
    text: 'Read port 1: the four components of one register vector.',
    evidence: 'source',
  },
  {
    name: 'MEM',
    count: 4,
    text: 'Uniform port: the four components of one vector of uniforms, constants or temporaries.',
    evidence: 'source',
  },
  {
    name: 'STORE',
    count: 4,
    text: 'Stores of the components x, y, z, w. x and y share their kind and address, and so do z and w; each takes its value from a unit of its own word.',
    evidence: 'source',
  },
];

/** Words from where a value is made to where it is read; both bounds are hard, and none reaches across a block's start. */
export interface Distance {
  readonly minimum: number;
  readonly maximum: number;
}

export type Producer =
  | 'uniform'
  | 'attribute'
  | 'register'
  | 'temporary'
  | 'unit'
  | 'complex'
  | 'complex1'
  | 'rcp'
  | 'exp2'
  | 'log2';

export interface Latency {
  readonly what: string;
  /** To an operand of another operation. For a sequence: counted from the word that reads its argument. */
  readonly read: Distance;
  /** To the store of the value; undefined: only by way of a `mov`. */
  readonly store?: number;
  readonly text: string;
  readonly evidence: Evidence;
}

/** By what produces the value. Sequences (`rcp`, `exp2`, `log2`) count from their first word. */
export const latencies: Readonly<Record<Producer, Latency>> = {
  uniform: {
    what: 'a load through the uniform port',
    read: { minimum: 0, maximum: 0 },
    text: 'read in the word that loads it; a store needs a `mov` first',
    evidence: 'measured',
  },
  attribute: {
    what: 'a load through port 0',
    read: { minimum: 0, maximum: 1 },
    text: 'read in the word that loads it or in the next one; a store needs a `mov` first',
    evidence: 'source',
  },
  register: {
    what: 'a register read',
    read: { minimum: 0, maximum: 1 },
    text: 'read in the word that loads it (through port 0 also in the next one), at least 3 words after its store; a store needs a `mov` first',
    evidence: 'measured',
  },
  temporary: {
    what: 'a temporary through the uniform port',
    read: { minimum: 0, maximum: 0 },
    text: 'read in the word that loads it, at least 4 words after its store',
    evidence: 'model',
  },
  unit: {
    what: 'a result of MUL0, MUL1, ADD0, ADD1 or PASS',
    read: { minimum: 1, maximum: 2 },
    store: 0,
    text: 'read 1 or 2 words later, stored in the same word; further away it takes a `mov` every second word',
    evidence: 'measured',
  },
  complex: {
    what: 'a result of COMPLEX',
    read: { minimum: 1, maximum: 1 },
    store: 0,
    text: 'read in the next word only',
    evidence: 'measured',
  },
  complex1: {
    what: 'the result of complex1',
    read: { minimum: 2, maximum: 2 },
    text: 'read exactly 2 words later; a store needs a `mov` there first',
    evidence: 'measured',
  },
  rcp: {
    what: 'a reciprocal or reciprocal square root',
    read: { minimum: 3, maximum: 3 },
    text: 'read exactly 3 words after the first word of the sequence, by all readers at once; a `mov` there makes it last',
    evidence: 'measured',
  },
  exp2: {
    what: 'a power of two',
    read: { minimum: 4, maximum: 4 },
    text: 'read exactly 4 words after the first word of the sequence; a `mov` there makes it last',
    evidence: 'measured',
  },
  log2: {
    what: 'a logarithm',
    read: { minimum: 4, maximum: 5 },
    store: 3,
    text: 'read 4 or 5 words after the first word of the sequence, stored 3 words after it',
    evidence: 'measured',
  },
};

export const limits = {
  /** Instruction words of a program. */
  words: 512,
  attributes: 16,
  varyings: 16,
  /** Vectors that one address of the uniform port reaches: uniforms, constants and temporaries together. */
  uniforms: 512,
  /** Register vectors of four components. */
  registers: 16,
  /** Values in flight between two words: five results of two words ago, six of the last one. */
  values: 11,
  /** Words between the store of a register and its first read. */
  registerDistance: 3,
  temporaryDistance: 4,
  /** Last words of a block in which no register may be stored. */
  storeFreeTail: 2,
} as const;
