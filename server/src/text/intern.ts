/**
 * One string for all equal words: a register is named many times, and a tree lives as long as its document. The
 * strings stand alone; a plain slice of 13 or more characters would keep the whole text of its document alive.
 */

const SLOTS = 1 << 13;
const MAX_LENGTH = 64;
/** V8 copies shorter slices. */
const COPIED_LENGTH = 13;

/** By hash; a newer word takes the slot of an older one. */
const words: string[] = new Array<string>(SLOTS).fill('');

/** `text.slice(start, end)`. */
export function intern(text: string, start: number, end: number): string {
  const length = end - start;
  if (length > MAX_LENGTH) return text.slice(start, end);
  let hash = length;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
  const known = words[slot];
  if (known.length === length && isAt(text, start, known)) return known;
  const word = length < COPIED_LENGTH ? text.slice(start, end) : copy(text, start, end);
  words[slot] = word;
  return word;
}

function isAt(text: string, start: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) if (text.charCodeAt(start + i) !== word.charCodeAt(i)) return false;
  return true;
}

function copy(text: string, start: number, end: number): string {
  const codes: number[] = [];
  for (let i = start; i < end; i++) codes.push(text.charCodeAt(i));
  return String.fromCharCode(...codes);
}
