import type { Span } from '../../text/span.js';
import type { PtxUnit } from './tree.js';

/**
 * Where a performance directive of a unit's function stands, values included; undefined where it says it nowhere or twice,
 * or has a comment inside, which an edit would lose.
 */
export function directiveAt({ items, text }: PtxUnit, name: string): Span | undefined {
  const found = items
    .flatMap((item) => (item.kind === 'function' ? item.directives : []))
    .filter((d) => d.name.text === name);
  if (found.length !== 1) return undefined;
  const { start, end } = found[0];
  return /\/[/*]/.test(text.slice(start, end)) ? undefined : { start, end };
}
