import { tokenOffsets } from '../features/self-test.js';
import type { Document } from '../workspace/document.js';

/** Most places of a file at which the self-test asks every feature. */
const MOST_PLACES = 400;

/** The starts of words and names of a document, in order; of more than `most`, evenly chosen ones. */
export function sampledOffsets(
  document: Document,
  most = MOST_PLACES,
): { readonly offsets: readonly number[]; readonly places: number } {
  const all = [...new Set([0, ...tokenOffsets(document), document.text.length])];
  if (all.length <= most) return { offsets: all, places: all.length };
  const step = (all.length - 1) / (most - 1);
  return { offsets: Array.from({ length: most }, (_, i) => all[Math.round(i * step)]), places: all.length };
}
