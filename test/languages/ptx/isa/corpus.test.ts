import assert from 'node:assert/strict';
import { corpusOrSkip } from '../../../support/corpus.js';
import { bindText } from '../bound.js';
import { compilerOutput } from '../support.js';

/** What compilers wrote and ptxas accepts fits the tables. */
describe('ptx instruction tables on compiler output', () => {
  it('find nothing wrong in it', function () {
    this.timeout(120_000);
    const found: string[] = [];
    // The same kernels for several architectures have the same instructions.
    const files = compilerOutput(corpusOrSkip(this, 'ptx')).filter(
      ({ path }) => /generated/.test(path) || /\.(?:90|L80\d)\.ptx$/.test(path),
    );
    for (const { path, text } of files) {
      for (const { start, bound } of bindText(text)) {
        for (const { code, message, span } of bound.problems) {
          if (!/^(isa|type)\//.test(code)) continue;
          found.push(`${path.split('/').at(-1)} at ${start + span.start}: ${message}`);
        }
      }
    }
    assert.deepEqual(found.slice(0, 20), []);
  });
});
