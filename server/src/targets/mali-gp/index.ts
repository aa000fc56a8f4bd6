import type { Target } from '../target.js';
import { compile, compileInSteps } from './compile.js';
import type { GpCompilation } from './compilation.js';
import { display } from './display.js';
import { improve } from './improve.js';
import { listingOf } from './listing.js';
import { listingJson } from './listing-json.js';
import { verify } from './verify.js';

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
  compileInSteps,
  improve,
  verify: ({ source, code, sites }) =>
    verify(source, code, { instructionOf: (word) => sites.ownerOfWord[word] ?? -1 }),
  listing: listingOf,
  alternatives: ({ options }) =>
    ['quick', 'best'].map((effort) => ({
      group: 'effort',
      name: effort,
      options: { effort },
      isPresent: effort === (options.effort ?? 'best'),
    })),
  json: (c) => listingJson(c.code),
  display,
};
