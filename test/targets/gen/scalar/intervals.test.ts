import assert from 'node:assert/strict';
import { intervalsOf, UNUSED } from '../../../../server/src/targets/gen/scalar/intervals.js';
import { skeletonOf } from '../../../../server/src/targets/gen/scalar/skeleton.js';
import { selection, type SelectionOptions } from '../../../support/gen-programs.js';

function interval(text: string, name: string, options: SelectionOptions = {}): [number, number] {
  const { program, of } = selection(text, options);
  const { min, max } = intervalsOf(skeletonOf(program));
  return [min[of(name)], max[of(name)]];
}

describe('intervals of the linear scan', () => {
  it('F16 a source of a native instruction that is read as the result is written ends one before', () => {
    const text = `dword a b c
      mov a = 1
      add b = a 2
      add c = b b`;
    assert.deepEqual(interval(text, 'a'), [0, 1]);
    assert.deepEqual(interval(text, 'b'), [2, 3]);
  });

  it('F16 mov and cmp are not native for this rule', () => {
    const text = `dword a b c
      bool p
      mov a = 1
      mov b = a
      add c = b 1
      cmp.l.p null = c 0`;
    assert.deepEqual(interval(text, 'a'), [0, 2]);
    assert.deepEqual(interval(text, 'c'), [4, 6]);
  });

  it('F16 another region, or another element size, is read until the end', () => {
    const text = `dword a b
      uniform dword u
      mov u = 1
      mov a = 2
      add b = a u`;
    assert.deepEqual(interval(text, 'u'), [0, 4]);
    assert.deepEqual(interval(text, 'a'), [2, 3]);
    const words = `dword a b
      mov a = 2
      add b:UD = a:UW<2> 1`;
    assert.deepEqual(interval(words.replace('a:UW<2>', 'a<2>:UW'), 'a'), [0, 2]);
  });

  it('what the dispatch hands over begins at 0', () => {
    const text = `dword a b
      mov b = 1
      mov b = 2
      add b = a b`;
    assert.deepEqual(interval(text, 'a'), [0, 3]);
  });

  it('what nothing mentions has the empty interval of the dump', () => {
    assert.deepEqual(interval('dword a b\n mov a = 1', 'b'), [UNUSED, -UNUSED]);
  });

  it('a predicate and a condition are points at the identifier itself', () => {
    const text = `dword a
      bool p
      cmp.l.p null = 1 2
      (+p) mov a = 1`;
    assert.deepEqual(interval(text, 'p'), [0, 2]);
  });

  const loop = `dword out n
      L0 -> 1
      mov n = 10
      L1 -> 1 2
      label
      add out = n 1
      add n = n -1
      while
      L2
      mov n = out`;

  it('F14 a value that is defined in a loop and used after it lives through all of the loop', () => {
    // instructions 1 label, 2 add, 3 add, 4 while, 5 mov. The block begins with a label, so the reference counts from
    // the instruction behind it (identifier 4), to the use at 10
    assert.deepEqual(interval(loop, 'out'), [4, 10]);
    // without the rule it would begin where it is defined, which is also 4: so define it later
    const later = loop.replace('add out = n 1\n      add n = n -1', 'add n = n -1\n      add out = n 1');
    assert.deepEqual(interval(later, 'out'), [4, 10], 'not [6, 10]');
  });

  it('F14 but a value that stays inside the loop does not', () => {
    const inside = `dword t n
      L0 -> 1
      mov n = 10
      L1 -> 1 2
      label
      add n = n -1
      add t = n 1
      add n = n t
      while
      L2
      mov n = n`;
    assert.deepEqual(interval(inside, 't'), [6, 7]);
  });

  it('F14 through the loops around it, as far as it is used behind them', () => {
    const nested = `dword x n
      L0 -> 1
      mov n = 1
      L1 -> 2
      label
      mov n = 2
      L2 -> 2 3
      label
      mov n = 3
      add x = n 1
      while
      L3 -> 1 4
      mov n = x
      while
      L4
      mov n = 4`;
    // 0 mov, 1 label, 2 mov, 3 label, 4 mov, 5 add, 6 while, 7 mov, 8 while, 9 mov: used behind the inner loop only
    assert.deepEqual(interval(nested, 'x'), [8, 14]);
    const far = nested
      .replace('mov n = 4', 'mov n = x')
      .replace('mov n = x\n      while', 'mov n = 5\n      while');
    // live at the exit of the outer loop as well: from its label's successor to the last use
    assert.deepEqual(interval(far, 'x'), [4, 18]);
  });

  it('halves that two instructions write define a SIMD16 register together', () => {
    const text = `dword a b
      L0 -> 1
      mov b = 1
      L1 -> 1 2
      label
      mov(8) a = 1
      mov(8) a+32 = 2 !group8
      add b = a b
      while
      L2
      mov b = b`;
    assert.deepEqual(interval(text, 'a', { width: 16 }), [4, 7]);
  });
});
