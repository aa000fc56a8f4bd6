import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { corpusOrSkip, rowsOf } from '../../../support/corpus.js';
import { compilerOutput } from '../support.js';
import { errorsOf, problemsOf } from '../bound.js';

/** Mistakes that the instruction tables judge, not names; listed by file name. */
const families = /^(?:syntax|name|type|isa)\//;

describe('PTX names beside ptxas', function () {
  this.timeout(60_000);

  it('finds no error of names in what compilers write', function () {
    const folder = corpusOrSkip(this, 'ptx');
    for (const { path, text } of compilerOutput(folder))
      assert.deepEqual(
        errorsOf(text)
          .filter((problem) => !problem.code.startsWith('isa/'))
          .slice(0, 3)
          .map((problem) => `${problem.line}: ${problem.message}`),
        [],
        path,
      );
  });

  it('explains the order of declarations in raw GCC output', function () {
    const folder = corpusOrSkip(this, 'ptx');
    for (const { path, text } of compilerOutput(folder)) {
      const later = problemsOf(text).filter((problem) => problem.code === 'name/declared-later');
      assert.equal(later.length > 0, /gcc12_(?:acc|omp).*\.s$/.test(path), path);
    }
  });

  it('has a code of a known family for every problem', function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'reject');
    for (const row of rowsOf(join(folder, 'expected.tsv')))
      for (const problem of problemsOf(readFileSync(join(folder, row.file), 'utf8')))
        assert.match(problem.code, families, row.file);
  });
});
