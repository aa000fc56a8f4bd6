import type { Language } from '../language.js';
import type { MesaBound } from './bind/index.js';
import { genClasses } from './classes.js';
import { mesa } from './mesa.js';
import { unitEnd } from './split.js';
import type { MesaUnit } from './tree.js';

/** A unit of a Gen file: a program in one of the formats. */
export type GenUnit = MesaUnit;
export type GenBound = MesaBound;

/**
 * Gen IR: programs for the execution units of Intel's Gen6 to Gen8 graphics, in the formats of the compilers that
 * print them (Mesa's i965 back-ends, Beignet) and standalone with directives.
 */
export const genIr: Language<GenUnit, GenBound> = {
  id: 'gen-ir',
  name: 'Gen IR',
  extensions: ['.gen'],
  settings: [],
  classes: genClasses,
  unitEnd,
  ...mesa,
  resolveCompletion: () => undefined,
};
