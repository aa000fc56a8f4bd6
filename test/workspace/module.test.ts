import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Target } from '../../server/src/targets/target.js';
import type { Document } from '../../server/src/workspace/document.js';
import { Draft } from '../../server/src/workspace/store.js';
import { editStep, open, runScript } from '../support/edit-scripts.js';
import { runs } from '../support/fuzz.js';
import { countingInSteps, countingToy } from '../support/toy/counting.js';
import { toyLanguage } from '../support/toy/language.js';

const source = `fn f(a) {
  reg r
  param r, a
  ret
}
kernel k() {
  reg a
  const a, 1
  call f
  ret
}
kernel other() {
  reg a
  ret
}
`;

const body = (document: Document, name: string): number =>
  document.units.findIndex(({ function: found }) => found?.name === name);

function edited(document: Document, find: string, newText: string): Document {
  const start = document.text.indexOf(find);
  assert.ok(start >= 0);
  const draft = new Draft(document);
  draft.apply({ span: { start, end: start + find.length }, newText });
  return draft.finish(document.version + 1);
}

const calleeLength = (document: Document, unit: number): unknown =>
  document.units[unit].compilation?.stats.more?.['f'];

describe('compilations that depend on other functions', () => {
  const compiled: string[] = [];
  const counting = (target: typeof countingToy): { language: typeof toyLanguage; target: Target } => {
    compiled.length = 0;
    const inner = target(['f'], (name) => compiled.push(name));
    return {
      language: toyLanguage,
      target: {
        ...inner,
        compile: (f, options, module) =>
          f.name === 'other' ? inner.compile(f, options) : inner.compile(f, options, module),
      },
    };
  };
  const visit = (document: Document): void => document.units.forEach((unit) => void unit.compilation);

  for (const [how, target] of [
    ['at once', countingToy],
    ['in steps', countingInSteps],
  ] as const) {
    it(`are made again when a body that they asked for has changed, ${how}`, () => {
      const first = open(source, counting(target));
      visit(first);
      const k = body(first, 'k');
      assert.equal(calleeLength(first, k), 2);
      const second = edited(first, '  param r, a\n', '  param r, a\n  const r, 2\n');
      assert.equal(second.units[k].isCompiled, false);
      assert.equal(calleeLength(second, k), 3);
      assert.equal(second.units[k].isCompiled, true);
      assert.equal(calleeLength(first, k), 2, 'the older snapshot keeps its own');
    });
  }

  it('are kept while others change, and come back with an edit taken back', () => {
    const first = open(source, counting(countingToy));
    visit(first);
    const second = edited(first, '  param r, a\n', '  param r, a\n  const r, 2\n');
    compiled.length = 0;
    visit(second);
    assert.deepEqual(compiled, ['f', 'k'], "'other' asked for nothing");
    compiled.length = 0;
    visit(edited(second, '  const r, 2\n', ''));
    assert.deepEqual(compiled, []);
  });

  it('follow a definition that goes and comes, and one further down', () => {
    const first = open(source, counting(countingToy));
    const gone = edited(first, 'fn f(a) {', 'fn g(a) {');
    assert.equal(calleeLength(gone, body(gone, 'k')), -1);
    const moved = edited(gone, '  ret\n}\nkernel other', '  ret\n}\nfn f() {\n  ret\n}\nkernel other');
    assert.equal(calleeLength(moved, body(moved, 'k')), 1);
  });

  it('lose a fault with the function that caused it', () => {
    const { language, target } = counting(countingToy);
    const compile: Target['compile'] = (f, options, module) => {
      if (module?.definition('f')?.instructionCount === 2) throw new Error('two');
      return target.compile(f, options, module);
    };
    const told: unknown[] = [];
    const first = open(source, { language, target: { ...target, compile } }, undefined, (error) =>
      told.push(error),
    );
    visit(first);
    const k = body(first, 'k');
    assert.ok(first.units[k].fault !== undefined);
    const second = edited(first, '  param r, a\n', '  param r, a\n  const r, 2\n');
    visit(second);
    assert.equal(second.units[k].fault, undefined);
    assert.ok(told.length > 0);
  });

  it('equal the result from scratch after every step of a random edit script', () => {
    const pair = { language: toyLanguage, target: countingToy(['f', 'k', 'g']) };
    const piece = fc.constantFrom(
      'fn f\n',
      'fn f(a) {\n  reg r\n  param r, a\n  ret\n}\n',
      'fn g() {\n  ret\n}\n',
      'kernel k() {\n  reg a\n  const a, 1\n  call f\n  ret\n}\n',
      '}\n',
      '  ret\n',
      'g',
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, fc.array(editStep(fc.oneof(text, piece), 60), { maxLength: 8 }), (first, steps) =>
        runScript(pair, first, steps),
      ),
      { numRuns: runs(200) },
    );
  });
});
