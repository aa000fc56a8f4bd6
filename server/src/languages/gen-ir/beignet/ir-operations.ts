import { irType, typeBytes } from './values.js';
import type { IrLine, IrRegister } from './tree.js';

/**
 * GEN IR instructions that one hardware instruction performs, in its name and operand order (Beignet's
 * gen_insn_selection.cpp, the patterns of the single instructions). Everything else stays an opaque operation whose
 * name begins with `ir_`: what Beignet makes of it is many instructions, or a message.
 */
export interface IrOperation {
  readonly name: string;
  readonly results: readonly IrRegister[];
  readonly sources: readonly IrSource[];
  readonly resultType: string;
  /** A comparison: its test, and the bool register that gets the flag. */
  readonly condition?: { readonly test: string; readonly flag: IrRegister };
  readonly guard?: IrRegister | undefined;
}

export type IrSource =
  | {
      readonly register: IrRegister;
      readonly type: string;
      readonly negate?: boolean;
      readonly absolute?: boolean;
    }
  | { readonly immediate: string; readonly type: string; readonly start: number; readonly end: number };

const sameName: ReadonlySet<string> = new Set(
  'MOV AND OR XOR SHL SHR ASR RNDD RNDE RNDU RNDZ FBH FBL CBIT LZD BFREV'.split(' '),
);

const math: Readonly<Record<string, string>> = {
  COS: 'cos',
  SIN: 'sin',
  LOG: 'log2',
  EXP: 'exp2',
  SQR: 'sqrt',
  RSQ: 'rsq',
  RCP: 'rcp',
  POW: 'pow',
};

const tests: Readonly<Record<string, string>> = { EQ: 'z', NE: 'nz', LE: 'le', LT: 'l', GE: 'ge', GT: 'g' };

const flow: Readonly<Record<string, string>> = {
  BRA: 'jmpi',
  IF: 'if',
  ELSE: 'else',
  ENDIF: 'endif',
  WHILE: 'while',
};

export function irOperation(line: IrLine): IrOperation {
  const { text } = line.opcode;
  const word = line.suffixes.at(0)?.text ?? '';
  const type = irType(word) ?? 'UD';
  const results = line.registers.filter((r) => r.isResult);
  const sources = line.registers.filter((r) => !r.isResult);
  const typed = (from: readonly IrRegister[], as = type): IrSource[] =>
    from.map((register) => ({ register, type: as }));
  const guard = line.predicate;
  if (Object.hasOwn(flow, text))
    return { name: flow[text], results: [], sources: [], resultType: 'UD', guard };

  const isNarrow = typeBytes(type) <= 4 && word !== 'bool';
  const isFloat = type === 'F' || type === 'HF';
  const plain = (name: string, list: readonly IrSource[]): IrOperation => ({
    name,
    results,
    sources: list,
    resultType: type,
  });
  if (text === 'LOADI' && line.immediate !== undefined) {
    const { start, end } = line.immediate;
    return plain('mov', [{ immediate: immediateDigits(line.immediate.text), type, start, end }]);
  }
  if (sameName.has(text) && (isNarrow || text === 'MOV')) return plain(text.toLowerCase(), typed(sources));
  if (Object.hasOwn(math, text) && isFloat) return plain(math[text], typed(sources));
  if ((text === 'ADD' || text === 'SUB') && (isNarrow || type === 'DF'))
    return plain(
      'add',
      typed(sources).map((s, k) => (text === 'SUB' && k === 1 ? { ...s, negate: true } : s)),
    );
  if (text === 'MUL' && isFloat) return plain('mul', typed(sources));
  if (text === 'ABS' && isNarrow)
    return plain(
      'mov',
      typed(sources).map((s) => ({ ...s, absolute: true })),
    );
  if (text === 'MAD' && type === 'F' && sources.length === 3)
    return plain('mad', typed([sources[2], sources[0], sources[1]]));
  if (text === 'SEL' && sources.length === 3 && isNarrow)
    return { ...plain('sel', typed(sources.slice(1))), guard: sources[0] };
  if (Object.hasOwn(tests, text) && isNarrow && results.length === 1 && sources.length === 2)
    return {
      name: 'cmp',
      results: [],
      sources: typed(sources),
      resultType: type,
      condition: { test: tests[text], flag: results[0] },
    };
  if (text === 'CVT') {
    const from = irType(line.suffixes.at(1)?.text ?? '') ?? 'UD';
    if (isNarrow && typeBytes(from) <= 4) return plain('mov', typed(sources, from));
  }
  return { ...plain(`ir_${opaqueName(text)}`, [...typed(sources), ...numbersOf(line)]), guard };
}

/** The dump glues the kind of the operation to these. */
const opaqueName = (opcode: string): string =>
  opcode.startsWith('WORKGROUP')
    ? 'workgroup'
    : opcode.startsWith('SUBGROUP')
      ? 'subgroup'
      : opcode.startsWith('CALC_TIMESTAMP')
        ? 'calc_timestamp'
        : opcode.toLowerCase();

/** `half(1.5)`: the number inside. */
const immediateDigits = (text: string): string => /^half\((.*)\)$/.exec(text)?.[1] ?? text;

/** Binding table index, offsets and the like are part of what an opaque operation does. */
const numbersOf = ({ numbers }: IrLine): IrSource[] =>
  numbers
    .filter(({ text }) => /^[0-9]{1,9}$/.test(text))
    .map(({ text, start, end }) => ({ immediate: text, type: 'UD', start, end }));
