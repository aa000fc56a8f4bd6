import type { Span } from '../../text/span.js';
import type { PtxUnit } from './tree.js';

/** Where a performance directive of a unit's function stands, values included; undefined where it says it nowhere or twice. */
export function directiveAt({ items }: PtxUnit, name: string): Span | undefined {
  const found = items
    .flatMap((item) => (item.kind === 'function' ? item.directives : []))
    .filter((d) => d.name.text === name);
  return found.length === 1 ? { start: found[0].start, end: found[0].end } : undefined;
}
