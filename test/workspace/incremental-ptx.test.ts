import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { ptx } from '../../server/src/languages/ptx/index.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { editStep, runScript } from '../support/edit-scripts.js';
import { runs } from '../support/fuzz.js';
import { ptxPiece, ptxTyping } from '../support/ptx-typing.js';

const pair = { language: ptx, target: nvidia };

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'examples');
const texts = readdirSync(examples)
  .filter((name) => name.endsWith('.ptx'))
  .map((name) => readFileSync(join(examples, name), 'utf8'));

describe('incremental store, PTX', () => {
  it('after every step of a random edit script equals the result from scratch', () => {
    const small = fc.array(ptxPiece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(small, fc.array(editStep(ptxTyping, 100), { maxLength: 8 }), (first, steps) =>
        runScript(pair, first, steps),
      ),
      { numRuns: runs(120) },
    );
  });

  it('and so it does on the examples', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(editStep(ptxTyping), { maxLength: 5 }),
        (first, steps) => runScript(pair, first, steps),
      ),
      { numRuns: runs(25) },
    );
  });
});
