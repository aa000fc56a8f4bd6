import type { Fix } from '../../text/problem.js';
import type { Span } from '../../text/span.js';
import { nearestName } from '../../text/nearest.js';

/** The word of `words` that `name` was perhaps meant to be, or undefined. */
export const nearest = (name: string, words: Iterable<string>): string | undefined =>
  nearestName(name, words);

export const edit = (title: string, { start, end }: Span, newText: string): Fix => ({
  title,
  edits: [{ span: { start, end }, newText }],
});
