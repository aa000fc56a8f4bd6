import { bind, type GpirBound } from '../../../server/src/languages/gpir/bind/index.js';
import { gpir } from '../../../server/src/languages/gpir/index.js';
import { lower } from '../../../server/src/languages/gpir/lower.js';
import { parse } from '../../../server/src/languages/gpir/parser/parse.js';
import type { Environment } from '../../../server/src/languages/language.js';
import type { Function } from '../../../server/src/ir/function.js';
import type { Problem } from '../../../server/src/text/problem.js';
import type { Snapshot } from '../../../server/src/workspace/snapshot.js';
import { checkDiagnostics, fixture, type Fixture } from '../../support/fixture.js';
import { snapshotOf } from '../../support/snapshot.js';
import { toyTarget } from '../../support/toy/target.js';

export const alone: Environment = {
  earlier: () => [],
  later: () => [],
  names: () => [],
  setting: () => undefined,
  isFirst: true,
};

/** The one program of a text. */
export const bound = (text: string): GpirBound => bind(parse(text), alone);

export function lowered(text: string): Function {
  const found = lower(bound(text));
  if (found === undefined) throw new Error('there is no program');
  return found;
}

export const problemsOf = (text: string): Problem[] => {
  const unit = bound(text);
  return [...unit.parsed.problems, ...unit.problems];
};

export const gpirSnapshot = (text: string): Snapshot => snapshotOf(text, gpir, toyTarget);

/** A fixture in which `§3.x` stands for `$3.x`, since `$3` marks a cursor. */
export function gpirFixture(marked: string): Fixture {
  const f = fixture(marked);
  return { ...f, text: f.text.replaceAll('§', '$') };
}

/**
 * The problems of a text are those that it marks: `^^^ error isa/operand: start of the message`. Hints count only
 * where they are asked for, since small examples are full of unused values.
 */
export function check(marked: string, withHints = false): void {
  const f = gpirFixture(marked);
  const found = gpirSnapshot(f.text).units.flatMap(({ start, parsed, bound: unit }) =>
    [...parsed.problems, ...unit.problems].map((problem) => ({
      ...problem,
      range: f.lines.range({ start: start + problem.span.start, end: start + problem.span.end }),
    })),
  );
  checkDiagnostics(
    f,
    found.filter((problem) => withHints || problem.severity !== 'hint'),
  );
}
