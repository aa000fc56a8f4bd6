import assert from 'node:assert/strict';
import { completion, resolveCompletion, signatureHelp } from '../../server/src/features/completion.js';
import { fixture } from '../support/fixture.js';
import { toySnapshot } from '../support/toy/programs.js';

describe('completion', () => {
  it('replaces the word that is begun', () => {
    const f = fixture('kernel k {\n  reg abc\n  lo$0ad abc, [abc]\n}');
    const list = completion(toySnapshot(f.text), f.lines.positionAt(f.cursor));
    assert.deepEqual(list.range, { start: { line: 2, character: 2 }, end: { line: 2, character: 6 } });
    assert.ok(list.items.some((i) => i.label === 'store'));
    assert.match(resolveCompletion(toySnapshot(f.text), 'store') ?? '', /memory/);
  });

  it('puts registers that hold a value first, once the function is compiled', () => {
    const f = fixture(
      'kernel k {\n  reg dead, late, live\n  const live, 1\n  add late, $0live, live\n  store [late], late\n}',
    );
    const s = toySnapshot(f.text);
    const order = (): string[] =>
      completion(s, f.lines.positionAt(f.cursor))
        .items.filter((i) => i.kind === 'register')
        .sort((a, b) => ((a.sort ?? a.label) < (b.sort ?? b.label) ? -1 : 1))
        .map((i) => i.label);
    assert.deepEqual(order(), ['dead', 'late', 'live']);
    assert.ok(s.units[0].compilation !== undefined);
    assert.deepEqual(order(), ['live', 'dead', 'late']);
  });

  it('signature help counts the parameter', () => {
    const f = fixture('kernel k {\n  reg a\n  add a, a$0, a\n}');
    const help = signatureHelp(toySnapshot(f.text), f.lines.positionAt(f.cursor));
    assert.equal(help?.items[0].label, 'add d, r, r');
    assert.equal(help?.activeParameter, 1);
    assert.equal(signatureHelp(toySnapshot(f.text), { line: 0, character: 0 }), undefined);
  });
});
