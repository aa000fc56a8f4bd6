import type { Document } from '../workspace/document.js';

/** Most places of a file at which the self-test asks every feature. */
const MOST_PLACES = 400;

/** The starts of words and names of a document, in order; of more than `most`, evenly chosen ones. */
export function sampledOffsets(
  document: Document,
  most = MOST_PLACES,
): { readonly offsets: readonly number[]; readonly places: number } {
  const found = new Set<number>([0, document.text.length]);
  for (const unit of document.units) {
    for (const start of document.language.lexical(unit.bound).start) found.add(unit.start + start);
    for (const start of unit.bound.symbols.occurrenceStart) found.add(unit.start + start);
  }
  const all = [...found].sort((a, b) => a - b);
  if (all.length <= most) return { offsets: all, places: all.length };
  const step = (all.length - 1) / (most - 1);
  return { offsets: Array.from({ length: most }, (_, i) => all[Math.round(i * step)]), places: all.length };
}
