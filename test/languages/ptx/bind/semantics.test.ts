import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { corpusOrSkip, filesOf, rowsOf, spread } from '../../../support/corpus.js';
import { compilerOutput } from '../support.js';
import { errorsOf, problemsOf, type PlacedProblem } from '../bound.js';

const brief = (problem: PlacedProblem): string => `${problem.line}: ${problem.code} ${problem.message}`;

/** Words of the message that a person would look for, beside the line that expected.tsv gives. */
const telling: Readonly<Record<string, RegExp>> = {
  'undecl-reg.ptx': /'d' is not declared.*a, b, c \(\.u32\)/,
  'undecl-typo.ptx': /did you mean 'b'/,
  'guard-nonpred.ptx': /'b' is \.u32/,
  'ver-target.ptx': /needs \.version 7\.8/,
  'ver-future.ptx': /newer than this assembler knows/,
  'tgt-unknown.ptx': /sm_80, sm_86/,
  'no-version.ptx': /must begin with \.version/,
  'dup-label.ptx': /'L' is already defined/,
  'no-label.ptx': /'OUT' is not defined/,
  'dup-reg.ptx': /'a' is already declared/,
  'dup-param.ptx': /'p' is declared twice/,
  'dup-entry.ptx': /'k' is already defined/,
  'call-noproto.ptx': /\.callprototype or \.calltargets/,
  'call-undef.ptx': /'helper' is not declared before/,
  'call-argc.ptx': /passes 1 argument; it takes 2/,
  'call-noret.ptx': /is \.u32 but 'd' is \.f64/,
  'sreg-unknown.ptx': /did you mean '%tid\.x'/,
  'sreg-comp.ptx': /\.x, \.y, \.z.*'\.q' does not exist/,
  'scope-use.ptx': /inner scope that has ended/,
  'scope-branch.ptx': /cannot enter a block/,
  'space-shared-init.ptx': /cannot have an initialiser/,
  'array-size.ptx': /3 initialisers for an array of 2/,
  'ret-value.ptx': /return variable 'o'/,
};

describe('PTX beside ptxas', function () {
  this.timeout(60_000);

  it('finds no error in what compilers write', function () {
    const folder = corpusOrSkip(this, 'ptx');
    for (const { path, text } of spread(compilerOutput(folder), 3))
      assert.deepEqual(errorsOf(text).slice(0, 3).map(brief), [], path);
  });

  it('explains the order of declarations in raw GCC output', function () {
    const folder = corpusOrSkip(this, 'ptx');
    for (const path of filesOf(join(folder, 'generated'), '.ptx', '.s')) {
      const problems = problemsOf(readFileSync(path, 'latin1'));
      const later = problems.filter((problem) => problem.code === 'name/declared-later');
      assert.equal(later.length > 0, path.endsWith('.s'), path);
    }
  });

  it('gives every probe the verdict of ptxas', function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'probes');
    for (const row of rowsOf(join(folder, 'probes.tsv'))) {
      const found = errorsOf(readFileSync(join(folder, row.file), 'latin1'));
      const verdict = row['ptxas 13.0.88 (-arch=sm_90 -c)'];
      // refused because of -c alone, which compiles function by function; whole programs may say it (an information)
      if (row.file.includes('enable-smem-spilling')) continue;
      assert.equal(found.length > 0, verdict === 'rejects', `${row.file}: ${found.map(brief).join('; ')}`);
    }
  });

  it('gives every mistake one error, on its line, with a text that helps', function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'reject');
    for (const row of rowsOf(join(folder, 'expected.tsv'))) {
      const found = errorsOf(readFileSync(join(folder, row.file), 'utf8'));
      assert.deepEqual(
        found.map((problem) => problem.line),
        [Number(row.line)],
        `${row.file}: ${found.map(brief).join('; ')}`,
      );
      if (Object.hasOwn(telling, row.file)) assert.match(found[0].message, telling[row.file], row.file);
    }
  });

  it('refuses nothing that only looks wrong', function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'reject', 'accepted');
    for (const path of filesOf(folder, '.ptx'))
      assert.deepEqual(errorsOf(readFileSync(path, 'utf8')).map(brief), [], path);
  });
});
