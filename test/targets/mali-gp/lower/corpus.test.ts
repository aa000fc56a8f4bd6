import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { evaluate } from '../../../../server/src/targets/mali-gp/evaluate.js';
import { checkProgram } from '../../../../server/src/targets/mali-gp/lower/check.js';
import { lower } from '../../../../server/src/targets/mali-gp/lower/index.js';
import { corpusOrSkip, filesOf, spread } from '../../../support/corpus.js';
import { functionOfGpir, readGpir } from '../../../support/gpir-text.js';
import { compareRuns } from '../../../support/gpir-runs.js';

describe('lowering for the geometry processor: the corpus', () => {
  it('keeps the invariants and the results of programs', function () {
    const folder = corpusOrSkip(this, 'gpir');
    for (const file of spread(filesOf(folder, '.gpir'), 3)) {
      const source = readGpir(readFileSync(file, 'utf8'));
      const { program, problems } = lower(functionOfGpir(source));
      assert.deepEqual(problems, [], file);
      assert.deepEqual(checkProgram(program), [], file);
      const { compared, difference } = compareRuns(
        source,
        (inputs) => evaluate(program, inputs),
        program,
        12,
      );
      assert.equal(difference, undefined, file);
      assert.ok(compared > 0, `${file}: no input for which all results are numbers`);
    }
  });
});
