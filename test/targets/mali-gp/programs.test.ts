import { equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { corpusOrSkip, filesOf } from '../../support/corpus.js';
import { gpCheckOrSkip, type GpCase } from '../../support/gp-check.js';
import { gpirFunction, tryGpProgram } from '../../support/gp-trial.js';
import { maliGp } from '../../../server/src/targets/mali-gp/index.js';

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..', 'examples');

/** What is wrong with the compilation of each file, quick answer only. */
const faultsOf = (paths: readonly string[], runs: number): string[] =>
  paths.flatMap((path) => {
    const { fault } = tryGpProgram(readFileSync(path, 'utf8'), { runs, seed: 1 });
    return fault === undefined ? [] : [`${basename(path)}: ${fault}`];
  });

describe('mali-gp: whole programs', function () {
  this.timeout(0);

  it('compiles the examples to words that compute what they say', () => {
    equal(faultsOf(filesOf(examples, '.gpir'), 8).join('\n'), '');
  });

  it('compiles the reference inputs to words that compute what they say', function () {
    equal(faultsOf(filesOf(corpusOrSkip(this, 'gpir'), '.gpir'), 3).join('\n'), '');
  });

  it('is accepted by the independent checker, examples and a part of the reference inputs', function () {
    const check = gpCheckOrSkip(this);
    this.timeout(0);
    const inputs = filesOf(corpusOrSkip(this, 'gpir'), '.gpir').filter((_, index) => index % 16 === 0);
    const paths = [...filesOf(examples, '.gpir'), ...inputs];
    const cases = paths.flatMap((path): GpCase[] => {
      const source = readFileSync(path, 'utf8');
      const { source: f } = gpirFunction(source);
      const compilation = f && maliGp.compile(f, {});
      return compilation && compilation.code.words.length <= 512
        ? [{ source, listing: maliGp.json?.(compilation) }]
        : [];
    });
    const refused = check
      .problems(cases)
      .flatMap((problems, index) => problems.map((p) => `case ${index}: ${p}`));
    equal(refused.join('\n'), '');
  });
});
