import type { Language } from '../language.js';
import { bind, type PtxBound } from './bind/index.js';
import { lower } from './lower.js';
import { parse } from './parse.js';
import { unitEnd } from './split.js';
import type { PtxUnit } from './tree.js';

/** PTX, the virtual instruction set of NVIDIA's GPUs, as `ptxas` of CUDA 13.0 takes it. */
export const ptx: Language<PtxUnit, PtxBound> = {
  id: 'ptx',
  name: 'PTX',
  extensions: ['.ptx'],
  settings: [],
  unitEnd,
  parse,
  bind,
  lower,
  lexical: () => ({ start: new Int32Array(0), end: new Int32Array(0), kind: new Uint8Array(0) }),
  describe: () => undefined,
  complete: (_, offset) => ({ span: { start: offset, end: offset }, items: [] }),
  resolveCompletion: () => undefined,
  signatures: () => undefined,
  format: () => [],
  folds: () => [],
  enclosing: () => [],
  links: () => [],
};
