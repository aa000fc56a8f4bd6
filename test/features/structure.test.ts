import assert from 'node:assert/strict';
import { formatting } from '../../server/src/features/formatting.js';
import { documentLinks, foldingRanges, selectionRanges } from '../../server/src/features/structure.js';
import { applyEdits, fixture } from '../support/fixture.js';
import { program, toySnapshot } from '../support/toy/programs.js';

describe('structure', () => {
  it('folds functions and blocks of several lines', () => {
    assert.deepEqual(foldingRanges(toySnapshot(program)), [
      { startLine: 5, endLine: 24, kind: 'region' },
      { startLine: 17, endLine: 19, kind: 'region' },
      { startLine: 25, endLine: 28, kind: 'region' },
    ]);
  });

  it('selection grows from the word to the document', () => {
    const f = fixture('global g\nkernel k {\n  { add a$0a, b, c }\n}\n');
    const [ranges] = selectionRanges(toySnapshot(f.text), [f.lines.positionAt(f.cursor)]);
    const texts = ranges.map((r) => f.text.slice(f.lines.offsetAt(r.start), f.lines.offsetAt(r.end)));
    assert.deepEqual(texts, [
      'aa',
      'add aa, b, c',
      '{ add aa, b, c }',
      '{\n  { add aa, b, c }\n}',
      'kernel k {\n  { add aa, b, c }\n}',
      'kernel k {\n  { add aa, b, c }\n}\n',
      f.text,
    ]);
  });

  it('links', () => {
    assert.deepEqual(documentLinks(toySnapshot(program)), [
      {
        range: { start: { line: 1, character: 4 }, end: { line: 1, character: 18 } },
        path: 'lib/math.toy',
        line: undefined,
      },
    ]);
  });
});

describe('formatting', () => {
  const text = 'global g\nkernel k {\nreg a\n   const a, 1\n{ const a, 2\n}\n}\n';
  const whole = 'global g\nkernel k {\n  reg a\n  const a, 1\n  { const a, 2\n  }\n}\n';
  const options = { tabSize: 2, insertSpaces: true };
  const apply = (s: ReturnType<typeof toySnapshot>, edits: ReturnType<typeof formatting>): string =>
    applyEdits(
      s.text,
      edits.map((e) => ({
        span: { start: s.lines.offsetAt(e.range.start), end: s.lines.offsetAt(e.range.end) },
        newText: e.newText,
      })),
    );

  it('the document', () => {
    const s = toySnapshot(text);
    assert.equal(apply(s, formatting(s, options)), whole);
    assert.deepEqual(formatting(toySnapshot(whole), options), []);
  });

  it('a range: its lines and no others', () => {
    const s = toySnapshot(text);
    const range = { start: { line: 3, character: 2 }, end: { line: 4, character: 1 } };
    assert.equal(
      apply(s, formatting(s, options, range)),
      text.replace('   const a, 1\n{', '  const a, 1\n  {'),
    );
  });

  it('not when it is switched off', () => {
    assert.deepEqual(formatting(toySnapshot(text, undefined, { format: { enable: false } }), options), []);
  });
});
