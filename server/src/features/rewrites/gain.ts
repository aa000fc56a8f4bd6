import type { Compilation } from '../../targets/target.js';
import type { Snapshot, Unit } from '../../workspace/snapshot.js';
import { driven } from '../steps.js';
import { improvement, type Improvement } from './figures.js';

/**
 * What the new program is better in. A target that searches on while nobody waits is judged by where its searches end:
 * its first answers say little about each other, and nothing beside a program that has been searched for.
 */
export function* gain(
  s: Snapshot,
  unit: Unit,
  before: Compilation,
  after: Compilation,
): Generator<undefined, Improvement | undefined> {
  if (s.target.improve === undefined) return improvement(before, after);
  const first = firstAnswer(s, unit, before);
  if (improvement(first, after) === undefined) return undefined;
  // from the first answer, whose search ends in what is shown; one that goes on from there may find more
  return improvement(yield* searched(s, first), yield* searched(s, after));
}

const firstAnswers = new WeakMap<Compilation, Compilation>();

/** What the target says before it searches. */
function firstAnswer(s: Snapshot, unit: Unit, c: Compilation): Compilation {
  let first = firstAnswers.get(c);
  if (first === undefined) {
    first = s.target.compile(unit.function!, s.settings.targets[s.target.id] ?? {}, s);
    firstAnswers.set(c, first);
  }
  return first;
}

const best = new WeakMap<Compilation, Compilation>();

/** What the target's search comes to, from this answer. */
function* searched(s: Snapshot, c: Compilation): Generator<undefined, Compilation> {
  let found = best.get(c);
  if (found === undefined) {
    found = (yield* driven(s.target.improve?.(c))) ?? c;
    best.set(c, found);
  }
  return found;
}
