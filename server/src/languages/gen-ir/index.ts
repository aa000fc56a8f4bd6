import type { Language } from '../language.js';
import type { BeignetBound } from './beignet/bind.js';
import { beignet } from './beignet/index.js';
import type { BeignetUnit } from './beignet/tree.js';
import type { MesaBound } from './bind/index.js';
import { genClasses } from './classes.js';
import { resolveCompletion } from './complete/index.js';
import { mesa } from './mesa.js';
import { reachingDefinitions } from './reaching.js';
import { sectionKind, unitEnd } from './split.js';
import type { MesaUnit } from './tree.js';

/** A unit of a Gen file: a program in one of the formats. */
export type GenUnit = MesaUnit | BeignetUnit;
export type GenBound = MesaBound | BeignetBound;

const isBeignet = (bound: GenBound): bound is BeignetBound => bound.parsed.form === 'beignet';

/**
 * Gen IR: programs for the execution units of Intel's Gen6 to Gen8 graphics, in the formats of the compilers that
 * print them (Mesa's i965 back-ends, Beignet) and standalone with directives. A unit's form answers for it.
 */
export const genIr: Language<GenUnit, GenBound> = {
  id: 'gen-ir',
  name: 'Gen IR',
  extensions: ['.gen'],
  settings: [],
  classes: genClasses,
  unitEnd,
  parse: (text) => (sectionKind(text) === 'mesa' ? mesa.parse(text) : beignet.parse(text)),
  bind: (unit, environment) =>
    unit.form === 'beignet' ? beignet.bind(unit, environment) : mesa.bind(unit, environment),
  lower: (bound) => (isBeignet(bound) ? beignet.lower(bound) : mesa.lower(bound)),
  lexical: (bound) => (isBeignet(bound) ? beignet.lexical(bound) : mesa.lexical(bound)),
  describe: (bound, offset) =>
    isBeignet(bound) ? beignet.describe(bound, offset) : mesa.describe(bound, offset),
  complete: (bound, offset, environment) =>
    isBeignet(bound)
      ? beignet.complete(bound, offset, environment)
      : mesa.complete(bound, offset, environment),
  resolveCompletion,
  signatures: (bound, offset) =>
    isBeignet(bound) ? beignet.signatures(bound, offset) : mesa.signatures(bound, offset),
  format: (unit, options) =>
    unit.form === 'beignet' ? beignet.format(unit, options) : mesa.format(unit, options),
  folds: (unit) => (unit.form === 'beignet' ? beignet.folds(unit) : mesa.folds(unit)),
  enclosing: (unit, offset) =>
    unit.form === 'beignet' ? beignet.enclosing(unit, offset) : mesa.enclosing(unit, offset),
  links: (bound, environment) =>
    isBeignet(bound) ? beignet.links(bound, environment) : mesa.links(bound, environment),
  naming: (bound, register) =>
    isBeignet(bound) ? beignet.naming?.(bound, register) : mesa.naming?.(bound, register),
  definitionsReaching: (bound, offset) => (isBeignet(bound) ? undefined : reachingDefinitions(bound, offset)),
};
