import assert from 'node:assert/strict';
import { count, wordsOf } from '../../server/src/text/words.js';

describe('numbers in sentences', () => {
  it('one thing is singular, none and many are not', () => {
    assert.deepEqual(
      [0, 1, 2].map((n) => count(n, 'cycle')),
      ['0 cycles', '1 cycle', '2 cycles'],
    );
    assert.deepEqual([count(1, 'was', 'were'), count(3, 'was', 'were')], ['1 was', '3 were']);
  });

  it('keys become words', () => assert.equal(wordsOf('deadInstructions'), 'dead instructions'));
});
