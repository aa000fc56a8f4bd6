import assert from 'node:assert/strict';
import { codeActions } from '../../server/src/features/code-actions.js';
import type { CodeAction } from '../../server/src/features/data.js';
import { diagnostics } from '../../server/src/features/diagnostics.js';
import { applyEdits, fixture } from '../support/fixture.js';
import { toySnapshot } from '../support/toy/programs.js';

function actionsAt(
  marked: string,
  registers?: number,
  only?: readonly string[],
): { actions: CodeAction[]; apply: (title: RegExp) => string } {
  const f = fixture(marked);
  const s = toySnapshot(f.text, registers);
  for (const u of s.units) void u.compilation;
  const at = f.lines.positionAt(f.cursor);
  const actions = codeActions(s, { start: at, end: at }, only === undefined ? {} : { only });
  const apply = (title: RegExp): string => {
    const action = actions.find((a) => title.test(a.title));
    assert.ok(
      action !== undefined,
      `no action like ${title} among ${actions.map((a) => a.title).join('; ')}`,
    );
    return applyEdits(
      f.text,
      action.edits.map((e) => ({
        span: { start: f.lines.offsetAt(e.range.start), end: f.lines.offsetAt(e.range.end) },
        newText: e.newText,
      })),
    );
  };
  return { actions, apply };
}

const codesOf = (text: string): string[] => diagnostics(toySnapshot(text)).items.map((d) => d.code);

describe('code actions', () => {
  it('remove what is unused', () => {
    const { apply } = actionsAt('kernel k {\n  reg a, $0b\n  store [a], a\n}');
    assert.equal(apply(/Remove `b`/), 'kernel k {\n  reg a\n  store [a], a\n}');
  });

  it('declare what is missing', () => {
    const { actions, apply } = actionsAt('kernel k {\n  const $0a, 1\n}');
    assert.deepEqual(codesOf(apply(/Declare `a`/)), []);
    const [action] = actions;
    assert.equal(action.isPreferred, true);
    assert.equal(action.repairs?.code, 'name/undeclared');
  });

  it('raise the version, in another unit', () => {
    const text = '# one\nversion 1\nkernel k {\n  reg a\n  $0mul a, a, a\n}';
    assert.deepEqual(codesOf(actionsAt(text).apply(/Raise version to 2/)), []);
  });

  it('the same fix for all problems of a code', () => {
    const { apply } = actionsAt('kernel k {\n  reg $0a\n  reg b\n  ret\n}\nfn f {\n  reg c\n}');
    assert.deepEqual(codesOf(apply(/Fix all 3 problems of name\/unused/)), []);
  });

  it('fix all: equal fixes once, others side by side', () => {
    const text = 'version 1\nkernel k {\n  const a, 1\n  mul a, a, b\n  mul b, a, a$0\n}';
    assert.equal(
      actionsAt(text).actions.filter((a) => a.kind === 'source.fixAll').length,
      0,
      'only when asked for',
    );
    const { actions, apply } = actionsAt(text, undefined, ['source']);
    assert.deepEqual(
      actions.map((a) => a.kind),
      ['source.fixAll'],
    );
    assert.deepEqual(codesOf(apply(/Fix all/)), []);
  });

  it('nothing at a place without a problem', () => {
    assert.deepEqual(actionsAt('kernel k {$0\n  reg a\n  store [a], a\n}').actions, []);
  });
});
