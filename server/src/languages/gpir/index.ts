import type { Language } from '../language.js';
import { bind, type GpirBound } from './bind/index.js';
import { gpirClasses } from './classes.js';
import { complete, resolveCompletion } from './complete/index.js';
import { enclosing } from './enclosing.js';
import { folds } from './folds.js';
import { format } from './format.js';
import { describe } from './hover.js';
import { lexicalTokens } from './lexical.js';
import { links } from './links.js';
import { lower } from './lower.js';
import { parse } from './parser/parse.js';
import { signatures } from './signature.js';
import { unitEnd } from './split.js';
import type { GpirUnit } from './tree.js';

/** GP IR, the intermediate representation of Mesa's lima compiler for the Mali-400 geometry processor, as text. */
export const gpir: Language<GpirUnit, GpirBound> = {
  id: 'gpir',
  name: 'GP IR',
  extensions: ['.gpir'],
  settings: [],
  classes: gpirClasses,
  unitEnd,
  parse,
  bind,
  lower,
  lexical: (bound) => lexicalTokens(bound.parsed),
  describe,
  complete,
  resolveCompletion,
  signatures,
  format,
  folds,
  enclosing,
  links,
};
