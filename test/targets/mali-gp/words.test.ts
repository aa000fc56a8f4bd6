import assert from 'node:assert/strict';
import { FunctionBuilder } from '../../../server/src/ir/builder.js';
import { OpcodeTable, OperandFlag, type Function } from '../../../server/src/ir/function.js';
import { virtual } from '../../../server/src/ir/place.js';
import { blockBound } from '../../../server/src/targets/mali-gp/bound.js';
import type { ScheduledBlock } from '../../../server/src/targets/mali-gp/compilation.js';
import type { Fate, Leaf, Program, Value } from '../../../server/src/targets/mali-gp/graph.js';
import { occupancyOf } from '../../../server/src/targets/mali-gp/occupancy.js';
import { Op } from '../../../server/src/targets/mali-gp/operations.js';
import { compiledPressure } from '../../../server/src/targets/mali-gp/pressure.js';
import { sitesOf } from '../../../server/src/targets/mali-gp/sites.js';
import { stallsOf } from '../../../server/src/targets/mali-gp/stalls.js';
import {
  Unit,
  UNITS,
  type RegisterSpill,
  type Source,
  type UnitWork,
  type Word,
} from '../../../server/src/targets/mali-gp/word.js';
import { attribute, BlockBuilder, constant, uniform } from '../../support/gp-block.js';

/** A source of one block: what each instruction defines, by name, and what its value became. */
function sourceOf(instructions: readonly string[]): Function {
  const classes = [
    { name: 'value', unit: 'value' },
    { name: 'register', unit: 'register component' },
  ];
  const builder = new FunctionBuilder({ name: 'test', isEntry: true }, new OpcodeTable(), classes);
  builder.block();
  instructions.forEach((name, i) => {
    builder.instruction('op', 0, 10 * i, 10 * i + 9);
    if (name !== '') builder.operand(virtual(builder.register(name, 0, 1)), OperandFlag.Definition);
  });
  return builder.finish();
}

const from = (unit: Unit, distance: 1 | 2): Source => ({ from: 'unit', unit, distance, negate: false });
const reg0 = (component: number, distance: 0 | 1 = 0): Source => ({
  from: 'reg0',
  component,
  distance,
  negate: false,
});
const port = (component: number): Source => ({ from: 'uniform', component, negate: false });
const does = (
  op: UnitWork['op'],
  node: number,
  sources: readonly Source[],
  purpose: UnitWork['purpose'] = 'operation',
): UnitWork => ({ op, node, sources, purpose, negate: false });

function word(works: Partial<Record<Unit, UnitWork>>, rest: Omit<Word, 'units'> = {}): Word {
  return { units: Array.from({ length: UNITS }, (_, unit) => works[unit as Unit]), ...rest };
}

function scheduled(
  builder: BlockBuilder,
  words: readonly Word[],
  spills: readonly RegisterSpill[] = [],
): ScheduledBlock {
  const task = builder.task();
  return { task, schedule: { words, spills }, start: 0, bound: blockBound(task) };
}

const withFates = (program: Program, fates: readonly Fate[]): Program => ({ ...program, fates });
const node = (value: Value): Fate => ({ kind: 'node', node: value.kind === 'node' ? value.node : -1 });
const leaf = (value: Leaf): Fate => ({ kind: 'leaf', leaf: value });
const units = (x: Unit | -1, y: Unit | -1): readonly [Unit | -1, Unit | -1] => [x, y];

describe('what is read off instruction words', () => {
  // %x = ld_att a0.x, %y = ld_att a0.y, %k = ld_uni u0.x, %s = mul %x, %k, %h = const 0.5,
  // %t = add %s, %h, %m = max %t, %y, st_var v0.x, %m, %n = neg %y, st_var v0.y, %n
  const names = ['%x', '%y', '%k', '%s', '%h', '%t', '%m', '', '%n', ''];
  const builder = new BlockBuilder();
  const s = builder.node(Op.Mul, attribute(0, 0), uniform(0, 0));
  const t = builder.node(Op.Add, s, constant(0.5));
  const m = builder.node(Op.Max, t, attribute(0, 1));
  const n = builder.node(Op.Neg, attribute(0, 1));
  [3, 5, 6, 8].forEach((instruction, id) => (builder.nodes[id] = { ...builder.nodes[id], instruction }));
  builder.varying(0, 0, m);
  builder.varying(0, 1, n);
  [7, 9].forEach((instruction, k) => (builder.stores[k] = { ...builder.stores[k], instruction }));
  const block = scheduled(builder, [
    word(
      { [Unit.Mul0]: does('mul', 0, [port(0), reg0(0)]) },
      { reg0: { kind: 'attribute', vector: 0 }, uniform: { kind: 'uniform', vector: 0 } },
    ),
    word(
      {
        [Unit.Add0]: does('add', 1, [from(Unit.Mul0, 1), port(0)]),
        [Unit.Complex]: does('mov', -1, [reg0(1, 1)], 'load'),
      },
      { uniform: { kind: 'constants', values: [0.5] } },
    ),
    word({
      [Unit.Mul1]: does('neg', 3, [from(Unit.Complex, 1)]),
      [Unit.Pass]: does('mov', -1, [from(Unit.Complex, 1)], 'load'),
    }),
    word(
      {
        [Unit.Mul1]: does('mov', 3, [from(Unit.Mul1, 1)], 'move'),
        [Unit.Add0]: does('max', 2, [from(Unit.Add0, 2), from(Unit.Pass, 1)]),
      },
      { xy: { kind: 'varying', vector: 0, units: units(Unit.Add0, Unit.Mul1) } },
    ),
  ]);
  const graph = withFates(block.task.program, [
    leaf(attribute(0, 0)),
    leaf(attribute(0, 1)),
    leaf(uniform(0, 0)),
    node(s),
    leaf(constant(0.5)),
    node(t),
    node(m),
    node(n),
  ]);
  const source = sourceOf(names);
  const sites = sitesOf(source, graph, [block]);
  const occupancy = occupancyOf(graph, [block], 4);

  it('each instruction has its words and slots: loads, operations, moves, stores', () => {
    const shown = sites.ofInstruction.map((all) =>
      all.map(({ word: w, slot, role }) => `${w} ${slot} ${role}`).join(', '),
    );
    assert.deepEqual(shown, [
      '0 reg0.x load',
      '0 reg0.y load', // the port of word 0, read one word later
      '0 uniform.x load',
      '0 mul0 operation',
      '1 uniform.x load',
      '1 add0 operation',
      '3 add0 operation',
      '3 store.x store',
      '2 mul1 operation, 3 mul1 move',
      '3 store.y store',
    ]);
  });

  it('each word has the first instruction that is computed in it', () => {
    assert.deepEqual([...sites.ownerOfWord], [3, 5, 8, 6]);
  });

  it('the network holds what later words read', () => {
    // after word 0: mul0; after 1: add0 (read in 3) and complex; after 2: add0 still, mul1, pass; after 3: nothing
    assert.deepEqual([...occupancy.values], [1, 2, 3, 0]);
    const pressure = compiledPressure(source, sites, occupancy);
    assert.deepEqual([pressure.peak[0], pressure.peakAt[0]], [3, 8]);
    assert.equal(pressure.after[0][6], 0, 'after the last word nothing is held');
  });

  it('no word here is without work', () => {
    assert.deepEqual(stallsOf(source, graph, [block], sites.ownerOfWord), []);
  });
});

describe('words without an operation', () => {
  const special = (): { builder: BlockBuilder; words: Word[] } => {
    const builder = new BlockBuilder();
    const r = builder.node(Op.Rcp, attribute(0, 0));
    builder.varying(0, 0, r);
    builder.stores[0] = { ...builder.stores[0], instruction: 2 };
    builder.nodes[0] = { ...builder.nodes[0], instruction: 1 };
    const loads = { reg0: { kind: 'attribute', vector: 0 } } as const;
    const words = [
      word(
        {
          [Unit.Mul0]: does('complex2', 0, [reg0(0), reg0(0)]),
          [Unit.Complex]: does('rcp_impl', 0, [reg0(0)]),
        },
        loads,
      ),
      word({ [Unit.Mul0]: does('complex1', 0, [from(Unit.Complex, 1), from(Unit.Mul0, 1), reg0(0)]) }, loads),
      word({}),
      word(
        { [Unit.Mul1]: does('mov', 0, [from(Unit.Mul0, 2)], 'move') },
        { xy: { kind: 'varying', vector: 0, units: units(Unit.Mul1, -1) } },
      ),
    ];
    return { builder, words };
  };

  it('are laid to the special function whose result is not there yet', () => {
    const { builder, words } = special();
    const block = scheduled(builder, words);
    const source = sourceOf(['%x', '%r', '']);
    const graph = withFates(block.task.program, [leaf(attribute(0, 0)), { kind: 'node', node: 0 }]);
    const sites = sitesOf(source, graph, [block]);
    const [stall, ...others] = stallsOf(source, graph, [block], sites.ownerOfWord);
    assert.deepEqual(others, []);
    assert.deepEqual([stall.instruction, stall.cycles, stall.producer], [2, 1, 1]);
    assert.match(stall.cause, /^waits for the special function of %r, .* exactly 2 words after/);
  });

  it('at a block’s end are laid to the register that had to be stored before', () => {
    const builder = new BlockBuilder();
    const register = builder.register(5);
    const s = builder.node(Op.Mul, attribute(0, 0), uniform(0, 0));
    builder.nodes[0] = { ...builder.nodes[0], instruction: 0 };
    builder.store({ kind: 'register', register }, s);
    builder.stores[0] = { ...builder.stores[0], instruction: 1 };
    const block = scheduled(builder, [
      word(
        { [Unit.Mul0]: does('mul', 0, [reg0(0), port(0)]) },
        {
          reg0: { kind: 'attribute', vector: 0 },
          uniform: { kind: 'uniform', vector: 0 },
          xy: { kind: 'register', vector: 1, units: units(-1, Unit.Mul0) },
        },
      ),
      word({}),
      word({}),
    ]);
    const source = sourceOf(['%s', '']);
    const graph = withFates(block.task.program, [node(s)]);
    const sites = sitesOf(source, graph, [block]);
    const [stall, ...others] = stallsOf(source, graph, [block], sites.ownerOfWord);
    assert.deepEqual(others, []);
    assert.deepEqual([stall.cycles, stall.producer], [2, 1]);
    assert.match(stall.cause, /\$1\.y: no register can be stored in the last 2 words of a block/);
    assert.deepEqual(
      [...occupancyOf(graph, [block], 3).registers],
      [1, 1, 1],
      '$1.y is handed over at the end',
    );
  });

  it('between a register’s store and its load are laid to the store', () => {
    const builder = new BlockBuilder();
    const register = builder.register(0);
    const s = builder.node(Op.Mul, attribute(0, 0), uniform(0, 0));
    const t = builder.node(Op.Add, { kind: 'register', register, stored: true }, uniform(0, 1));
    builder.store({ kind: 'register', register }, s);
    builder.varying(0, 0, t);
    [0, 2].forEach((instruction, id) => (builder.nodes[id] = { ...builder.nodes[id], instruction }));
    [1, 3].forEach((instruction, k) => (builder.stores[k] = { ...builder.stores[k], instruction }));
    const uniforms = { kind: 'uniform', vector: 0 } as const;
    const block = scheduled(builder, [
      word(
        { [Unit.Mul0]: does('mul', 0, [reg0(0), port(0)]) },
        {
          reg0: { kind: 'attribute', vector: 0 },
          uniform: uniforms,
          xy: { kind: 'register', vector: 0, units: units(Unit.Mul0, -1) },
        },
      ),
      word({}),
      word({}),
      word(
        { [Unit.Add0]: does('add', 1, [{ from: 'reg1', component: 0, negate: false }, port(1)]) },
        {
          reg1: 0,
          uniform: uniforms,
          xy: { kind: 'varying', vector: 0, units: units(Unit.Add0, -1) },
        },
      ),
    ]);
    const source = sourceOf(['%s', '', '%t', '']);
    const graph = withFates(block.task.program, [node(s), node(t)]);
    const sites = sitesOf(source, graph, [block]);
    const [stall, ...others] = stallsOf(source, graph, [block], sites.ownerOfWord);
    assert.deepEqual(others, []);
    assert.deepEqual([stall.instruction, stall.cycles, stall.producer], [2, 2, 1]);
    assert.match(stall.cause, /^waits for the store to \$0\.x: it can be read 3 words later/);
  });

  it('a value that waits in a register keeps its instruction’s name on the way out and back', () => {
    const builder = new BlockBuilder();
    const s = builder.node(Op.Mul, attribute(0, 0), uniform(0, 0));
    builder.varying(0, 0, builder.node(Op.Add, s, uniform(0, 1)));
    [0, 1].forEach((instruction, id) => (builder.nodes[id] = { ...builder.nodes[id], instruction }));
    builder.stores[0] = { ...builder.stores[0], instruction: 2 };
    const uniforms = { kind: 'uniform', vector: 0 } as const;
    const words = [
      word(
        { [Unit.Mul0]: does('mul', 0, [reg0(0), port(0)]) },
        {
          reg0: { kind: 'attribute', vector: 0 },
          uniform: uniforms,
          zw: { kind: 'register', vector: 2, units: units(Unit.Mul0, -1) },
        },
      ),
      word({}),
      word({}),
      word(
        { [Unit.Add0]: does('add', 1, [{ from: 'reg1', component: 2, negate: false }, port(1)]) },
        { reg1: 2, uniform: uniforms, xy: { kind: 'varying', vector: 0, units: units(Unit.Add0, -1) } },
      ),
    ];
    const block = scheduled(builder, words, [{ node: 0, place: 10, storeWord: 0, readWords: [3] }]);
    const graph = withFates(block.task.program, [node(s), { kind: 'node', node: 1 }]);
    const sites = sitesOf(sourceOf(['%s', '%t', '']), graph, [block]);
    assert.deepEqual(
      sites.ofInstruction[0].map(({ word: w, slot, role }) => `${w} ${slot} ${role}`),
      ['0 mul0 operation', '0 store.z keep', '3 reg1.z reload'],
    );
    assert.deepEqual([...occupancyOf(graph, [block], 4).registers], [1, 1, 1, 0]);
  });
});
