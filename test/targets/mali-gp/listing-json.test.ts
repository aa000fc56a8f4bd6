import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { listingJson } from '../../../server/src/targets/mali-gp/listing-json.js';
import { readListingJson } from '../../../server/src/targets/mali-gp/read-listing-json.js';
import type { CompiledProgram } from '../../../server/src/targets/mali-gp/word.js';
import { runs } from '../../support/fuzz.js';
import { gpCheckOrSkip } from '../../support/gp-check.js';
import { violations } from '../../support/json-schema.js';
import { gpListing } from '../../support/gp-listing.js';
import { programs } from '../../support/gp-words.js';

const emptyWord: CompiledProgram['words'][number] = { units: Array<undefined>(6).fill(undefined) };

/** Without what a listing does not say (nodes, purposes) or cannot (numbers out of range). */
function expressible(program: CompiledProgram): CompiledProgram {
  const count = program.words.length;
  const starts = [0, ...program.blocks.map(({ start }) => Math.min(Math.max(start, 0), count))];
  const blocks = [...new Set(starts)].sort((a, b) => a - b).map((start) => ({ label: `b${start}`, start }));
  const index = (n: number): number => Math.max(n, 0);
  const at = <T extends { component: number }>(s: T): T => ({ ...s, component: s.component & 3 });
  return {
    ...program,
    uniforms: index(program.uniforms),
    blocks,
    constants: [
      ...new Map(
        program.constants
          .map((c) => at({ ...c, vector: index(c.vector) }))
          .map((c): [number, typeof c] => [4 * c.vector + c.component, c]),
      ).values(),
    ],
    words: program.words.map(({ units, reg0, reg1, uniform, xy, zw, branch }) => ({
      units: emptyWord.units.map((_, u) => {
        const work = units[u];
        return work && { ...work, sources: work.sources.map((s) => ('component' in s ? at(s) : { ...s })) };
      }),
      ...(reg0 && { reg0: { ...reg0, vector: index(reg0.vector) } }),
      ...(reg1 !== undefined && { reg1: index(reg1) }),
      ...(uniform && {
        uniform:
          uniform.kind === 'constants'
            ? { kind: 'uniform' as const, vector: uniform.values.length }
            : { ...uniform, vector: index(uniform.vector) },
      }),
      ...(xy && { xy: { ...xy, vector: index(xy.vector) } }),
      ...(zw && { zw: { ...zw, vector: index(zw.vector) } }),
      ...(branch !== undefined && { branch: index(branch) % blocks.length }),
    })),
  };
}

describe('mali-gp: listing as JSON', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(programs, (any) => {
        const program = expressible(any);
        const { program: read, problems } = readListingJson(JSON.parse(JSON.stringify(listingJson(program))));
        assert.deepEqual(problems, []);
        assert.deepEqual(read, program);
      }),
      { numRuns: runs(300) },
    );
  });

  it('has the form that its schema says', () => {
    const schema = JSON.parse(readFileSync('docs/gp-listing.schema.json', 'utf8')) as Record<string, unknown>;
    fc.assert(
      fc.property(programs, (any) => {
        const json: unknown = JSON.parse(JSON.stringify(listingJson(expressible(any))));
        assert.deepEqual(violations(schema, json), []);
      }),
      { numRuns: runs(100) },
    );
    assert.deepEqual(violations(schema, { ...gpListing('_\n_'), words: [{ mul2: {} }] }), [
      '$.words[0].mul2 is not described',
    ]);
  });

  it('writes numbers that JSON lacks as bits', () => {
    const constants = [-0, NaN, -Infinity, 0.1].map((value, component) => ({ vector: 1, component, value }));
    const program: CompiledProgram = {
      name: '',
      words: [],
      blocks: [{ label: '', start: 0 }],
      uniforms: 1,
      constants: constants.map((c) => ({ ...c, value: Math.fround(c.value) })),
      registers: {},
    };
    const json = listingJson(program);
    assert.deepEqual(json.constants, {
      'u1.x': '0x80000000',
      'u1.y': '0x7fc00000',
      'u1.z': '0xff800000',
      'u1.w': Math.fround(0.1),
    });
    assert.deepEqual(readListingJson(JSON.parse(JSON.stringify(json))).program, program);
  });

  const broken: readonly [string, unknown, RegExp, RegExp][] = [
    ['no object', 5, /no object/, /not a JSON object/],
    ['another version', { version: 2, words: [] }, /version/, /version must be 1/],
    ['no words', { version: 1 }, /list of words/, /no list "words"/],
    ['an unknown key', word({ mul2: {} }), /word 0: has the unknown key "mul2"/, /unknown key "mul2"/],
    [
      'an unknown key below',
      word({ add0: { op: 'mov', src: [], x: 1 } }),
      /word 0, add0: has the unknown key "x"/,
      /unknown key "x"/,
    ],
    [
      'an unknown operation',
      word({ add0: { op: 'sub', src: [] } }),
      /word 0, add0: .*operation/,
      /cannot do 'sub'/,
    ],
    [
      'an attribute in port 1',
      word({ reg1: { kind: 'attribute', index: 0 } }),
      /reg1 loads registers only/,
      /reg1 cannot load an attribute/,
    ],
    ['a bad port', word({ reg0: { kind: 'uniform', index: 0 } }), /reg0/, /reg0: cannot read/],
    ['two addresses', word({ uniform: { index: 1, temp: 1 } }), /uniform needs one of/, /exactly one of/],
    ['an unknown offset', word({ uniform: { index: 0, offset: 'addr0' } }), /offset/, /bad offset/],
    [
      'a distance of 3',
      gpListing('_\n_\n_\nadd0 = mov mul0@3'),
      /word 3, add0: source 1 reads mul0 at no distance/,
      /distance 3 of mul0, must be 1 or 2/,
    ],
    [
      'a late port',
      gpListing('u0\nadd0 = mov uniform.x@1'),
      /word 1, add0: source 1 cannot come from uniform.x at distance 1/,
      /must be 0/,
    ],
    ['an unknown source', gpListing('add0 = mov acc.x'), /acc\.x/, /unknown source/],
    ['1 in an adder', gpListing('a0; add0 = add reg0.x one'), /cannot be "one"/, /only as second source/],
    [
      'a store of no unit',
      gpListing('v0.x = add2'),
      /stores something else than a unit in x/,
      /is not a unit/,
    ],
    [
      'a component of the other half',
      word({ store: { xy: { kind: 'varying', index: 0, z: 'add0' } } }),
      /unknown key "z"/,
      /unknown key "z"/,
    ],
    [
      'a branch into a block',
      gpListing('a0; pass = mov reg0.x; {"branch": {"target": 1}}\n_\n_'),
      /word 0: branch goes to word 1, where no block starts/,
      /not the start of a block/,
    ],
    [
      'another condition',
      word({ branch: { target: 0, condition: 'add0' } }),
      /something else than pass/,
      /can only be "pass"/,
    ],
    [
      'a constant without a place',
      { version: 1, words: [], constants: { x: 1 } },
      /constant x/,
      /cannot read 'x'/,
    ],
    [
      'a register without a place',
      { version: 1, words: [], registers: { '@r': '$16.x' } },
      /register @r/,
      /@r is mapped to/,
    ],
  ];
  function word(w: object): unknown {
    return { version: 1, uniforms: 1, words: [w] };
  }
  for (const [what, json, message] of broken)
    it(`reports ${what}`, () => {
      assert.match(readListingJson(json).problems.join('\n'), message);
    });

  it('refuses what the independent checker refuses', function () {
    const verdicts = gpCheckOrSkip(this).problems(
      broken.map(([, listing]) => ({ source: 'st_var v0.x, u0.x', listing })),
    );
    for (const [k, problems] of verdicts.entries()) assert.match(problems.join('\n'), broken[k][3]);
  });

  it('reads any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (json) => {
        assert.ok(readListingJson(json).program.words.length >= 0);
      }),
      { numRuns: runs(300) },
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.dictionary(fc.constantFrom('mul0', 'reg0', 'store', 'branch', 'uniform'), fc.jsonValue()),
        ),
        (words) => {
          assert.equal(readListingJson({ version: 1, words }).program.words.length, words.length);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
