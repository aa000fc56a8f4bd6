import assert from 'node:assert/strict';
import fc from 'fast-check';
import { selfTest } from '../../server/src/features/self-test.js';
import type { Snapshot } from '../../server/src/workspace/snapshot.js';
import { broken, program, toySnapshot } from '../support/toy/programs.js';
import { runs } from '../support/fuzz.js';

const everyOffset = (s: Snapshot): number[] => Array.from({ length: s.text.length + 1 }, (_, k) => k);

describe('every feature', () => {
  for (const [name, text] of Object.entries({
    program,
    broken,
    empty: '',
    blank: '\n\n',
    crlf: program.replaceAll('\n', '\r\n'),
  }))
    it(`answers at every offset: ${name}`, () => {
      for (const registers of [undefined, 3]) {
        const s = toySnapshot(text, registers, {
          inlayHints: { pressure: 'all', stalls: true, places: true, minimumStall: 1 },
        });
        assert.deepEqual(selfTest(s, everyOffset(s)), []);
      }
    }).timeout(20_000);

  it('answers at every offset of mutilated programs', () => {
    const cut = fc.tuple(
      fc.nat(program.length),
      fc.nat(40),
      fc.constantFrom('', 'a', '{', '}', ',', '\n', 'r1', 'reg ', '[', '@', '\u{1F600}'),
    );
    fc.assert(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 4 }), fc.nat(), (cuts, seed) => {
        let text = program;
        for (const [at, length, fresh] of cuts) text = text.slice(0, at) + fresh + text.slice(at + length);
        const s = toySnapshot(text, 3);
        const offsets = Array.from({ length: 12 }, (_, k) => (seed + k * 7919) % (text.length + 1));
        assert.deepEqual(selfTest(s, offsets), []);
      }),
      { numRuns: runs(60) },
    );
  }).timeout(60_000);
});
