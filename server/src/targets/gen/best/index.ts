import type { Allocation } from '../allocation.js';
import type { Program } from '../program.js';
import {
  factsOf,
  fit,
  place,
  plan,
  type Attempt,
  type Effort,
  type Failed,
  type Facts,
  type Plan,
} from './candidate.js';
import { resourcesOf } from './resources.js';
import type { Split } from './rewrite.js';
import { pressureOrder, reordered } from './schedule.js';
import type { Cells } from './spill-code.js';

/**
 * The strategy `best`: an order with low pressure, ranges split by need, values computed again rather than stored.
 *
 * A program that fits as it stands is left in its order. For another one, each order is split (cheap) and the most
 * promising split is placed first; the rest are placed only as long as they could come out better.
 */
export type OrderName = 'as written' | 'upwards' | 'downwards';

export interface Best {
  readonly order: OrderName;
  /** The program that the allocation is of: the one given, in this order. */
  readonly lowered: Program;
  readonly allocation: Allocation;
  readonly attempt?: Attempt;
}

/** Programs beyond this many instructions get fewer orders, so that an answer stays near. */
const LARGE = 4000;

/** Instructions walked for better allocations once there is one. */
const EFFORT = 40_000;

interface Candidate {
  readonly order: OrderName;
  readonly plan: Plan;
}

/** The best order and its allocation. */
export function bestOf(program: Program): Best {
  const written = factsOf(program);
  const plain = fit(written);
  if (plain !== undefined) return found('as written', program, plain);
  let failed: Failed = { instruction: 0, register: -1, needed: 0, available: 0 };
  const candidates: Candidate[] = [];
  for (const { order, facts } of ordersOf(written)) {
    const whole = order === 'as written' ? undefined : fit(facts);
    if (whole !== undefined) return found(order, facts.program, whole);
    for (const most of sizesOf(program)) {
      const made = plan(facts, { recompute: true, most });
      if ('split' in made) candidates.push({ order, plan: made });
      else failed = made;
      // without messages their size does not matter
      if ('split' in made && made.split.messages === 0) break;
    }
  }
  candidates.sort(
    (a, b) => a.plan.split.weight - b.plan.split.weight || a.plan.split.operations - b.plan.split.operations,
  );
  let best: Best | undefined;
  const effort: Effort = { left: EFFORT };
  for (const { order, plan: made } of candidates) {
    const known = best?.attempt;
    const isWorth = (split: Split): boolean =>
      known === undefined || (effort.left > 0 && isBetter(split, known));
    const attempt = place(made, isWorth, effort);
    if (!('allocation' in attempt)) failed = attempt;
    else if (known === undefined || isBetter(attempt, known))
      best = found(order, made.facts.program, attempt);
  }
  return best ?? { order: 'as written', lowered: program, allocation: refusal(failed) };
}

const found = (order: OrderName, lowered: Program, attempt: Attempt): Best => ({
  order,
  lowered,
  allocation: attempt.allocation,
  attempt,
});

const isBetter = (a: Attempt | Split, b: Attempt): boolean =>
  a.weight !== b.weight ? a.weight < b.weight : a.operations < b.operations;

function* ordersOf(written: Facts): Generator<{ order: OrderName; facts: Facts }> {
  const { program, references, ranges } = written;
  yield { order: 'as written', facts: written };
  if (program.instructions.length > LARGE) return;
  const resources = resourcesOf(program, references);
  for (const direction of ['upwards', 'downwards'] as const) {
    const order = pressureOrder(program, references, ranges, resources, direction);
    yield { order: direction, facts: factsOf(reordered(program, order)) };
  }
}

/** Registers a scratch message may move: wide messages are fewer, but keep more of the file for themselves. */
function sizesOf(program: Program): readonly Cells[] {
  if (program.dialect === 'vec4') return [1];
  return program.instructions.length > LARGE ? [2] : [4, 2, 1];
}

const refusal = (failed: Failed): Allocation => ({
  kind: 'refused',
  reason: 'REGISTER_ALLOCATION_FAIL',
  detail:
    failed.needed > 0
      ? `instruction ${failed.instruction} needs ${failed.needed} registers of 32 bytes at once, ${failed.available} are free`
      : `no run of free registers is long enough at instruction ${failed.instruction}`,
  instruction: failed.instruction,
});
