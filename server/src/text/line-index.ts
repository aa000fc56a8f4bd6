import { countUpTo, piecesOf, type Piece } from './pieces.js';
import type { Position, Range, Span, TextEdit } from './span.js';

/**
 * A text and where its lines start. A line ends after `\n`, `\r\n` or a lone `\r`, as in the language server
 * protocol. Look-ups are O(log lines), an edit is O(its length + one piece + number of pieces). Every offset and
 * position is clamped to the text, so none throws.
 */
export class LineIndex {
  /** Offset of each piece's first code unit; last, the text's length. */
  private readonly offsets: Uint32Array;
  /** How many lines start (behind a line break) before each piece; last, in the whole text. */
  private readonly linesBefore: Uint32Array;
  private whole: string | undefined;

  private constructor(private readonly pieces: readonly Piece[]) {
    this.offsets = new Uint32Array(pieces.length + 1);
    this.linesBefore = new Uint32Array(pieces.length + 1);
    for (let p = 0; p < pieces.length; p++) {
      this.offsets[p + 1] = this.offsets[p] + pieces[p].text.length;
      this.linesBefore[p + 1] = this.linesBefore[p] + pieces[p].starts.length;
    }
  }

  static of(text: string): LineIndex {
    const index = new LineIndex(piecesOf(text));
    index.whole = text;
    return index;
  }

  /** The index of the text after `edit`. The characters beside the edit are cut again with it: it may part or join a `\r\n`. */
  edited(edit: TextEdit): LineIndex {
    const { start, end } = edit.span;
    const first = this.pieceAt(start - 1);
    const last = this.pieceAt(end);
    const head = this.slice(this.offsets[first], start);
    const tail = this.slice(end, this.offsets[last + 1]);
    const fresh = piecesOf(head + edit.newText + tail);
    return new LineIndex([...this.pieces.slice(0, first), ...fresh, ...this.pieces.slice(last + 1)]);
  }

  get length(): number {
    return this.offsets[this.pieces.length];
  }

  /** The whole text, put together when first asked for: O(length). */
  get text(): string {
    this.whole ??= this.pieces.map((piece) => piece.text).join('');
    return this.whole;
  }

  /** The text from `start` to `end`, without putting the whole together. */
  slice(start: number, end: number): string {
    start = Math.max(0, start);
    end = Math.min(end, this.length);
    if (start >= end) return '';
    let p = this.pieceAt(start);
    const { text } = this.pieces[p];
    if (end <= this.offsets[p + 1]) return text.slice(start - this.offsets[p], end - this.offsets[p]);
    const parts = [text.slice(start - this.offsets[p])];
    for (p++; this.offsets[p + 1] < end; p++) parts.push(this.pieces[p].text);
    parts.push(this.pieces[p].text.slice(0, end - this.offsets[p]));
    return parts.join('');
  }

  get lineCount(): number {
    return this.linesBefore[this.pieces.length] + 1;
  }

  /** Offset of a line's first code unit. The line must exist. */
  startOf(line: number): number {
    if (line === 0) return 0;
    const p = countUpTo(this.linesBefore, line - 1) - 1;
    return this.offsets[p] + this.pieces[p].starts[line - 1 - this.linesBefore[p]];
  }

  lineAt(offset: number): number {
    const p = this.pieceAt(offset);
    return this.linesBefore[p] + countUpTo(this.pieces[p].starts, offset - this.offsets[p]);
  }

  positionAt(offset: number): Position {
    const clamped = Math.max(0, Math.min(offset, this.length));
    const line = this.lineAt(clamped);
    return { line, character: clamped - this.startOf(line) };
  }

  /** The offset of a position; a character beyond the line's content is taken as its end, before the line break. */
  offsetAt(position: Position): number {
    if (position.line < 0) return 0;
    if (position.line >= this.lineCount) return this.length;
    const start = this.startOf(position.line);
    return Math.max(start, Math.min(start + position.character, this.contentEnd(position.line)));
  }

  /** End of the line's content, without its line break. */
  contentEnd(line: number): number {
    if (line + 1 >= this.lineCount) return this.length;
    const start = this.startOf(line);
    let end = this.startOf(line + 1);
    if (this.charCodeAt(end - 1) === 10) end--;
    if (end > start && this.charCodeAt(end - 1) === 13) end--;
    return end;
  }

  range(s: Span): Range {
    return { start: this.positionAt(s.start), end: this.positionAt(s.end) };
  }

  private charCodeAt(offset: number): number {
    const p = this.pieceAt(offset);
    return this.pieces[p].text.charCodeAt(offset - this.offsets[p]);
  }

  /** The piece that holds `offset`: at a boundary the later one, outside the text the nearest. */
  private pieceAt(offset: number): number {
    return Math.max(0, Math.min(countUpTo(this.offsets, offset), this.pieces.length) - 1);
  }
}
