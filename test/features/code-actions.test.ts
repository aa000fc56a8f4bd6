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

describe('recompute instead of keep', () => {
  const busy = (n: number): string => Array.from({ length: n }, () => '  load b, [b]\n').join('');

  it('repeats a constant before a distant use, and the register is free in between', () => {
    const text = `kernel k {\n  reg a, b\n  const a, 1\n  const b, 2\n  store [a], $0a\n${busy(20)}  store [a], b\n}`;
    const changed = actionsAt(text).apply(/Compute `a` again in line 26/);
    assert.equal(changed, text.replace('$0', '').replace('  store [a], b', '  const a, 1\n  store [a], b'));
    const { compilation } = toySnapshot(changed).units[0];
    assert.equal(compilation?.asWritten.after[0][10], 1, 'only b lives through the loads');
    assert.deepEqual(codesOf(changed), []);
  });

  it('moves it when no use stays near', () => {
    const text =
      `kernel k {\n  reg a, b\n  const $0a, 1\n  const b, 2\n${busy(20)}  @p store [a], b\n}`.replace(
        '@p ',
        '',
      );
    const changed = actionsAt(text).apply(/Compute `a` again/);
    assert.equal(
      changed,
      text
        .replace('$0', '')
        .replace('  const a, 1\n', '')
        .replace('  store [a]', '  const a, 1\n  store [a]'),
    );
  });

  it('in each block that reads it', () => {
    const text =
      'kernel k {\n  reg $0a, b\n  pred p\n  const a, 1\n  const b, 1\ntop:\n  add b, b, a\n  less p, b, a\n  branch p, top\n  store [b], a\n}';
    const changed = actionsAt(text.replace('$0', '').replace('const a', 'const $0a')).apply(
      /Compute `a` again in lines 7, 10/,
    );
    assert.equal(changed.match(/const a, 1/g)?.length, 2);
    assert.match(changed, /top:\n {2}const a, 1\n {2}add b, b, a\n/);
  });

  it('not for what is no constant, has two definitions or would mean something else there', () => {
    const far = `${busy(20)}  store [a], b\n}`;
    const titles = (text: string): string[] =>
      actionsAt(text)
        .actions.map((a) => a.title)
        .filter((t) => t.startsWith('Compute'));
    assert.deepEqual(titles(`kernel k {\n  reg a, b\n  load $0a, [b]\n${far}`), []);
    assert.deepEqual(titles(`kernel k {\n  reg a, b\n  const a, 1\n  const $0a, 2\n${far}`), []);
    assert.deepEqual(titles(`kernel k {\n  reg a, b\n  pred p\n  @p const $0a, 2\n${far}`), []);
    const hidden = `kernel k(n) {\n  reg a, b\n  param $0a, n\n${busy(20)}  { reg n\n  store [a], n }\n}`;
    assert.deepEqual(titles(hidden), []);
    assert.equal(titles(hidden.replace('reg n', 'reg m')).length, 1);
  });
});
