import assert from 'node:assert/strict';
import fc from 'fast-check';
import { elementAt, withoutElements } from '../../server/src/text/element-list.js';
import { applyEdits } from '../support/fixture.js';
import { runs } from '../support/fuzz.js';

describe('elements taken out of a list', () => {
  const listOf = (names: readonly string[]) => {
    const text = `reg ${names.join(', ')};`;
    let at = 4;
    const elements = names.map((name) => {
      const start = at;
      at += name.length + 2;
      return { start, end: start + name.length };
    });
    return { text, list: { elements, whole: { start: 0, end: text.length } } };
  };

  it('leave the text of the list of the others', () => {
    const names = fc.array(fc.constantFrom('a', 'bb', '%c<4>'), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(names, fc.array(fc.nat(7)), (all, out) => {
        const { text, list } = listOf(all);
        const left = all.filter((_, k) => !out.includes(k));
        const expected = left.length === 0 ? '' : listOf(left).text;
        assert.equal(applyEdits(text, withoutElements(list, new Set(out))), expected);
      }),
      { numRuns: runs(200) },
    );
  });

  it('are found by their start', () => {
    const { list } = listOf(['a', 'bb', 'c']);
    assert.deepEqual(
      [3, 4, 5, 7, 11, 99].map((at) => elementAt(list, at)),
      [-1, 0, -1, 1, 2, -1],
    );
  });
});
