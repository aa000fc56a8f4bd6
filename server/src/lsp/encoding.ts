/**
 * Positions as the client counts them. Inside the server a character is a UTF-16 code unit; the protocol lets the
 * client choose UTF-8 bytes or Unicode code points (UTF-32) instead. Lines of ASCII, which is all of them in most
 * shader IR, count the same in all three.
 */
import type { LineIndex } from '../text/line-index.js';
import type { Position, Range, Span } from '../text/span.js';

export type PositionEncoding = 'utf-8' | 'utf-16' | 'utf-32';

/** The best encoding that a client offers: UTF-16 costs nothing here, and is what a client means that offers none. */
export function chooseEncoding(offered: readonly string[] | undefined): PositionEncoding {
  if (offered === undefined || offered.length === 0 || offered.includes('utf-16')) return 'utf-16';
  return offered.includes('utf-32') ? 'utf-32' : offered.includes('utf-8') ? 'utf-8' : 'utf-16';
}

/** Converts the positions of one text. Both directions clamp to the line and never throw. */
export interface Encoder {
  toClient(position: Position): Position;
  fromClient(position: Position): Position;
  rangeToClient(range: Range): Range;
  rangeFromClient(range: Range): Range;
  /** A span of the text as the client's range. */
  span(span: Span): Range;
  /** The offset of the client's position. */
  offset(position: Position): number;
}

export function encoderFor(encoding: PositionEncoding, lines: LineIndex): Encoder {
  const toClient: Encoder['toClient'] =
    encoding === 'utf-16' ? (position) => position : converter(encoding, lines, 'toClient');
  const fromClient: Encoder['fromClient'] =
    encoding === 'utf-16' ? (position) => position : converter(encoding, lines, 'fromClient');
  return {
    toClient,
    fromClient,
    rangeToClient: ({ start, end }) => ({ start: toClient(start), end: toClient(end) }),
    rangeFromClient: ({ start, end }) => ({ start: fromClient(start), end: fromClient(end) }),
    span: ({ start, end }) => ({
      start: toClient(lines.positionAt(start)),
      end: toClient(lines.positionAt(end)),
    }),
    offset: (position) => lines.offsetAt(fromClient(position)),
  };
}

/** The client's column of each UTF-16 column of a line, or undefined where the line is ASCII. */
type Columns = Uint32Array | undefined;

function converter(
  encoding: 'utf-8' | 'utf-32',
  lines: LineIndex,
  direction: 'toClient' | 'fromClient',
): (position: Position) => Position {
  const known = new Map<number, Columns>();
  const columnsOf = (line: number): Columns => {
    if (known.has(line)) return known.get(line);
    const columns = columnTable(encoding, lines.slice(lines.startOf(line), lines.contentEnd(line)));
    known.set(line, columns);
    return columns;
  };
  return (position) => {
    const { line, character } = position;
    if (line < 0 || line >= lines.lineCount) return position;
    const columns = columnsOf(line);
    if (columns === undefined) return position;
    if (direction === 'toClient')
      return { line, character: columns[Math.max(0, Math.min(character, columns.length - 1))] };
    return { line, character: firstAtLeast(columns, character) };
  };
}

function columnTable(encoding: 'utf-8' | 'utf-32', line: string): Columns {
  if (!/[^\x00-\x7f]/.test(line)) return undefined;
  const columns = new Uint32Array(line.length + 1);
  let column = 0;
  for (let i = 0; i < line.length;) {
    const code = line.codePointAt(i) as number;
    const units = code > 0xffff ? 2 : 1;
    const width = encoding === 'utf-32' ? 1 : code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    columns[i] = column;
    if (units === 2) columns[i + 1] = column;
    column += width;
    i += units;
  }
  columns[line.length] = column;
  return columns;
}

/** The first UTF-16 column whose client column is `column` or more; a place inside a character is taken as its end. */
function firstAtLeast(columns: Uint32Array, column: number): number {
  let low = 0;
  let high = columns.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (columns[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low;
}
