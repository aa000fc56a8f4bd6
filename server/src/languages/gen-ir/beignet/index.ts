import type { Form } from '../dialect.js';
import { bindBeignet, type BeignetBound } from './bind.js';
import { complete } from './complete.js';
import { describe } from './hover.js';
import { lexicalTokens } from './lexical.js';
import { lowerBeignet } from './lower.js';
import { naming } from './naming.js';
import { parseBeignet } from './parse.js';
import { enclosing, folds } from './structure.js';
import type { BeignetUnit } from './tree.js';

/** What Beignet prints of a kernel: GEN IR, selection IR, register allocation. */
export const beignet: Form<BeignetUnit, BeignetBound> = {
  parse: parseBeignet,
  bind: bindBeignet,
  lower: lowerBeignet,
  lexical: (bound) => lexicalTokens(bound.parsed, bound.flags),
  describe,
  complete,
  signatures: () => undefined,
  // the columns of a captured dump are the printer's
  format: () => [],
  folds,
  enclosing,
  links: () => [],
  naming,
};
