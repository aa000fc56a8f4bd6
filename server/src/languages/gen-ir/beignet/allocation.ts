import { blanks, peek, take, takeNumber, takeRegister, takeSigned, type Cursor } from './cursor.js';
import type { AllocationLine } from './tree.js';

/**
 * A row of the register allocation (Beignet's gen_reg_allocation.cpp, outputAllocation):
 *
 *   %45      g10 .0  D  64B	[  4        -> 30      ]use count: 12
 *   %62      @-1        D  32B	[  12       -> 12      ]use count: 2
 */
export function parseAllocationLine(text: string, start: number, end: number): AllocationLine | undefined {
  const c: Cursor = { text, at: start, end };
  blanks(c);
  const first = c.at;
  const register = takeRegister(c);
  if (register === undefined) return undefined;
  blanks(c);
  const place = takePlace(c);
  if (place === undefined) return undefined;
  blanks(c);
  const family = c.text.charAt(c.at);
  if (!'bBWDQOHR'.includes(family) || family === '') return undefined;
  c.at++;
  blanks(c);
  const bytes = takeNumber(c);
  if (bytes < 0 || !take(c, 'B')) return undefined;
  const interval = takeInterval(c);
  if (interval === undefined) return undefined;
  blanks(c);
  if (!take(c, 'use count:')) return undefined;
  blanks(c);
  const useCount = takeNumber(c);
  return {
    kind: 'allocation',
    start: first,
    end,
    register,
    ...place,
    family,
    bytes,
    ...interval,
    useCount: Math.max(0, useCount),
  };
}

/** `g6  .1` or `@64` */
function takePlace(c: Cursor): Pick<AllocationLine, 'grf' | 'subregister' | 'slot'> | undefined {
  if (take(c, '@')) {
    const slot = takeSigned(c);
    return slot === undefined ? undefined : { grf: -1, subregister: 0, slot };
  }
  if (!take(c, 'g')) return undefined;
  const grf = takeNumber(c);
  blanks(c);
  const subregister = take(c, '.') ? takeNumber(c) : 0;
  return grf < 0 || subregister < 0 ? undefined : { grf, subregister, slot: undefined };
}

/** `[  4        -> 30      ]` */
function takeInterval(c: Cursor): Pick<AllocationLine, 'first' | 'last'> | undefined {
  blanks(c);
  if (!take(c, '[')) return undefined;
  blanks(c);
  const first = takeSigned(c);
  blanks(c);
  if (first === undefined || !take(c, '->')) return undefined;
  blanks(c);
  const last = takeSigned(c);
  blanks(c);
  if (last === undefined || peek(c) !== 93) return undefined;
  c.at++;
  return { first, last };
}
