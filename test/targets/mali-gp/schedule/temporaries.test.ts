import { ok } from 'node:assert/strict';
import type { Leaf } from '../../../../server/src/targets/mali-gp/graph.js';
import { Op } from '../../../../server/src/targets/mali-gp/operations.js';
import { scheduleBlock } from '../../../../server/src/targets/mali-gp/schedule/index.js';
import { attribute, BlockBuilder } from '../../../support/gp-block.js';

const VECTOR = 510;

describe('mali-gp scheduler: temporaries', () => {
  it('reads what a block finds in a temporary before it stores there, and no component soon after a store', () => {
    const before = (component: number): Leaf => ({
      kind: 'temporary',
      vector: VECTOR,
      component,
      stored: false,
    });
    const block = new BlockBuilder();
    const store = (component: number, value: ReturnType<BlockBuilder['node']>): void =>
      block.store({ kind: 'temporary', vector: VECTOR, component }, value);
    const x = block.node(Op.Add, before(0), attribute(0));
    store(0, x);
    const y = block.node(Op.Mul, before(1), x);
    store(1, y);
    block.varying(0, 0, block.node(Op.Add, block.node(Op.Mul, y, y), before(0)));
    block.varying(0, 1, block.node(Op.Min, block.node(Op.Max, y, x), before(2)));

    const { words, failed } = scheduleBlock(block.task());
    ok(failed === undefined);
    const loads: number[] = [];
    const stores: number[] = [];
    words.forEach(({ uniform, xy, zw }, word) => {
      if (uniform?.kind === 'temporary' && uniform.vector === VECTOR) loads.push(word);
      if ([xy, zw].some((half) => half?.kind === 'temporary')) stores.push(word);
    });
    ok(loads.length > 0 && stores.length > 0);
    for (const load of loads) {
      for (const stored of stores)
        ok(load <= stored || load >= stored + 4, `stored in word ${stored}, loaded in word ${load}`);
    }
    // before(0) is gone once x is stored
    ok(loads[0] <= stores[0]);
  });
});
