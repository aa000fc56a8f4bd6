import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Edit } from '../../server/src/features/data.js';
import { prepareRename, rename } from '../../server/src/features/rename.js';
import type { Snapshot } from '../../server/src/workspace/snapshot.js';
import { applyEdits, fixture } from '../support/fixture.js';
import { program, toySnapshot } from '../support/toy/programs.js';
import { runs } from '../support/fuzz.js';

function renamed(s: Snapshot, offset: number, name: string): string | { readonly refused: string } {
  const answer = rename(s, s.lines.positionAt(offset), name);
  return 'refused' in answer ? answer : apply(s, answer.edits);
}

const apply = (s: Snapshot, edits: readonly Edit[]): string =>
  applyEdits(
    s.text,
    edits.map((e) => ({
      span: { start: s.lines.offsetAt(e.range.start), end: s.lines.offsetAt(e.range.end) },
      newText: e.newText,
    })),
  );

function check(marked: string, name: string, wanted: string | RegExp): void {
  const f = fixture(marked);
  const result = renamed(toySnapshot(f.text), f.cursor, name);
  if (typeof wanted === 'string') assert.equal(result, wanted.replace(/^\n/, ''));
  else assert.match(typeof result === 'string' ? `not refused: ${result}` : result.refused, wanted);
}

describe('rename', () => {
  it('a register, in its scope only', () =>
    check(
      'kernel k {\n reg a, b\n const $0a, 1\n { reg a\n const a, 2 }\n store [a], b\n}',
      'z',
      'kernel k {\n reg z, b\n const z, 1\n { reg a\n const a, 2 }\n store [z], b\n}',
    ));

  it('a register of a range gets its own declaration', () =>
    check(
      'kernel k {\n  reg r<4>\n  const r1, 1\n  store [r2], $0r1\n}',
      'base',
      'kernel k {\n  reg base\n  reg r<4>\n  const base, 1\n  store [r2], base\n}',
    ));

  it('a function in the whole document', () =>
    check(
      'fn f\nkernel k {\n call $0f\n { reg f\n const f, 1 }\n}\nfn f { call f }\n',
      'g',
      'fn g\nkernel k {\n call g\n { reg f\n const f, 1 }\n}\nfn g { call g }\n',
    ));

  it('refuses what is taken, with the line', () => {
    check('kernel k {\n reg $0a, b\n}', 'b', /`b` is already a register here, declared in line 2/);
    check(
      'kernel k {\n reg $0a, r<4>\n const r1, 1\n const a, 1\n}',
      'r1',
      /`r1` is already a register here/,
    );
    check('fn $0f\nglobal g 4\n', 'g', /`g` is already declared in line 2/);
  });

  it('refuses what a range would capture though it is not used yet', () =>
    check(
      'kernel k {\n reg r<4>\n { reg x\n const $0x, 1\n }\n reg a\n const a, 1 }',
      'r3',
      'kernel k {\n reg r<4>\n { reg r3\n const r3, 1\n }\n reg a\n const a, 1 }',
    ));

  it('refuses what an inner scope would capture', () =>
    check('kernel k {\n reg a\n const $0a, 1\n { reg b\n store [a], b }\n}', 'b', /already a register here/));

  it('refuses what is no name', () => {
    for (const name of ['', 'a b', '7', '{', 'x,', 'a#'])
      check('kernel k {\n reg $0a\n const a, 1\n}', name, /name|mean/);
  });

  it('refuses words of the language and undeclared names', () => {
    check('versio$0n 2\n', 'x', /word of the language/);
    check('kernel k {\n const $0a, 1\n}', 'x', /`a` is not declared/);
    check('kernel k {\n ret $0\n}', 'x', /no name here/);
  });

  it('prepare gives the name under the cursor', () => {
    const f = fixture('kernel k {\n reg abc\n const a$0bc, 1\n}');
    const answer = prepareRename(toySnapshot(f.text), f.lines.positionAt(f.cursor));
    assert.deepEqual(answer, {
      range: { start: { line: 2, character: 7 }, end: { line: 2, character: 10 } },
      placeholder: 'abc',
    });
  });

  // The meaning of a program, as far as names go: which occurrences are the same symbol.
  const shape = (s: Snapshot): unknown =>
    s.units.map((u) => {
      const { occurrenceSymbol, occurrenceRole, symbols } = u.bound.symbols;
      const numbers = new Map<number, number>();
      return [...occurrenceSymbol].flatMap((symbol, k) => {
        if (occurrenceRole[k] === 1 && symbols[symbol].kind === 'register') return [];
        if (!numbers.has(symbol)) numbers.set(symbol, numbers.size);
        return [[numbers.get(symbol), occurrenceRole[k], symbols[symbol].kind]];
      });
    });

  it('keeps the meaning or refuses', () => {
    const s = toySnapshot(program);
    const names = fc.constantFrom(
      'a',
      'b',
      'r0',
      'r3',
      'main',
      'helper',
      'table',
      'top',
      'p',
      'n',
      'fresh',
      'const',
      'fn',
      'x y',
    );
    let done = 0;
    fc.assert(
      fc.property(fc.nat(program.length), names, (offset, name) => {
        const text = renamed(s, offset, name);
        if (typeof text !== 'string') return;
        done++;
        assert.deepEqual(shape(toySnapshot(text)), shape(s));
      }),
      { numRuns: runs(300) },
    );
    assert.ok(done > 10, 'some renames must be possible');
  });
});
