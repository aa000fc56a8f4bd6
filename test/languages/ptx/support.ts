import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSyntax, type PtxSyntax } from '../../../server/src/languages/ptx/parser/parse.js';
import { unitEnd } from '../../../server/src/languages/ptx/split.js';
import type { Problem } from '../../../server/src/text/problem.js';
import type { Span } from '../../../server/src/text/span.js';
import { filesOf } from '../../support/corpus.js';

export interface PlacedSyntax {
  readonly start: number;
  readonly end: number;
  readonly syntax: PtxSyntax;
}

/** Ends of the units of a text. */
export function boundaries(text: string): number[] {
  const ends: number[] = [];
  let at = 0;
  do {
    at = unitEnd(text, at);
    ends.push(at);
  } while (at < text.length);
  return ends;
}

export function parseUnits(text: string): PlacedSyntax[] {
  let start = 0;
  return boundaries(text).map((end) => {
    const placed = { start, end, syntax: parseSyntax(text.slice(start, end)) };
    start = end;
    return placed;
  });
}

export interface PlacedProblem extends Problem {
  /** One-based. */
  readonly line: number;
  /** As the unit has it: fixes are relative to the same unit. */
  readonly unitSpan: Span;
}

export function syntaxProblems(text: string): PlacedProblem[] {
  return parseUnits(text).flatMap(({ start, syntax }) =>
    syntax.problems.map((problem) => ({
      ...problem,
      unitSpan: problem.span,
      span: { start: start + problem.span.start, end: start + problem.span.end },
      line: text.slice(0, start + problem.span.start).split('\n').length,
    })),
  );
}

/** Files that compilers wrote, with every byte as one code unit. */
export function compilerOutput(folder: string): { path: string; text: string }[] {
  return ['generated', 'dev']
    .flatMap((part) => filesOf(join(folder, part), '.ptx', '.s'))
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }));
}
