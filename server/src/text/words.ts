/** Numbers in sentences. */

/** `1 cycle`, `2 cycles`; a noun whose plural is not made with an s is given with it. */
export const count = (n: number, noun: string, plural = `${noun}s`): string =>
  `${n} ${n === 1 ? noun : plural}`;

/** A key in words for people: `deadInstructions` is `dead instructions`. */
export const wordsOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
