import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Language } from '../../server/src/languages/language.js';
import type { Document } from '../../server/src/workspace/document.js';
import type { Pair } from '../../server/src/workspace/registry.js';
import { defaultSettings } from '../../server/src/workspace/settings.js';
import { Draft } from '../../server/src/workspace/store.js';
import { editStep, fromScratch, open, runScript, seen } from '../support/edit-scripts.js';
import { runs } from '../support/fuzz.js';
import { toyLanguage } from '../support/toy/language.js';
import { toyTarget } from '../support/toy/target.js';

const toy: Pair = { language: toyLanguage, target: toyTarget };

const piece = fc.constantFrom(
  'version 2\n',
  'version 3\n',
  'use "lib.toy"\n',
  'global g 64\n',
  'fn f\n',
  'fn f(a) {\n  reg r\n  param r, a\n  const r, 2\n  ret\n}\n',
  'kernel k(n) {\n  reg a, r<4>\n  param a, n\n  load r1, [a]\n  call f\n  ret\n}\n',
  'kernel k() {',
  '}',
  '{',
  '\n',
  '  reg x\n',
  '  const x, 1\n',
  '  call f\n',
  'fn',
  'kernel',
  'global',
  'g',
  ' ',
  '# comment\n',
  '"',
  'é',
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const step = editStep(fc.oneof(text, piece), 60);

describe('incremental store', () => {
  it('after every step of a random edit script equals the result from scratch', () => {
    fc.assert(
      fc.property(text, fc.array(step, { maxLength: 8 }), (first, steps) => runScript(toy, first, steps)),
      { numRuns: runs(800) },
    );
  });

  it('several changes in one version, also together, equal the result from scratch', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(step, { minLength: 2, maxLength: 5 }),
        fc.boolean(),
        (first, steps, together) => {
          const draft = new Draft(open(first, toy));
          let from = 0;
          const edits = steps.flatMap(({ at, length, newText }) => {
            const limit = draft.lines.text.length;
            const start = together ? from + (at % 20) : at % (limit + 1);
            const end = Math.min(limit, start + length);
            if (start > limit) return [];
            from = end;
            const edit = { span: { start, end }, newText };
            if (!together) draft.apply(edit);
            return [edit];
          });
          if (together) draft.applyTogether(edits);
          const document = draft.finish(2);
          assert.deepEqual(seen(document), seen(fromScratch(document.text, toy)));
        },
      ),
      { numRuns: runs(120) },
    );
  });

  it('a snapshot does not change when later ones are made', () => {
    const before = open('global g 4\nkernel k() {\n  reg a\n  load a, [g]\n}\n', toy);
    const draft = new Draft(before);
    draft.replace('fn h\n' + before.text.slice(11));
    const after = draft.finish(2);
    void seen(after);
    assert.deepEqual(seen(before), seen(fromScratch(before.text, toy)));
  });
});

/** Counts what a language is asked to do. */
function counting(language: Language): {
  language: Language;
  counts: Record<'unitEnd' | 'parse' | 'bind' | 'lower', number>;
} {
  const counts = { unitEnd: 0, parse: 0, bind: 0, lower: 0 };
  return {
    counts,
    language: {
      ...language,
      unitEnd: (t, s) => (counts.unitEnd++, language.unitEnd(t, s)),
      parse: (t) => (counts.parse++, language.parse(t)),
      bind: (u, e) => (counts.bind++, language.bind(u, e)),
      lower: (u) => (counts.lower++, language.lower(u)),
    },
  };
}

describe('cost of an edit', () => {
  const functions = 500;
  const source =
    'fn g(a)\n' +
    Array.from(
      { length: functions },
      (_, i) => `kernel k${i}() {\n  reg a\n  const a, 1\n  call g\n  ret\n}\n`,
    ).join('');

  function settled(): { document: Document; counts: Record<string, number>; compiled: () => number } {
    let compilations = 0;
    const { language, counts } = counting(toyLanguage);
    const target = {
      ...toyTarget,
      compile: (...a: Parameters<typeof toyTarget.compile>) => (compilations++, toyTarget.compile(...a)),
    };
    const document = open(source, { language, target });
    visit(document);
    for (const key of Object.keys(counts) as (keyof typeof counts)[]) counts[key] = 0;
    compilations = 0;
    return { document, counts, compiled: () => compilations };
  }
  const visit = (document: Document): void => document.units.forEach((unit) => void unit.compilation);
  function edited(document: Document, find: string, newText: string): Document {
    const start = document.text.indexOf(find);
    assert.ok(start >= 0);
    const draft = new Draft(document);
    draft.apply({ span: { start, end: start + find.length }, newText });
    return draft.finish(document.version + 1);
  }

  it('inside a function: that function alone is parsed, bound, lowered and compiled', () => {
    const { document, counts, compiled } = settled();
    const at = document.text.indexOf('kernel k250');
    const draft = new Draft(document);
    const load = document.text.indexOf('call g', at);
    draft.apply({ span: { start: load, end: load }, newText: ' ' });
    visit(draft.finish(2));
    assert.deepEqual(
      { parse: counts['parse'], bind: counts['bind'], lower: counts['lower'] },
      { parse: 1, bind: 1, lower: 1 },
    );
    assert.equal(compiled(), 1);
    assert.ok(counts['unitEnd'] <= 5, `cut ${counts['unitEnd']} units again`);
  });

  it('undoing an edit computes nothing', () => {
    const { document, counts, compiled } = settled();
    const changed = edited(document, 'kernel k7() {\n', 'kernel k7() {\n\n');
    visit(changed);
    counts['parse'] = counts['bind'] = 0;
    const before = compiled();
    visit(edited(changed, 'kernel k7() {\n\n', 'kernel k7() {\n'));
    assert.deepEqual([counts['parse'], counts['bind'], compiled() - before], [0, 0, 0]);
  });

  it('of a declaration: those who mention it are bound again, and nobody is parsed', () => {
    const { document, counts } = settled();
    const changed = edited(document, 'fn g(a)', 'fn g(a, b)');
    visit(changed);
    assert.equal(counts['parse'], 1);
    assert.equal(counts['bind'], functions + 1);
    counts['bind'] = 0;
    visit(edited(changed, 'fn g(a, b)', 'fn g(a)'));
    assert.equal(counts['bind'], 0, 'going back finds the old results');
  });

  it('of a target option: everything is compiled again, nothing is bound', () => {
    const { document, counts, compiled } = settled();
    const option = toyTarget.options.find(({ type }) => type === 'integer');
    assert.ok(option);
    const settings = { ...defaultSettings, targets: { [toyTarget.id]: { [option.name]: 5 } } };
    visit(document.withSettings(settings));
    assert.equal(counts['bind'], 0);
    assert.equal(compiled(), functions);
  });

  it('a new unit at the top moves the rest and is not paid for by it', () => {
    const { document, counts, compiled } = settled();
    const draft = new Draft(document);
    draft.apply({
      span: { start: document.text.indexOf('kernel k0'), end: document.text.indexOf('kernel k0') },
      newText: 'global other 4\n',
    });
    visit(draft.finish(2));
    assert.ok(counts['parse'] <= 2);
    assert.ok(counts['bind'] <= 2);
    assert.equal(compiled(), 0);
  });

  it('a whole new text costs what differs', () => {
    const { document, counts } = settled();
    const draft = new Draft(document);
    draft.replace(document.text.replace('kernel k99() {', 'kernel k99() {\n'));
    visit(draft.finish(2));
    assert.equal(counts['parse'], 1);
  });
});
