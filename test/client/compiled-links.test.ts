import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  follow,
  lineLinks,
  linkedLines,
  nearestRange,
  rangesOf,
} from '../../client/src/views/compiled/links.js';
import { runs } from '../support/fuzz.js';

/** A loop of lines 10 and 11 that was unrolled twice, and an instruction (line 30) with others folded into it (28, 3). */
const links = lineLinks([2, 10, 3, 11, 4, 10, 5, 11, 9, 30, 9, 28, 9, 3]);
const line = (at: number): { first: number; last: number } => ({ first: at, last: at });

describe('lines of compiled code and of its source', () => {
  it('finds every copy of a source line, and all that a line carries out', () => {
    assert.deepEqual(links.codeOf(10), [2, 4]);
    assert.deepEqual(links.sourceOf(9), [30, 28, 3]);
    assert.deepEqual(links.codeOf(99), []);
  });

  it('shows all copies, and goes to the one that is nearest to the other cursor', () => {
    assert.deepEqual(follow(links, 'toCode', [line(10)], 0), {
      highlighted: [line(2), line(4)],
      goTo: line(2),
    });
    assert.deepEqual(follow(links, 'toCode', [line(10)], 5).goTo, line(4));
  });

  it('goes to what a line stands for, and not to what was folded into it', () => {
    const { highlighted, goTo } = follow(links, 'toSource', [line(9)], 3);
    assert.deepEqual(highlighted, [line(3), line(28), line(30)]);
    assert.deepEqual(goTo, line(30));
  });

  it('selects neighbouring lines together, and stays where nothing belongs to the selection', () => {
    const selected = [{ first: 10, last: 11 }];
    assert.deepEqual(follow(links, 'toCode', selected, 0), {
      highlighted: [{ first: 2, last: 5 }],
      goTo: { first: 2, last: 5 },
    });
    assert.deepEqual(follow(links, 'toCode', [line(50)], 0), { highlighted: [], goTo: undefined });
    assert.deepEqual(follow(links, 'toSource', [], 0), { highlighted: [], goTo: undefined });
  });

  it('is the same relation in both directions', () => {
    const pair = fc.tuple(fc.nat(12), fc.nat(12));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 30 }), (pairs) => {
        const byCode = [...pairs].sort(([a], [b]) => a - b);
        const { codeOf, sourceOf } = lineLinks(byCode.flat());
        for (let code = 0; code <= 12; code++)
          for (let source = 0; source <= 12; source++) {
            const isLinked = pairs.some(([a, b]) => a === code && b === source);
            assert.equal(codeOf(source).includes(code), isLinked);
            assert.equal(sourceOf(code).includes(source), isLinked);
          }
      }),
      { numRuns: runs(50) },
    );
  });

  it('covers exactly the linked lines with ranges, of which the nearest is nearest', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(40)), fc.nat(40), (numbers, from) => {
        const lines = linkedLines(() => numbers, [line(0)]);
        const ranges = rangesOf(lines);
        const covered = ranges.flatMap(({ first, last }) =>
          Array.from({ length: last - first + 1 }, (_, k) => first + k),
        );
        assert.deepEqual(
          covered,
          [...numbers].sort((a, b) => a - b),
        );
        const nearest = nearestRange(ranges, from);
        if (nearest === undefined) return assert.equal(numbers.length, 0);
        const least = Math.min(...numbers.map((one) => Math.abs(one - from)));
        const clamped = Math.min(nearest.last, Math.max(nearest.first, from));
        assert.equal(Math.abs(clamped - from), least);
      }),
      { numRuns: runs(100) },
    );
  });
});
