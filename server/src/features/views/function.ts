import type { Position } from '../../text/span.js';
import type { Compilation } from '../../targets/target.js';
import type { Snapshot, Unit } from '../../workspace/snapshot.js';
import { summaryIn } from '../code-lens.js';
import type { FunctionView } from './data.js';

/** Which function a picture is of, and what every picture says of it. */

export interface WantedFunction {
  /** Wins over `position` where the document has a function of this name. */
  readonly name?: string | undefined;
  readonly position?: Position | undefined;
}

/** A function with its compilation, read once: between two messages it may be exchanged for a better one. */
export interface ShownFunction {
  readonly unit: Unit;
  readonly compilation: Compilation;
}

/** The function of that name; else the one at the position; else the next one behind it, else the last before it. */
export function shownFunction(s: Snapshot, wanted: WantedFunction): ShownFunction | undefined {
  const { name, position } = wanted;
  if (name !== undefined) {
    const named = s.units.find((unit) => unit.function?.name === name);
    const shown = named === undefined ? undefined : shownIn(named);
    if (shown !== undefined) return shown;
  }
  const here = s.unitAt(position === undefined ? 0 : s.lines.offsetAt(position)).index;
  for (let k = here; k < s.units.length; k++) {
    const shown = shownIn(s.units[k]);
    if (shown !== undefined) return shown;
  }
  for (let k = here - 1; k >= 0; k--) {
    const shown = shownIn(s.units[k]);
    if (shown !== undefined) return shown;
  }
  return undefined;
}

function shownIn(unit: Unit): ShownFunction | undefined {
  if (unit.function === undefined) return undefined;
  const { compilation } = unit;
  return compilation === undefined ? undefined : { unit, compilation };
}

const ids = new WeakMap<Compilation, string>();
let lastId = 0;
/** A client may keep ids beyond the end of a server: they must say nothing to the next one. */
const run = Math.random().toString(36).slice(2, 8);

/** Names what was compiled: the same for as long as neither the function's text nor its environment changes. */
export function idOf(c: Compilation): string {
  let id = ids.get(c);
  if (id === undefined) ids.set(c, (id = `${run}.${++lastId}`));
  return id;
}

/** The line in which the unit's text begins: white space and comments before it are the unit's too. */
export const firstLineOf = (s: Snapshot, unit: Unit): number => s.lines.lineAt(unit.start);

const withoutName = (summary: string, name: string): string =>
  summary.startsWith(`${name}: `) ? summary.slice(name.length + 2) : summary;

export function functionView(s: Snapshot, { unit, compilation }: ShownFunction): FunctionView {
  const line = firstLineOf(s, unit);
  return {
    id: idOf(compilation),
    name: compilation.source.name,
    language: s.language.name,
    target: s.target.name,
    model: compilation.model,
    line,
    lineCount: s.lines.lineAt(Math.max(unit.start, unit.end - 1)) - line + 1,
    summary: withoutName(summaryIn(s, unit, compilation), compilation.source.name),
  };
}

/** Line of each instruction, relative to the unit's; what stands nowhere in the text has the line of the name. */
export function instructionLines(s: Snapshot, { unit, compilation }: ShownFunction): Int32Array {
  const { source: f } = compilation;
  const first = firstLineOf(s, unit);
  const lines = new Int32Array(f.instructionCount);
  for (let i = 0; i < lines.length; i++) {
    const at = f.spanStart[i] >= 0 ? f.spanStart[i] : f.nameStart;
    lines[i] = s.lines.lineAt(unit.start + at) - first;
  }
  return lines;
}
