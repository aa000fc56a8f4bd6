import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyEdit, applyEdits, changeOf, smallestEdit, thenEdit } from '../../server/src/text/edit.js';
import { LineIndex } from '../../server/src/text/line-index.js';
import { PIECE } from '../../server/src/text/pieces.js';
import { runs } from '../support/fuzz.js';

const text = fc
  .array(fc.constantFrom('\r', '\n', '\r\n', 'a', 'bc', 'é', '🙂', ''), { maxLength: 24 })
  .map((a) => a.join(''));

/** Line starts by the protocol's definition, by splitting. */
function reference(s: string): number[] {
  const starts = [0];
  for (const match of s.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}

const starts = (lines: LineIndex): number[] =>
  Array.from({ length: lines.lineCount }, (_, line) => lines.startOf(line));

describe('LineIndex', () => {
  it('knows the three line breaks', () => {
    const lines = LineIndex.of('a\r\nb\rc\n\nd');
    assert.deepEqual(starts(lines), [0, 3, 5, 7, 8]);
    assert.equal(lines.contentEnd(0), 1);
    assert.deepEqual(lines.positionAt(6), { line: 2, character: 1 });
  });

  it('clamps positions outside the text and inside a line break', () => {
    const lines = LineIndex.of('ab\r\ncd');
    assert.equal(lines.offsetAt({ line: 0, character: 99 }), 2);
    assert.equal(lines.offsetAt({ line: 7, character: 0 }), 6);
    assert.equal(lines.offsetAt({ line: -1, character: 5 }), 0);
    assert.deepEqual(lines.positionAt(-3), { line: 0, character: 0 });
    assert.deepEqual(lines.positionAt(99), { line: 1, character: 2 });
  });

  it('after any edit is what a fresh index of the new text would be', () => {
    fc.assert(
      fc.property(text, text, fc.nat(), fc.nat(), (before, newText, a, b) => {
        const p = a % (before.length + 1);
        const q = b % (before.length + 1);
        const edit = { span: { start: Math.min(p, q), end: Math.max(p, q) }, newText };
        const after = applyEdit(before, edit);
        const lines = LineIndex.of(before).edited(edit);
        assert.deepEqual(starts(lines), reference(after));
        assert.equal(lines.length, after.length);
      }),
      { numRuns: runs(300) },
    );
  });

  it('keeps text and lines through edits of a text of many pieces', () => {
    const unit = fc.constantFrom('\r', '\n', '\r\n', 'a', 'bc', 'é', '\r\r\n\n', 'a line of some length\n');
    const edit = fc.record({
      // Beside the places where pieces meet as often as elsewhere.
      at: fc.oneof(
        fc.nat(6 * PIECE),
        fc.tuple(fc.nat(6), fc.integer({ min: -3, max: 3 })).map(([k, d]) => k * PIECE + d),
      ),
      length: fc.oneof(fc.nat(4), fc.nat(3 * PIECE)),
      piece: unit,
      times: fc.oneof(fc.nat(3), fc.nat(3 * PIECE)),
    });
    fc.assert(
      fc.property(
        fc.array(unit, { minLength: 1, maxLength: 5 }),
        fc.array(edit, { maxLength: 6 }),
        (seed, edits) => {
          let expected = seed.join('').repeat(Math.ceil((4 * PIECE) / seed.join('').length));
          let lines = LineIndex.of(expected);
          for (const { at, length, piece, times } of edits) {
            const start = Math.max(0, Math.min(at, expected.length));
            const end = Math.min(expected.length, start + length);
            const change = { span: { start, end }, newText: piece.repeat(times) };
            expected = applyEdit(expected, change);
            lines = lines.edited(change);
            assert.equal(lines.slice(0, lines.length), expected);
            assert.equal(lines.slice(start, end), expected.slice(start, end));
            const expectedStarts = reference(expected);
            assert.deepEqual(starts(lines), expectedStarts);
            for (const [line, offset] of expectedStarts.entries()) {
              if (line % 97 !== 0) continue;
              assert.equal(lines.lineAt(offset), line);
              assert.equal(lines.lineAt(offset - 1), Math.max(0, line - 1));
            }
          }
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('offsets and positions are inverse, except between the two halves of a line break', () => {
    fc.assert(
      fc.property(text, (s) => {
        const lines = LineIndex.of(s);
        for (let i = 0; i <= s.length; i++) {
          if (s[i - 1] === '\r' && s[i] === '\n') continue;
          assert.equal(lines.offsetAt(lines.positionAt(i)), i);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('edits', () => {
  it('the smallest edit leads from one text to the other and both ends of it differ', () => {
    fc.assert(
      fc.property(text, text, text, text, (head, a, b, tail) => {
        const before = head + a + tail;
        const after = head + b + tail;
        const edit = smallestEdit(before, after);
        if (edit === undefined) return assert.equal(before, after);
        assert.equal(applyEdit(before, edit), after);
        const old = before.slice(edit.span.start, edit.span.end);
        if (old === '' || edit.newText === '') return;
        assert.notEqual(old[0], edit.newText[0]);
        assert.notEqual(old.at(-1), edit.newText.at(-1));
      }),
      { numRuns: runs(300) },
    );
  });

  it('finds a change in the middle of a long text', () => {
    const a = 'x'.repeat(10_000) + 'abc' + 'y'.repeat(9_999);
    const b = 'x'.repeat(10_000) + 'aXc' + 'y'.repeat(9_999);
    assert.deepEqual(smallestEdit(a, b), { span: { start: 10_001, end: 10_002 }, newText: 'X' });
  });

  it('a chain of edits is covered by one change: outside of it the texts agree', () => {
    const step = fc.record({ a: fc.nat(), b: fc.nat(), newText: text });
    fc.assert(
      fc.property(text, fc.array(step, { minLength: 1, maxLength: 5 }), (first, steps) => {
        let now = first;
        let change: ReturnType<typeof changeOf> | undefined;
        for (const s of steps) {
          const p = s.a % (now.length + 1);
          const q = s.b % (now.length + 1);
          const edit = { span: { start: Math.min(p, q), end: Math.max(p, q) }, newText: s.newText };
          now = applyEdit(now, edit);
          change = change === undefined ? changeOf(edit) : thenEdit(change, edit);
        }
        assert.ok(change);
        assert.equal(first.slice(0, change.old.start), now.slice(0, change.fresh.start));
        assert.equal(first.slice(change.old.end), now.slice(change.fresh.end));
      }),
      { numRuns: runs(300) },
    );
  });

  it('edits that refer to one text are applied together; overlapping ones are refused', () => {
    const edits = [
      { span: { start: 4, end: 5 }, newText: 'Z' },
      { span: { start: 0, end: 1 }, newText: '' },
      { span: { start: 2, end: 2 }, newText: '++' },
    ];
    assert.equal(applyEdits('abcdef', edits), 'b++cdZf');
    assert.throws(
      () => applyEdits('abc', [edits[1], { span: { start: 0, end: 2 }, newText: '' }]),
      RangeError,
    );
  });
});
