import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CodeAction } from '../../../server/src/features/data.js';
import { pressureActions } from '../../../server/src/features/rewrites/index.js';
import { gpir } from '../../../server/src/languages/gpir/index.js';
import { maliGp, type GpCompilation } from '../../../server/src/targets/mali-gp/index.js';
import type { Target } from '../../../server/src/targets/target.js';
import { withEdits } from '../../../server/src/features/rewrites/trial.js';
import type { Snapshot } from '../../../server/src/workspace/snapshot.js';
import { snapshotOf } from '../../support/snapshot.js';

const text = readFileSync(
  join(import.meta.dirname, '..', '..', '..', '..', 'examples', 'patch.gpir'),
  'utf8',
);

/** Words where the search for a better program ends: what an editor shows at rest, and what the command line says. */
function wordsOf(source: string): number {
  const s = snapshotOf(source, gpir, maliGp);
  const search = maliGp.improve!(s.units[0].compilation as GpCompilation);
  for (;;) {
    const step = search.next();
    if (step.done === true) return step.value.stats.cycles!;
  }
}

/** What is offered on the function's name. */
function actionsOf(s: Snapshot): CodeAction[] {
  const [unit] = s.units;
  const { nameStart, nameEnd } = unit.function!;
  const steps = pressureActions(s, unit, { start: unit.start + nameStart, end: unit.start + nameEnd });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const after = (s: Snapshot, { edits }: CodeAction): string =>
  withEdits(
    text,
    edits.map(({ range, newText }) => ({
      span: { start: s.lines.offsetAt(range.start), end: s.lines.offsetAt(range.end) },
      newText,
    })),
  );

describe('rewrites for a target that searches for better programs', () => {
  const hasty: Target = { ...maliGp };
  delete hasty.improve;

  it('judged by first answers alone, some would make the program worse', () => {
    const s = snapshotOf(text, gpir, hasty);
    const worse = actionsOf(s).filter((action) => wordsOf(after(s, action)) > wordsOf(text));
    assert.ok(worse.length > 0);
  }).timeout(60_000);

  it('are offered for what both searches come to', () => {
    const s = snapshotOf(text, gpir, maliGp);
    for (const action of actionsOf(s)) {
      const [, now, then] = /: words (\d+) → (\d+)/.exec(action.title) ?? [];
      if (now === undefined) continue;
      assert.equal(Number(now), wordsOf(text), action.title);
      assert.equal(Number(then), wordsOf(after(s, action)), action.title);
      assert.ok(Number(then) < Number(now), action.title);
    }
  }).timeout(60_000);
});
