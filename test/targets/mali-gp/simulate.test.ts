import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ListingJson } from '../../../server/src/targets/mali-gp/listing-json.js';
import { readListingJson } from '../../../server/src/targets/mali-gp/read-listing-json.js';
import { checkRules } from '../../../server/src/targets/mali-gp/rules.js';
import { simulate, type MachineRun } from '../../../server/src/targets/mali-gp/simulate.js';
import type { CompiledProgram } from '../../../server/src/targets/mali-gp/word.js';
import { runs } from '../../support/fuzz.js';
import { gpCheckOrSkip } from '../../support/gp-check.js';
import { gpListing } from '../../support/gp-listing.js';
import { programs as arbitraryPrograms } from '../../support/gp-words.js';

function programOf(listing: ListingJson): CompiledProgram {
  const { program, problems } = readListingJson(listing);
  assert.deepEqual(problems, []);
  return program;
}

/** a0 = 3, 20, 0.25, -4; u0 = 4, 10, 2, 1 */
const inputs = { attributes: [3, 20, 0.25, -4], uniforms: [4, 10, 2, 1] };

const outputs = ({ varyings, end, fault }: MachineRun): Record<string, number> => {
  assert.equal(end, 'left', fault?.message);
  return Object.fromEntries(
    Array.from(varyings, ([place, value]) => [`v${place >> 2}.${'xyzw'[place & 3]}`, value]),
  );
};

interface Accepted {
  readonly what: string;
  /** The program that the code computes. */
  readonly source: string;
  readonly listing: ListingJson;
  /** By hand, for the inputs above. */
  readonly expected: Readonly<Record<string, number>>;
}

const accepted: readonly Accepted[] = [
  {
    what: 'carries values through the bypass network',
    source: `%s = mul a0.x, u0.x\n%t = add %s, 0.5\n%m = max %t, a0.y\nst_var v0.x, %m\nst_var v0.y, -a0.y`,
    listing: gpListing(
      `a0; u0; mul0 = mul uniform.x reg0.x
       u1; add0 = add mul0@1 uniform.x; complex = mov reg0.y@1
       mul1 = -mul complex@1 one; pass = mov complex@1
       mul1 = mov mul1@1; add0 = max add0@2 pass@1; v0.x = add0; v0.y = mul1`,
      { constants: { 'u1.x': 0.5 } },
    ),
    expected: { 'v0.x': 20, 'v0.y': -20 },
  },
  {
    what: 'finishes rcp and rsqrt in complex1, there two words later',
    source: `%a = rcp a0.x\n%b = rsqrt a0.z\nst_var v0.x, %a\nst_var v0.y, %b`,
    listing: gpListing(
      `a0; mul0 = complex2 reg0.x; complex = rcp_impl reg0.x; add0 = mov reg0.z
       mul0 = complex1 complex@1 mul0@1 reg0.x@1; pass = mov add0@1
       mul0 = complex2 pass@1; complex = rsqrt_impl pass@1
       mul0 = complex1 complex@1 mul0@1 pass@2; add0 = mov mul0@2; v0.x = add0
       _
       add0 = mov mul0@2; v0.y = add0`,
    ),
    expected: { 'v0.x': Math.fround(1 / 3), 'v0.y': 2 },
  },
  {
    what: 'finishes exp2 in complex1 and log2 in postlog2',
    source: `%a = exp2 a0.w\n%b = log2 u0.z\nst_var v0.x, %a\nst_var v0.y, %b`,
    listing: gpListing(
      `a0; u0; pass = preexp2 reg0.w; complex = mov uniform.z
       mul0 = complex2 pass@1; complex = exp2_impl pass@1; add0 = mov complex@1
       mul0 = complex1 complex@1 mul0@1 pass@2; pass = mov add0@1
       mul0 = complex2 pass@1; complex = log2_impl pass@1
       mul0 = complex1 complex@1 mul0@1 pass@2; add0 = mov mul0@2; v0.x = add0
       _
       pass = postlog2 mul0@2; v0.y = pass`,
    ),
    expected: { 'v0.x': 0.0625, 'v0.y': 1 },
  },
  {
    what: 'selects, and finds the result in mul0',
    source: `%c = lt a0.x, u0.x\n%s = select %c, a0.y, u0.y\nst_var v0.x, %s`,
    listing: gpListing(
      `a0; u0; add0 = lt reg0.x uniform.x
       a0; u0; mul0 = select add0@1 reg0.y uniform.y; v0.x = mul0`,
    ),
    expected: { 'v0.x': 20 },
  },
];

describe('mali-gp: simulator', () => {
  for (const { what, listing, expected } of accepted)
    it(what, () => {
      const program = programOf(listing);
      assert.deepEqual(checkRules(program), []);
      assert.deepEqual(outputs(simulate(program, inputs, 100)), expected);
    });

  it('reads registers through ports as they were before the stores of the word', () => {
    const program = programOf(
      gpListing(
        `a0; add0 = mov reg0.x
         reg0 = $3; $3; mul0 = neg reg1.y; $3.y = mul0; v0.z = mul0
         add0 = mov reg0.y@1; v0.y = add0
         _
         $3; mul0 = neg reg1.y; $3.y = mul0
         _
         _
         reg0 = $3; mul0 = mov reg0.y; v0.w = mul0`,
      ),
    );
    assert.deepEqual(checkRules(program), []);
    const run = simulate(program, { ...inputs, registers: new Map([[13, 7]]) }, 100);
    assert.deepEqual(outputs(run), { 'v0.z': -7, 'v0.y': 7, 'v0.w': 7 });
    assert.deepEqual(run.registers, new Map([[13, 7]]));
  });

  it('keeps values in temporaries behind the address register', () => {
    const listing = gpListing(
      `a0; u1; complex = store_addr uniform.x; mul0 = mov reg0.y; t9.z = mul0
       _
       _
       _
       t9; add0 = mov uniform.z; v0.x = add0`,
      { constants: { 'u1.x': 9 } },
    );
    const program = programOf(listing);
    assert.deepEqual(checkRules(program), []);
    assert.deepEqual(outputs(simulate(program, inputs, 100)), { 'v0.x': 20 });
  });

  /** v0.z = a0.x * 2^n, n the least with a0.x * 2^n >= 100 */
  const loop = gpListing(
    `a0; mul0 = mov reg0.x; $0.x = mul0
     _
     _
     loop:
     $0; add0 = add reg1.x reg1.x; $0.x = add0; v0.z = add0
     u1; add0 = lt add0@1 uniform.x
     pass = mov add0@1
     pass = mov pass@1; branch loop
     end:`,
    { constants: { 'u1.x': 100 } },
  );
  const loopSource = `st_reg @r, a0.x\nloop:\n%x = ld_reg @r\n%y = add %x, %x\nst_reg @r, %y\nst_var v0.z, %y
    %c = lt %y, 100\nbranch_cond loop, %c`;

  it('branches on what pass moves', () => {
    const program = programOf(loop);
    assert.deepEqual(checkRules(program), []);
    const run = simulate(program, inputs, 1000);
    assert.deepEqual(outputs(run), { 'v0.z': 192 });
    assert.equal(run.steps, 3 + 6 * 4);
    assert.equal(simulate(program, { ...inputs, attributes: [0] }, 1000).end, 'limit');
  });

  it('accepts what the independent checker accepts', function () {
    const cases = accepted.map(({ source, listing }) => ({ source, listing }));
    const all = [...cases, { source: loopSource, listing: loop }];
    for (const [k, problems] of gpCheckOrSkip(this).problems(all).entries())
      assert.deepEqual(problems, [], all[k].source);
  });

  const faults: readonly [string, string, RegExp][] = [
    [
      'an idle unit',
      '_\nadd0 = mov mul0@1',
      /word 1, add0: source 1 reads mul0 of word 0, which has no result/,
    ],
    [
      'a value from another block',
      'a0; mul0 = mov reg0.x\nb:\nadd0 = mov mul0@1',
      /word 1, add0: .*another block/,
    ],
    ['port 0 of another block', 'a0\nb:\nadd0 = mov reg0.x@1', /word 1, add0: .*another block/],
    [
      'an unloaded port',
      'add0 = mov uniform.x',
      /word 0, add0: source 1 reads uniform.x, which loads nothing/,
    ],
    [
      'a complex result after two words',
      'a0; complex = mov reg0.x\n_\nadd0 = mov complex@2',
      /lives for one word/,
    ],
    [
      'complex1 after one word',
      'a0; mul0 = complex2 reg0.x; complex = rcp_impl reg0.x\nmul0 = complex1 complex@1 mul0@1 reg0.x@1\nadd0 = mov mul0@1',
      /word 2, add0: .*second word after it/,
    ],
    [
      'complex1 stored in its own word',
      'a0; mul0 = complex2 reg0.x; complex = rcp_impl reg0.x\nmul0 = complex1 complex@1 mul0@1 reg0.x@1; v0.x = mul0',
      /cannot be stored in its own word/,
    ],
    [
      'complex1 of two arguments',
      'a0; mul0 = complex2 reg0.x; complex = rcp_impl reg0.y\nmul0 = complex1 complex@1 mul0@1 reg0.x@1',
      /do not belong to the same argument/,
    ],
    [
      'exp2 without preexp2',
      'a0; mul0 = complex2 reg0.x; complex = exp2_impl reg0.x\nmul0 = complex1 complex@1 mul0@1 reg0.x@1',
      /exp2_impl takes the result of preexp2/,
    ],
    [
      'log2 without postlog2',
      'a0; mul0 = complex2 reg0.x; complex = log2_impl reg0.x\nmul0 = complex1 complex@1 mul0@1 reg0.x@1\n_\nadd0 = mov mul0@2',
      /mov reads the result of complex1, which is no number/,
    ],
    [
      'a piece used as a number',
      'a0; mul0 = complex2 reg0.x\nadd0 = max mul0@1 mul0@1',
      /max reads the result of complex2/,
    ],
    [
      'a piece stored',
      'a0; pass = preexp2 reg0.x; v0.x = pass',
      /stores pass in v0.x: a store reads the result of preexp2/,
    ],
    ['a register that was never written', '$3; add0 = mov reg1.w', /\$3\.w, which was never written/],
    [
      'a register too early',
      'a0; mul0 = mov reg0.x; $3.x = mul0\n_\n$3; add0 = mov reg1.x\n_\n_',
      /\$3\.x 2 words after its store; at least 3/,
    ],
    ['a temporary that was never stored', 't9; add0 = mov uniform.x', /t9\.x, which was never stored/],
    [
      'a temporary too early',
      'u0; complex = store_addr uniform.x; mul0 = mov uniform.x; t4.x = mul0\n_\n_\nt4; add0 = mov uniform.x',
      /word 3: loads t4\.x 3 words after its store; at least 4/,
    ],
    ['a temporary without an address', 'a0; mul0 = mov reg0.x; t4.x = mul0', /no store address was ever set/],
    [
      'a temporary at another address',
      'u0; complex = store_addr uniform.x; mul0 = mov uniform.x; t5.x = mul0',
      /stores t5\.x, but the address register holds 4/,
    ],
    [
      'a uniform that does not exist',
      'u7; add0 = mov uniform.x',
      /u7\.x, which is neither a uniform nor a constant/,
    ],
    [
      'an address too early',
      'u0; complex = load_addr2 uniform.x\nu0 + addr2; add0 = mov uniform.x',
      /addr2 1 word after it was set/,
    ],
    ['a branch without a number', 'branch start', /word 0: branches on pass/],
  ];
  for (const [what, words, message] of faults)
    it(`refuses ${what}`, () => {
      const run = simulate(programOf(gpListing(words)), inputs, 100);
      assert.equal(run.end, 'fault');
      assert.match(run.fault?.message ?? '', message);
    });

  it('takes any words', () => {
    fc.assert(
      fc.property(arbitraryPrograms, (program) => {
        const run = simulate(program, inputs, 200);
        assert.ok(run.steps <= 200);
        assert.equal(run.end === 'fault', run.fault !== undefined);
      }),
      { numRuns: runs(500) },
    );
  });

  it('runs into no timing fault where the rules find none', () => {
    // The rules need no values, the simulator no rules: what is left to it is what the values are.
    const valueFault =
      /never|no number|belong|takes|address register|no store address|neither a uniform|does not exist|has no value|no result|lacks|negation/;
    fc.assert(
      fc.property(arbitraryPrograms, (program) => {
        const run = simulate(program, inputs, 200);
        if (run.fault === undefined || valueFault.test(run.fault.message)) return;
        assert.notDeepEqual(checkRules(program), [], run.fault.message);
      }),
      { numRuns: runs(500) },
    );
  });
});
