import assert from 'node:assert/strict';
import fc from 'fast-check';
import { defaultSettings } from '../../../server/src/workspace/settings.js';
import { snapshotOf } from '../snapshot.js';
import { toyLanguage } from './language.js';
import { toyTarget } from './target.js';
import { runs } from '../fuzz.js';

const toy = (text: string, registers?: number): ReturnType<typeof snapshotOf> =>
  snapshotOf(text, toyLanguage, toyTarget, {
    settings:
      registers === undefined
        ? defaultSettings
        : { ...defaultSettings, targets: { 'toy-machine': { registers } } },
  });

const program = `version 2
global table 64
# adds
fn helper
kernel main(n) {
  reg a, b, r<4>
  wide w
  pred p
  const a, 1
top:
  load b, [a]
  add r1, a, b
  less p, r1, a
  branch p, top
  { reg a
    const a, 2
    store [a], b }
  address w, table
  store [w], r1
  call helper
  ret
}
fn helper {
  ret
}
`;

describe('the toy language', () => {
  it('binds without problems and keeps every byte', () => {
    const s = toy(program);
    assert.equal(s.units.map((u) => s.text.slice(u.start, u.end)).join(''), program);
    assert.deepEqual(
      s.units.flatMap((u) => [...u.parsed.problems, ...u.bound.problems].map((p) => p.message)),
      [],
    );
    assert.equal(s.text.slice(s.units[2].start, s.units[2].end), '# adds\nfn helper\n');
  });

  it('resolves nested scopes and ranges', () => {
    const { symbols } = toy(program).units[3].bound.symbols;
    const named = (name: string) => symbols.filter((x) => x.name === name);
    assert.equal(named('a').length, 2);
    assert.equal(named('r1').length, 1);
    assert.equal(named('table')[0].isGlobal, true);
  });

  // live after: const a -> a; load b -> a b; add r1 -> a b r1; less -> a b r1; branch -> same;
  // const a' -> a' b r1; store -> r1; address w (2 units) -> r1 w; store -> none
  it('counts pressure as counted by hand', () => {
    const c = toy(program).units[3].compilation!;
    assert.deepEqual([...c.asWritten.after[0]], [1, 2, 3, 3, 3, 3, 1, 3, 0, 0, 0]);
    assert.equal(c.asWritten.peak[0], 3);
    assert.deepEqual([...c.asWritten.after[1]], [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    // add waits for the load issued one cycle before (20 - 1), less for the add (4 - 1), branch for less (4 - 1),
    assert.deepEqual(
      c.stalls.map((s) => s.cycles),
      [19, 3, 3],
    );
  });

  it('spills what a smaller limit asks for', () => {
    const c = toy(
      `kernel k {
  reg a, b, c, d
  const a, 1
  load b, [a]
  load c, [a]
  load d, [a]
  add d, d, c
  add d, d, b
  store [a], d
  ret
}`,
      3,
    ).units[0].compilation!;
    // The peak is at the third load (a b c d). a is read there; b and c live through it, both mentioned twice: b goes.
    assert.deepEqual(
      c.spills.map((x) => [c.source.registerNames[x.register], x.peakInstruction, x.stores, x.reloads]),
      [['b', 3, [1], [5]]],
    );
    assert.deepEqual(c.placements[1], { kind: 'spilled', slot: 0, bytes: 4 });
    assert.equal(c.stats.pressure.asCompiled, 3);
  });

  it('takes any text', () => {
    const word = fc.constantFrom(
      'fn',
      'kernel',
      '{',
      '}',
      'reg',
      'a',
      'b<2>',
      ',',
      'const',
      'add',
      '@',
      'b1',
      '[',
      ']',
      ':',
      '\n',
      '(',
      '"',
      '7',
      'version',
      '$',
      '#x\n',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 3 })), { maxLength: 60 }), (words) => {
        const text = words.join(' ');
        const s = toy(text);
        assert.equal(s.units.map((u) => text.slice(u.start, u.end)).join(''), text);
        for (const u of s.units)
          assert.ok(u.bound.symbols.symbols.length >= 0 && (u.compilation?.stats.instructions ?? 0) >= 0);
      }),
      { numRuns: runs(200) },
    );
  });
});
