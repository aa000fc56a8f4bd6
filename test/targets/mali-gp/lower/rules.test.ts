import assert from 'node:assert/strict';
import { lower } from '../../../../server/src/targets/mali-gp/lower/index.js';
import { programText } from '../../../../server/src/targets/mali-gp/lower/program-text.js';
import { functionOfGpir } from '../../../support/gpir-text.js';

/** Operands that nothing is known of, and a truth value. */
const GIVEN = `
  %a = ld_att a0.x
  %b = ld_att a0.y
  %c = ld_att a0.z
  %t = ge %a, %b
  %s = lt %c, %b
`;

/** What `%r` becomes, as text: `max a0.x, a0.y`, nested operations in brackets. */
function becomes(body: string): string {
  const { program } = lower(functionOfGpir(`${GIVEN}${body}\n  st_var v0.x, %r\n`));
  const results = new Map<string, string>();
  for (const line of programText(program).split('\n')) {
    const [, name, value] = /^\s+(\S+) :?= (.*)$/.exec(line) ?? [];
    if (name !== undefined)
      results.set(
        name,
        value.replace(/n\d+/g, (node) => `(${results.get(node)})`),
      );
  }
  return results.get('v0.x')!.replace(/^\((.*)\)$/, '$1');
}

describe('lowering for the geometry processor: rules', () => {
  const cases: readonly (readonly [rule: string, body: string, result: string])[] = [
    ['a selection of what is compared is a maximum', '%r = select %t, %a, %b', 'max a0.x, a0.y'],
    ['or a minimum', '%r = select %t, %b, %a', 'min a0.x, a0.y'],
    ['a < b turns them round', '%l = lt %a, %b\n %r = select %l, %a, %b', 'min a0.x, a0.y'],
    [
      'a >= 0 ? a : -a is an absolute value',
      '%p = ge %a, 0\n %n = neg %a\n %r = select %p, %a, %n',
      'max a0.x, -a0.x',
    ],
    ['abs of a negation is abs', '%n = neg %a\n %r = abs %n', 'max a0.x, -a0.x'],
    ['not of a comparison is the opposite one', '%r = not %t', 'lt a0.x, a0.y'],
    ['not not is nothing', '%n = not %t\n %r = not %n', 'ge a0.x, a0.y'],
    [
      'a selection by not changes its data',
      '%m = mul %t, %s\n %n = not %m\n %r = select %n, %c, 5',
      'select (mul (lt a0.z, a0.y), (ge a0.x, a0.y)), 5, a0.z',
    ],
    ['a selection of 1 and 0 by a truth value is that value', '%r = select %t, 1, 0', 'ge a0.x, a0.y'],
    [
      'equality with a number is a difference, for a condition',
      '%e = eq %a, 3\n %r = select %e, %b, %c',
      'select (add a0.x, -3), a0.z, a0.y',
    ],
    [
      'of numbers that may both be infinite it is not',
      '%e = eq %a, %b\n %r = select %e, %c, 5',
      'select (max -(ge a0.y, a0.x), -(ge a0.x, a0.y)), a0.z, 5',
    ],
    ['ceil is floor of the opposite', '%f = ceil %a\n %r = add %f, %b', 'add -(floor -a0.x), a0.y'],
    ['a product takes all signs into its own', '%n = neg %a\n %r = mul %n, -%b', 'mul a0.x, a0.y'],
    ['a sum can be computed with the opposite sign', '%p = add %a, %b\n %r = neg %p', 'add -a0.x, -a0.y'],
    ['a minimum too', '%p = min %a, %b\n %r = neg %p', 'max -a0.x, -a0.y'],
    ['a floor cannot', '%p = floor %a\n %r = neg %p', 'neg (floor a0.x)'],
    ['rcp(-x) is not -rcp(x) where x is 0', '%n = neg %a\n %r = rcp %n', 'rcp (neg a0.x)'],
    [
      'a selection negates its data, never its result',
      '%m = mul %a, %b\n %p = select %t, %m, 2\n %r = neg %p',
      'select (ge a0.x, a0.y), (mul -a0.x, a0.y), -2',
    ],
    ['x * 1 + 0 is x', '%m = mul %a, 1\n %r = add %m, 0', 'a0.x'],
    [
      'constants are folded with one rounding each',
      '%m = mul 0.1, 0.1\n %r = mul %m, %a',
      `mul a0.x, ${Math.fround(Math.fround(0.1) * Math.fround(0.1))}`,
    ],
    // inf * 0 is NaN, and the greater of NaN and a number is the number
    ['what is NaN is not taken for 0', '%h = mul inf, 0\n %r = max %h, %a', 'a0.x'],
    ['nor once it was multiplied', '%h = mul inf, 0\n %z = mul %h, 0\n %r = min %b, %z', 'a0.y'],
    ['NaN is neither less nor more', '%h = add inf, -inf\n %g = ge %h, %a\n %r = not %g', '1'],
    ['and stays', '%h = add inf, -inf\n %x = add %h, %a\n %r = floor %x', 'NaN'],
    ['a square is never negative', '%m = mul %a, %a\n %r = max %m, 0', 'mul a0.x, a0.x'],
    ['a clamp to 0 and 1 of a truth value is nothing', '%m = max %t, 0\n %r = min %m, 1', 'ge a0.x, a0.y'],
    ['floor of a whole number is nothing', '%f = floor %a\n %r = floor %f', 'floor a0.x'],
    [
      'a mix by a truth value is a selection',
      '%n = not %t\n %x = mul %c, %t\n %y = mul 7, %n\n %r = add %x, %y',
      'select (lt a0.x, a0.y), 7, a0.z',
    ],
    [
      'a truth value times a number is no selection but a product',
      '%r = mul %t, %c',
      'mul (ge a0.x, a0.y), a0.z',
    ],
    [
      'additions keep their order',
      '%x = add %a, %b\n %y = add %x, %c\n %r = add %y, -%a',
      'add (add (add a0.x, a0.y), a0.z), -a0.x',
    ],
  ];
  for (const [rule, body, result] of cases)
    it(rule, () => {
      assert.equal(becomes(body), result);
    });

  it('computes what is written twice once, whatever the order and the signs', () => {
    const { program } = lower(
      functionOfGpir(`${GIVEN}
        %x = add %a, -%b
        %y = add %b, -%a
        %z = mul %x, %c
        %w = mul -%c, %y
        st_var v0.x, %z
        st_var v0.y, %w`),
    );
    assert.equal(program.blocks[0].nodes.length, 2);
  });

  it('chooses a sign once for all that change it together', () => {
    const { program } = lower(
      functionOfGpir(`${GIVEN}
        %x = neg %c
        %y = neg u0.x
        %p = select %t, %c, %x
        %q = select %t, u0.x, %y
        st_var v0.x, %p
        st_var v0.y, %q`),
    );
    // the comparison, 2 * it - 1, and a product each
    assert.equal(program.blocks[0].nodes.length, 5);
  });

  it('puts the steps of a special function together, and refuses the halves', () => {
    const steps = (last: string): string => `${GIVEN}
      %k = complex2 %a
      %i = rcp_impl %a
      ${last}
      st_var v0.x, %r`;
    const whole = lower(functionOfGpir(steps('%r = complex1 %i, %k, %a')));
    assert.deepEqual(whole.problems, []);
    assert.equal(programText(whole.program), '0:\n  n0 = rcp a0.x\n  v0.x := n0\n');
    for (const [last, message] of [
      ['%r = complex1 %i, %k, %b', /belong to one argument/],
      ['%r = add %i, 1', /%i is what `rcp_impl` leaves/],
      ['%r = complex1 %k, %i, %a', /needs the result of an `\*_impl` first/],
      ['%r = postlog2 %i', /needs the result of the `complex1`/],
    ] as const) {
      const { problems } = lower(functionOfGpir(steps(last)));
      assert.equal(problems.length, 1, last);
      assert.equal(problems[0].code, 'hw/unfinished-function');
      assert.match(problems[0].message, message);
    }
  });
});
