/** ASCII characters that writing systems and word processors replace by a look-alike. */
const lookAlikes: ReadonlyMap<number, string> = new Map([
  ...[0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212, 0xfe63, 0xff0d].map((code) => [code, '-'] as const),
  ...[0x201c, 0x201d, 0x201e, 0xff02].map((code) => [code, '"'] as const),
  [0xff0c, ','],
  [0x3001, ','],
  [0xff1b, ';'],
  [0x037e, ';'],
  [0xff1a, ':'],
  [0xff08, '('],
  [0xff09, ')'],
  [0xff3b, '['],
  [0xff3d, ']'],
  [0xff5b, '{'],
  [0xff5d, '}'],
  [0xff0b, '+'],
  [0xff1c, '<'],
  [0xff1e, '>'],
  [0xff20, '@'],
  [0xff01, '!'],
]);

/** The ASCII character that a foreign one was probably meant to be: U+2212 gives `-`. */
export const lookAlike = (code: number): string | undefined => lookAlikes.get(code);
