import assert from 'node:assert/strict';
import { codeActions } from '../../server/src/features/code-actions.js';
import type { CodeAction } from '../../server/src/features/data.js';
import type { Rewrite } from '../../server/src/features/rewrites/candidates.js';
import { tried, withEdits } from '../../server/src/features/rewrites/trial.js';
import { ptx } from '../../server/src/languages/ptx/index.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import type { Snapshot, Unit } from '../../server/src/workspace/snapshot.js';
import { applyEdits, fixture } from './fixture.js';
import { runKernel, unitsOf } from './ptx-run.js';
import { snapshotOf } from './snapshot.js';

/** What a kernel writes, in order, and how it ends. */
function writesOf(text: string, name: string): string {
  const { run, memory } = runKernel(unitsOf(text), name, { steps: 6000 });
  const log = memory.log.map(({ space, address, bytes, value }) => `${space} ${address} ${bytes} ${value}`);
  return [run.end, ...log].join('\n');
}

/** Each rewrite whose text says what was meant is made, and the kernel must do what it did. How many there were. */
export function assertSameResults(
  text: string,
  rewritesOf: (s: Snapshot, unit: Unit) => Iterable<Rewrite>,
  most = Infinity,
): number {
  const s = snapshotOf(text, ptx, nvidia);
  let count = 0;
  for (const unit of s.units) {
    if (unit.function?.isEntry !== true) continue;
    const { name } = unit.function;
    const before = writesOf(text, name);
    for (const rewrite of rewritesOf(s, unit)) {
      if (count >= most) break;
      const unitText = withEdits(unit.parsed.text, rewrite.edits);
      if (tried(s, unit, rewrite) === undefined) continue;
      const after = text.slice(0, unit.start) + unitText + text.slice(unit.end);
      assert.equal(writesOf(after, name), before, `${rewrite.title}:\n${unitText}`);
      count++;
    }
  }
  return count;
}

/** The rewrites offered at `$0`, and the text after one of them. */
export function rewritesAt(marked: string): {
  readonly actions: readonly CodeAction[];
  readonly text: string;
  apply(title: RegExp): string;
} {
  const f = fixture(marked);
  const s = snapshotOf(f.text, ptx, nvidia);
  for (const u of s.units) void u.compilation;
  const at = f.lines.positionAt(f.cursor);
  const actions = codeActions(s, { start: at, end: at }, { only: ['refactor.rewrite'] });
  const apply = (title: RegExp): string => {
    const action = actions.find((a) => title.test(a.title));
    assert.ok(action !== undefined, `none like ${title} among: ${actions.map((a) => a.title).join('; ')}`);
    const offset = f.lines.offsetAt.bind(f.lines);
    return applyEdits(
      f.text,
      action.edits.map((e) => ({
        span: { start: offset(e.range.start), end: offset(e.range.end) },
        newText: e.newText,
      })),
    );
  };
  return { actions, text: f.text, apply };
}

/** Most 32-bit registers live in a kernel, in the order of its text. */
export function peakAsWritten(text: string): number {
  const unit = snapshotOf(text, ptx, nvidia).units.find((u) => u.function?.isEntry === true);
  assert.ok(unit?.compilation !== undefined);
  return unit.compilation.asWritten.peak[0];
}
