/** Numbers in sentences. */

/** `1 cycle`, `2 cycles`; a noun whose plural is not made with an s is given with it. */
export const count = (n: number, noun: string, plural = `${noun}s`): string =>
  `${n} ${n === 1 ? noun : plural}`;

/** A key in words for people: `deadInstructions` is `dead instructions`. */
export const wordsOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** `1st`, `2nd`, `11th`. */
export function ordinal(n: number): string {
  const isTeen = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${(isTeen ? undefined : ['th', 'st', 'nd', 'rd'][n % 10]) ?? 'th'}`;
}

/** The name of a function in a sentence, also where the source gives it none. */
export const functionName = (name: string): string => (name === '' ? 'a function without a name' : name);
