import fc from 'fast-check';
import { unitOperations } from '../../server/src/targets/mali-gp/unit-operations.js';
import type {
  CompiledProgram,
  Source,
  StoreHalf,
  Unit,
  UnitOperation,
  UnitWork,
  Word,
} from '../../server/src/targets/mali-gp/word.js';

/** Words of every form that the types allow, mostly wrong ones; numbers reach a little beyond their ranges. */
const component = fc.integer({ min: 0, max: 4 });
const vector = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(-1, 15, 16, 511, 512));
const unit = fc.integer({ min: 0, max: 5 }) as fc.Arbitrary<Unit>;
const negate = fc.boolean();
const distance = fc.constantFrom<1 | 2>(1, 2);
const portDistance = fc.constantFrom<0 | 1>(0, 1);
const op = fc.constantFrom(...(Object.keys(unitOperations) as UnitOperation[]));

const source: fc.Arbitrary<Source> = fc.oneof(
  fc.record({ from: fc.constant('unit' as const), unit, distance, negate }),
  fc.record({ from: fc.constant('reg0' as const), component, distance: portDistance, negate }),
  fc.record({ from: fc.constant('reg1' as const), component, negate }),
  fc.record({ from: fc.constant('uniform' as const), component, negate }),
  fc.record({ from: fc.constant('identity' as const), negate }),
);

const work: fc.Arbitrary<UnitWork> = fc.record({
  op,
  sources: fc.array(source, { maxLength: 3 }),
  negate,
  purpose: fc.constant('operation' as const),
  node: fc.constant(-1),
});

const stored = fc.oneof(unit, fc.constant(-1 as const));
const half: fc.Arbitrary<StoreHalf> = fc.record({
  kind: fc.constantFrom('varying', 'register', 'temporary'),
  vector,
  units: fc.tuple(stored, stored),
});

const option = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

const port = fc.oneof(
  fc.record({ kind: fc.constantFrom('uniform', 'temporary'), vector }),
  fc.record({
    kind: fc.constantFrom('uniform', 'temporary'),
    vector,
    offset: fc.constantFrom(1 as const, 2 as const, 3 as const),
  }),
  fc.record({ kind: fc.constant('constants' as const), values: fc.array(fc.float(), { maxLength: 5 }) }),
);

const word: fc.Arbitrary<Word> = fc
  .record({
    units: fc.array(option(work), { maxLength: 6 }),
    reg0: option(fc.record({ kind: fc.constantFrom('attribute', 'register'), vector })),
    reg1: option(vector),
    uniform: option(port),
    xy: option(half),
    zw: option(half),
    branch: fc.option(fc.integer({ min: -1, max: 3 }), { nil: undefined, freq: 5 }),
  })
  .map(
    (all) => Object.fromEntries(Object.entries(all).filter(([, v]) => v !== undefined)) as unknown as Word,
  );

export const programs: fc.Arbitrary<CompiledProgram> = fc.record({
  name: fc.constant('any'),
  words: fc.array(word, { maxLength: 12 }),
  blocks: fc.array(fc.record({ label: fc.constant('b'), start: fc.integer({ min: -1, max: 13 }) }), {
    maxLength: 4,
  }),
  uniforms: fc.integer({ min: -1, max: 4 }),
  constants: fc.array(fc.record({ vector, component, value: fc.float() }), { maxLength: 4 }),
  registers: fc.constant({}),
});
