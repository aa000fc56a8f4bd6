import type { RegisterClass } from '../../ir/function.js';

/**
 * The register classes of Gen programs. `general` counts registers of 32 bytes (Mesa's virtual registers are one or
 * several of them); the others are Beignet's families (ir/register.hpp), one class a family and one more for the
 * values that all lanes share, because a family's size in registers depends on the dispatch width.
 */
export const enum GenClass {
  General = 0,
  Flag = 1,
  Message = 2,
  /** `bool`; the other families follow in the order of `families`. */
  FirstFamily = 3,
  FirstUniformFamily = 11,
}

export const families = ['bool', 'byte', 'word', 'dword', 'qword', 'oword', 'hword', 'reg'] as const;

export type FamilyName = (typeof families)[number];

export const genClasses: readonly RegisterClass[] = [
  { name: 'general', unit: 'GRF' },
  { name: 'flag', unit: 'flag register' },
  { name: 'message', unit: 'message register' },
  ...families.map((name) => ({ name, unit: name })),
  ...families.map((name) => ({ name: `uniform ${name}`, unit: `uniform ${name}` })),
];
