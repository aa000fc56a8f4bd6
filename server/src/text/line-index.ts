import type { Position, Range, Span, TextEdit } from './span.js';

/**
 * Where the lines of a text start. A line ends after `\n`, `\r\n` or a lone `\r`, as in the language server
 * protocol. Look-ups are O(log lines); every offset and position is clamped to the text, so none throws.
 */
export class LineIndex {
  private constructor(
    /** Offset of each line's first code unit; the first is 0. */
    readonly starts: Uint32Array,
    readonly length: number,
    private readonly text: string,
  ) {}

  static of(text: string): LineIndex {
    const starts: number[] = [0];
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === 10 || (c === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1);
    }
    return new LineIndex(Uint32Array.from(starts), text.length, text);
  }

  /**
   * The index of `text`, which is this one's text after `edit`. Only the replaced part is read again; the line
   * starts behind it are moved. The two characters beside the edit are looked at, because an edit may part or
   * join a `\r\n`.
   */
  edited(edit: TextEdit, text: string): LineIndex {
    const { start, end } = edit.span;
    const delta = edit.newText.length - (end - start);
    const from = Math.max(0, start - 1);
    const to = Math.min(text.length, start + edit.newText.length + 1);
    const fresh: number[] = [];
    for (let i = from; i < to; i++) {
      const c = text.charCodeAt(i);
      if (c === 10 || (c === 13 && text.charCodeAt(i + 1) !== 10)) fresh.push(i + 1);
    }
    const kept = upperBound(this.starts, from);
    const behind = upperBound(this.starts, to - delta);
    const starts = new Uint32Array(kept + fresh.length + this.starts.length - behind);
    starts.set(this.starts.subarray(0, kept));
    starts.set(fresh, kept);
    for (let i = behind, o = kept + fresh.length; i < this.starts.length; i++, o++)
      starts[o] = this.starts[i] + delta;
    return new LineIndex(starts, text.length, text);
  }

  get lineCount(): number {
    return this.starts.length;
  }

  lineAt(offset: number): number {
    let low = 0;
    let high = this.starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  positionAt(offset: number): Position {
    const clamped = Math.max(0, Math.min(offset, this.length));
    const line = this.lineAt(clamped);
    return { line, character: clamped - this.starts[line] };
  }

  /** The offset of a position; a character beyond the line's content is taken as its end, before the line break. */
  offsetAt(position: Position): number {
    if (position.line < 0) return 0;
    if (position.line >= this.starts.length) return this.length;
    const start = this.starts[position.line];
    return Math.max(start, Math.min(start + position.character, this.contentEnd(position.line)));
  }

  /** End of the line's content, without its line break. */
  contentEnd(line: number): number {
    if (line + 1 >= this.starts.length) return this.length;
    let end = this.starts[line + 1];
    if (this.text.charCodeAt(end - 1) === 10) end--;
    if (end > this.starts[line] && this.text.charCodeAt(end - 1) === 13) end--;
    return end;
  }

  range(s: Span): Range {
    return { start: this.positionAt(s.start), end: this.positionAt(s.end) };
  }
}

/** How many of the ascending `starts` are at most `offset`. */
function upperBound(starts: Uint32Array, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
