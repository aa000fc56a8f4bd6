import type { FixedRange, Holders } from '../target.js';
import type { GenCompilation } from './compilation.js';
import { eachRead, eachWrite, FILE_REGISTERS, occupancyOf } from './occupancy.js';
import { FIRST_FAMILY, GENERAL, payloadOf } from './pressure.js';
import { GRF_BYTES, type Program } from './program.js';

/**
 * Who holds the general registers as written: virtual registers, those of Beignet's families by their bytes, and the
 * payload, which the thread begins with and no virtual register stands for (facts B.1, B.9). In a program that is in
 * hardware registers already, those hold everything.
 */
export function holders({ source, program }: Pick<GenCompilation, 'source' | 'program'>): Holders {
  const { registerCount } = source;
  const registerClass = source.registerClass.slice(0, registerCount);
  const width = Float64Array.from(source.registerWidth.subarray(0, registerCount));
  const isAllocated = program.phase !== 'virtual';
  for (let r = 0; r < registerCount; r++) {
    if (registerClass[r] < FIRST_FAMILY && registerClass[r] !== GENERAL) continue;
    registerClass[r] = GENERAL;
    width[r] = isAllocated ? 0 : program.registers[r].bytes / GRF_BYTES;
  }
  return { registerClass, width, fixed: isAllocated ? hardwareRanges(program) : payloadRanges(program) };
}

/** Registers beside each other that are read for the last time at the same instruction are one range. */
function payloadRanges(program: Program): FixedRange[] {
  const payload = payloadOf(program);
  const ranges: FixedRange[] = [];
  for (let first = 0; first < payload.length;) {
    const { last } = payload[first];
    let end = first + 1;
    while (end < payload.length && payload[end].last === last) end++;
    if (last >= 0)
      ranges.push({
        name: `payload g${first}${end > first + 1 ? `–g${end - 1}` : ''}`,
        registerClass: GENERAL,
        index: first,
        width: end - first,
        from: [0],
        to: [2 * last + 2],
        definitions: [],
        uses: ascending(payload.slice(first, end).flatMap(({ uses }) => uses)),
      });
    first = end;
  }
  return ranges;
}

const ascending = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);

interface Segments {
  readonly list: (readonly [from: number, to: number])[];
  /** Where the segment ends whose start is not found yet. */
  end: number;
  readonly definitions: number[];
  readonly uses: number[];
}

function hardwareRanges(program: Program): FixedRange[] {
  const all = Array.from({ length: FILE_REGISTERS }, (): Segments => ({
    list: [],
    end: 0,
    definitions: [],
    uses: [],
  }));
  occupancyOf(program, {
    changed: (grf, isHeld, point) => {
      if (isHeld) all[grf].end = point;
      else if (point < all[grf].end) all[grf].list.push([point, all[grf].end]);
    },
    unread: (grf, point) => all[grf].list.push([point, point + 1]),
  });
  program.instructions.forEach((instruction, i) => {
    eachWrite(instruction, program, (grf) => all[grf].definitions.push(i));
    eachRead(instruction, program, (grf) => all[grf].uses.push(i));
  });
  return all.flatMap(({ list, definitions, uses }, grf) => {
    if (list.length === 0) return [];
    return [
      {
        name: `${grf < program.firstFree ? 'payload ' : ''}g${grf}`,
        registerClass: GENERAL,
        index: grf,
        width: 1,
        ...joined(list),
        definitions: ascending(definitions),
        uses: ascending(uses),
      },
    ];
  });
}

/** Segments in order, those that touch as one. */
function joined(list: readonly (readonly [number, number])[]): { from: number[]; to: number[] } {
  const from: number[] = [];
  const to: number[] = [];
  for (const [begin, end] of [...list].sort(([a], [b]) => a - b)) {
    if (to.length > 0 && to[to.length - 1] >= begin) to[to.length - 1] = Math.max(to[to.length - 1], end);
    else {
      from.push(begin);
      to.push(end);
    }
  }
  return { from, to };
}
