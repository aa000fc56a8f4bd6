/** A word that nobody guesses: for what scripts of a page are allowed by, and for requests that are told apart. */
export function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
