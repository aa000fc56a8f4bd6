import assert from 'node:assert/strict';
import { codeActions } from '../../server/src/features/code-actions.js';
import type { CodeAction } from '../../server/src/features/data.js';
import type { Rewrite } from '../../server/src/features/rewrites/candidates.js';
import { rewritten, withEdits } from '../../server/src/features/rewrites/trial.js';
import { allConstants } from '../../server/src/features/rewrites/constants.js';
import { allRaises } from '../../server/src/features/rewrites/raise.js';
import { allRecomputations } from '../../server/src/features/rewrites/recompute.js';
import { reordered } from '../../server/src/features/rewrites/reorder.js';
import { allSinks } from '../../server/src/features/rewrites/sink.js';
import { allSplits } from '../../server/src/features/rewrites/split.js';
import type { Language } from '../../server/src/languages/language.js';
import type { Compilation, Target } from '../../server/src/targets/target.js';
import { generator } from './gpir-runs.js';
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

/** Rewrites of a function, whether or not they are worth anything. */
export type RewritesOf = (s: Snapshot, unit: Unit) => Iterable<Rewrite>;

/** Programs of a language as texts, and what they do. */
export interface Machine {
  readonly language: Language;
  readonly target: Target;
  /** Says where two texts part company; undefined: nowhere. `unit` is the one that was rewritten. */
  difference(before: Snapshot, after: Snapshot, unit: number): string | undefined;
}

const ptxMachine: Machine = {
  language: ptx,
  target: nvidia,
  difference(before, after, unit) {
    const f = before.units[unit].function;
    if (f?.isEntry !== true) return undefined;
    const [was, is] = [before, after].map(({ text }) => writesOf(text, f.name));
    return was === is ? undefined : `${was}\n\nbut now\n\n${is}`;
  },
};

/** Each rewrite whose text says what was meant is made, and the function must do what it did. How many there were. */
export function assertSameResults(
  text: string,
  rewritesOf: RewritesOf,
  most = Infinity,
  machine = ptxMachine,
): number {
  const { language, target } = machine;
  const s = snapshotOf(text, language, target);
  let count = 0;
  for (const unit of s.units) {
    if (unit.function === undefined) continue;
    for (const rewrite of rewritesOf(s, unit)) {
      if (count >= most) break;
      const unitText = withEdits(unit.parsed.text, rewrite.edits);
      if (rewritten(s, unit, rewrite) === undefined) continue;
      const after = text.slice(0, unit.start) + unitText + text.slice(unit.end);
      const difference = machine.difference(s, snapshotOf(after, language, target), unit.index);
      if (difference !== undefined) assert.fail(`${rewrite.title}:\n${unitText}\n${difference}`);
      count++;
    }
  }
  return count;
}

/** Every value that can be moved down or up, every one that can be made again, every constant, every cut of a range, and all blocks in a random order. */
export const sinks: RewritesOf = (s, unit) =>
  unit.function === undefined ? [] : allSinks(s, unit, unit.function);

export const recomputations: RewritesOf = (s, unit) =>
  unit.function === undefined ? [] : allRecomputations(s, unit, unit.function);

export const raises: RewritesOf = (s, unit) =>
  unit.function === undefined ? [] : allRaises(s, unit, unit.function);

export const constants: RewritesOf = (s, unit) =>
  unit.function === undefined ? [] : allConstants(s, unit, unit.function);

export const splits: RewritesOf = (s, unit) =>
  unit.function === undefined ? [] : allSplits(s, unit, unit.function);

export const shuffled =
  (seed: number): RewritesOf =>
  (s, unit) => {
    const f = unit.function;
    if (f === undefined) return [];
    const random = generator(seed);
    const position = Int32Array.from({ length: f.instructionCount }, () => Math.floor(random() * 1000));
    return Array.from({ length: f.blockCount }, (_, b) => reordered(s, unit, f, b, position) ?? []).flat();
  };

/** The rewrites of a kind that are tried for the only kernel of a text, worth anything or not: title and new text. */
export function triedIn(
  text: string,
  kind: (s: Snapshot, unit: Unit, c: Compilation) => readonly Rewrite[],
): { readonly title: string; readonly after: string }[] {
  const s = snapshotOf(text, ptx, nvidia);
  return s.units.flatMap((unit) =>
    unit.compilation === undefined
      ? []
      : kind(s, unit, unit.compilation).map(({ title, edits }) => ({
          title,
          after: text.slice(0, unit.start) + withEdits(unit.parsed.text, edits) + text.slice(unit.end),
        })),
  );
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
