import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Document } from '../../server/src/workspace/document.js';
import type { Pair } from '../../server/src/workspace/registry.js';
import { defaultSettings } from '../../server/src/workspace/settings.js';
import { Draft } from '../../server/src/workspace/store.js';
import { editStep, fromScratch, open } from '../support/edit-scripts.js';
import { runs } from '../support/fuzz.js';
import { improvingToy } from '../support/toy/improving.js';
import { toyLanguage } from '../support/toy/language.js';
import { toyTarget } from '../support/toy/target.js';

const pair: Pair = { language: toyLanguage, target: improvingToy() };

const stalling = 'kernel k(n) {\n  reg a, b\n  param a, n\n  load b, [a]\n  add a, b, b\n  ret\n}\n';

const figures = (document: Pick<Document, 'units'>): unknown[] =>
  document.units.map(({ compilation }) => [compilation?.stats, compilation?.problems]);

function improved(document: Document): Document {
  for (let i = 0; i < document.unitCount; i++) document.improveWhollyAt(i);
  return document;
}

function edited(document: Document, change: (text: string) => string): Document {
  const draft = new Draft(document);
  draft.replace(change(document.text));
  return draft.finish(document.version + 1);
}

describe('better programs', () => {
  const piece = fc.constantFrom(
    stalling,
    'kernel q() {\n  reg a\n  const a, 1\n  ret\n}\n',
    'global g 4\n',
    'fn f\n',
    '  add a, a, a\n',
    '}',
    '\n',
    'kernel',
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const step = fc.record({
    edit: editStep(piece, 40),
    searched: fc.array(fc.nat({ max: 12 }), { maxLength: 12 }),
  });

  it('are what a document from scratch has too, whatever was searched before and between edits', () => {
    fc.assert(
      fc.property(text, fc.array(step, { maxLength: 8 }), (first, steps) => {
        let document = open(first, pair);
        const history = [first];
        for (const { edit, searched } of steps) {
          for (const unit of searched)
            if (unit < document.unitCount && (unit % 3 !== 0 || document.compileStepAt(unit)))
              document.improveAt(unit);
          const draft = new Draft(document);
          const start = edit.at % (document.text.length + 1);
          const end = Math.min(document.text.length, start + edit.length);
          if (edit.undo && history.length > 1) draft.replace(history.splice(-2)[0]);
          else draft.apply({ span: { start, end }, newText: edit.newText });
          document = draft.finish(document.version + 1);
          history.push(document.text);
          const quick = figures(fromScratch(document.text, pair));
          const best = figures(improved(open(document.text, pair)));
          figures(document).forEach((found, i) => {
            const isOne = [quick[i], best[i]].some((one) => JSON.stringify(one) === JSON.stringify(found));
            assert.ok(isOne, 'a program is the quick one or the best one');
          });
        }
        assert.deepEqual(figures(improved(document)), figures(improved(open(document.text, pair))));
      }),
      { numRuns: runs(300) },
    );
  });

  it('a compilation in steps is at hand when its last step is done, or when somebody asks for it', () => {
    const document = open(stalling, pair);
    const steps = (): boolean[] => Array.from({ length: 5 }, () => document.compileStepAt(0));
    assert.deepEqual(steps(), [false, false, false, false, true], 'one step an instruction');
    assert.ok(document.isCompiledAt(0));
    const asked = open(stalling, pair);
    assert.equal(asked.compileStepAt(0), false);
    assert.deepEqual(asked.unit(0).compilation?.stats, document.unit(0).compilation?.stats);
    assert.equal(asked.compileStepAt(0), true);
  });

  it('take the place of the quick ones when the search ends, not before', () => {
    const document = open(stalling, pair);
    const quick = document.unit(0).compilation;
    assert.ok((quick?.stats.stallCycles ?? 0) > 0);
    assert.equal(document.improveAt(0), 'searching');
    assert.equal(document.unit(0).compilation, quick);
    document.improveWhollyAt(0);
    assert.equal(document.unit(0).compilation?.stats.stallCycles, 0);
    assert.equal(document.improveAt(0), 'ended');
  });

  it('are searched for once: an edit elsewhere, and one taken back, go on where the search was', () => {
    let steps = 0;
    const counting: Pair = { language: toyLanguage, target: improvingToy(() => steps++) };
    const first = open(`${stalling}fn f\n`, counting);
    first.improveAt(0);
    const elsewhere = edited(first, (t) => t.replace('fn f', 'fn other'));
    elsewhere.improveWhollyAt(0);
    assert.equal(steps, 4, 'one step an instruction');
    const changed = edited(elsewhere, (t) => t.replace('add', 'mul'));
    changed.improveAt(0);
    const back = edited(changed, (t) => t.replace('mul', 'add'));
    assert.equal(back.isImprovableAt(0), false);
    assert.equal(back.unit(0).compilation?.stats.stallCycles, 0);
    assert.equal(steps, 5);
  });

  it('belong to the options that they were searched under', () => {
    const document = improved(open(stalling, pair));
    const other = document.withSettings({
      ...defaultSettings,
      targets: { [toyTarget.id]: { registers: 5 } },
    });
    assert.ok(other.isImprovableAt(0));
    assert.ok((other.unit(0).compilation?.stats.stallCycles ?? 0) > 0);
    assert.equal(document.unit(0).compilation?.stats.stallCycles, 0);
  });

  it('do not matter where the search fails: the quick one stays, and it is told once', () => {
    const faults: string[] = [];
    const failing: Pair = {
      language: toyLanguage,
      target: {
        ...toyTarget,
        improve: () => {
          throw new Error('no way');
        },
      },
    };
    const document = open(stalling, failing, defaultSettings, (_, doing) => faults.push(doing));
    const quick = document.unit(0).compilation;
    document.improveWhollyAt(0);
    document.improveWhollyAt(0);
    assert.equal(document.unit(0).compilation, quick);
    assert.deepEqual(faults, ['improving k of file:///a.txt']);
  });
});
