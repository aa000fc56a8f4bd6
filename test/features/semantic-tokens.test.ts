import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  semanticTokens,
  tokenDelta,
  tokenModifiers,
  tokenTypes,
} from '../../server/src/features/semantic-tokens.js';
import { program, toySnapshot } from '../support/toy/programs.js';
import { runs } from '../support/fuzz.js';

function decode(text: string, data: Uint32Array): string[] {
  const lines = text.split('\n');
  let line = 0;
  let character = 0;
  const tokens: string[] = [];
  for (let k = 0; k < data.length; k += 5) {
    if (data[k] > 0) character = 0;
    line += data[k];
    character += data[k + 1];
    const modifiers = tokenModifiers.filter((_, bit) => (data[k + 4] & (1 << bit)) !== 0);
    const word = lines[line].slice(character, character + data[k + 2]);
    tokens.push([`${line}:${word}`, tokenTypes[data[k + 3]], ...modifiers].join(' '));
  }
  return tokens;
}

describe('semantic tokens', () => {
  it('name words, roles and kinds', () => {
    const text = '# hi\nkernel k(n) {\n  reg a\ntop: const a, 7\n  store [a], a\n  jump top\n}\nglobal g\n';
    assert.deepEqual(decode(text, semanticTokens(toySnapshot(text))), [
      '0:# hi comment',
      '1:kernel macro',
      '1:k function declaration definition static',
      '1:n parameter declaration definition',
      '2:reg macro',
      '2:a variable declaration',
      '3:top label declaration definition',
      '3:const keyword',
      '3:a variable modification',
      '3:7 number',
      '4:store keyword',
      '4:a variable',
      '4:a variable',
      '5:jump keyword',
      '5:top label',
      '7:global macro',
      '7:g variable declaration definition static',
    ]);
  });

  it('of a range are those of its lines', () => {
    const s = toySnapshot(program);
    const all = decode(program, semanticTokens(s));
    fc.assert(
      fc.property(fc.nat(30), fc.nat(5), (line, more) => {
        const range = { start: { line, character: 0 }, end: { line: line + more, character: 2 } };
        const wanted = all.filter((token) => {
          const at = Number(token.split(':')[0]);
          return at >= line && at <= line + more;
        });
        assert.deepEqual(decode(program, semanticTokens(s, range)), wanted);
      }),
      { numRuns: runs(100) },
    );
  });

  it('columns can be counted otherwise', () => {
    const text = 'kernel k { # \u{1F600}\n}\nglobal g';
    const utf8 = (line: number, character: number): number =>
      Buffer.byteLength(text.split('\n')[line].slice(0, character));
    const data = semanticTokens(toySnapshot(text), undefined, utf8);
    const comment = [...data].findIndex((_, k) => k % 5 === 3 && data[k] === 0);
    assert.equal(data[comment - 1], 6, 'hash, blank and four bytes');
  });

  it('a delta turns the one into the other', () => {
    const list = fc.array(fc.nat(3), { maxLength: 30 }).map((l) => Uint32Array.from(l));
    fc.assert(
      fc.property(list, list, (before, after) => {
        const result = [...before];
        for (const edit of tokenDelta(before, after))
          result.splice(edit.start, edit.deleteCount, ...edit.data);
        assert.deepEqual(result, [...after]);
      }),
      { numRuns: runs(100) },
    );
    assert.deepEqual(tokenDelta(Uint32Array.of(1, 2), Uint32Array.of(1, 2)), []);
  });
});
