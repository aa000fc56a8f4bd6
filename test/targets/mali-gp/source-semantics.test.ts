import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  entryRegisters,
  runSource,
  type SourceRun,
} from '../../../server/src/targets/mali-gp/source-semantics.js';
import { lowered } from '../../languages/gpir/support.js';
import { isLongSearch } from '../../support/fuzz.js';
import { gpCheckOrSkip, type GpSourceRun } from '../../support/gp-check.js';
import { functionOfGpir } from '../../support/gpir-text.js';
import { gpirPrograms } from '../../support/random-gpir.js';

const inputs = { attributes: [3, 20, 0.25, -4], uniforms: [4, 10, 2, 1] };

const run = (text: string, registers?: ReadonlyMap<string, number>, steps = 1000): SourceRun =>
  runSource(functionOfGpir(text), { ...inputs, ...(registers && { registers }) }, steps);

const outputs = (text: string): unknown => {
  const { end, message, varyings } = run(text);
  assert.equal(end, 'left', message);
  return Object.fromEntries(
    Array.from(varyings, ([place, value]) => [`v${place >> 2}.${'xyzw'[place & 3]}`, value]),
  );
};

describe('mali-gp: source', () => {
  const cases: readonly [string, string, Record<string, number | undefined>][] = [
    ['loads and operands', '%a = ld_att a0.y\n%b = add %a, -u0.x\nst_var v1.z, %b', { 'v1.z': 16 }],
    ['constants', '%a = const 0x40200000\n%b = mul %a, -2\nst_var v0.x, %b', { 'v0.x': -5 }],
    ['the last store', 'st_var v0.x, 1\nst_var v0.x, 2', { 'v0.x': 2 }],
    ['temporaries', 'st_tmp t2.w, a0.z\n%x = ld_tmp t2.w\nst_var v0.x, -%x', { 'v0.x': -0.25 }],
    ['physical registers', 'st_reg $3.x, a0.x\n%x = ld_reg $3.x\nst_var v0.x, %x', { 'v0.x': 3 }],
    [
      'a selection of what is undefined',
      '%x = ld_tmp t0.x\n%y = select 0, %x, 7\nst_var v0.x, %y',
      { 'v0.x': 7 },
    ],
    ['undefined results', '%x = ld_tmp t0.x\n%y = add %x, 1\nst_var v0.x, %y', { 'v0.x': undefined }],
    [
      'sequences that the author wrote',
      `%c = complex2 a0.z\n%i = rsqrt_impl a0.z\n%r = complex1 %i, %c, a0.z\nst_var v0.x, %r
       %p = preexp2 a0.x\n%d = complex2 %p\n%j = exp2_impl %p\n%e = complex1 %j, %d, %p\nst_var v0.y, %e
       %f = complex2 u0.x\n%k = log2_impl u0.x\n%l = complex1 %k, %f, u0.x\n%g = postlog2 %l\nst_var v0.z, %g`,
      { 'v0.x': 2, 'v0.y': 8, 'v0.z': 2 },
    ],
    [
      'a conditional branch that is not taken at the end',
      'st_var v0.x, 1\nloop:\n%c = lt a0.x, 1\nbranch_cond loop, %c',
      { 'v0.x': 1 },
    ],
    [
      'a conditional branch before a branch',
      'one:\n%c = ge a0.x, 3\nbranch_cond three, %c\nbranch two\ntwo:\nst_var v0.x, 2\nthree:\nst_var v0.y, 3',
      { 'v0.y': 3 },
    ],
    [
      'a loop',
      'st_reg @i, 0\nloop:\n%i = ld_reg @i\n%j = add %i, 1\nst_reg @i, %j\n%c = lt %j, u0.y\nbranch_cond loop, %c\nend:\n%k = ld_reg @i\nst_var v0.x, %k',
      { 'v0.x': 10 },
    ],
  ];
  for (const [what, text, expected] of cases)
    it(`executes ${what}`, () => {
      assert.deepEqual(outputs(text), expected);
    });

  it('takes registers from the caller and hands them back', () => {
    const text = '.live_out @r, $1.y\n%x = ld_reg @r\n%y = add %x, 1\nst_reg @r, %y\nst_reg $1.y, %x';
    assert.deepEqual(entryRegisters(lowered(text)), ['@r']);
    assert.deepEqual(
      run(text, new Map([['@r', 5]])).liveOut,
      new Map([
        ['@r', 6],
        ['$1.y', 5],
      ]),
    );
  });

  it('stops where it has no meaning', () => {
    assert.match(run('%a = complex2 1\n%b = complex1 %a, %a, 1').message, /source 1 of complex1/);
    assert.match(
      run('%x = ld_tmp t0.x\nl:\nbranch_cond l, %x').message,
      /branches on what was never written/,
    );
    assert.match(run('%x = tangent 1').message, /no meaning is known of 'tangent'/);
    assert.equal(run('l:\nbranch l', undefined, 50).end, 'limit');
  });

  it('says when it met NaN', () => {
    assert.equal(run('%x = rsqrt -1\nst_var v0.x, 1').meetsNaN, true);
    assert.equal(run('%x = rsqrt 1\nst_var v0.x, 1').meetsNaN, false);
  });

  it('agrees with the independent interpreter on random programs', function () {
    const check = gpCheckOrSkip(this);
    // Of exp and log it has other meanings than the machine.
    const texts = fc
      .sample(gpirPrograms(), { numRuns: isLongSearch ? 3000 : 80, seed: 7 })
      .filter((text) => !/= (exp|log) /.test(text));
    const number = (k: number): number => Math.fround(((k * 7919) % 97) / 16 - 2);
    const vectors = (count: number, salt: number): number[][] =>
      Array.from({ length: count }, (_, v) => [0, 1, 2, 3].map((c) => number(4 * v + c + salt)));
    const all = texts.map((source, k): GpSourceRun => {
      const names = entryRegisters(functionOfGpir(source));
      return {
        source,
        attributes: vectors(16, k),
        uniforms: vectors(512, 3 * k + 1),
        registers: Object.fromEntries(names.map((name, r) => [name, number(r + k)])),
      };
    });
    let compared = 0;
    for (const [k, theirs] of check.outputs(all).entries()) {
      const { source, attributes, uniforms, registers } = all[k];
      const ours = runSource(
        functionOfGpir(source),
        {
          attributes: attributes.flat(),
          uniforms: uniforms.flat(),
          registers: new Map(Object.entries(registers)),
        },
        50_000,
      );
      if (ours.end !== 'left' || ours.meetsNaN) continue;
      const results = [...ours.liveOut].concat(
        Array.from(ours.varyings, ([place, value]) => [`v${place >> 2}.${'xyzw'[place & 3]}`, value]),
      );
      for (const [name, value] of results) {
        if (value === undefined) continue;
        compared++;
        assert.ok(theirs[name] === value, `${name} is ${value}, not ${theirs[name]}, in\n${source}`);
      }
    }
    assert.ok(compared > texts.length, `${compared} results were compared`);
  });
});
