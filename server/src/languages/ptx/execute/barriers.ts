import { Unsupported } from '../semantics/faults.js';
import type { Block } from './block.js';
import type { Lane } from './lane.js';
import type { Step } from './prepare.js';
import type { Group, Warp } from './warp.js';

/**
 * The sixteen barriers of a block. A barrier opens when as many threads have arrived as it waits for: the named number,
 * or all that have not exited. A warp counts in full once all of its threads are there, also where it has fewer
 * than the others.
 */
interface Arrival {
  readonly warp: Warp;
  /** Undefined for those that do not wait (`bar.arrive`). */
  readonly group: Group | undefined;
  readonly lanes: readonly Lane[];
  readonly step: Step;
}

interface Barrier {
  readonly arrivals: Arrival[];
  expected: number | undefined;
}

export class Barriers {
  private readonly barriers = new Map<number, Barrier>();

  constructor(private readonly block: Block) {}

  /** Lanes of a group arrive; those that wait are released by this or a later arrival. */
  arrive(warp: Warp, group: Group, step: Step): void {
    const { d } = step;
    const reduces = d.modifiers.includes('red');
    const waits = !d.modifiers.includes('arrive');
    const first = reduces ? 1 : 0;
    const lane = group.lanes[0];
    const numbers = d.operands.slice(first, reduces ? -1 : undefined);
    const number = numbers.length === 0 ? 0 : Number(lane.read(numbers[0], 'u32'));
    if (number > 15) throw new Unsupported(`barrier ${number}: there are 16`);
    const expected = numbers.length < 2 ? undefined : Number(lane.read(numbers[1], 'u32'));
    const barrier = this.barriers.get(number) ?? { arrivals: [], expected };
    if (barrier.arrivals.length > 0 && barrier.expected !== expected)
      throw new Unsupported(
        `barrier ${number} waits for ${barrier.expected ?? 'all'} threads, not for ${expected ?? 'all'}`,
      );
    barrier.expected = expected;
    this.barriers.set(number, barrier);
    barrier.arrivals.push({ warp, group: waits ? group : undefined, lanes: [...group.lanes], step });
    if (waits) group.waiting = { what: `barrier ${number}`, members: undefined };
    else group.position++;
    this.open(number, barrier);
  }

  /** Some thread has exited. */
  update(): void {
    for (const [number, barrier] of this.barriers) this.open(number, barrier);
  }

  private open(number: number, { arrivals, expected }: Barrier): void {
    if (arrivals.length === 0) return;
    let threads = 0;
    const byWarp = new Map<Warp, number>();
    for (const { warp, lanes } of arrivals) {
      threads += lanes.length;
      byWarp.set(warp, (byWarp.get(warp) ?? 0) + lanes.length);
    }
    if (expected === undefined) {
      if (threads < this.block.alive) return;
    } else {
      let counted = 0;
      for (const [warp, lanes] of byWarp)
        counted += lanes >= warp.aliveCount ? this.block.grid.options.lanes : lanes;
      if (counted < expected) return;
    }
    this.barriers.delete(number);
    reduce(arrivals);
    const warps = new Set<Warp>();
    for (const { warp, group } of arrivals) {
      if (group === undefined) continue;
      group.waiting = undefined;
      group.position++;
      warps.add(warp);
    }
    for (const warp of warps) warp.settle();
  }
}

/** `bar.red`: how many, whether all, whether any of the predicates hold. */
function reduce(arrivals: readonly Arrival[]): void {
  const predicates = arrivals.flatMap(({ lanes, step: { d } }) =>
    d.modifiers.includes('red')
      ? lanes.map((lane) => lane.read(d.operands[d.operands.length - 1], 'pred'))
      : [],
  );
  const count = predicates.reduce((sum, p) => sum + p, 0n);
  for (const { lanes, step } of arrivals) {
    const { d } = step;
    if (!d.modifiers.includes('red')) continue;
    for (const lane of lanes) {
      if (d.modifiers.includes('popc')) lane.write(d.operands[0], 'u32', count);
      else {
        const holds = d.modifiers.includes('and') ? count === BigInt(predicates.length) : count > 0n;
        lane.write(d.operands[0], 'pred', holds ? 1n : 0n);
      }
    }
  }
}
