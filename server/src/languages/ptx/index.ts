import type { Language } from '../language.js';
import { occurrenceAt } from '../symbols.js';
import { dialectSetting } from './bind/dialect.js';
import { bind, type PtxBound } from './bind/index.js';
import { complete, resolveCompletion } from './complete/index.js';
import { enclosing } from './enclosing.js';
import { folds } from './folds.js';
import { format } from './format.js';
import { describe } from './hover.js';
import { specialRegisters } from './isa/special-registers.js';
import { lexicalTokens } from './lexical.js';
import { directiveAt } from './directive-at.js';
import { links } from './links.js';
import { lower, ptxClasses } from './lower.js';
import { parse } from './parse.js';
import { softStackRefactorings } from './soft-stack/refactorings.js';
import { signatures } from './signature.js';
import { unitEnd } from './split.js';
import { stackProblems } from './stack/module.js';
import { unitFrame } from './stack/unit-frame.js';
import type { PtxUnit } from './tree.js';

/** PTX, the virtual instruction set of NVIDIA's GPUs, as `ptxas` of CUDA 13.0 takes it. */
export const ptx: Language<PtxUnit, PtxBound> = {
  id: 'ptx',
  name: 'PTX',
  extensions: ['.ptx'],
  settings: [dialectSetting],
  classes: ptxClasses,
  unitEnd,
  parse,
  bind,
  lower,
  lexical: (bound) =>
    lexicalTokens(bound.parsed, (name, start) => specialRegisters.has(name) && !isName(bound, start)),
  describe,
  complete,
  resolveCompletion,
  signatures,
  format,
  folds,
  enclosing,
  links,
  frame: unitFrame,
  moduleProblems: stackProblems,
  directiveAt,
  refactorings: softStackRefactorings,
};

/** A register of the program may have the name of a special register. */
function isName(bound: PtxBound, start: number): boolean {
  const at = occurrenceAt(bound.symbols, start);
  return at >= 0 && bound.symbols.occurrenceStart[at] === start;
}
