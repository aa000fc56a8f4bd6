import type { Problem } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import { count } from '../../../text/words.js';
import type { BoundFunction } from './body.js';
import type { Context } from './context.js';
import { EntityKind, type Entity } from './entities.js';

/**
 * Registers that are declared for nothing: never mentioned, written and never read, read and never written. They
 * cost no hardware register, but a value that nobody reads, or that nobody made, is often a slip. What is declared
 * in a range `%r<N>` is judged by register for reads and writes, and as a whole for never being mentioned.
 */
export function checkUsage(context: Context, bound: BoundFunction): void {
  const { text } = context.unit;
  const seen = new Set<Entity>();
  for (const e of bound.declared) {
    if (e.kind !== EntityKind.Register || e.flow !== undefined) continue;
    seen.add(e);
    if (e.reads === 0 && e.writes === 0) unused(context, e, text);
    else checkFlow(context, e);
  }
  for (const range of bound.ranges)
    if (range.used === 0 && range.space === '.reg')
      context.problems.push({
        code: 'name/unused-register',
        severity: 'hint',
        span: { start: range.declaration.start, end: range.declaration.end },
        message: `none of the ${count(range.count, 'register')} '${range.prefix}<${range.count}>' is used`,
        tags: ['unnecessary'],
        ...removal(text, range.declaration, range.extent),
      });
  for (const e of context.occurrences.entities)
    if (e.kind === EntityKind.Register && e.range !== undefined && !seen.has(e)) checkFlow(context, e);
}

function unused(context: Context, e: Entity, text: string): void {
  if (e.declaration === undefined || e.extent === undefined) return;
  context.problems.push({
    code: 'name/unused-register',
    severity: 'hint',
    span: { start: e.declaration.start, end: e.declaration.end },
    message: `register '${e.name}' is never used`,
    tags: ['unnecessary'],
    ...removal(text, e.declaration, e.extent),
  });
}

function checkFlow(context: Context, e: Entity): void {
  if (e.writes === 0 && e.firstRead !== undefined)
    context.problems.push({
      code: 'name/never-written',
      severity: 'warning',
      span: { start: e.firstRead.start, end: e.firstRead.end },
      message: `'${e.name}' is read here, but nothing in this function writes it: its value is undefined`,
      ...(e.declaration !== undefined && {
        related: [{ span: { start: e.declaration.start, end: e.declaration.end }, message: 'declared here' }],
      }),
    });
  if (e.reads === 0 && e.firstWrite !== undefined)
    context.problems.push({
      code: 'name/never-read',
      severity: 'hint',
      span: { start: e.firstWrite.start, end: e.firstWrite.end },
      message: `'${e.name}' is written, but never read`,
    });
}

/** Takes a declarator out of its statement, with one comma; the last one takes the statement with it. */
function removal(text: string, declarator: Span, statement: Span): Pick<Problem, 'fixes'> {
  const span = removalSpan(text, declarator, statement);
  return span === undefined
    ? {}
    : { fixes: [{ title: 'Remove the declaration', edits: [{ span, newText: '' }], preferred: true }] };
}

function removalSpan(text: string, declarator: Span, statement: Span): Span | undefined {
  let before = declarator.start - 1;
  while (before > statement.start && isBlank(text.charCodeAt(before))) before--;
  let after = declarator.end;
  while (after < statement.end && isBlank(text.charCodeAt(after))) after++;
  const first = text[before] !== ',';
  const last = text[after] !== ',';
  if (!first) return { start: before, end: declarator.end };
  if (!last) return { start: declarator.start, end: after + 1 };
  if (text[after] !== ';') return undefined;
  return wholeLine(text, statement);
}

/** The statement, and its line when nothing else stands on it. */
function wholeLine(text: string, statement: Span): Span {
  let start = statement.start;
  while (start > 0 && isSpace(text.charCodeAt(start - 1))) start--;
  const begins = start === 0 || text.charCodeAt(start - 1) === 10;
  let end = statement.end;
  while (end < text.length && isSpace(text.charCodeAt(end))) end++;
  if (begins && text.charCodeAt(end) === 10) return { start, end: end + 1 };
  return { start: statement.start, end: statement.end };
}

const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 13;
const isBlank = (code: number): boolean => isSpace(code) || code === 10;
