import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ListingJson } from '../../../server/src/targets/mali-gp/listing-json.js';
import { readListingJson } from '../../../server/src/targets/mali-gp/read-listing-json.js';
import { rules, type Rule } from '../../../server/src/targets/mali-gp/rule-statements.js';
import { checkRules } from '../../../server/src/targets/mali-gp/rules.js';
import { runs } from '../../support/fuzz.js';
import { gpCheckOrSkip } from '../../support/gp-check.js';
import { gpListing } from '../../support/gp-listing.js';
import { programs } from '../../support/gp-words.js';

interface Refused {
  readonly rule: Rule;
  /** Where the one violation is, -1 for the program. */
  readonly word: number;
  readonly listing: ListingJson;
  /** What the independent checker says of it. */
  readonly verdict: RegExp;
}

const refused = (
  rule: Rule,
  word: number,
  words: string,
  verdict: RegExp,
  rest: Partial<ListingJson> = {},
): Refused => ({ rule, word, listing: gpListing(words, rest), verdict });

const rcp =
  'a0; mul0 = complex2 reg0.x; complex = rcp_impl reg0.x\nmul0 = complex1 complex@1 mul0@1 reg0.x@1';

/** One a rule and more where a rule has several sides; each breaks that rule alone. */
const cases: readonly Refused[] = [
  refused('word-limit', -1, '_\n'.repeat(513), /513 words/),
  refused('block-starts', -1, '_', /bad start/, {
    blocks: [
      { label: 'a', start: 0 },
      { label: 'b', start: 5 },
    ],
  }),
  refused('block-starts', -1, '_', /must start at word 0/, { blocks: [{ label: 'a', start: 1 }] }),
  refused('uniform-space', -1, '_', /lies inside/, { constants: { 'u0.x': 1 } }),
  refused('uniform-space', -1, '_', /beyond the 9-bit address/, { constants: { 'u512.x': 1 } }),
  refused('uniform-space', -1, '_', /more than 512/, { uniforms: 513 }),
  refused('unit-operation', 0, 'a0; mul0 = add reg0.x reg0.y', /cannot do 'add'/),
  refused('unit-operation', 0, 'a0; add0 = mul reg0.x reg0.y', /cannot do 'mul'/),
  refused('unit-operation', 0, 'a0; mul1 = complex2 reg0.x', /cannot do 'complex2'/),
  refused('unit-operation', 0, 'a0; add0 = add reg0.x', /takes 2 sources/),
  refused('result-sign', 0, 'a0; add0 = -add reg0.x reg0.y', /cannot negate its result/),
  refused('result-sign', 0, 'a0; mul0 = -select reg0.x reg0.y reg0.z', /cannot negate its result/),
  refused('source-sign', 0, 'a0; mul0 = mov -reg0.x', /cannot negate this source/),
  refused('source-sign', 0, 'a0; mul0 = select reg0.x -reg0.y reg0.z', /cannot negate this source/),
  refused('identity-position', 0, 'a0; mul0 = mul one reg0.x', /only as second source/),
  refused('identity-position', 0, 'a0; add0 = max zero reg0.x', /only as second source/),
  refused('adder-opcode', 0, 'a0; add0 = max reg0.x reg0.y; add1 = add reg0.x reg0.y', /share one opcode/),
  refused('adder-opcode', 0, 'a0; add0 = floor reg0.x; add1 = mov reg0.x', /share one opcode/),
  refused(
    'both-multipliers',
    0,
    'a0; mul0 = select reg0.x reg0.y reg0.z; mul1 = mov reg0.x',
    /mul1 is used too/,
  ),
  refused('port-range', 0, 'a16', /outside 0..15/),
  refused('port-range', 0, '$16', /outside 0..15/),
  refused('port-range', 0, 'u512', /outside 0..511/),
  refused('block-boundary', 1, 'a0; mul0 = mov reg0.x\nb:\nadd0 = mov mul0@1', /in another block/),
  refused('block-boundary', 1, 'a0\nb:\nadd0 = mov reg0.x@1', /in another block/),
  refused('block-boundary', 0, 'add0 = mov mul0@2', /in another block/),
  refused('idle-unit', 1, '_\nadd0 = mov mul0@1', /is idle in word 0/),
  refused(
    'idle-unit',
    1,
    'a0; mul0 = select reg0.x reg0.y reg0.z\nadd0 = mov mul1@1',
    /is in mul0, not mul1/,
  ),
  refused('unloaded-port', 0, 'a0; add0 = mov uniform.x', /loads nothing through uniform/),
  refused('unloaded-port', 0, 'add0 = mov reg1.x', /loads nothing through reg1/),
  refused('unloaded-port', 1, 'u0\nadd0 = mov reg0.x@1', /loads nothing through reg0/),
  refused('complex-distance', 2, 'a0; complex = mov reg0.x\n_\nadd0 = mov complex@2', /for distance 1 only/),
  refused(
    'complex-position',
    1,
    'a0; complex = mov reg0.x\nmul0 = mul reg0.x@1 complex@1',
    /cannot be read in this position/,
  ),
  refused(
    'complex-position',
    1,
    'a0; complex = mov reg0.x\nadd1 = max reg0.x@1 complex@1',
    /cannot be read in this position/,
  ),
  refused(
    'complex-position',
    1,
    'a0; complex = mov reg0.x\nmul0 = complex2 complex@1',
    /cannot be read in this position/,
  ),
  refused(
    'complex-position',
    1,
    'a0; complex = mov reg0.x\nmul0 = select complex@1 reg0.x@1 reg0.y@1',
    /cannot be read in this position/,
  ),
  refused('complex1-distance', 2, `${rcp}\nadd0 = mov mul0@1`, /exists at distance 2 only/),
  refused('sequence', 1, 'a0; mul0 = complex2 reg0.x\nadd0 = mov mul0@1', /may not be moved/),
  refused('sequence', 1, 'a0; pass = preexp2 reg0.x\nadd0 = max pass@1 reg0.x@1', /used as a number/),
  refused(
    'sequence',
    1,
    'a0; add0 = mov reg0.x\npass = postlog2 add0@1',
    /something else than the complex1 of a log2/,
  ),
  refused('sequence', 3, `${rcp}\n_\npass = postlog2 mul0@2`, /something else than the complex1 of a log2/),
  refused('sequence', 3, `${rcp}\n_\nadd0 = mov mul0@2`.replace('rcp', 'log2'), /unfinished value/),
  refused(
    'address-result',
    1,
    'u0; complex = store_addr uniform.x\nadd0 = mov complex@1',
    /reads an address operation/,
  ),
  refused(
    'address-result',
    0,
    'u0; complex = load_addr1 uniform.x; v0.x = complex',
    /stores an address operation/,
  ),
  refused('uniform-exists', 0, 'u1; add0 = mov uniform.y', /neither a uniform nor a constant/, {
    constants: { 'u1.x': 2 },
  }),
  refused('store-range', 0, 'a0; add0 = mov reg0.x; v16.x = add0', /outside 0..15/),
  refused('store-range', 0, 'a0; add0 = mov reg0.x; $16.x = add0\n_\n_', /outside 0..15/),
  refused('store-idle', 0, 'a0; add0 = mov reg0.x; v0.x = add1', /is idle in this word/),
  refused('store-complex1', 1, `${rcp}; v0.x = mul0`, /cannot be stored in its own word/),
  refused(
    'store-sequence',
    0,
    'a0; mul0 = complex2 reg0.x; $0.x = mul0\n_\n_',
    /may not be kept in a register/,
  ),
  refused(
    'store-address',
    0,
    'a0; add0 = mov reg0.x; t5.x = add0; t6.z = add0',
    /share one address register/,
  ),
  refused('register-tail', 0, 'a0; add0 = mov reg0.x; $0.x = add0', /last two words of a block/),
  refused('register-tail', 1, '_\na0; add0 = mov reg0.x; $0.x = add0\n_\nb:\n_', /last two words of a block/),
  refused(
    'register-latency',
    1,
    'a0; add0 = mov reg0.x; $0.x = add0\n$0; add0 = mov reg1.x\n_',
    /at least 3 are needed/,
  ),
  refused(
    'register-latency',
    3,
    'a0; add0 = mov reg0.x; $0.x = add0\n_\nreg0 = $0\nadd0 = mov reg0.x@1',
    /at least 3 are needed/,
  ),
  refused(
    'temporary-latency',
    0,
    'u1; complex = store_addr uniform.x; add0 = mov uniform.x; t5.x = add0\n_\n_\nt5',
    /at least 4 are needed/,
    { constants: { 'u1.x': 5 } },
  ),
  refused(
    'temporary-latency',
    1,
    'b:\nt5; add0 = mov uniform.x\nu1; complex = store_addr uniform.x; add0 = mov uniform.x; t5.x = add0\nu1; pass = mov uniform.x; branch b',
    /at least 4 are needed/,
    { constants: { 'u1.x': 5 } },
  ),
  refused('temporary-latency', 0, 'u1; complex = load_addr3 uniform.x\nu0 + addr3', /at least 4 are needed/, {
    constants: { 'u1.x': 5 },
  }),
  refused('branch-place', 0, 'b:\na0; pass = mov reg0.x; branch b\n_', /not in the last word/),
  refused('branch-condition', 0, 'b:\nbranch b', /without a condition/),
  refused('branch-condition', 0, 'b:\na0; pass = preexp2 reg0.x; branch b', /instead of its condition/),
  refused(
    'branch-temporary',
    0,
    'b:\nu1; complex = store_addr uniform.x; pass = mov uniform.x; t5.x = pass; branch b',
    /cannot share a word/,
    { constants: { 'u1.x': 5 } },
  ),
];

/** Broken only by values that the types forbid: what the reader of listings refuses. */
const unwritable: readonly Rule[] = ['bypass-distance', 'branch-target'];

/** Rules of ours that the checker does not know. */
const temporaryOverConstant = gpListing('t1', { constants: { 'u1.x': 5 } });

describe('mali-gp: rules', () => {
  for (const { rule, word, listing } of cases)
    it(`${rule}: ${JSON.stringify(listing.words.filter((w) => Object.keys(w).length > 0)).slice(0, 90)}`, () => {
      const { program, problems } = readListingJson(listing);
      assert.deepEqual(problems, []);
      const found = checkRules(program);
      assert.deepEqual(
        found.map((v) => [v.rule, v.word]),
        [[rule, word]],
        JSON.stringify(found),
      );
      assert.ok(word < 0 || found[0].message.startsWith(`word ${word}`));
    });

  it('has a case for each rule', () => {
    const covered = new Set([...cases.map(({ rule }) => rule), ...unwritable]);
    assert.deepEqual(
      Object.keys(rules).filter((rule) => !covered.has(rule as Rule)),
      [],
    );
  });

  it('knows that temporaries share their space with constants', () => {
    assert.deepEqual(
      checkRules(readListingJson(temporaryOverConstant).program).map((v) => v.rule),
      ['uniform-space'],
    );
  });

  it('refuses a branch to a block that does not exist', () => {
    const { program } = readListingJson(gpListing('a0; pass = mov reg0.x'));
    const words = [{ ...program.words[0], branch: 3 }];
    assert.deepEqual(
      checkRules({ ...program, words }).map((v) => v.rule),
      ['branch-target'],
    );
  });

  it('refuses what the independent checker refuses, for the same reason', function () {
    const verdicts = gpCheckOrSkip(this).problems(
      cases.map(({ listing }) => ({ source: 'st_var v0.x, u0.x', listing })),
    );
    for (const [k, problems] of verdicts.entries())
      assert.ok(
        problems.some((p) => cases[k].verdict.test(p)),
        `${cases[k].rule} ${JSON.stringify(cases[k].listing.words)}: ${problems.join('; ')}`,
      );
  });

  it('takes any words', () => {
    fc.assert(
      fc.property(programs, (program) => {
        const found = checkRules(program);
        assert.ok(found.every(({ word }) => word >= -1 && word < program.words.length));
      }),
      { numRuns: runs(500) },
    );
  });
});
