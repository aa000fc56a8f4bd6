import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { header, kernel } from '../../bench/support/generate.js';
import { ptx } from '../../server/src/languages/ptx/index.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { corpus, filesOf } from '../support/corpus.js';
import { editStep, runScript } from '../support/edit-scripts.js';
import { ptxPiece, ptxTyping } from '../support/ptx-typing.js';
import { numberOption, seed, times } from './options.js';
import { Search } from './properties.js';

/**
 * Whether the incremental store gives what a text gives from scratch, after every step of random edit scripts over
 * small pieces, generated kernels and slices of reference files.
 *   --seed N     the seed (printed)     --times N   times 1 000 scripts     --steps N   edits a script (8)
 */
const pair = { language: ptx, target: nvidia };
const steps = fc.array(editStep(ptxTyping), { maxLength: numberOption('steps', 8) });
const scripts = (
  text: fc.Arbitrary<string>,
): fc.Arbitrary<readonly [string, Parameters<typeof runScript>[2]]> => fc.tuple(text, steps);
const check = ([text, script]: readonly [string, Parameters<typeof runScript>[2]]): void =>
  runScript(pair, text, script);

const pieces = fc.array(ptxPiece, { maxLength: 8 }).map((parts) => parts.join(''));

const generated = fc
  .array(fc.record({ lines: fc.integer({ min: 20, max: 80 }), seed: fc.nat(9999) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((kernels) => header + kernels.map((k, n) => kernel(`k${n}`, k.lines, k.seed)).join('\n'));

/** From anywhere in a file to anywhere behind: units cut in two are what an editor sees most. */
function slices(): fc.Arbitrary<string> | undefined {
  if (corpus === undefined) return undefined;
  const folder = join(corpus, 'ptx');
  const paths = ['generated', 'dev', 'probes'].flatMap((part) => filesOf(join(folder, part), '.ptx'));
  return fc
    .record({ path: fc.constantFrom(...paths), from: fc.nat(), length: fc.nat({ max: 3000 }) })
    .map(({ path, from, length }) => {
      const text = readFileSync(path, 'latin1');
      const start = from % (text.length + 1);
      return text.slice(start, start + length);
    });
}

const search = new Search(seed);
search.property('scripts over small pieces', 400 * times, scripts(pieces), check);
search.property('scripts over generated kernels', 200 * times, scripts(generated), check);
const references = slices();
if (references === undefined)
  console.log('scripts over reference files: not tried, SPILLWAY_CORPUS names none');
else search.property('scripts over slices of reference files', 400 * times, scripts(references), check);
search.finish();
