import assert from 'node:assert/strict';
import { controlFlow } from '../../server/src/passes/cfg.js';
import { liveRangesOf } from '../../server/src/passes/live-ranges.js';
import { livenessOf } from '../../server/src/passes/liveness.js';
import { heldAt, smallestSet, type HeldRegister } from '../../server/src/passes/peak.js';
import { buildFunction } from '../support/build-function.js';

function held(text: string, instruction: number): (HeldRegister & { readonly name: string })[] {
  const f = buildFunction(text);
  const liveness = livenessOf(f, controlFlow(f));
  return heldAt(f, liveRangesOf(f, liveness), liveness.occurrences, 0, instruction).map((h) => ({
    ...h,
    name: f.registerNames[h.register],
  }));
}

describe('who is live', () => {
  // 0 a, 1 b, 2 c, 3 d = c, 4 store b, 5 store d, 6 store a
  const straight = 'regs a b:2 c d\na = load\nb = load\nc = load\nd = add c\nstore b\nstore d\nstore a';

  it('lists the longest idle first, with definition and next use', () => {
    assert.deepEqual(
      held(straight, 3).map(({ name, definition, nextUse, idle }) => [name, definition, nextUse, idle]),
      [
        ['a', 0, 6, 6],
        ['b', 1, 4, 3],
        ['c', 2, 3, 0],
        ['d', 3, 5, 0],
      ],
    );
  });

  it('goes round a loop for the next use', () => {
    // 0 x, 1 p (loop: 2 store x, 3 y, 4 store y, 5 branch)
    const [x] = held(
      'regs x y p:p\nx = load\np = load\nL:\nstore x\ny = load\nstore y\nbranch p\n-> L X\nX:\nstore p',
      4,
    );
    assert.deepEqual([x.name, x.lastUse, x.nextUse], ['x', 2, 2]);
    // two instructions behind the last touch, three to the end of the text and two down to the use
    assert.equal(x.idle, 2 + 7 - 4 + 2);
  });

  it('frees the fewest registers, and none that the instruction touches', () => {
    const at = held(straight, 3);
    assert.deepEqual(
      smallestSet(at, 1).map(({ register }) => register),
      [0],
    );
    assert.deepEqual(
      smallestSet(at, 2).map(({ register }) => register),
      [1],
    );
    assert.deepEqual(
      smallestSet(at, 3).map(({ register }) => register),
      [1, 0],
    );
    assert.deepEqual(smallestSet(at, 4), []);
  });
});
