import assert from 'node:assert/strict';
import { checkRules } from '../../../server/src/targets/mali-gp/rules.js';
import { simulate } from '../../../server/src/targets/mali-gp/simulate.js';
import {
  Unit,
  type CompiledProgram,
  type Source,
  type UnitOperation,
  type UnitWork,
  type Word,
} from '../../../server/src/targets/mali-gp/word.js';

const work = (op: UnitOperation, sources: readonly Source[], negate = false): UnitWork => ({
  op,
  sources,
  negate,
  purpose: 'operation',
  node: -1,
});
const result = (unit: Unit, distance: 1 | 2 = 1): Source => ({ from: 'unit', unit, distance, negate: false });
const attribute = (component: number, distance: 0 | 1): Source => ({
  from: 'reg0',
  component,
  distance,
  negate: false,
});
const uniform = (component: number): Source => ({ from: 'uniform', component, negate: false });

function word(units: Partial<Record<Unit, UnitWork>>, rest: Omit<Word, 'units'> = {}): Word {
  return { units: [0, 1, 2, 3, 4, 5].map((unit: Unit) => units[unit]), ...rest };
}

/** v0.x = max(a0.x * u0.x + 0.5, a0.y), v0.y = -a0.y */
const example: CompiledProgram = {
  name: 'example',
  uniforms: 1,
  constants: [{ vector: 1, component: 0, value: 0.5 }],
  blocks: [{ label: 'block0', start: 0 }],
  registers: {},
  words: [
    word(
      { [Unit.Mul0]: work('mul', [uniform(0), attribute(0, 0)]) },
      { reg0: { kind: 'attribute', vector: 0 }, uniform: { kind: 'uniform', vector: 0 } },
    ),
    word(
      {
        [Unit.Add0]: work('add', [result(Unit.Mul0), uniform(0)]),
        [Unit.Complex]: work('mov', [attribute(1, 1)]),
      },
      { uniform: { kind: 'uniform', vector: 1 } },
    ),
    word({
      [Unit.Mul1]: work('mul', [result(Unit.Complex), { from: 'identity', negate: false }], true),
      [Unit.Pass]: work('mov', [result(Unit.Complex)]),
    }),
    word(
      {
        [Unit.Mul1]: work('mov', [result(Unit.Mul1)]),
        [Unit.Add0]: work('max', [result(Unit.Add0, 2), result(Unit.Pass)]),
      },
      { xy: { kind: 'varying', vector: 0, units: [Unit.Add0, Unit.Mul1] } },
    ),
  ],
};

describe('mali-gp: simulator', () => {
  it('carries values through the bypass network', () => {
    const inputs = { attributes: [3, 20, 0, 0], uniforms: [4, 0, 0, 0] };
    const run = simulate(example, inputs, 100);
    assert.deepEqual(run.varyings, new Map([[0, 20]]).set(1, -20));
    assert.deepEqual([run.end, run.steps], ['left', 4]);
    assert.equal(simulate(example, { ...inputs, attributes: [3, 2, 0, 0] }, 100).varyings.get(0), 12.5);
  });

  it('stops at what the machine leaves undefined', () => {
    const words = [...example.words];
    words.splice(1, 0, word({}));
    const run = simulate({ ...example, words }, { attributes: [1, 1, 1, 1], uniforms: [1, 1, 1, 1] }, 100);
    assert.equal(
      run.fault?.message,
      'word 2, add0: source 1 reads mul0 of word 1, which has no result there',
    );
  });
});

describe('mali-gp: rules', () => {
  it('accepts a correct program', () => {
    assert.deepEqual(checkRules(example), []);
  });
});
