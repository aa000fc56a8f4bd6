import type { Form } from './dialect.js';
import { bind, type MesaBound } from './bind/index.js';
import { lexicalTokens } from './lexical.js';
import { lower } from './lower.js';
import { parse } from './parser/parse.js';
import type { MesaUnit } from './tree.js';

/** Programs in the lines of Mesa's dumps, captured or standalone. */
export const mesa: Form<MesaUnit, MesaBound> = {
  parse,
  bind,
  lower,
  lexical: (bound) => lexicalTokens(bound.parsed),
  describe: () => undefined,
  complete: (_bound, offset) => ({ span: { start: offset, end: offset }, items: [] }),
  signatures: () => undefined,
  format: () => [],
  folds: () => [],
  enclosing: () => [],
  links: () => [],
};
