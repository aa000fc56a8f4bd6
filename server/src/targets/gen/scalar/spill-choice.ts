import type { VirtualRegister } from '../../../ir/place.js';
import type { Register } from '../program.js';
import type { FreeList } from './free-list.js';

/**
 * Who leaves when there is no room (facts A.13, spillAtInterval). From each candidate, the cheapest first, neighbouring
 * candidates are gathered until their places and the free bytes between them are enough in one piece. For a single
 * register the first piece that is enough wins, and vectors are left alone; for a vector up to eight such pieces are
 * compared and the cheapest wins. A vector leaves as a whole, if all its components may.
 */
export interface Room {
  readonly bytes: number;
  readonly alignment: number;
  /** The room is for a vector. */
  readonly isVector: boolean;
  readonly candidates: ReadonlySet<VirtualRegister>;
  /** By first byte. */
  readonly candidateAt: ReadonlyMap<number, VirtualRegister>;
  readonly address: Int32Array;
  readonly registers: readonly Register[];
  /** The components of the vector that a register can leave only with; undefined where it may leave alone. */
  readonly vectorAround: (register: VirtualRegister) => readonly VirtualRegister[] | undefined;
  readonly cost: Float64Array;
  readonly free: FreeList;
}

const COMPARED_PIECES = 8;

/** The registers to spill, or undefined where no piece is enough. */
export function roomMakers(room: Room): readonly VirtualRegister[] | undefined {
  const { candidates, cost } = room;
  const order = [...candidates].sort((a, b) => cost[a] - cost[b] || a - b);
  let best: readonly VirtualRegister[] | undefined;
  let bestCost = Infinity;
  let found = 0;
  for (const candidate of order) {
    const piece = pieceFrom(room, candidate);
    if (piece === undefined) continue;
    if (!room.isVector) return piece;
    const sum = piece.reduce((total, register) => total + cost[register], 0);
    if (sum < bestCost) [best, bestCost] = [piece, sum];
    if (++found === COMPARED_PIECES) break;
  }
  return best;
}

function pieceFrom(room: Room, start: VirtualRegister): readonly VirtualRegister[] | undefined {
  const { bytes, alignment, address, candidateAt, free, registers, vectorAround } = room;
  const first = address[vectorAround(start)?.[0] ?? start];
  if (first < 0 || first % alignment !== 0) return undefined;
  const piece = new Set<VirtualRegister>();
  let at = first;
  while (at < first + bytes) {
    const owner = candidateAt.get(at);
    if (owner === undefined) {
      const freeBytes = free.freeBytesAt(at);
      if (freeBytes === 0) return undefined;
      at += freeBytes;
      continue;
    }
    const together = leavingWith(room, owner);
    if (together === undefined) return undefined;
    for (const register of together) piece.add(register);
    at += registers[owner].bytes;
  }
  return [...piece];
}

/** The register, and with it the vector that it belongs to. */
function leavingWith(room: Room, register: VirtualRegister): readonly VirtualRegister[] | undefined {
  const { vectorAround, candidates, isVector } = room;
  const components = vectorAround(register);
  if (components === undefined) return [register];
  return isVector && components.every((component) => candidates.has(component)) ? components : undefined;
}
