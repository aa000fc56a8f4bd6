import assert from 'node:assert/strict';
import fc from 'fast-check';
import { controlFlow, isReachable, type Graph } from '../../server/src/passes/cfg.js';
import { dominates, dominatorsOf } from '../../server/src/passes/dominators.js';
import { loopEntriesOf } from '../../server/src/passes/loop-entries.js';
import { loopsOf } from '../../server/src/passes/loops.js';
import { runs } from '../support/fuzz.js';

function graphOf(successors: readonly (readonly number[])[]): Graph {
  const start = [0];
  for (const list of successors) start.push(start[start.length - 1] + list.length);
  return {
    blockCount: successors.length,
    successorStart: Int32Array.from(start),
    successors: Int32Array.from(successors.flat()),
  };
}

const randomGraph = fc
  .array(fc.array(fc.nat(1000), { maxLength: 3, size: 'max' }), { minLength: 1, maxLength: 14, size: 'max' })
  .map((lists) => lists.map((list) => [...new Set(list.map((n) => n % lists.length))]));

/** Blocks that `from` reaches when `without` is taken out of the graph. */
function reached(successors: readonly (readonly number[])[], from: number, without = -1): Set<number> {
  const found = new Set<number>();
  const pending = from === without ? [] : [from];
  while (pending.length > 0) {
    const block = pending.pop()!;
    if (block === without || found.has(block)) continue;
    found.add(block);
    pending.push(...successors[block]);
  }
  return found;
}

describe('control flow', () => {
  it('reverse post-order has every reachable block once, before what only follows it', () => {
    fc.assert(
      fc.property(randomGraph, (successors) => {
        const cfg = controlFlow(graphOf(successors));
        const reachable = reached(successors, 0);
        assert.deepEqual(
          [...cfg.order].sort((a, b) => a - b),
          [...reachable].sort((a, b) => a - b),
        );
        assert.equal(cfg.order[0], 0);
        successors.forEach((list, from) => {
          assert.equal(isReachable(cfg, from), reachable.has(from));
          for (const to of list) {
            const into = [
              ...cfg.predecessors.subarray(cfg.predecessorStart[to], cfg.predecessorStart[to + 1]),
            ];
            assert.ok(into.includes(from));
            // an edge that goes back in the order is on a cycle
            if (reachable.has(from) && cfg.orderOf[to] <= cfg.orderOf[from])
              assert.ok(reached(successors, to).has(from));
          }
        });
        assert.equal(cfg.predecessors.length, cfg.successors.length);
      }),
      { numRuns: runs(300) },
    );
  });

  it('a dominates b exactly when b is not reached without a', () => {
    fc.assert(
      fc.property(randomGraph, (successors) => {
        const d = dominatorsOf(controlFlow(graphOf(successors)));
        const reachable = reached(successors, 0);
        for (let a = 0; a < successors.length; a++) {
          const rest = reached(successors, 0, a);
          for (let b = 0; b < successors.length; b++) {
            const expected = reachable.has(a) && reachable.has(b) && !rest.has(b);
            assert.equal(dominates(d, a, b), expected, `${a} over ${b}`);
          }
        }
        for (const b of reachable) {
          const strict = [...reachable].filter((a) => a !== b && !reached(successors, 0, a).has(b));
          assert.equal(d.depth[b], strict.length);
          // the immediate dominator is the strict one that all other strict ones dominate
          const nearest = strict.find((a) =>
            strict.every((c) => c === a || !reached(successors, 0, c).has(a)),
          );
          assert.equal(d.immediate[b], nearest ?? -1);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('natural loops equal their definition, and what else cycles is irreducible', () => {
    fc.assert(
      fc.property(randomGraph, (successors) => {
        const cfg = controlFlow(graphOf(successors));
        const loops = loopsOf(cfg, dominatorsOf(cfg));
        const reachable = reached(successors, 0);
        const isDominated = (b: number, by: number): boolean => !reached(successors, 0, by).has(b);
        const bodies = new Map<number, Set<number>>();
        const forward = successors.map((list, from) =>
          list.filter((to) => !reachable.has(from) || !isDominated(from, to)),
        );
        for (const from of reachable)
          for (const head of successors[from]) {
            if (!isDominated(from, head)) continue;
            const body = bodies.get(head) ?? new Set([head]);
            for (const b of reachable)
              if (b !== head && isDominated(b, head) && reached(successors, b, head).has(from)) body.add(b);
            bodies.set(head, body);
          }
        for (const b of reachable) {
          const around = [...bodies].filter(([, body]) => body.has(b));
          const cycles = forward[b].some((to) => reached(forward, to).has(b));
          assert.equal(loops.irreducible[b], Number(cycles), `block ${b}`);
          assert.equal(loops.depth[b], around.length + Number(cycles), `block ${b}`);
          const innermost = around.sort((x, y) => x[1].size - y[1].size)[0];
          assert.equal(loops.header[b], innermost?.[0] ?? -1);
          if (bodies.has(b)) assert.equal(loops.outer[b], around[1]?.[0] ?? -1);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('edges that close loops lead from inside to an entry, level by level', () => {
    fc.assert(
      fc.property(randomGraph, (successors) => {
        const cfg = controlFlow(graphOf(successors));
        const { entries, closes } = loopEntriesOf(cfg, dominatorsOf(cfg));
        const reachable = reached(successors, 0);
        const isDominated = (b: number, by: number): boolean => !reached(successors, 0, by).has(b);
        const isNatural = (from: number, to: number): boolean => isDominated(from, to);
        const wanted = new Set<string>();
        const several = new Map<number, number>();
        let left = successors.map((list, from) =>
          reachable.has(from) ? list.filter((to) => !isNatural(from, to)) : [],
        );
        for (const from of reachable)
          for (const to of successors[from]) if (isNatural(from, to)) wanted.add(`${from} ${to}`);
        for (;;) {
          const current = left;
          const reaches = current.map(
            (_, b) => new Set(current[b].flatMap((to) => [...reached(current, to)])),
          );
          const isWith = (a: number, b: number): boolean => reaches[a].has(b) && reaches[b].has(a);
          const found = [...reachable].filter(
            (b) =>
              reaches[b].has(b) &&
              (b === 0 ||
                [...reachable].some((a) => successors[a].includes(b) && !isNatural(a, b) && !isWith(a, b))),
          );
          if (found.length === 0) break;
          for (const b of found) several.set(b, found.filter((a) => isWith(a, b)).length);
          left = current.map((list, from) =>
            list.filter((to) => {
              const isClosing = found.includes(to) && isWith(from, to);
              if (isClosing) wanted.add(`${from} ${to}`);
              return !isClosing;
            }),
          );
        }
        successors.forEach((list, from) => {
          for (const to of list)
            assert.equal(closes(from, to), wanted.has(`${from} ${to}`), `${from} to ${to}`);
        });
        successors.forEach((_, b) => {
          assert.equal(entries[b], several.get(b) ?? 0, `entries at ${b}`);
          assert.notEqual(entries[b], 1, 'a loop with one entry is a natural one');
        });
      }),
      { numRuns: runs(300) },
    );
  });

  it('without the edges that close loops no cycle is left, however deep irreducible loops are nested', () => {
    // every block leads to the next two and to all before it: each level has two entries
    const n = 60;
    const successors = Array.from({ length: n }, (_, b) =>
      [...Array(n).keys()].filter((to) => (to <= b + 2 && to !== b) || (b === 0 && to < 3)),
    );
    const ladder = Array.from({ length: n }, (_, b) =>
      [b + 1, b + 2, b - 1].filter((to) => to >= 1 && to < n),
    );
    for (const graph of [successors, ladder]) {
      const cfg = controlFlow(graphOf(graph));
      const { closes } = loopEntriesOf(cfg, dominatorsOf(cfg));
      const open = graph.map((list, from) => list.filter((to) => !closes(from, to)));
      open.forEach((list, b) => {
        for (const to of list) assert.ok(!reached(open, to).has(b), `${b} is on a cycle`);
      });
    }
  });

  it('takes a chain of 200 000 blocks and a nest of 20 000 loops', () => {
    const chain = graphOf(Array.from({ length: 200_000 }, (_, b) => (b + 1 < 200_000 ? [b + 1] : [])));
    assert.equal(dominatorsOf(controlFlow(chain)).depth[199_999], 199_999);
    // blocks 0..n-1 open a loop each, blocks n..2n-1 close them from the inside out
    const n = 20_000;
    const nest = graphOf(
      Array.from({ length: 2 * n }, (_, b) => {
        if (b < n) return [b + 1];
        const head = 2 * n - 1 - b;
        return b + 1 < 2 * n ? [b + 1, head] : [head];
      }),
    );
    const cfg = controlFlow(nest);
    const loops = loopsOf(cfg, dominatorsOf(cfg));
    assert.equal(loops.depth[n], n);
    assert.equal(loops.outer[n - 1], n - 2);
  });
});
