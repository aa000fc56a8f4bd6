import assert from 'node:assert/strict';
import type { DocumentSymbol } from '../../server/src/features/data.js';
import { documentSymbols, workspaceSymbols } from '../../server/src/features/symbols.js';
import { program, toySnapshot } from '../support/toy/programs.js';

describe('symbols', () => {
  it('the outline nests parameters and labels, and leaves registers out', () => {
    const show = (s: DocumentSymbol): unknown =>
      s.children.length === 0 ? `${s.kind} ${s.name}` : [`${s.kind} ${s.name}`, ...s.children.map(show)];
    assert.deepEqual(documentSymbols(toySnapshot(program)).map(show), [
      'variable table',
      'function helper',
      ['kernel main', 'parameter n', 'parameter out', 'label top'],
      'function helper',
    ]);
  });

  it('ranges contain names and children', () => {
    for (const s of documentSymbols(toySnapshot(program))) {
      const inside = (r: DocumentSymbol['range']): boolean =>
        r.start.line >= s.range.start.line && r.end.line <= s.range.end.line;
      assert.ok(inside(s.selectionRange) && s.children.every((c) => inside(c.range)), s.name);
    }
  });

  it('workspace symbols prefer definitions and match letters in order', () => {
    const s = [toySnapshot(program)];
    const find = (query: string): string[] =>
      workspaceSymbols(s, query).map((x) => `${x.name}:${x.location.range.start.line + 1}`);
    assert.deepEqual(find('hlp'), ['helper:26']);
    assert.deepEqual(find('').sort(), ['helper:26', 'main:6', 'table:3']);
    assert.deepEqual(find('xyz'), []);
    assert.equal(workspaceSymbols(s, '', 2).length, 2);
  });
});
