import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Instruction } from '../../../../server/src/targets/gen/program.js';
import { scalarOrder, type ScalarMode } from '../../../../server/src/targets/gen/schedule/scalar.js';
import { instruction, programOf, type Made } from '../../../support/gen-program.js';

const order = (mode: ScalarMode, code: readonly Instruction[], grfs: readonly number[] = []): number[] =>
  Array.from(
    scalarOrder(
      programOf(code, {
        dialect: 'scalar',
        phase: mode === 'post' ? 'allocated' : 'virtual',
        registerLimit: 128,
        firstFree: 2,
        registers: Array.from({ length: 12 }, (_, r) => 32 * (grfs[r] ?? 1)),
      }),
      mode,
    ),
  );

const add = (destination: string, a: string, b: string, made: Made = {}) =>
  instruction('add', destination, [a, b], made);
const mov = (destination: string) => instruction('mov', destination, [1]);

describe('gen list schedulers of the scalar back-end', () => {
  // two values to make, then a sum of each pair
  const pairs = [mov('v1'), mov('v2'), mov('v3'), mov('v4'), add('v5', 'v1', 'v2'), add('v6', 'v3', 'v4')];

  it('keeps about the order of the text top-down', () => {
    assert.deepEqual(order('top-down', pairs), [0, 1, 2, 3, 4, 5]);
  });

  it('frees registers as soon as it can in the other modes', () => {
    for (const mode of ['non-lifo', 'lifo'] as const) {
      const found = order(mode, pairs);
      // the first sum, which frees two registers for one, does not wait for the second pair
      assert.ok(found.indexOf(4) < found.indexOf(3), mode);
    }
  });

  it('uses values soon after they were made in lifo mode', () => {
    const code = [mov('v1'), mov('v2'), add('v3', 'v1', 'v1'), add('v4', 'v2', 'v2'), add('v5', 'v3', 'v4')];
    const found = order('lifo', code);
    assert.equal(found.indexOf(2), found.indexOf(0) + 1);
  });

  it('reaches a halt early', () => {
    const compare = instruction('cmp', 'null', ['v1', 'v1'], { condition: 'l' });
    const halt = instruction('halt', '', [], { predicate: 'normal' });
    const found = order('top-down', [mov('v2'), mov('v3'), mov('v1'), compare, halt]);
    assert.deepEqual(found.slice(0, 3), [2, 3, 4]);
  });

  it('takes a block of many instructions without going quadratic', () => {
    const long = Array.from({ length: 5_000 }, (_, i) =>
      add(`v${i % 12}`, `v${(i + 5) % 12}`, `v${(i + 7) % 12}`),
    );
    for (const mode of ['top-down', 'non-lifo', 'lifo'] as const)
      assert.equal(order(mode, long).length, long.length);
  });
});
