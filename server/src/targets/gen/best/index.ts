import type { Allocation } from '../allocation.js';
import type { Program } from '../program.js';
import { factsOf, fit, spill, type Attempt, type Failed } from './candidate.js';
import { resourcesOf } from './resources.js';
import { pressureOrder, reordered } from './schedule.js';

/**
 * The strategy `best`: an order with low pressure, ranges split by need, values computed again rather than stored.
 *
 * `ordersOf` gives orders of the program worth trying, `allocateBest` allocates one program as it stands. The caller
 * takes the pair with the fewest scratch messages (each ten times as heavy for every loop around it).
 */
export type OrderName = 'as written' | 'upwards' | 'downwards';

export interface Ordered {
  readonly name: OrderName;
  readonly program: Program;
}

export function ordersOf(program: Program): Ordered[] {
  const { references, ranges } = factsOf(program);
  const resources = resourcesOf(program, references);
  const order = (direction: 'upwards' | 'downwards'): Program =>
    reordered(program, pressureOrder(program, references, ranges, resources, direction));
  return [
    { name: 'as written', program },
    { name: 'upwards', program: order('upwards') },
    { name: 'downwards', program: order('downwards') },
  ];
}

export interface BestOptions {
  readonly recompute?: boolean;
}

export interface Best {
  readonly order: OrderName;
  /** The program that the allocation is of: the one given, in this order. */
  readonly lowered: Program;
  readonly attempt: Attempt;
}

export function bestOf(program: Program): Best | Failed {
  const plain = fit(factsOf(program));
  if (plain !== undefined) return { order: 'as written', lowered: program, attempt: plain };
  let best: Best | undefined;
  let failed: Failed = { instruction: 0, register: -1, needed: 0, available: 0 };
  const consider = (name: OrderName, lowered: Program, attempt: Attempt | Failed): void => {
    if (!('allocation' in attempt)) {
      failed = attempt;
      return;
    }
    if (best === undefined || isBetter(attempt, best.attempt)) best = { order: name, lowered, attempt };
  };
  for (const { name, program: lowered } of ordersOf(program)) {
    const facts = factsOf(lowered);
    const whole = fit(facts);
    if (whole !== undefined) consider(name, lowered, whole);
    else
      for (const recompute of [true, false])
        for (const most of program.dialect === 'vec4' ? ([1] as const) : ([4, 2, 1] as const))
          consider(name, lowered, spill(facts, { recompute, most }));
  }
  return best ?? failed;
}

const isBetter = (a: Attempt, b: Attempt): boolean =>
  a.weight !== b.weight ? a.weight < b.weight : a.operations < b.operations;

/** Allocates the program in the order it stands in. */
export function allocateBest(program: Program): Allocation {
  const facts = factsOf(program);
  const whole = fit(facts);
  if (whole !== undefined) return whole.allocation;
  const spilled = spill(facts, { recompute: true, most: 2 });
  if ('allocation' in spilled) return spilled.allocation;
  return {
    kind: 'refused',
    reason: 'REGISTER_ALLOCATION_FAIL',
    detail: `instruction ${spilled.instruction} needs ${spilled.needed} registers of 32 bytes, ${spilled.available} are free`,
    instruction: spilled.instruction,
  };
}
