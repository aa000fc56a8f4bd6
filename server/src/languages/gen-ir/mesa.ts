import type { Form } from './dialect.js';
import { bind, type MesaBound } from './bind/index.js';
import { complete } from './complete/index.js';
import { describe } from './describe.js';
import { format } from './format.js';
import { lexicalTokens } from './lexical.js';
import { lower } from './lower.js';
import { naming } from './naming.js';
import { parse } from './parser/parse.js';
import { signatures } from './signature.js';
import { enclosing, folds } from './structure.js';
import type { MesaUnit } from './tree.js';

/** Programs in the lines of Mesa's dumps, captured or standalone. */
export const mesa: Form<MesaUnit, MesaBound> = {
  parse,
  bind,
  lower,
  lexical: (bound) => lexicalTokens(bound.parsed),
  describe,
  complete,
  signatures,
  format,
  folds,
  enclosing,
  links: () => [],
  naming,
};
