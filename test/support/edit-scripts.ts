import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Document, type FaultListener } from '../../server/src/workspace/document.js';
import type { Pair } from '../../server/src/workspace/registry.js';
import { defaultSettings } from '../../server/src/workspace/settings.js';
import type { Snapshot } from '../../server/src/workspace/snapshot.js';
import { Draft } from '../../server/src/workspace/store.js';
import { snapshotOf } from './snapshot.js';

/** Edits in a row, as a person makes them: typed, pasted, deleted, taken back. */
export interface Step {
  /** Modulo the length of the text. */
  readonly at: number;
  readonly length: number;
  readonly newText: string;
  /** Back to the text before the last step, whatever the rest says. */
  readonly undo: boolean;
}

export const editStep = (newText: fc.Arbitrary<string>, maxLength = 400): fc.Arbitrary<Step> =>
  fc.record({
    at: fc.nat(),
    length: fc.oneof(fc.constant(0), fc.nat({ max: 8 }), fc.nat({ max: maxLength })),
    newText,
    undo: fc.nat({ max: 3 }).map((n) => n === 0),
  });

/** Everything that can be seen of a snapshot, at absolute places. */
export function seen(snapshot: Snapshot): unknown {
  return snapshot.units.map((unit) => ({
    start: unit.start,
    end: unit.end,
    text: unit.parsed.text,
    problems: [...unit.parsed.problems, ...unit.bound.problems],
    symbols: unit.bound.symbols.symbols,
    occurrences: Array.from(unit.bound.symbols.occurrenceStart),
    instructions: unit.function?.instructionCount,
    stats: unit.compilation?.stats,
    compiled: unit.compilation?.problems,
    declarations: unit.parsed.declares.map((d) =>
      snapshot.declarations(d.name).map((place) => ({ unit: place.unit.index, ...place.declaration })),
    ),
  }));
}

const thrown: FaultListener = (error) => {
  throw error;
};

export const open = (text: string, pair: Pair, settings = defaultSettings, onFault = thrown): Document =>
  Document.open('file:///a.txt', pair, 1, text, settings, onFault);

export const fromScratch = (text: string, pair: Pair): Snapshot =>
  snapshotOf(text, pair.language, pair.target);

/** Fails where, after some step, the incremental result is not the one from scratch. */
export function runScript(pair: Pair, first: string, steps: readonly Step[]): void {
  let document = open(first, pair);
  assert.deepEqual(seen(document), seen(fromScratch(first, pair)));
  const history: string[] = [first];
  for (const { at, length, newText, undo } of steps) {
    const draft = new Draft(document);
    const start = at % (draft.lines.text.length + 1);
    const end = Math.min(draft.lines.text.length, start + length);
    if (undo && history.length > 1) draft.replace(history.splice(-2)[0]);
    else draft.apply({ span: { start, end }, newText });
    document = draft.finish(document.version + 1);
    history.push(document.text);
    assert.deepEqual(seen(document), seen(fromScratch(document.text, pair)));
  }
}
