import type { Position } from '../text/span.js';
import type { Snapshot } from '../workspace/snapshot.js';
import { summaryIn } from './code-lens.js';
import type { Status } from './data.js';

/** What is modelled at the cursor, for a status bar: the function there, else the first that the document has. */
export function status(s: Snapshot, position: Position): Status {
  const unit = s.unitAt(s.lines.offsetAt(position));
  const here = unit.compilation;
  const shown = here ?? s.units.find((u) => u.isCompiled && u.compilation !== undefined)?.compilation;
  return {
    language: s.language.name,
    target: s.target.name,
    model:
      shown?.model ?? (s.units.some((u) => u.function !== undefined) ? 'not compiled yet' : 'no function'),
    settings: s.target.options.map(({ name }) => `targets.${s.target.id}.${name}`),
    ...(here === undefined ? {} : { function: here.source.name, summary: summaryIn(s, unit, here) }),
  };
}
