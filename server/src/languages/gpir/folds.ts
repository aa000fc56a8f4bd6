import type { Fold } from '../language.js';
import { hasLineBreak, lineBreaks } from './find.js';
import { TokenKind, type GpirUnit, type Statement } from './tree.js';

/** Foldable regions: the blocks of a program, its directives, runs of comment lines. */
export function folds(unit: GpirUnit): readonly Fold[] {
  const found = [...blocks(unit), ...directiveRuns(unit), ...comments(unit)];
  return found
    .filter(({ span }) => hasLineBreak(unit.text, span.start, span.end))
    .sort((a, b) => a.span.start - b.span.start || b.span.end - a.span.end);
}

/** From a label (or the first instruction) to the last instruction before the next one. */
function blocks(unit: GpirUnit): Fold[] {
  const found: Fold[] = [];
  let start = -1;
  let end = -1;
  const close = (): void => {
    if (start >= 0) found.push({ span: { start, end }, kind: 'region' });
    start = -1;
  };
  for (const statement of unit.statements) {
    if (statement.kind === 'label') {
      close();
      start = statement.start;
    } else if (statement.kind === 'instruction' && start < 0) start = statement.start;
    if (start >= 0) end = statement.end;
  }
  close();
  return found;
}

const isDirective = ({ kind }: Statement): boolean =>
  kind === 'program' || kind === 'declare' || kind === 'liveOut';

function directiveRuns({ statements }: GpirUnit): Fold[] {
  const found: Fold[] = [];
  for (let i = 0; i < statements.length; i++) {
    if (!isDirective(statements[i])) continue;
    let last = i;
    while (last + 1 < statements.length && isDirective(statements[last + 1])) last++;
    found.push({ span: { start: statements[i].start, end: statements[last].end }, kind: 'region' });
    i = last;
  }
  return found;
}

/** Comment lines without another line between them. */
function comments({ text, tokens }: GpirUnit): Fold[] {
  const found: Fold[] = [];
  for (let i = 0; i < tokens.count; i++) {
    if (tokens.kind[i] !== TokenKind.Comment) continue;
    const beginsLine = i === 0 || hasLineBreak(text, tokens.end[i - 1], tokens.start[i]);
    if (!beginsLine) continue;
    let last = i;
    while (
      last + 1 < tokens.count &&
      tokens.kind[last + 1] === TokenKind.Comment &&
      lineBreaks(text, tokens.end[last], tokens.start[last + 1]) === 1
    )
      last++;
    found.push({ span: { start: tokens.start[i], end: tokens.end[last] }, kind: 'comment' });
    i = last;
  }
  return found;
}
