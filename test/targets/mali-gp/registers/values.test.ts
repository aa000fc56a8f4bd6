import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Program } from '../../../../server/src/targets/mali-gp/graph.js';
import { blockGraph, type BlockGraph } from '../../../../server/src/targets/mali-gp/registers/block-graph.js';
import { orderBlock } from '../../../../server/src/targets/mali-gp/registers/order.js';
import {
  allocateValues,
  type PlacedPresence,
} from '../../../../server/src/targets/mali-gp/registers/values.js';
import { runs } from '../../../support/fuzz.js';
import { generator } from '../../../support/gpir-runs.js';
import { programShape, randomProgram } from '../../../support/random-gp-program.js';

const PLACES = 64;

/** One block, and registers that occupy all its places but a few: through it, up to a last read, or from a store on. */
interface Case {
  readonly program: Program;
  readonly graph: BlockGraph;
  readonly order: Int32Array;
  readonly presences: readonly PlacedPresence[];
}

function caseOf(shape: Parameters<typeof randomProgram>[0], free: number): Case {
  const program = randomProgram({ ...shape, blocks: 1, registers: 40, reads: 0.3, bound: false });
  // in a single block every register is read at the start as far as the allocation of values is concerned
  const random = generator(shape.seed ^ 0x5bd1);
  const nodes = program.nodes.map((node) => ({
    ...node,
    inputs: node.inputs.map((input) =>
      input.kind === 'uniform' && random() < 0.5
        ? ({
            kind: 'register',
            register: Math.floor(random() * 20),
            stored: false,
            negate: input.negate,
          } as const)
        : input,
    ),
  }));
  const changed: Program = {
    ...program,
    nodes,
    blocks: [
      { ...program.blocks[0], stores: program.blocks[0].stores.filter(({ to }) => to.kind === 'varying') },
    ],
  };
  const graph = blockGraph(changed, changed.blocks[0]);
  const { order } = orderBlock(changed, graph);
  const count = order.length;
  const position = new Int32Array(count);
  order.forEach((k, p) => (position[k] = p));
  const presences: PlacedPresence[] = [];
  let place = 0;
  for (const [register, readers] of graph.registerReaders)
    presences.push({
      register,
      place: place++,
      until: Math.max(...readers.map((k) => position[k])),
      from: count + 1,
    });
  // stored registers take over dead ones' places or have their own
  const heirs = new Set<number>();
  for (let n = 0; n < 12 && count > 0; n++) {
    const from = 1 + Math.floor(random() * count);
    const heir = presences.find(
      (p) => p.from > count && p.until < from && !heirs.has(p.place) && random() < 0.5,
    );
    if (heir) heirs.add(heir.place);
    if (heir) presences.push({ register: 100 + n, place: heir.place, until: -1, from });
    else presences.push({ register: 100 + n, place: place++, until: -1, from });
  }
  while (place < PLACES - free)
    presences.push({ register: 200 + place, place: place++, until: 0x7fff_ffff, from: 0 });
  return { program: changed, graph, order, presences: presences.filter((p) => p.place < PLACES) };
}

const isThrough = ({ until, from }: PlacedPresence): boolean => from <= until;

/** By gap of an order: values that live, what only passes by, and places that registers occupy. */
function demand(
  { graph, presences }: Case,
  order: ArrayLike<number>,
  storePosition: (p: PlacedPresence) => number,
): number[] {
  const count = graph.ids.length;
  const position = new Map<number, number>();
  for (let p = 0; p < count; p++) position.set(order[p], p);
  return Array.from({ length: count + 1 }, (_, gap) => {
    let n = gap < count ? graph.extra[order[gap]] : 0;
    for (let k = 0; k < count; k++) {
      const uses = graph.readers[k].map((reader) => position.get(reader)!);
      if (graph.condition === k) uses.push(count);
      if (position.get(k)! < gap && uses.some((use) => use >= gap)) n++;
    }
    const occupied = new Set<number>();
    for (const presence of presences) {
      const readers = graph.registerReaders.get(presence.register) ?? [];
      if (
        isThrough(presence) ||
        (presence.until >= 0 && readers.some((k) => position.get(k)! >= gap)) ||
        (presence.from <= count && storePosition(presence) <= gap)
      )
        occupied.add(presence.place);
    }
    return n + occupied.size;
  });
}

describe('value allocation of a block', () => {
  const cases = fc.tuple(
    programShape({ blocks: 1, registers: 40, nodes: 60 }),
    fc.integer({ min: 0, max: 8 }),
    fc.integer({ min: 1, max: 9 }),
  );

  it('fits exactly where no gap has more values than colours', () => {
    let both = 0;
    fc.assert(
      fc.property(cases, ([shape, free, bypass]) => {
        const made = caseOf(shape, free);
        const need = Math.max(...demand(made, made.order, ({ from }) => from));
        const result = allocateValues(made.graph, made.order, made.presences, bypass);
        assert.equal(result.kind === 'fits', need <= PLACES + bypass);
        both |= result.kind === 'fits' ? 1 : 2;
      }),
      { numRuns: runs(200) },
    );
    assert.equal(both, 3, 'both outcomes are met');
  });

  it('bounds the values of every order that respects its edges', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 1, max: 1e9 }), ([shape, free, bypass], seed) => {
        const made = caseOf(shape, free);
        const result = allocateValues(made.graph, made.order, made.presences, bypass);
        if (result.kind !== 'fits') return;
        const { graph, presences } = made;
        const count = graph.ids.length;
        const placeOf = new Map(graph.ids.map((id, k) => [id, k]));
        const before: number[][] = graph.inputs.map((inputs) => [...inputs]);
        for (const [first, second] of result.edges) before[placeOf.get(second)!].push(placeOf.get(first)!);
        // a store comes with the node that it had in the order, behind the reads of its place
        const storing = new Map(
          presences.filter((p) => !isThrough(p) && p.from <= count).map((p) => [p, made.order[p.from - 1]]),
        );
        for (const [presence, node] of storing)
          for (const other of presences)
            if (other.place === presence.place && other.until >= 0)
              for (const reader of graph.registerReaders.get(other.register) ?? [])
                if (reader !== node) before[node].push(reader);
        const random = generator(seed);
        for (let trial = 0; trial < 4; trial++) {
          const order = randomOrder(before, random, trial);
          assert.equal(order.length, count, 'the edges close a cycle');
          const position = new Map(order.map((k, p) => [k, p]));
          const need = demand(made, order, (p) => {
            const node = storing.get(p);
            return node === undefined ? count + 1 : position.get(node)! + 1;
          });
          // what passes by shares a gap with its node's inputs in any order
          assert.ok(Math.max(...need) <= PLACES + bypass, `${Math.max(...need)} in a random order`);
        }
      }),
      { numRuns: runs(150) },
    );
  });
});

/** A random topological order; odd trials prefer the nodes of whose readers none is near, which makes much live. */
function randomOrder(before: readonly (readonly number[])[], random: () => number, trial: number): number[] {
  const waiting = before.map((list) => new Set(list).size);
  const after: number[][] = before.map(() => []);
  before.forEach((list, k) => {
    for (const earlier of new Set(list)) after[earlier].push(k);
  });
  const ready = [...waiting.keys()].filter((k) => waiting[k] === 0);
  const order: number[] = [];
  while (ready.length > 0) {
    const at = trial % 2 === 1 ? 0 : Math.floor(random() * ready.length);
    const [k] = ready.splice(at, 1);
    order.push(k);
    for (const next of after[k]) if (--waiting[next] === 0) ready.push(next);
  }
  return order;
}
