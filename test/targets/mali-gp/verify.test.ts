import assert from 'node:assert/strict';
import type { ListingJson } from '../../../server/src/targets/mali-gp/listing-json.js';
import { readListingJson } from '../../../server/src/targets/mali-gp/read-listing-json.js';
import { verify } from '../../../server/src/targets/mali-gp/verify.js';
import { gpListing } from '../../support/gp-listing.js';
import { functionOfGpir } from '../../support/gpir-text.js';

const messages = (source: string, words: string, rest: Partial<ListingJson> = {}): string[] =>
  verify(functionOfGpir(source), readListingJson(gpListing(words, rest)).program).map((v) => v.message);

const source = '%s = mul a0.x, u0.x\n%t = add %s, 0.5\nst_var v0.x, %t';
const words = (op: string): string => `a0; u0; mul0 = mul uniform.x reg0.x\nu1; add0 = ${op}; v0.x = add0`;
const constants = { constants: { 'u1.x': 0.5 } };

describe('mali-gp: verification', () => {
  it('accepts code that computes what the source does', () => {
    assert.deepEqual(messages(source, words('add mul0@1 uniform.x'), constants), []);
  });

  const refused: readonly [string, string, string, RegExp][] = [
    [
      'another result',
      source,
      words('add mul0@1 -uniform.x'),
      /^in run \d+ of seed 1: v0\.x is \S+; the source gives/,
    ],
    ['a missing store', source, '_', /v0\.x is not stored/],
    [
      'a store too many',
      source,
      `${words('add mul0@1 uniform.x')}; v0.y = add0`,
      /v0\.y is stored .*does not write it/,
    ],
    [
      'a broken rule',
      source,
      words('mul mul0@1 uniform.x'),
      /^at word 1, add0: cannot do mul \(a unit does the operations that it is made for/,
    ],
    [
      'a fault that only execution shows',
      source,
      '$3; add0 = mov reg1.x; v0.x = add0',
      /\$3\.x, which was never written/,
    ],
    ['a loop without end', source, 'l:\nu1; pass = mov uniform.x; branch l', /does not end/],
  ];
  for (const [what, text, code, message] of refused)
    it(`refuses ${what}`, () => {
      const found = messages(text, code, constants);
      assert.match(found.join('\n'), message);
    });

  it('passes over runs in which the source reads what it never wrote, and no others', () => {
    // a branch that has become a selection: the register is read though nothing may have written it
    const text = '%c = ge a0.x, 0\nbranch_cond T, %c\nA:\nst_reg @q, 2\nT:\n%q = ld_reg @q\nst_var v0.z, %q';
    const selection = (operands: string): string[] =>
      messages(text, `a0; u1; add0 = ge reg0.x uniform.y\n$0; u1; mul0 = select ${operands}; v0.z = mul0`, {
        constants: { 'u1.x': 2, 'u1.y': 0 },
      });
    assert.deepEqual(selection('add0@1 reg1.x uniform.x'), []);
    assert.match(selection('add0@1 uniform.x reg1.x')[0], /v0\.z is \S+; the source gives 2/);
  });

  it('compares live-out registers in their places', () => {
    const fragment = '.live_out @r\n%x = ld_reg @r\n%y = neg %x\nst_reg @r, %y';
    const code = (op: string): string => `$2; add0 = ${op} reg1.z; $2.z = add0\n_\n_`;
    const registers = { registers: { '@r': '$2.z' } };
    assert.deepEqual(messages(fragment, code('neg'), registers), []);
    assert.match(messages(fragment, code('mov'), registers)[0], /@r in \$2\.z is \S+; the source gives/);
    assert.match(messages(fragment, code('neg'))[0], /\$2\.z, which was never written|has no place/);
  });

  it('says which instruction a word works for', () => {
    const { program } = readListingJson(gpListing('_\nadd0 = mov mul0@1'));
    const [violation] = verify(functionOfGpir(source), program, { instructionOf: (word) => word + 40 });
    assert.deepEqual([violation.code, violation.instruction], [1, 41]);
  });

  it('takes a program that is too long for the machine', () => {
    const long = `${'_\n'.repeat(600)}${words('add mul0@1 uniform.x')}`;
    assert.deepEqual(messages(source, long, constants), []);
  });

  it('ends on sources that do not', () => {
    assert.deepEqual(messages('l:\nbranch l', '_'), []);
  });
});
