import type { Target } from '../target.js';
import { compile } from './compile.js';
import type { GpCompilation } from './compilation.js';
import { display } from './display.js';
import { improve } from './improve.js';
import { listingJson } from './listing-json.js';

export type { GpCompilation } from './compilation.js';

/** The geometry processor of ARM's Mali-400 and Mali-450, modelled on what Mesa's lima driver knows of it. */
export const maliGp: Target<GpCompilation> = {
  id: 'mali-gp',
  name: 'Mali-400 GP',
  options: [
    {
      name: 'effort',
      type: 'string',
      values: ['quick', 'best'],
      description:
        'How long to search for a short program. `quick`: the first answer stays. Default: `best`; in an editor the quick answer comes first.',
    },
  ],
  compile,
  improve,
  listing: () => ({ lines: [], source: new Int32Array(0) }),
  json: (c) => listingJson(c.code),
  display,
};
