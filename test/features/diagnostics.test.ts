import assert from 'node:assert/strict';
import type { severityFor } from '../../server/src/features/diagnostics.js';
import { diagnostics } from '../../server/src/features/diagnostics.js';
import { checkDiagnostics, checkMarks, fixture } from '../support/fixture.js';
import { toySnapshot } from '../support/toy/programs.js';

describe('diagnostics', () => {
  it('of parsing, binding and compiling, in text order', () => {
    const f = fixture(`
version 1
kernel k {
  reg a, b, c, d, e
#                 ^ hint name/unused-register: \`e\` is never used
  const a, 1
  load b, [a]
#      ^ warning spill/register: \`b\` spills (toy machine, limit 3): 1 stores, 1 reloads
  load c, [a]
  load d, [a]
  mul d, d, c
# ^^^ error isa/version: \`mul\` needs version 2
  add d, d, b
  store [a], d
  add q, a
# ^^^ error syntax/statement: \`add\` needs 3 operands
#     ^ error name/undeclared: \`q\` is not declared
}
`);
    const { items, omitted } = diagnostics(toySnapshot(f.text, 3));
    checkDiagnostics(f, items);
    assert.equal(omitted, 0);
    const lines = items.map((d) => d.range.start.line);
    assert.deepEqual(
      lines,
      [...lines].sort((a, b) => a - b),
    );
    assert.ok(items.every((d) => d.documentation === `docs/diagnostics.md#${d.code.replace('/', '')}`));
    assert.deepEqual(items.find((d) => d.code === 'name/unused-register')?.tags, ['unnecessary']);
  });

  it('related places are found in other units and in this one', () => {
    const f = fixture(`
version 1
# padding
kernel k {
  reg a
  mul a, a, a
}
fn k { ret }
`);
    const related = diagnostics(toySnapshot(f.text)).items.flatMap((d) => d.related);
    checkMarks(
      fixture(
        f.text
          .replace('version 1\n', 'version 1\n^^^^^^^ related\n')
          .replace('k {\n  reg', 'k {\n       ^ related\n  reg'),
      ),
      related.map((r) => r.location.range),
      'related',
    );
  });

  it('severities by code, by family and off', () => {
    const text = 'kernel k {\n  reg a\n  const q, 1\n}\n';
    const codes = (severity: Parameters<typeof severityFor>[0]): string[] =>
      diagnostics(toySnapshot(text, undefined, { diagnostics: { severity, maximum: 10 } })).items.map(
        (d) => `${d.severity} ${d.code}`,
      );
    assert.deepEqual(codes({}), ['hint name/unused-register', 'error name/undeclared']);
    assert.deepEqual(codes({ 'name/*': 'off' }), []);
    assert.deepEqual(codes({ 'name/*': 'warning', 'name/unused-register': 'off' }), [
      'warning name/undeclared',
    ]);
    assert.deepEqual(codes({ '*': 'information' }), [
      'information name/unused-register',
      'information name/undeclared',
    ]);
  });

  it('keeps the most severe under a maximum and counts the rest', () => {
    const text = 'kernel k {\n  reg a, b, c\n  const x, 1\n  const y, 1\n}\n';
    const s = toySnapshot(text, undefined, { diagnostics: { severity: {}, maximum: 3 } });
    const { items, omitted } = diagnostics(s);
    assert.deepEqual(
      items.map((d) => d.severity),
      ['hint', 'error', 'error'],
    );
    assert.equal(omitted, 2);
  });

  it('can leave out what is not compiled yet', () => {
    const text =
      'kernel k {\n reg a, b, c\n load a, [c]\n load b, [c]\n load c, [c]\n store [a], b\n store [c], c\n}\n';
    const spills = (s: ReturnType<typeof toySnapshot>, compiledOnly: boolean): number =>
      diagnostics(s, { compiledOnly }).items.filter((d) => d.code === 'spill/register').length;
    const s = toySnapshot(text, 2);
    assert.equal(spills(s, true), 0);
    const all = spills(s, false);
    assert.ok(all > 0);
    assert.equal(spills(s, true), all, 'now it is at hand');
  });
});
