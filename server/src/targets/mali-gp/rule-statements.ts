/** The structural rules of the machine by name, and what is handed to the code that checks them. */
import type { CompiledProgram, Unit, Word } from './word.js';

/** The rules by name, as statements. */
export const rules = {
  'word-limit': 'a program has at most 512 words',
  'block-starts': 'blocks start in order, the first at word 0, none behind the last word',
  'uniform-space':
    'uniforms, constants and temporaries share 512 vectors: constants lie above the uniforms, each in a place of its own, temporaries above both',
  'unit-operation': 'a unit does the operations that it is made for, with their number of sources',
  'result-sign': 'only mul negates its result',
  'source-sign':
    'add, ge, lt, min, max and mul negate either source, floor and sign theirs, nothing else does',
  'identity-position':
    '1 is there as second source of mul, 0 as second source of a two-source operation of an adder',
  'adder-opcode': 'add0 and add1 share one opcode; mov and neg count as add',
  'both-multipliers': 'select and complex1 use up mul0 and mul1',
  'port-range':
    'attributes and registers have 16 vectors of 4 components, uniform space 512; a word loads at most four constants',
  'bypass-distance': 'a unit is read 1 or 2 words later, port 0 in its word or the next',
  'block-boundary': 'nothing is read across the start of a block',
  'idle-unit': 'a unit that is read has done something',
  'unloaded-port': 'a port that is read has been loaded',
  'complex-distance': 'a result of the complex unit lives for one word',
  'complex-position':
    'a result of the complex unit is no second source of mul or an adder, no source 2 or 3 of complex1, no source of complex2, no condition of select',
  'complex1-distance': 'a result of complex1 is read exactly two words later',
  sequence:
    'complex2, preexp2 and the *_impl operations are read by their sequence alone; the complex1 of a log2 by postlog2 alone',
  'address-result': 'an address operation has no result',
  'uniform-exists': 'a uniform that is read belongs to the program or is one of its constants',
  'store-range': 'varyings and registers have 16 vectors, temporaries 512',
  'store-idle': 'what is stored is the result of a unit that works in the same word',
  'store-complex1': 'complex1 cannot be stored in its own word',
  'store-sequence': 'a piece of a special function is not stored',
  'store-address': 'both temporary stores of a word go to one vector',
  'register-tail': "no register is stored in a block's last two words",
  'register-latency': 'a register is read at least 3 words after its store',
  'temporary-latency':
    'a temporary is loaded at least 4 words after its store, an address register used at least 4 words after it was set',
  'branch-place': "a branch stands in its block's last word",
  'branch-condition': 'a branch takes its condition from a mov in pass',
  'branch-target': 'a branch goes to the start of a block, at most word 511',
  'branch-temporary': 'a branch and a temporary store do not share a word',
} as const satisfies Readonly<Record<string, string>>;

export type Rule = keyof typeof rules;

export interface RuleViolation {
  readonly rule: Rule;
  /** Word number, or -1 where the program as a whole is meant. */
  readonly word: number;
  readonly unit?: Unit;
  /** In words, place included: `word 12, add0: source 2 reads mul1 of word 11, which idles`. */
  readonly message: string;
}

/** The words around a word, and where to say what is wrong with it. */
export interface Site {
  readonly program: CompiledProgram;
  readonly word: Word;
  readonly at: number;
  /** First word of its block, and the first behind it. */
  readonly begin: number;
  readonly end: number;
  /** Places of the program's constants, `4 * vector + component`. */
  readonly constants: ReadonlySet<number>;
  readonly report: (rule: Rule, message: string, unit?: Unit) => void;
}

export const isVector = (vector: number, count: number): boolean =>
  Number.isInteger(vector) && vector >= 0 && vector < count;

/** Reports a temporary vector that lies on uniforms or constants. */
export function temporarySpace(
  vector: number,
  { uniforms }: CompiledProgram,
  constants: ReadonlySet<number>,
  report: Site['report'],
): void {
  const isTaken = vector < uniforms || [0, 1, 2, 3].some((c) => constants.has(4 * vector + c));
  if (isTaken) report('uniform-space', `temporary ${vector} lies where a uniform or constant is`);
}
