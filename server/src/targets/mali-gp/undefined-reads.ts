/** Whether a source program may read what it has not written: a forward flow of what may still be unwritten. */
import type { Function } from '../../ir/function.js';
import { isPhysical, isVirtual, physicalIndex } from '../../ir/place.js';
import { isDefinition, isUse } from '../../passes/occurrences.js';

/** What a block reads before it writes it, and what it writes; a bit a register, the physical ones behind the others. */
interface Effect {
  readonly reads: bigint;
  readonly writes: bigint;
}

/** True when on some path from the start a value or register is read before anything defines it. */
export function mayReadUndefined(f: Function): boolean {
  const effects = Array.from({ length: f.blockCount }, (_, block) => effectOf(f, block));
  const all = effects.reduce((bits, { reads, writes }) => bits | reads | writes, 0n);
  /** What may be unwritten where a block begins; undefined: no path has been found to it. */
  const unwritten: (bigint | undefined)[] = [all];
  const pending = f.blockCount > 0 ? [0] : [];
  for (let block = pending.pop(); block !== undefined; block = pending.pop()) {
    const before = unwritten[block] ?? 0n;
    if ((before & effects[block].reads) !== 0n) return true;
    const after = before & ~effects[block].writes;
    for (let e = f.successorStart[block]; e < f.successorStart[block + 1]; e++) {
      const to = f.successors[e];
      const known = unwritten[to];
      if (known !== undefined && (known | after) === known) continue;
      unwritten[to] = (known ?? 0n) | after;
      pending.push(to);
    }
  }
  return false;
}

function effectOf(f: Function, block: number): Effect {
  let reads = 0n;
  let writes = 0n;
  for (let i = f.blockStart[block]; i < f.blockStart[block + 1]; i++) {
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (isUse(f, o)) reads |= bitOf(f, o) & ~writes;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (isDefinition(f, o)) writes |= bitOf(f, o);
  }
  return { reads, writes };
}

function bitOf(f: Function, o: number): bigint {
  const place = f.operandPlace[o];
  if (isVirtual(place)) return 1n << BigInt(place);
  return isPhysical(place) ? 1n << BigInt(f.registerCount + physicalIndex(place)) : 0n;
}
