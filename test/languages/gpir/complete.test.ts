import assert from 'node:assert/strict';
import { complete, resolveCompletion } from '../../../server/src/languages/gpir/complete/index.js';
import { snippets } from '../../../server/src/languages/gpir/complete/snippets.js';
import { directives } from '../../../server/src/languages/gpir/isa/directives.js';
import { operations } from '../../../server/src/languages/gpir/isa/operations.js';
import { signatures } from '../../../server/src/languages/gpir/signature.js';
import type { CompletionItem } from '../../../server/src/languages/language.js';
import { bound, gpirFixture, problemsOf } from './support.js';

function items(marked: string): CompletionItem[] {
  const { text, cursor } = gpirFixture(marked);
  return [...complete(bound(text), cursor).items];
}

/** Labels in the order in which an editor shows them. */
const labels = (marked: string): string[] =>
  items(marked)
    .sort((a, b) => ((a.sort ?? a.label) < (b.sort ?? b.label) ? -1 : 1))
    .map((item) => item.label);

const program = `.attribute a0 in_position
.uniform u2 light
start:
  %x = ld_att a0.x
  %y = mul %x, u2.x
  st_reg @sum, %y
`;

describe('gpir completion', () => {
  it('offers operations, snippets and directives where a line begins, behind a label too', () => {
    for (const marked of ['$0', '  a$0', 'here: $0', '%x = mov 1\n  $0\n%y = mov 2']) {
      const offered = labels(marked);
      for (const name of [...operations.keys(), ...directives.keys(), 'viewport transform'])
        assert.ok(offered.includes(name), `${marked}: ${name}`);
    }
    assert.deepEqual(labels('.$0').sort(), [...directives.keys()].sort(), 'only what begins so');
  });

  it('inserts a whole instruction there, and the operation alone behind the result', () => {
    assert.equal(items('$0').find((i) => i.label === 'add')?.insert, '%${1:x} = add ${2:%a}, ${3:%b}');
    assert.equal(items('%x = $0').find((i) => i.label === 'add')?.insert, undefined);
    assert.ok(!labels('%x = $0').includes('st_var'), 'a store has no result');
  });

  it('offers what fits the operand', () => {
    assert.deepEqual(labels(`${program}  %z = ld_att $0`), ['a0.x', 'a0.y', 'a0.z', 'a0.w']);
    assert.deepEqual(labels(`${program}  %z = ld_uni u$0`), ['u2.x', 'u2.y', 'u2.z', 'u2.w']);
    assert.deepEqual(labels(`${program}  st_var $0, %x`), ['v0.x', 'v0.y', 'v0.z', 'v0.w']);
    assert.deepEqual(labels(`${program}  %z = ld_reg $0`), ['@sum']);
    assert.deepEqual(labels(`${program}  branch $0`), ['start']);
    assert.deepEqual(labels(`${program}  %z = const $0`), []);
    assert.equal(items(`${program}  %z = ld_uni $0`)[0].detail, 'light');
  });

  it('offers for a source values defined so far, the last one first, then locations, registers, numbers', () => {
    const offered = labels(`${program}  %z = add $0\n  %later = mov 1\n`);
    assert.deepEqual(offered.slice(0, 2), ['%y', '%x']);
    assert.ok(!offered.includes('%later') && !offered.includes('%z'));
    assert.ok(offered.indexOf('a0.x') < offered.indexOf('@sum') && offered.includes('0'));
    assert.ok(labels(`${program}  %z = add %x, -$0`).includes('%y'));
    assert.ok(!labels(`${program}  %z = add %x, -$0`).includes('0'));
    assert.deepEqual(labels(`${program}  %z = add %x, -%$0`), ['%y', '%x']);
  });

  it('offers the next vector to name, the role of a varying, registers that stay live', () => {
    assert.deepEqual(labels('.attribute a0 p\n.attribute $0\n%x = ld_att a3.x'), ['a3', 'a1']);
    assert.deepEqual(labels('.varying v0 p $0').sort(), ['point_size', 'position']);
    assert.deepEqual(labels(`${program}.live_out $0`), ['@sum']);
    assert.deepEqual(labels('.program $0'), []);
  });

  it('offers nothing in comments, numbers, behind a whole operand, or a new name', () => {
    for (const marked of [
      '; a$0',
      '%x = add 1, 2 // a$0',
      '%x = add 2.$0',
      '%x = add 1 $0',
      '%x $0',
      '.uniform u0 na$0',
    ])
      assert.deepEqual(labels(marked), [], marked);
  });

  it('replaces what is typed, up to the cursor', () => {
    const { text, cursor } = gpirFixture(`${program}  %z = add -%$0x`);
    const { span } = complete(bound(text), cursor);
    assert.equal(text.slice(span.start, span.end), '%');
  });

  it('explains each item that has a key', () => {
    for (const item of items('$0'))
      if (item.key !== undefined) assert.ok(resolveCompletion(item.key), item.label);
    assert.equal(resolveCompletion('operation toString'), undefined);
    assert.equal(resolveCompletion('nonsense'), undefined);
  });

  it('has snippets that are gpir once they are filled in', () => {
    for (const { label, insert = '' } of snippets) {
      const text = insert.replace(/\$\{\d+:([^}]*)\}/g, '$1').replaceAll('$0', '');
      const errors = problemsOf(text).filter(({ code }) => code.startsWith('syntax/'));
      assert.deepEqual(errors, [], label);
    }
  });
});

describe('gpir signature help', () => {
  const help = (marked: string): string | undefined => {
    const { text, cursor } = gpirFixture(marked);
    const found = signatures(bound(text), cursor);
    return found === undefined
      ? undefined
      : `${found.items[0].label} | ${found.items[0].parameters.at(found.activeParameter)?.label}`;
  };

  it('shows the operands and the one at the cursor, half typed too', () => {
    assert.equal(help('%x = select $0'), '%x = select c, a, b | c');
    assert.equal(help('%x = select u0.x, $0'), '%x = select c, a, b | a');
    assert.equal(help('%x = select u0.x, 1, 2$0'), '%x = select c, a, b | b');
    assert.equal(help('st_var v0.x,$0'), 'st_var varying, value | value');
    assert.equal(help('branch_cond $0'), 'branch_cond label, c | label');
  });

  it('shows nothing on the operation itself, in a comment, on the next line, for unknown words', () => {
    for (const marked of [
      '%x = add$0',
      '%x = add 1, 2 ; $0',
      '%x = add 1, 2\n$0',
      '%x = frobnicate $0',
      'a: $0',
      '$0',
    ])
      assert.equal(help(marked), undefined, marked);
  });
});
