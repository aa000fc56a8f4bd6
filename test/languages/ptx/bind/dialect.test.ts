import assert from 'node:assert/strict';
import { defaultSettings } from '../../../../server/src/workspace/settings.js';
import { ptxHead, ptxSnapshot } from '../../../support/ptx.js';
import { toyTarget } from '../../../support/toy/target.js';

const under = (text: string, dialect?: string): string[] =>
  ptxSnapshot(
    text,
    toyTarget,
    dialect === undefined ? {} : { ...defaultSettings, languages: { ptx: { dialect } } },
  ).units.flatMap((unit) =>
    unit.bound.problems.filter((p) => p.code.startsWith('name/')).map((p) => `${p.severity} ${p.code}`),
  );

const optix = `${ptxHead}.visible .entry k()\n{\n  call _optix_trace;\n  ret;\n}\n`;
const driver = optix.replace('_optix_trace', '_other_intrinsic');
const unordered = `${ptxHead}.visible .entry k()\n{\n  call g;\n  ret;\n}\n.func g()\n{\n  ret;\n}\n`;
const gcc = `// BEGIN PREAMBLE\n${unordered}`;

const error = ['error name/undeclared-function'];
const intrinsic = ['information name/optix-intrinsic'];
const early = ['error name/used-before-declaration'];
const sorted = ['information name/declared-later'];

describe('PTX dialect', () => {
  it('is recognised from names and the first comment', () => {
    for (const dialect of [undefined, 'auto']) {
      assert.deepEqual(under(optix, dialect), intrinsic);
      assert.deepEqual(under(driver, dialect), error);
      assert.deepEqual(under(unordered, dialect), early);
      assert.deepEqual(under(gcc, dialect), sorted);
    }
  });

  it('ptxas: what ptxas refuses is an error', () => {
    assert.deepEqual(under(optix, 'ptxas'), error);
    assert.deepEqual(under(gcc, 'ptxas'), early);
  });

  it('gcc: declarations may follow without the comment', () => {
    assert.deepEqual(under(unordered, 'gcc'), sorted);
    assert.deepEqual(under(optix, 'gcc'), error);
  });

  it('optix: every undeclared function with a leading underscore is an intrinsic', () => {
    assert.deepEqual(under(optix, 'optix'), intrinsic);
    assert.deepEqual(under(driver, 'optix'), intrinsic);
    assert.deepEqual(under(optix.replace('_optix_trace', 'trace'), 'optix'), error);
    assert.deepEqual(under(gcc, 'optix'), early);
  });
});
