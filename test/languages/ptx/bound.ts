import { bind, type PtxBound } from '../../../server/src/languages/ptx/bind/index.js';
import { parse } from '../../../server/src/languages/ptx/parse.js';
import { unitEnd } from '../../../server/src/languages/ptx/split.js';
import type { PtxUnit } from '../../../server/src/languages/ptx/tree.js';
import type { Declaration, Environment } from '../../../server/src/languages/language.js';
import { LineIndex } from '../../../server/src/text/line-index.js';
import type { Problem } from '../../../server/src/text/problem.js';

/** A unit of a text, bound against the others as the workspace does, but made from scratch. */
export interface PlacedUnit {
  readonly start: number;
  readonly end: number;
  readonly parsed: PtxUnit;
  readonly bound: PtxBound;
  readonly environment: Environment;
}

export function bindText(text: string): PlacedUnit[] {
  const parsed: { start: number; end: number; unit: PtxUnit }[] = [];
  let at = 0;
  do {
    const end = unitEnd(text, at);
    parsed.push({ start: at, end, unit: parse(text.slice(at, end)) });
    at = end;
  } while (at < text.length);
  const places = new Map<string, { index: number; declaration: Declaration }[]>();
  parsed.forEach(({ unit }, index) => {
    for (const declaration of unit.declares) {
      const list = places.get(declaration.name) ?? [];
      list.push({ index, declaration });
      places.set(declaration.name, list);
    }
  });
  return parsed.map(({ start, end, unit }, index) => {
    const environment: Environment = {
      earlier: (name) =>
        (places.get(name) ?? [])
          .filter((p) => p.index < index)
          .map((p) => p.declaration)
          .reverse(),
      later: (name) => (places.get(name) ?? []).filter((p) => p.index > index).map((p) => p.declaration),
      names: () => [...places].filter(([, list]) => list.some((p) => p.index < index)).map(([name]) => name),
      setting: () => undefined,
      isFirst: index === 0,
    };
    return { start, end, parsed: unit, bound: bind(unit, environment), environment };
  });
}

export interface PlacedProblem extends Problem {
  /** One-based. */
  readonly line: number;
}

/** Every problem of a text, syntax first, with offsets in the whole text. */
export function problemsOf(text: string): PlacedProblem[] {
  const lines = LineIndex.of(text);
  return bindText(text).flatMap(({ start, parsed, bound }) =>
    [...parsed.problems, ...bound.problems].map((problem) => ({
      ...problem,
      span: { start: start + problem.span.start, end: start + problem.span.end },
      line: lines.lineAt(start + problem.span.start) + 1,
    })),
  );
}

export const errorsOf = (text: string): PlacedProblem[] =>
  problemsOf(text).filter((problem) => problem.severity === 'error');
