import { elementAt, withoutElements, type ElementList } from '../../../text/element-list.js';
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
  const statements = new Statements(context.unit.text, bound.declarators);
  const seen = new Set<Entity>();
  for (const e of bound.declared) {
    if (e.kind !== EntityKind.Register || e.flow !== undefined) continue;
    seen.add(e);
    if (e.reads === 0 && e.writes === 0) unused(context, e, statements);
    else checkFlow(context, e);
  }
  for (const range of bound.ranges)
    if (range.used === 0 && range.space === '.reg' && !isFaulty(range.extent))
      context.problems.push({
        code: 'name/unused-register',
        severity: 'hint',
        span: { start: range.declaration.start, end: range.declaration.end },
        message: `none of the ${count(range.count, 'register')} '${range.prefix}<${range.count}>' is used`,
        tags: ['unnecessary'],
        ...removal(statements.listOf(range.extent), range.declaration),
      });
  for (const e of context.occurrences.entities)
    if (e.kind === EntityKind.Register && e.range !== undefined && !seen.has(e)) checkFlow(context, e);
}

/** A declaration that is not whole yet. */
const isFaulty = (extent: Span): boolean => 'isFaulty' in extent && extent.isFaulty === true;

function unused(context: Context, e: Entity, statements: Statements): void {
  if (e.declaration === undefined || e.extent === undefined || isFaulty(e.extent)) return;
  context.problems.push({
    code: 'name/unused-register',
    severity: 'hint',
    span: { start: e.declaration.start, end: e.declaration.end },
    message: `register '${e.name}' is never used`,
    tags: ['unnecessary'],
    ...removal(statements.listOf(e.extent), e.declaration),
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

/** Takes a declarator out of its statement; the last one takes the statement with it. */
function removal(list: ElementList | undefined, declarator: Span): Pick<Problem, 'fixes'> {
  const index = list === undefined ? -1 : elementAt(list, declarator.start);
  if (list === undefined || index < 0) return {};
  return {
    fixes: [
      {
        title: 'Remove the declaration',
        edits: withoutElements(list, new Set([index])),
        preferred: true,
        removes: { list, index },
      },
    ],
  };
}

/** The declarators of each statement, made once a statement; none where the semicolon is missing. */
class Statements {
  private readonly lists = new Map<Span, ElementList | undefined>();

  constructor(
    private readonly text: string,
    private readonly declarators: ReadonlyMap<Span, readonly Span[]>,
  ) {}

  listOf(statement: Span): ElementList | undefined {
    if (this.lists.has(statement)) return this.lists.get(statement);
    const elements = this.declarators.get(statement);
    const list =
      elements === undefined || this.text[statement.end - 1] !== ';'
        ? undefined
        : { elements, whole: wholeLine(this.text, statement) };
    this.lists.set(statement, list);
    return list;
  }
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
