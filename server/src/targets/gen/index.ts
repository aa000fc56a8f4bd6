import type { Target } from '../target.js';
import { alternatives } from './alternatives.js';
import { compile } from './compile.js';
import type { GenCompilation } from './compilation.js';
import { display } from './display.js';
import { compilationJson } from './json.js';
import { listingOf } from './listing.js';
import { settled } from './limits.js';
import { platformNames } from './platforms.js';
import { verify } from './verify.js';

export type { GenCompilation } from './compilation.js';

/** The execution unit of Intel's Gen7 and Gen7.5 GPUs, modelled on Mesa's i965 and on Beignet. */
export const gen: Target<GenCompilation> = {
  id: 'gen',
  name: 'Intel Gen EU',
  options: [
    {
      name: 'platform',
      type: 'string',
      values: platformNames,
      description: 'The machine; wins over `.target`. Default: that of the file, else `ivb`.',
    },
    {
      name: 'width',
      type: 'string',
      values: ['8', '16'],
      description:
        'Dispatch width with which the strategy list for selection programs begins. Default: that of the file.',
    },
    {
      name: 'maxRegisters',
      type: 'integer',
      minimum: 8,
      maximum: 128,
      description:
        'General registers that may be used. Default, and the most: those of `.grf_limit`, else 112 for SIMD4x2 on Gen7, else 128.',
    },
    {
      name: 'strategy',
      type: 'string',
      values: ['best', 'i965', 'beignet'],
      description: 'Whose register allocation the figures are from. Default: `best`.',
    },
  ],
  compile,
  verify,
  listing: listingOf,
  alternatives,
  settled,
  json: compilationJson,
  display,
};
