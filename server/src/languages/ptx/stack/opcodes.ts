import type { OpcodeTable } from '../../../ir/function.js';
import { typeBytes } from '../types.js';

/** How an instruction makes its result, as far as addresses are concerned. */
export const enum Transfer {
  /** The result is no address that could be followed. */
  Other,
  Copy,
  ToGeneric,
  FromGeneric,
  Add,
  Subtract,
  Multiply,
  MultiplyAdd,
  ShiftLeft,
  And,
  Or,
  Select,
  Load,
  Allocate,
}

export interface OpcodeFact {
  readonly name: string;
  readonly transfer: Transfer;
  /** Of a memory instruction, or of a conversion between addresses: with the dot, '' for generic; `.shared::cta` is `.shared`. */
  readonly space: string;
  readonly isMemory: boolean;
  readonly isStore: boolean;
  /** Reads and writes memory in one step. */
  readonly isAtomic: boolean;
  /** Bytes of one element that a memory instruction moves; 0 where the opcode does not say. */
  readonly bytes: number;
  /** The result has 32 bits or fewer. */
  readonly isNarrow: boolean;
}

const known: OpcodeFact[] = [];
const bySpace = new Set(['.local', '.shared', '.global', '.const', '.param']);

/** Facts of an opcode of PTX's table; made once for each. */
export function opcodeFact(table: OpcodeTable, opcode: number): OpcodeFact {
  return (known[opcode] ??= make(table.text(opcode)));
}

const transfers: Readonly<Record<string, Transfer>> = {
  mov: Transfer.Copy,
  add: Transfer.Add,
  sub: Transfer.Subtract,
  mul: Transfer.Multiply,
  mul24: Transfer.Multiply,
  mad: Transfer.MultiplyAdd,
  mad24: Transfer.MultiplyAdd,
  shl: Transfer.ShiftLeft,
  and: Transfer.And,
  or: Transfer.Or,
  selp: Transfer.Select,
  ld: Transfer.Load,
  ldu: Transfer.Load,
  alloca: Transfer.Allocate,
};

const memory = new Set(['ld', 'ldu', 'st', 'atom', 'red']);
const floating = /\.(f|bf|tf|e)\d/;

function make(text: string): OpcodeFact {
  const words = text.split('.');
  const [base] = words;
  const last = '.' + words[words.length - 1];
  const isMemory = memory.has(base);
  const space =
    isMemory || base === 'cvta'
      ? (words
          .slice(1)
          .map((word) => '.' + word.split('::')[0])
          .find((word) => bySpace.has(word)) ?? '')
      : '';
  return {
    name: base,
    transfer: transferOf(base, words, text),
    space,
    isMemory,
    isStore: base === 'st',
    isAtomic: base === 'atom' || base === 'red',
    bytes: typeBytes(last),
    isNarrow: base === 'cvt' ? typeBytes('.' + words[words.length - 2]) <= 4 : typeBytes(last) <= 4,
  };
}

function transferOf(base: string, words: readonly string[], text: string): Transfer {
  if (base === 'cvta') return words[1] === 'to' ? Transfer.FromGeneric : Transfer.ToGeneric;
  if (base === 'cvt') return floating.test(text) ? Transfer.Other : Transfer.Copy;
  if (floating.test(text) && base !== 'ld' && base !== 'mov') return Transfer.Other;
  if ((base === 'mul' || base === 'mad') && words[1] === 'hi') return Transfer.Other;
  if (words.includes('cc')) return Transfer.Other;
  return Object.hasOwn(transfers, base) ? transfers[base] : Transfer.Other;
}
