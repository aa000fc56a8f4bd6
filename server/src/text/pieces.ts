/**
 * A text held in pieces, so that an edit copies the piece that it touches and not the text: in an editor's session
 * megabytes of fresh memory for every keystroke cost more than the analysis of the function that was edited.
 */

/** A part of a text and, relative to it, where the lines start that begin in it or right behind it. */
export interface Piece {
  readonly text: string;
  readonly starts: Uint32Array;
}

/** Code units in a piece; twice as many at most. A line may cover many pieces. */
export const PIECE = 8192;

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;

/** The pieces of a text. None parts a `\r\n`, so that each knows its own line breaks. An empty text is one piece. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (text.length - at > 2 * PIECE) {
    let end = at + PIECE;
    if (text.charCodeAt(end - 1) === CARRIAGE_RETURN && text.charCodeAt(end) === LINE_FEED) end++;
    pieces.push(pieceOf(text.slice(at, end)));
    at = end;
  }
  pieces.push(pieceOf(text.slice(at)));
  return pieces;
}

/** A line ends after `\n`, `\r\n` or a lone `\r`, as in the language server protocol. */
function pieceOf(text: string): Piece {
  const starts: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === LINE_FEED || (code === CARRIAGE_RETURN && text.charCodeAt(i + 1) !== LINE_FEED))
      starts.push(i + 1);
  }
  return { text, starts: new Uint32Array(starts) };
}

/** How many of the ascending numbers are at most `value`. */
export function countUpTo(ascending: Uint32Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
