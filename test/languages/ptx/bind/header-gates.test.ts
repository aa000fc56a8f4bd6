import assert from 'node:assert/strict';
import { errorsOf } from '../bound.js';

/** One directive in a kernel or function, under a header. Verdicts are those of ptxas 13.0.88. */
const cases: readonly (readonly [version: string, target: string, text: string, code: string | undefined])[] =
  [
    ['9.0', 'sm_90', '.entry k() .maxclusterrank 8 { ret; }', undefined],
    ['9.0', 'sm_80', '.entry k() .maxclusterrank 8 { ret; }', 'isa/target'],
    ['9.0', 'sm_90', '.entry k() .reqntid 32 .reqnctapercluster 2 .blocksareclusters { ret; }', undefined],
    [
      '8.8',
      'sm_90',
      '.entry k() .reqntid 32 .reqnctapercluster 2 .blocksareclusters { ret; }',
      'isa/version',
    ],
    ['9.0', 'sm_80', '.func f() .abi_preserve 8 { ret; }', undefined],
    ['9.0', 'sm_75', '.func f() .abi_preserve 8 { ret; }', 'isa/target'],
    ['8.8', 'sm_80', '.func f() .abi_preserve_control 4 { ret; }', 'isa/version'],
    ['6.3', 'sm_75', '.func f() .noreturn { L: bra L; }', 'isa/version'],
    ['6.0', 'sm_60', '.entry k() { L: T: .branchtargets L; ret; }', undefined],
    ['5.0', 'sm_60', '.entry k() { L: T: .branchtargets L; ret; }', 'isa/version'],
  ];

describe('ptx directives and the header', () => {
  for (const [version, target, text, code] of cases)
    it(`${code ?? 'nothing'} under ${version}, ${target}: ${text}`, () => {
      const found = errorsOf(`.version ${version}\n.target ${target}\n.address_size 64\n${text}\n`);
      assert.deepEqual(
        found.map((problem) => problem.code),
        code === undefined ? [] : [code],
      );
    });

  it('raises the header', () => {
    const [found] = errorsOf(
      '.version 7.0\n.target sm_80\n.address_size 64\n.entry k() .maxclusterrank 8 { ret; }\n',
    );
    assert.match(found.message, /\.maxclusterrank needs sm_90 or later \(and \.version 7\.8\)/);
    assert.deepEqual(
      found.fixes?.[0].edits.map((edit) => [edit.anchor, edit.newText]),
      [
        ['.target', 'sm_90'],
        ['.version', '7.8'],
      ],
    );
  });
});
