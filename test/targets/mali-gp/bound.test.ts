import { deepEqual, equal } from 'node:assert/strict';
import { blockBound } from '../../../server/src/targets/mali-gp/bound.js';
import { Op } from '../../../server/src/targets/mali-gp/operations.js';
import { attribute, BlockBuilder, constant, uniform } from '../../support/gp-block.js';

/** The bound of a block, and the argument that gives it. */
function boundOf(build: (block: BlockBuilder) => void): [number, string] {
  const block = new BlockBuilder();
  build(block);
  const { words, by } = blockBound(block.task());
  return [words, by];
}

describe('the lower bound of a block', () => {
  it('is 0 for nothing and 1 for what fits a word', () => {
    equal(boundOf(() => undefined)[0], 0);
    equal(boundOf((b) => b.varying(0, 0, attribute(0)))[0], 1);
    equal(boundOf((b) => b.branchTo(0))[0], 1);
  });

  it('counts no operation that nothing needs', () => {
    const block = (b: BlockBuilder): void => {
      for (let k = 0; k < 9; k++) b.node(Op.Mul, attribute(0), uniform(k));
      b.varying(0, 0, b.node(Op.Add, attribute(0), uniform(0)));
    };
    equal(boundOf(block)[0], 1);
  });

  it('adds up a chain: each result is readable one word later', () => {
    const chain = (b: BlockBuilder): void => {
      let value = b.node(Op.Mul, attribute(0), uniform(0));
      for (let k = 0; k < 4; k++) value = b.node(Op.Add, value, uniform(0));
      b.varying(0, 0, value);
    };
    deepEqual(boundOf(chain), [5, 'critical path']);
  });

  it('knows the words of the special functions', () => {
    // impl, complex1, nothing readable, then the move that is stored
    const stored = (op: Op) => boundOf((b) => b.varying(0, 0, b.node(op, attribute(0))))[0];
    equal(stored(Op.Rcp), 4);
    equal(stored(Op.Rsqrt), 4);
    equal(stored(Op.Exp2), 5);
    // postlog2 is made in the fourth word and stored from there
    equal(stored(Op.Log2), 4);
    const chained = boundOf((b) => b.varying(0, 0, b.node(Op.Rcp, b.node(Op.Rcp, attribute(0)))));
    equal(chained[0], 7);
  });

  it('leaves two words behind a register store and three behind a temporary one', () => {
    equal(boundOf((b) => b.store({ kind: 'register', register: b.register(0) }, attribute(0)))[0], 3);
    equal(boundOf((b) => b.store({ kind: 'temporary', vector: 0, component: 0 }, attribute(0)))[0], 4);
  });

  it('stores nothing that is in its place already', () => {
    const words = boundOf((b) => {
      const [from, to, elsewhere] = [b.register(5), b.register(5), b.register(6)];
      b.store({ kind: 'register', register: to }, { kind: 'register', register: from, stored: false });
      b.varying(0, 0, { kind: 'register', register: elsewhere, stored: false });
    });
    equal(words[0], 1);
  });

  it('takes a value that is stored and read back for the value itself', () => {
    const words = boundOf((b) => {
      const register = b.register(5);
      b.store({ kind: 'register', register }, b.node(Op.Mul, attribute(0), uniform(0)));
      const again = b.node(Op.Add, { kind: 'register', register, stored: true }, attribute(0));
      b.varying(0, 0, b.node(Op.Add, again, b.node(Op.Floor, again)));
    });
    deepEqual(words, [4, 'critical path']);
  });

  it('computes the condition a word before the branch', () => {
    equal(boundOf((b) => b.branchTo(0, b.node(Op.Lt, attribute(0), uniform(0))))[0], 2);
    equal(boundOf((b) => b.branchTo(0, b.node(Op.Rcp, attribute(0))))[0], 4);
  });

  it('counts two multipliers a word, select and complex1 as both', () => {
    const products = (b: BlockBuilder): void => {
      for (let k = 0; k < 9; k++) b.varying(k >> 2, k & 3, b.node(Op.Mul, attribute(0), uniform(0, k & 3)));
    };
    deepEqual(boundOf(products), [5, 'multipliers']);
    const selects = (b: BlockBuilder): void => {
      for (let k = 0; k < 6; k++)
        b.varying(k >> 2, k & 3, b.node(Op.Select, attribute(0), attribute(0, k & 3), uniform(0)));
    };
    deepEqual(boundOf(selects), [6, 'multipliers']);
  });

  it('gives both adders of a word one opcode', () => {
    const mixed = (b: BlockBuilder): void => {
      [Op.Min, Op.Max, Op.Ge, Op.Lt, Op.Floor].forEach((op, k) => {
        const inputs = op === Op.Floor ? [attribute(0)] : [attribute(0), uniform(0)];
        b.varying(k >> 2, k & 3, b.node(op, ...inputs));
      });
    };
    deepEqual(boundOf(mixed), [5, 'adders']);
  });

  it('lets a negation go to either side', () => {
    // 4 products and 2 negations: 6 of 4 units a word, 2 words
    const block = (b: BlockBuilder): void => {
      for (let k = 0; k < 4; k++) b.varying(0, k, b.node(Op.Mul, attribute(0, k), uniform(0)));
      for (let k = 0; k < 2; k++) b.varying(1, k, b.node(Op.Neg, attribute(0, k)));
    };
    equal(boundOf(block)[0], 2);
  });

  it('reads one uniform vector or four constants a word', () => {
    const vectors = (b: BlockBuilder): void => {
      for (let k = 0; k < 7; k++) b.varying(k >> 2, k & 3, b.node(Op.Add, attribute(0), uniform(k)));
    };
    deepEqual(boundOf(vectors), [7, 'uniform port']);
    const constants = (b: BlockBuilder): void => {
      for (let k = 0; k < 9; k++)
        b.varying(k >> 2, k & 3, b.node(k % 2 ? Op.Add : Op.Mul, attribute(0), constant(k + 2)));
      b.varying(3, 0, b.node(Op.Max, attribute(0), uniform(0)));
    };
    // three words of constants and one of a uniform, as many as the adders take (4 of add, 1 of max: 3 words)
    equal(boundOf(constants)[0], 4);
    const identities = (b: BlockBuilder): void => {
      b.varying(0, 0, b.node(Op.Max, uniform(0), constant(0)));
      b.varying(0, 1, b.node(Op.Mul, uniform(0), constant(1)));
    };
    equal(boundOf(identities)[0], 1);
  });

  it('needs a word of its own for the second uniform vector of an operation', () => {
    equal(boundOf((b) => b.varying(0, 0, b.node(Op.Mul, uniform(0), uniform(1))))[0], 2);
    equal(boundOf((b) => b.varying(0, 0, b.node(Op.Mul, uniform(0, 0), uniform(0, 1))))[0], 1);
    equal(boundOf((b) => b.varying(0, 0, b.node(Op.Mul, attribute(0), attribute(1))))[0], 2);
  });

  it('stores one vector a word through each half', () => {
    const varyings = (b: BlockBuilder): void => {
      for (let k = 0; k < 5; k++) for (const c of [0, 1]) b.varying(k, c, attribute(0));
    };
    deepEqual(boundOf(varyings), [5, 'stores']);
  });

  it('adds what lies before and behind a crowd of operations', () => {
    // one product feeds eight, and their sums end in one: 1 + 4 + 4
    const block = (b: BlockBuilder): void => {
      const first = b.node(Op.Mul, attribute(0), attribute(0));
      let level = Array.from({ length: 8 }, (_, k) => b.node(Op.Mul, first, attribute(0, k & 3)));
      while (level.length > 1) {
        const next: typeof level = [];
        for (let k = 0; k < level.length; k += 2) next.push(b.node(Op.Add, level[k], level[k + 1]));
        level = next;
      }
      b.varying(0, 0, level[0]);
    };
    deepEqual(boundOf(block), [8, 'multipliers']);
  });
});
