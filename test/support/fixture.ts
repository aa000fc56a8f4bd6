import assert from 'node:assert/strict';
import { LineIndex } from '../../server/src/text/line-index.js';
import type { Position, Range, Span } from '../../server/src/text/span.js';

/**
 * A test's text with marks. `$0` is the cursor (`$1` .. `$9` further ones). A line of which nothing is left but
 * `^^^ message` (a comment sign may stand before it) marks the columns above the carets in the last line of text
 * before it; marks with the same line may follow each other. Marks are not part of `text`.
 */
export interface Fixture {
  readonly text: string;
  readonly lines: LineIndex;
  /** Offset of `$0`; -1 when the text has none. */
  readonly cursor: number;
  readonly cursors: readonly number[];
  readonly marks: readonly Mark[];
}

export interface Mark extends Span {
  readonly message: string;
}

const markLine = /^\s*(?:#|\/\/)?\s*(\^+)(?:\s+(.*?))?\s*$/;

export function fixture(marked: string): Fixture {
  const marks: Mark[] = [];
  const kept: string[] = [];
  const cursors: number[] = [];
  let length = 0;
  let lineStart = 0;
  for (const raw of marked.replace(/^\n/, '').split('\n')) {
    const match = markLine.exec(raw);
    if (match !== null) {
      const column = raw.indexOf('^');
      marks.push({
        start: lineStart + column,
        end: lineStart + column + match[1].length,
        message: match[2] ?? '',
      });
      continue;
    }
    let line = '';
    let last = 0;
    for (const cursor of raw.matchAll(/\$(\d)/g)) {
      line += raw.slice(last, cursor.index);
      last = cursor.index + 2;
      cursors[Number(cursor[1])] = length + line.length;
    }
    line += raw.slice(last);
    kept.push(line);
    lineStart = length;
    length += line.length + 1;
  }
  const text = kept.join('\n');
  return { text, lines: LineIndex.of(text), cursor: cursors[0] ?? -1, cursors, marks };
}

/** `line:character` of both ends, one-based as editors show them. */
export const showRange = (r: Range): string => `${showPosition(r.start)}-${showPosition(r.end)}`;
const showPosition = (p: Position): string => `${p.line + 1}:${p.character + 1}`;

/** The places found are those of the marks with this message, in any order. */
export function checkMarks(f: Fixture, found: readonly Range[], message: string): void {
  const wanted = f.marks.filter((m) => m.message === message).map((m) => showRange(f.lines.range(m)));
  assert.deepEqual(found.map(showRange).sort(), wanted.sort(), `places marked \`${message}\``);
}

/** Every mark is one of the diagnostics found and the other way round; a mark says `severity code: start of the message`. */
export function checkDiagnostics(
  f: Fixture,
  found: readonly {
    readonly range: Range;
    readonly severity: string;
    readonly code: string;
    readonly message: string;
  }[],
): void {
  const left = [...found];
  for (const mark of f.marks) {
    const range = showRange(f.lines.range(mark));
    const at = left.findIndex(
      (d) => showRange(d.range) === range && `${d.severity} ${d.code}: ${d.message}`.startsWith(mark.message),
    );
    const others = left.map((d) => `${showRange(d.range)} ${d.severity} ${d.code}: ${d.message}`).join('\n');
    assert.ok(at >= 0, `nothing found at ${range} for \`${mark.message}\`; there is:\n${others}`);
    left.splice(at, 1);
  }
  assert.deepEqual(
    left.map((d) => `${showRange(d.range)} ${d.severity} ${d.code}: ${d.message}`),
    [],
    'not marked',
  );
}

/** The text after edits, which must lie inside it and not overlap. */
export function applyEdits(
  text: string,
  edits: readonly { readonly span: Span; readonly newText: string }[],
): string {
  let result = '';
  let last = 0;
  for (const edit of [...edits].sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end)) {
    assert.ok(edit.span.start >= last, `edits overlap at ${edit.span.start}`);
    assert.ok(
      edit.span.end >= edit.span.start && edit.span.end <= text.length,
      `edit outside the text: ${edit.span.start}`,
    );
    result += text.slice(last, edit.span.start) + edit.newText;
    last = edit.span.end;
  }
  return result + text.slice(last);
}
