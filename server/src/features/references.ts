import { Role } from '../languages/symbols.js';
import type { Position } from '../text/span.js';
import type { Snapshot } from '../workspace/snapshot.js';
import type { Highlight, Location } from './data.js';
import { occurrenceIn, placesOf, rangeIn } from './locate.js';

/** Every place of the name under the cursor; declarations only when they are asked for. */
export function references(s: Snapshot, position: Position, includeDeclaration: boolean): Location[] {
  const at = occurrenceIn(s, position);
  if (at === undefined) return [];
  return placesOf(s, at)
    .filter((p) => includeDeclaration || (p.role & Role.Declaration) === 0)
    .map((p) => ({ uri: s.uri, range: rangeIn(s, p.unit, p.span) }));
}

/** The same places for marking in the text, reads and writes apart. What is read and written is marked as written. */
export function highlights(s: Snapshot, position: Position): Highlight[] {
  const at = occurrenceIn(s, position);
  if (at === undefined) return [];
  return placesOf(s, at).map((p) => ({ range: rangeIn(s, p.unit, p.span), kind: kindOf(p.role) }));
}

function kindOf(role: number): Highlight['kind'] {
  if ((role & Role.Write) !== 0) return 'write';
  if ((role & (Role.Read | Role.Call)) !== 0) return 'read';
  return 'text';
}
