import type { Position, Range, Span } from './span.js';

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
