import type { Program } from '../program.js';
import type { Atoms } from './atoms.js';
import { weightOf, type Regions } from './regions.js';

/**
 * How far away the next reference of an atom is, in instructions: along the text, and round the loops that hold the
 * place (a value that a loop's next iteration reads is nearer than one read behind the loop, each instruction of which
 * counts ten times until it is left).
 */
export interface NextUse {
  /** `FAR` where there is none. */
  distance: number;
  /** How often the place is executed, by loops. */
  weight: number;
}

export const FAR = 1e9;

/** The result is overwritten by the next call. */
export function nextUses(
  program: Program,
  atoms: Atoms,
  regions: Regions,
): (atom: number, i: number) => NextUse {
  const weights = blockWeights(program, regions);
  const { reference, referenceStart } = atoms;
  const found: NextUse = { distance: FAR, weight: 1 };
  const answer = (distance: number, at: number): NextUse => {
    found.distance = distance;
    found.weight = at < 0 ? 1 : weights[regions.blockOf[at]];
    return found;
  };
  return (atom, i) => {
    const low = referenceStart[atom];
    const high = referenceStart[atom + 1];
    const k = firstAfter(reference, i, low, high);
    const next = k < high ? reference[k] : FAR;
    let waited = 0;
    let position = i;
    for (let loop = regions.loopOf[regions.blockOf[i]]; loop >= 0; loop = regions.loops[loop].parent) {
      const { first, end } = regions.loops[loop];
      if (next < end) break;
      if (atoms.from[atom] <= 2 * first && atoms.to[atom] >= 2 * end) {
        const top = firstAfter(reference, first - 1, low, high);
        if (top < high && reference[top] <= i)
          return answer(waited + (end - position) + (reference[top] - first), reference[top]);
      }
      waited += 10 * (end - position);
      position = end;
    }
    return next === FAR ? answer(FAR, -1) : answer(waited + next - position, next);
  };
}

export function blockWeights(program: Program, regions: Regions): Float64Array {
  const weights = new Float64Array(program.blockStart.length - 1);
  for (let block = 0; block < weights.length; block++) weights[block] = weightOf(regions, block);
  return weights;
}

/** Index of the first element of a sorted run that is greater than `i`. */
function firstAfter(list: Int32Array, i: number, low: number, high: number): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (list[middle] > i) to = middle;
    else from = middle + 1;
  }
  return from;
}
