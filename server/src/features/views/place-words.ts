import type { Compilation } from '../../targets/target.js';
import { count } from '../../text/words.js';

/** Where the back-end put a register, in words that fit all machines. */
export function placeWords(c: Compilation, register: number): string {
  const f = c.source;
  const place = c.placements[register];
  switch (place.kind) {
    case 'register': {
      const { name } = f.classes[place.registerClass];
      const last = place.index + f.registerWidth[register] - 1;
      return last > place.index
        ? `${name} registers ${place.index}–${last}`
        : `${name} register ${place.index}`;
    }
    case 'spilled':
      return `spilled, slot ${place.slot}, ${count(place.bytes, 'byte')}`;
    case 'recomputed':
      return 'none: computed again at its uses';
    case 'folded':
      return `that of \`${f.registerNames[place.into]}\`, as a copy`;
    case 'absorbed':
      return 'none: its readers do its work';
    case 'network':
      return 'none: it goes from unit to unit';
    case 'unused':
      return 'none: nothing reads it';
  }
}
