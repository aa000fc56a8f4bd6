import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { corpusOrSkip, filesOf, rowsOf, spread } from '../../support/corpus.js';
import { compilerOutput, syntaxProblems } from './support.js';

/** ptxas names a mistake of syntax so; all else is a matter of names, types and the instruction set. */
const syntaxVerdict = /Parsing error|non-ASCII/;

describe('PTX syntax beside ptxas', () => {
  it('takes everything that compilers write', function () {
    const folder = corpusOrSkip(this, 'ptx');
    // bind/semantics.test.ts finds no error in others of them
    for (const { path, text } of spread(compilerOutput(folder), 9, 1))
      assert.deepEqual(syntaxProblems(text).slice(0, 3), [], path);
  });

  it('gives every probe the verdict of ptxas', function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'probes');
    for (const row of rowsOf(join(folder, 'probes.tsv'))) {
      const found = syntaxProblems(readFileSync(join(folder, row.file), 'utf8'));
      assert.equal(
        found.length > 0,
        syntaxVerdict.test(row.messages ?? ''),
        `${row.file}: ${found[0]?.message}`,
      );
    }
  });

  it('reports a mistake once, on the line where it was made', function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'reject');
    for (const row of rowsOf(join(folder, 'expected.tsv'))) {
      const found = syntaxProblems(readFileSync(join(folder, row.file), 'utf8'));
      if (syntaxVerdict.test(row.ptxas_message) && row.file !== 'no-version.ptx')
        assert.deepEqual(
          found.map((problem) => problem.line),
          [Number(row.line)],
          row.file,
        );
      else
        assert.ok(found.length <= 1 && found.every((problem) => problem.line === Number(row.line)), row.file);
    }
  });

  it('refuses nothing that only looks wrong', function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'reject', 'accepted');
    for (const path of filesOf(folder, '.ptx'))
      assert.deepEqual(syntaxProblems(readFileSync(path, 'utf8')), [], path);
  });
});
