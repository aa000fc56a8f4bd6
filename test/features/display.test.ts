import assert from 'node:assert/strict';
import { codeLenses } from '../../server/src/features/code-lens.js';
import { hover } from '../../server/src/features/hover.js';
import { inlayHints } from '../../server/src/features/inlay-hints.js';
import type { Target } from '../../server/src/targets/target.js';
import { defaultSettings, type Settings } from '../../server/src/workspace/settings.js';
import { fixture } from '../support/fixture.js';
import { snapshotOf } from '../support/snapshot.js';
import { toyLanguage } from '../support/toy/language.js';
import { toyTarget } from '../support/toy/target.js';

/** A machine that executes the text backwards, and says so in its own words. */
const backwards: Target = {
  ...toyTarget,
  display: {
    summary: (c) => `${c.source.name} backwards`,
    place: (c, i) => (i === 0 ? undefined : `step ${c.source.instructionCount - 1 - i}`),
    ofRegister: (_, register, line) => [['Carried by', `lane ${register}, from line ${line(0)}`]],
    ofInstruction: (_, i, line) => [['Executed', `behind line ${line(i + 1)}`]],
    ofBlock: (_, block) => [['Steps', `of block ${block}`]],
    ofFunction: () => [['Direction', 'backwards']],
    heldAt: (_, instruction) => (instruction === 1 ? [1] : []),
    minimumStall: 1,
  },
};

const text = 'kernel $0k {\n  reg a, b\n$2t:\n  const a, 1\n  load b, [a]\n  add $1a, b, b\n  ret\n}\n';

const snapshot = (hints: Partial<Settings['inlayHints']> = {}) =>
  snapshotOf(fixture(text).text, toyLanguage, backwards, {
    settings: { ...defaultSettings, inlayHints: { ...defaultSettings.inlayHints, ...hints } },
  });
const whole = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
const labels = (hints: Partial<Settings['inlayHints']>): string[] =>
  inlayHints(snapshot(hints), whole).map(({ position, label }) => `${position.line + 1} ${label}`);
const hoverAt = (cursor: number): string => {
  const f = fixture(text);
  return hover(snapshot(), f.lines.positionAt(f.cursors[cursor]))?.contents ?? '';
};

describe('what a machine says in its own words', () => {
  it('is the code lens', () => {
    assert.deepEqual(
      codeLenses(snapshot()).map(({ title }) => title),
      ['k backwards'],
    );
  });

  it('is a hint on each line that has a place in the code, unless it is switched off', () => {
    const only = { pressure: 'off', stalls: false } as const;
    assert.deepEqual(labels(only), ['5 step 2', '6 step 1', '7 step 0']);
    assert.deepEqual(labels({ ...only, places: false }), []);
  });

  it('shows each wait of a machine on which nothing hides one', () => {
    const waits = labels({ pressure: 'off', places: false, minimumStall: 1000 });
    assert.deepEqual(waits, ['6 stall 19']);
  });

  it('stands in the tables of hovers', () => {
    assert.match(hoverAt(0), /\| Direction \| backwards \|/);
    assert.match(hoverAt(1), /\| Carried by \| lane 0, from line 4 \|/);
    assert.match(hoverAt(2), /\| Steps \| of block 1 \|/);
    const f = fixture(text.replace('load', 'lo$0ad').replace('$0k', 'k'));
    const found = hover(snapshotOf(f.text, toyLanguage, backwards), f.lines.positionAt(f.cursor));
    assert.match(found?.contents ?? '', /\| Executed \| behind line 6 \|/);
    assert.doesNotMatch(
      found?.contents ?? '',
      /Idle longest/,
      'nothing but b is held there, and it is touched',
    );
  });
});
