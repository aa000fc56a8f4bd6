import assert from 'node:assert/strict';
import fc from 'fast-check';
import { evaluate } from '../../../../server/src/targets/mali-gp/evaluate.js';
import { checkProgram } from '../../../../server/src/targets/mali-gp/lower/check.js';
import { lower } from '../../../../server/src/targets/mali-gp/lower/index.js';
import { runs } from '../../../support/fuzz.js';
import { compareRuns } from '../../../support/gpir-runs.js';
import { functionOfGpir, readGpir } from '../../../support/gpir-text.js';
import { gpirPrograms, gpirShapes } from '../../../support/random-gpir.js';

describe('lowering for the geometry processor: random programs', () => {
  for (const shape of gpirShapes)
    it(`keeps invariants and results: ${shape.name}`, () => {
      fc.assert(
        fc.property(gpirPrograms(shape), (text) => {
          const source = readGpir(text);
          const { program, problems } = lower(functionOfGpir(source));
          assert.deepEqual(problems, []);
          assert.deepEqual(checkProgram(program), []);
          const { difference } = compareRuns(source, (inputs) => evaluate(program, inputs), program, 4);
          assert.equal(difference, undefined);
        }),
        { numRuns: runs(60) },
      );
    });
});
