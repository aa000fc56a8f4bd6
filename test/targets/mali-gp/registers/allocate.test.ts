import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  evaluate,
  type Evaluation,
  type EvaluationInputs,
} from '../../../../server/src/targets/mali-gp/evaluate.js';
import type { Block, Program, Value } from '../../../../server/src/targets/mali-gp/graph.js';
import { checkProgram } from '../../../../server/src/targets/mali-gp/lower/check.js';
import { lower } from '../../../../server/src/targets/mali-gp/lower/index.js';
import {
  allocateRegisters,
  type RegisterAllocation,
} from '../../../../server/src/targets/mali-gp/registers/index.js';
import { corpusOrSkip, filesOf, spread } from '../../../support/corpus.js';
import { runs } from '../../../support/fuzz.js';
import { compareRuns, generator } from '../../../support/gpir-runs.js';
import { functionOfGpir, readGpir } from '../../../support/gpir-text.js';
import { programShape, randomProgram } from '../../../support/random-gp-program.js';

/**
 * The program in which registers are their places: if two that share a place disturbed each other across blocks, it
 * would compute something else, or store one place twice in a block.
 */
function inPlaces({ program, places }: RegisterAllocation): Program {
  const rename = <V extends Value>(value: V): V =>
    value.kind === 'register' ? { ...value, register: places[value.register] } : value;
  return {
    ...program,
    nodes: program.nodes.map((node) => ({ ...node, inputs: node.inputs.map(rename) })),
    blocks: program.blocks.map((block): Block => ({
      ...block,
      stores: block.stores.map((store) => ({
        ...store,
        to: store.to.kind === 'register' ? { ...store.to, register: places[store.to.register] } : store.to,
        value: rename(store.value),
      })),
      ...(block.branch?.condition && {
        branch: { ...block.branch, condition: rename(block.branch.condition) },
      }),
    })),
    registers: Array.from({ length: 64 }, (_, place) => ({
      name: `$${place >> 2}.${'xyzw'[place & 3]}`,
      virtual: -1,
      fixed: place,
      isLiveIn: false,
      isLiveOut: false,
    })),
  };
}

/**
 * Whether the nodes and stores of each block have an order at all: readers after what they read, reads of a place
 * before what overwrites it, reads of a stored value after the store, and the edges of value allocation.
 */
function assertOrderable({ program, places, tasks }: RegisterAllocation): void {
  program.blocks.forEach((block, b) => {
    const before = new Map<string, Set<string>>();
    const edge = (first: string, second: string): void => {
      if (!before.has(second)) before.set(second, new Set());
      before.get(second)!.add(first);
    };
    const storeAt = new Map<string, string>();
    const stores = block.stores.map((store, n) => ({ store, item: `store ${n}` }));
    const location = (value: Value): string | undefined => {
      if (value.kind === 'register') return `place ${places[value.register]}`;
      return value.kind === 'temporary' ? `temporary ${4 * value.vector + value.component}` : undefined;
    };
    for (const { store, item } of stores) {
      if (store.to.kind === 'register') storeAt.set(`place ${places[store.to.register]}`, item);
      if (store.to.kind === 'temporary')
        storeAt.set(`temporary ${4 * store.to.vector + store.to.component}`, item);
    }
    const reads = (value: Value, item: string): void => {
      if (value.kind === 'node') return edge(`node ${value.node}`, item);
      const where = location(value);
      const store = where && storeAt.get(where);
      if (store === undefined || store === item) return;
      if ('stored' in value && value.stored) edge(store, item);
      else edge(item, store);
    };
    for (const id of block.nodes) for (const input of program.nodes[id].inputs) reads(input, `node ${id}`);
    // registers of the source may be exchanged: then both stores stand in one word
    for (const { store, item } of stores) if (store.value.kind === 'node') reads(store.value, item);
    for (const [first, second] of tasks[b].order ?? []) edge(`node ${first}`, `node ${second}`);
    const state = new Map<string, 'open' | 'done'>();
    const visit = (item: string): void => {
      assert.notEqual(state.get(item), 'open', `block ${b}: ${item} waits for itself`);
      if (state.has(item)) return;
      state.set(item, 'open');
      for (const earlier of before.get(item) ?? []) visit(earlier);
      state.set(item, 'done');
    };
    for (const item of before.keys()) visit(item);
  });
}

function assertSound(allocation: RegisterAllocation): void {
  assert.deepEqual(allocation.unplaced, []);
  assert.deepEqual(checkProgram(allocation.program), []);
  assert.deepEqual(checkProgram(inPlaces(allocation)), []);
  assertOrderable(allocation);
  allocation.program.registers.forEach(({ fixed }, r) => {
    if (fixed >= 0) assert.equal(allocation.places[r], fixed);
  });
}

function assertEqualRuns(source: Program, allocation: RegisterAllocation, seed: number): void {
  const placed = inPlaces(allocation);
  for (let trial = 0; trial < 3; trial++) {
    const random = generator(seed + 977 * trial);
    const numbers = Array.from({ length: 64 }, () => Math.fround(4 * random() - 1));
    const inputs = { attribute: (at: number) => numbers[at], uniform: (at: number) => numbers[at + 16] };
    const handed = (r: number): number => (source.registers[r].isLiveIn ? numbers[32 + r] : NaN);
    const expected = evaluate(source, { ...inputs, register: handed }, 60);
    const held = new Map<number, number>();
    source.registers.forEach(({ isLiveIn }, r) => {
      if (isLiveIn) held.set(allocation.places[r], handed(r));
    });
    for (const actual of [
      evaluate(allocation.program, { ...inputs, register: handed }, 60),
      evaluate(placed, { ...inputs, register: (place) => held.get(place) ?? NaN }, 60),
    ]) {
      assert.equal(actual.hasEnded, expected.hasEnded);
      assert.deepEqual(actual.varyings, expected.varyings);
    }
    if (!expected.hasEnded) continue;
    const ended = evaluate(placed, { ...inputs, register: (place) => held.get(place) ?? NaN }, 60);
    source.registers.forEach(({ isLiveOut }, r) => {
      if (isLiveOut) assert.equal(ended.registers[allocation.places[r]], expected.registers[r]);
    });
  }
}

describe('registers of the geometry processor', () => {
  for (const [what, most, reserve] of [
    ['few registers', { blocks: 6, registers: 12, nodes: 12 }, 8],
    ['more registers than places', { blocks: 8, registers: 180, nodes: 25 }, 8],
    ['large blocks', { blocks: 2, registers: 90, nodes: 400 }, 8],
    ['all places', { blocks: 6, registers: 100, nodes: 20 }, 0],
  ] as const)
    it(`get places that compute the same: ${what}`, () => {
      fc.assert(
        fc.property(programShape(most), (shape) => {
          const source = randomProgram(shape);
          assert.deepEqual(checkProgram(source), []);
          const allocation = allocateRegisters(source, { reserve });
          assertSound(allocation);
          assertEqualRuns(source, allocation, shape.seed);
        }),
        { numRuns: runs(40) },
      );
    });

  it('are found for the corpus', function () {
    const folder = corpusOrSkip(this, 'gpir');
    for (const file of spread(filesOf(folder, '.gpir'), 3, 1)) {
      const text = readGpir(readFileSync(file, 'utf8'));
      const allocation = allocateRegisters(lower(functionOfGpir(text)).program);
      assertSound(allocation);
      const placed = inPlaces(allocation);
      const run = ({ attribute, uniform }: EvaluationInputs): Evaluation =>
        evaluate(placed, { attribute, uniform });
      const { difference } = compareRuns(text, run, allocation.program, 3);
      assert.equal(difference, undefined, file);
    }
  });
});
