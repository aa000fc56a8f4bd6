import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chooseEncoding, encoderFor } from '../../server/src/lsp/encoding.js';
import { LineIndex } from '../../server/src/text/line-index.js';
import { runs } from '../support/fuzz.js';

const text = fc
  .array(fc.constantFrom('a', '\n', '\r\n', 'é', '€', '🙂', ' '), { maxLength: 30 })
  .map((parts) => parts.join(''));

describe('position encodings', () => {
  it('count bytes and code points as Buffer and Array.from do', () => {
    fc.assert(
      fc.property(text, fc.nat(), (s, at) => {
        const lines = LineIndex.of(s);
        const offset = at % (s.length + 1);
        const position = lines.positionAt(offset);
        const before = s.slice(lines.startOf(position.line), lines.offsetAt(position));
        if (/[\ud800-\udbff]$/.test(before)) return; // inside a surrogate pair
        if (s[offset - 1] === '\r' && s[offset] === '\n') return; // inside a line break
        assert.equal(encoderFor('utf-8', lines).toClient(position).character, Buffer.byteLength(before));
        assert.equal(encoderFor('utf-32', lines).toClient(position).character, Array.from(before).length);
        assert.deepEqual(encoderFor('utf-16', lines).toClient(position), position);
        for (const encoding of ['utf-8', 'utf-16', 'utf-32'] as const) {
          const encoder = encoderFor(encoding, lines);
          assert.equal(encoder.offset(encoder.toClient(position)), lines.offsetAt(position), encoding);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('clamp what lies outside', () => {
    const s = 'é🙂\nx';
    const encoder = encoderFor('utf-8', LineIndex.of(s));
    assert.equal(encoder.offset({ line: 0, character: 99 }), 3);
    assert.equal(encoder.offset({ line: 9, character: 0 }), s.length);
    assert.equal(encoder.offset({ line: 0, character: 4 }), 3, 'inside a character: its end');
    assert.deepEqual(encoder.toClient({ line: 5, character: 1 }), { line: 5, character: 1 });
  });

  it('are chosen from what the client offers', () => {
    assert.equal(chooseEncoding(undefined), 'utf-16');
    assert.equal(chooseEncoding(['utf-8', 'utf-16']), 'utf-16');
    assert.equal(chooseEncoding(['utf-8', 'utf-32']), 'utf-32');
    assert.equal(chooseEncoding(['utf-8']), 'utf-8');
    assert.equal(chooseEncoding(['utf-7']), 'utf-16');
  });
});
