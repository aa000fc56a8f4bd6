/** The data types of the Gen EU as dumps print them, with their size in bytes (Mesa's brw_reg_type.c). */
export type Type =
  | 'NF'
  | 'DF'
  | 'F'
  | 'HF'
  | 'VF'
  | 'UQ'
  | 'Q'
  | 'UD'
  | 'D'
  | 'UW'
  | 'W'
  | 'UB'
  | 'B'
  | 'UV'
  | 'V'
  | 'INVALID';

export const typeSizes: Readonly<Record<Type, number>> = {
  NF: 8,
  DF: 8,
  F: 4,
  HF: 2,
  VF: 4,
  UQ: 8,
  Q: 8,
  UD: 4,
  D: 4,
  UW: 2,
  W: 2,
  UB: 1,
  B: 1,
  UV: 2,
  V: 2,
  INVALID: 4,
};

export const typeNames = Object.keys(typeSizes) as readonly Type[];

const isUpper = (code: number): boolean => code >= 65 && code <= 90;

const SINGLE: Readonly<Record<number, Type>> = { 70: 'F', 68: 'D', 81: 'Q', 87: 'W', 66: 'B', 86: 'V' };
const UNSIGNED: Readonly<Record<number, Type>> = { 81: 'UQ', 68: 'UD', 87: 'UW', 66: 'UB', 86: 'UV' };
const FLOAT: Readonly<Record<number, Type>> = { 78: 'NF', 68: 'DF', 72: 'HF', 86: 'VF' };

/** The type that is spelled at `start` to `end`, without a string of its own. */
export function typeAt(text: string, start: number, end: number): Type | undefined {
  const first = text.charCodeAt(start);
  if (end - start === 1) return SINGLE[first];
  if (end - start === 2) {
    const second = text.charCodeAt(start + 1);
    return first === 85 ? UNSIGNED[second] : second === 70 ? FLOAT[first] : undefined;
  }
  return end - start === 7 && text.startsWith('INVALID', start) ? 'INVALID' : undefined;
}

export function upperEnd(text: string, from: number): number {
  let i = from;
  while (isUpper(text.charCodeAt(i))) i++;
  return i;
}
