/**
 * What can be done for a cross-block register that finds no place, and what it would cost: load again what it was
 * loaded from, where all its definitions agree; compute it again in the blocks that read it (Briggs, Cooper and Torczon,
 * "Rematerialization", PLDI 1992); or keep it in a temporary. Costs are estimated executions: an operation counts
 * one, as does a read through the uniform port, and a temporary store three (the value's unit, COMPLEX for the
 * address, the port for the address's number).
 */
import type { Leaf, Program, Value } from '../graph.js';
import { operations, Place } from '../operations.js';
import { forEachRead } from './flow.js';
import { hasMember } from './liveness.js';
import { isSameLeaf, isUnchanging } from './relief.js';
import { STORE_COST } from './spill-values.js';
import type { Survey } from './survey.js';

/** Where a register is stored and read. */
export interface Traffic {
  readonly stores: { readonly block: number; readonly value: Value; readonly instruction: number }[];
  /** Reads of what it holds at a block's start, by block. */
  readonly reads: Map<number, number>;
  /** Source instructions that read it. */
  readonly readers: number[];
}

export type Remedy =
  | { readonly kind: 'reloaded'; readonly leaf: Leaf; readonly cost: number }
  /** `needs`: registers that the copies read. */
  | {
      readonly kind: 'recomputed';
      readonly node: number;
      readonly operations: number;
      readonly needs: readonly number[];
      readonly cost: number;
    }
  | { readonly kind: 'spilled'; readonly cost: number };

/** A read through a port that another read may share. */
const RELOAD_COST = 0.1;
const MOST_OPERATIONS = 2;

export function trafficOf(program: Program): Traffic[] {
  const traffic = program.registers.map((): Traffic => ({ stores: [], reads: new Map(), readers: [] }));
  program.blocks.forEach((block, b) => {
    forEachRead(program, block, (value, position) => {
      if (value.kind !== 'register') return;
      const { reads, readers } = traffic[value.register];
      if (!value.stored) reads.set(b, (reads.get(b) ?? 0) + 1);
      if (position >= 0) readers.push(program.nodes[block.nodes[position]].instruction);
    });
    for (const { to, value, instruction } of block.stores) {
      if (value.kind === 'register') traffic[value.register].readers.push(instruction);
      if (to.kind === 'register') traffic[to.register].stores.push({ block: b, value, instruction });
    }
    const { branch } = block;
    if (branch?.condition?.kind === 'register')
      traffic[branch.condition.register].readers.push(branch.instruction);
  });
  return traffic;
}

/** The cheapest of the remedies, or undefined; `mayStore`: whether a temporary is one of them. */
export function remedyFor(
  survey: Survey,
  traffic: readonly Traffic[],
  r: number,
  mayStore: boolean,
): Remedy | undefined {
  const { fixed, isLiveIn, isLiveOut } = survey.program.registers[r];
  if (fixed >= 0 || isLiveIn || isLiveOut) return undefined;
  const { stores, reads } = traffic[r];
  const { weight } = survey.flow;
  const readCost = [...reads].reduce((sum, [b, times]) => sum + weight[b] * times, 0);
  const first = stores[0]?.value;
  if (first && isUnchanging(first) && stores.every(({ value }) => isSameLeaf(value, first)))
    return { kind: 'reloaded', leaf: first, cost: RELOAD_COST * readCost };
  const again = recomputation(survey, traffic, r);
  const storeCost = stores.reduce((sum, { block }) => sum + weight[block], 0);
  const spillCost = STORE_COST * storeCost + readCost;
  if (again && (!mayStore || again.cost <= spillCost)) return again;
  return mayStore ? { kind: 'spilled', cost: spillCost } : undefined;
}

function recomputation(
  survey: Survey,
  traffic: readonly Traffic[],
  r: number,
): (Remedy & { kind: 'recomputed' }) | undefined {
  const { program, flow, liveness } = survey;
  const { stores, reads } = traffic[r];
  if (stores.length !== 1 || stores[0].value.kind !== 'node') return undefined;
  const [{ block, value }] = stores;
  const needs: number[] = [];
  let count = 0;
  const isCheap = (node: number): boolean => {
    const { op, inputs } = program.nodes[node];
    const { place } = operations[op];
    if (place === Place.Sequence || place === Place.BothMultipliers || ++count > MOST_OPERATIONS)
      return false;
    return inputs.every((input) => {
      if (input.kind === 'node') return isCheap(input.node);
      if (input.kind !== 'register') return isUnchanging(input);
      if (input.stored || input.register === r || !holdsStill(survey, traffic, input.register, block))
        return false;
      needs.push(input.register);
      return [...reads.keys()].every((b) => hasMember(liveness.entry, liveness.words, b, input.register));
    });
  };
  if (!isCheap(value.node)) return undefined;
  let cost = 0;
  for (const b of reads.keys()) cost += count * flow.weight[b];
  return { kind: 'recomputed', node: value.node, operations: count, needs, cost };
}

/** Whether a register that block `b` reads holds the same value wherever it is live from there on. */
function holdsStill({ program, flow }: Survey, traffic: readonly Traffic[], r: number, b: number): boolean {
  const { stores } = traffic[r];
  if (program.registers[r].isLiveIn) return stores.length === 0;
  return stores.length === 1 && stores[0].block !== b && flow.depth[stores[0].block] === 0;
}
