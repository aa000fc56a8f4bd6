import assert from 'node:assert/strict';
import { evaluate } from '../../../../server/src/targets/mali-gp/evaluate.js';
import type { Block, Node, Program, Store, Value } from '../../../../server/src/targets/mali-gp/graph.js';
import { Op } from '../../../../server/src/targets/mali-gp/operations.js';
import { checkProgram } from '../../../../server/src/targets/mali-gp/lower/check.js';
import {
  allocateRegisters,
  type RegisterAllocation,
} from '../../../../server/src/targets/mali-gp/registers/index.js';

const SIXTY_FOUR = 64;

/** Blocks of nodes and stores, written down one after the other. */
class Writer {
  readonly nodes: Node[] = [];
  readonly blocks: Block[] = [];
  private own: number[] = [];
  private stores: Store[] = [];

  node(op: Op, ...inputs: Value[]): Value {
    const id = this.nodes.length;
    this.nodes.push({
      id,
      op,
      inputs: inputs.map((input) => ({ ...input, negate: false })),
      instruction: id,
    });
    this.own.push(id);
    return { kind: 'node', node: id };
  }

  store(register: number, value: Value): void {
    this.stores.push({ to: { kind: 'register', register }, value, instruction: 1000 + register });
  }

  varying(value: Value): void {
    this.stores.push({ to: { kind: 'varying', vector: 0, component: 0 }, value, instruction: 2000 });
  }

  end(branch?: Block['branch']): void {
    const label = `block${this.blocks.length}`;
    this.blocks.push({ label, nodes: this.own, stores: this.stores, sources: [], ...(branch && { branch }) });
    this.own = [];
    this.stores = [];
  }

  program(registers: number): Program {
    return {
      name: 'test',
      blocks: this.blocks,
      nodes: this.nodes,
      registers: Array.from({ length: registers }, (_, r) => ({
        name: `@r${r}`,
        virtual: r,
        fixed: -1,
        isLiveIn: false,
        isLiveOut: false,
      })),
      uniforms: 256,
      fates: [],
    };
  }
}

const uniform = (n: number): Value => ({ kind: 'uniform', vector: n >> 2, component: n & 3 });
const register = (n: number): Value => ({ kind: 'register', register: n, stored: false });

const inputs = {
  attribute: (at: number) => Math.fround(0.3 + at),
  uniform: (at: number) => Math.fround(1 + at / 7),
};
const result = (program: Program): number | undefined => evaluate(program, inputs).varyings.get(0);

/** Three operations on uniforms each, so that nothing is computed again cheaply. */
function costly(writer: Writer, n: number): Value {
  const product = writer.node(Op.Mul, uniform(n), uniform(n + 1));
  return writer.node(Op.Max, writer.node(Op.Add, product, uniform(n)), product);
}

const remedies = ({ reliefs }: RegisterAllocation): string[] => reliefs.map(({ remedy }) => remedy);

describe('spills of the geometry processor', () => {
  it('take the registers that are read least, when more than 64 cross a block', () => {
    const writer = new Writer();
    for (let r = 0; r < 72; r++) writer.store(r, costly(writer, 2 * r));
    writer.end();
    // the first eight are read twice
    for (const block of [1, 2]) {
      let sum: Value = uniform(0);
      for (let r = block === 1 ? 8 : 0; r < 72; r++)
        if (block === 2 || r >= 64) sum = writer.node(Op.Add, sum, register(r));
      writer.varying(sum);
      writer.end();
    }
    const source = writer.program(72);
    const allocation = allocateRegisters(source, { reserve: 0 });
    const spilled = allocation.reliefs.filter(({ remedy }) => remedy === 'spilled');
    assert.equal(spilled.length, 72 - SIXTY_FOUR);
    for (const { subject } of spilled) {
      assert.equal(subject.kind, 'register');
      if (subject.kind === 'register') assert.ok(subject.register < 64, 'one that block1 does not read');
    }
    assert.equal(allocation.temporaries, 2, 'eight scalars are two vectors');
    assert.deepEqual(checkProgram(allocation.program), []);
    assert.equal(result(allocation.program), result(source));
    const [first] = spilled;
    assert.match(
      first.reason,
      /^72 registers live at once in block\d, room for 64; stored once and read once/,
    );
    assert.equal(first.bytes, 4);
    assert.equal(first.stores.length, 1);
    assert.equal(first.reloads.length, 1);
  });

  it('are not needed where one operation computes the value again', () => {
    const writer = new Writer();
    for (let r = 0; r < 72; r++)
      writer.store(r, r < 60 ? costly(writer, 2 * r) : writer.node(Op.Add, uniform(r), uniform(r + 1)));
    writer.end();
    let sum: Value = uniform(0);
    for (let r = 0; r < 72; r++) sum = writer.node(Op.Add, sum, register(r));
    writer.varying(sum);
    writer.end();
    const source = writer.program(72);
    const allocation = allocateRegisters(source, { reserve: 0 });
    assert.deepEqual(new Set(remedies(allocation)), new Set(['recomputed']));
    assert.equal(allocation.temporaries, 0);
    assert.equal(result(allocation.program), result(source));
  });

  it('spare what a loop reads', () => {
    const writer = new Writer();
    for (let r = 0; r < 70; r++) writer.store(r, costly(writer, 2 * r));
    writer.end();
    let sum: Value = register(0);
    for (let r = 0; r < 40; r++) sum = writer.node(Op.Add, sum, register(r));
    writer.store(0, sum);
    writer.end({
      target: 1,
      instruction: 0,
      condition: writer.node(Op.Lt, sum, { kind: 'constant', value: 50 }),
    });
    for (let r = 0; r < 70; r++) sum = writer.node(Op.Add, sum, register(r));
    sum = register(0);
    for (let r = 1; r < 70; r++) sum = writer.node(Op.Add, sum, register(r));
    writer.varying(sum);
    writer.end();
    const program = writer.program(70);
    const source = {
      ...program,
      blocks: program.blocks.map((block, b) => (b === 2 ? lastOf(program, block) : block)),
    };
    const allocation = allocateRegisters(source, { reserve: 0 });
    const spilled = allocation.reliefs.flatMap(({ subject, remedy }) =>
      remedy === 'spilled' && subject.kind === 'register' ? [subject.register] : [],
    );
    assert.ok(spilled.length >= 70 - SIXTY_FOUR);
    for (const r of spilled) assert.ok(r >= 40, `@r${r} is read in the loop`);
    assert.equal(result(allocation.program), result(source));
  });

  it('keep values of one block in temporaries, those with the furthest use', () => {
    const writer = new Writer();
    const values = Array.from({ length: 90 }, (_, n) => costly(writer, 2 * n));
    // every value is needed again by a second sum in the same order, so no order keeps few of them
    const product = values.reduce((a, b) => writer.node(Op.Mul, a, b));
    const scaled = values.map((value) => writer.node(Op.Mul, value, product));
    writer.varying(scaled.reduce((a, b) => writer.node(Op.Add, a, b)));
    writer.end();
    const source = writer.program(0);
    const allocation = allocateRegisters(source);
    const [pressure] = allocation.pressure;
    assert.ok(pressure.ordered >= 90);
    const spilled = allocation.reliefs.filter(({ remedy }) => remedy === 'spilled');
    assert.ok(spilled.length >= 90 - SIXTY_FOUR);
    assert.ok(allocation.temporaries <= Math.ceil(spilled.length / 4) + 1, 'vectors are filled');
    assert.deepEqual(checkProgram(allocation.program), []);
    assert.equal(result(allocation.program), result(source));
  });

  it('leave no store to a register that nothing reads', () => {
    const writer = new Writer();
    for (let r = 0; r < 8; r++) writer.store(r, costly(writer, r));
    writer.end();
    for (let r = 0; r < 8; r++) writer.store(r, uniform(r));
    writer.varying(register(3));
    writer.end();
    const allocation = allocateRegisters(writer.program(8));
    const stores = allocation.program.blocks.flatMap((block) => block.stores);
    assert.equal(stores.length, 2);
    assert.equal(allocation.usedPlaces, 1);
  });

  it('read a register that only copies a leaf where the leaf is', () => {
    const writer = new Writer();
    writer.store(0, { kind: 'attribute', vector: 1, component: 2 });
    writer.end({ target: 2, instruction: 0, condition: uniform(0) });
    writer.store(0, { kind: 'attribute', vector: 1, component: 2 });
    writer.end();
    writer.varying(writer.node(Op.Add, register(0), uniform(1)));
    writer.end();
    const allocation = allocateRegisters(writer.program(1));
    assert.deepEqual(remedies(allocation), ['reloaded']);
    assert.match(allocation.reliefs[0].reason, /all its definitions load a1\.z/);
    assert.equal(allocation.usedPlaces, 0);
  });
});

/** The block with the nodes that its stores need. */
function lastOf(program: Program, block: Block): Block {
  const needed = new Set<number>();
  const need = (value: Value): void => {
    if (value.kind !== 'node' || needed.has(value.node)) return;
    needed.add(value.node);
    program.nodes[value.node].inputs.forEach(need);
  };
  for (const { value } of block.stores) need(value);
  return { ...block, nodes: block.nodes.filter((id) => needed.has(id)) };
}
