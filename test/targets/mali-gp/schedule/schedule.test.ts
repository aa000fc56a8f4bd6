import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { evaluate } from '../../../../server/src/targets/mali-gp/evaluate.js';
import type { BlockTask, Value } from '../../../../server/src/targets/mali-gp/graph.js';
import { Op } from '../../../../server/src/targets/mali-gp/operations.js';
import { checkRules } from '../../../../server/src/targets/mali-gp/rules.js';
import { improveBlock, scheduleBlock } from '../../../../server/src/targets/mali-gp/schedule/index.js';
import { simulate } from '../../../../server/src/targets/mali-gp/simulate.js';
import type { BlockSchedule, CompiledProgram } from '../../../../server/src/targets/mali-gp/word.js';
import { runs } from '../../../support/fuzz.js';
import { BlockBuilder, attribute, uniform } from '../../../support/gp-block.js';
import { randomTask } from './random-task.js';

const attributes = Float64Array.from({ length: 64 }, (_, k) => Math.fround(0.25 + k * 0.37));
const uniforms = Float64Array.from({ length: 256 }, (_, k) => Math.fround(1.5 - k * 0.11));
const registerValue = (place: number): number => Math.fround(2 + place * 0.7);

function compiled(task: BlockTask, { words }: BlockSchedule): CompiledProgram {
  const { branch } = task.block;
  // A branch goes to the block behind, which is empty.
  const own = branch
    ? words.map((word) => (word.branch === undefined ? word : { ...word, branch: 1 }))
    : words;
  return {
    name: 'test',
    words: branch ? [...own, { units: new Array<undefined>(6).fill(undefined) }] : own,
    blocks: branch
      ? [
          { label: '', start: 0 },
          { label: '', start: words.length },
        ]
      : [{ label: '', start: 0 }],
    uniforms: 64,
    constants: [],
    registers: {},
  };
}

/** The words obey the rules of the machine and leave behind what the graph says. */
function checkSchedule(task: BlockTask, schedule: BlockSchedule): void {
  assert.equal(schedule.failed, undefined);
  const program = compiled(task, schedule);
  assert.deepEqual(checkRules(program), []);
  const { places } = task;
  const wanted = evaluate(
    {
      ...task.program,
      blocks: [{ ...task.block, ...(task.block.branch && { branch: { target: 1, instruction: 0 } }) }],
    },
    {
      attribute: (place) => attributes[place],
      uniform: (place) => uniforms[place],
      register: (register) => registerValue(places[register]),
    },
  );
  const registers = new Map(Array.from({ length: 64 }, (_, place) => [place, registerValue(place)]));
  const run = simulate(program, { attributes, uniforms, registers }, 10_000);
  assert.equal(run.fault, undefined);
  for (const [place, value] of wanted.varyings) same(run.varyings.get(place), value, `varying ${place}`);
  for (let r = 0; r < places.length; r++)
    same(run.registers.get(places[r]), wanted.registers[r], `register ${r}`);
}

function same(actual: number | undefined, wanted: number, what: string): void {
  if (Number.isNaN(wanted)) return;
  assert.equal(Number(actual) + 0, wanted + 0, what);
}

const choices = (maxLength: number): fc.Arbitrary<number[]> =>
  fc.array(fc.nat(1 << 20), { minLength: 8, maxLength });

describe('mali-gp scheduler', () => {
  it('gives words that the machine accepts and that compute what the graph says', () => {
    fc.assert(
      fc.property(choices(160), fc.nat(12), fc.boolean(), (list, registers, far) => {
        const task = randomTask(list, registers, far);
        checkSchedule(task, scheduleBlock(task, { steps: 200 }));
      }),
      { numRuns: runs(400) },
    );
  });

  it('manages with few registers or none', () => {
    fc.assert(
      fc.property(choices(120), fc.nat(20), fc.integer({ min: 58, max: 64 }), (list, registers, taken) => {
        const task = randomTask(list, registers, false, taken);
        const schedule = scheduleBlock(task, { steps: 100 });
        // Where no order of the nodes lets the values fit, it may say so.
        if (!schedule.failed) checkSchedule(task, schedule);
      }),
      { numRuns: runs(100) },
    );
  });

  it('exchanges registers', () => {
    const builder = new BlockBuilder();
    const registers = [0, 1, 2, 3, 4].map((place) => builder.register(place));
    registers.forEach((register, k) =>
      builder.store(
        { kind: 'register', register },
        { kind: 'register', register: registers[(k + 1) % 5], stored: false },
      ),
    );
    const task = builder.task();
    checkSchedule(task, scheduleBlock(task));
  });

  it('reads what the block itself stores to registers and temporaries', () => {
    const builder = new BlockBuilder();
    const register = builder.register(7);
    const sum = builder.node(Op.Add, attribute(0), attribute(1));
    builder.store({ kind: 'register', register }, sum);
    builder.store({ kind: 'temporary', vector: 500, component: 2 }, builder.node(Op.Mul, sum, attribute(2)));
    const late = builder.node(Op.Max, { kind: 'register', register, stored: true }, attribute(3));
    const last = builder.node(Op.Min, late, { kind: 'temporary', vector: 500, component: 2, stored: true });
    builder.varying(0, 0, last);
    const task = builder.task();
    checkSchedule(task, scheduleBlock(task));
  });

  it('keeps values by moves alone where all registers are taken', () => {
    const builder = new BlockBuilder();
    for (let place = 0; place < 64; place++) builder.register(place);
    const a = builder.node(Op.Add, attribute(0), uniform(0));
    let chain: Value = builder.node(Op.Mul, attribute(1), uniform(1));
    for (let k = 0; k < 12; k++) chain = builder.node(Op.Rcp, chain);
    builder.varying(0, 0, builder.node(Op.Add, a, chain));
    const task = builder.task();
    const schedule = scheduleBlock(task);
    checkSchedule(task, schedule);
    assert.deepEqual(schedule.spills, []);
  });

  it('finishes what is broad before all registers are taken', () => {
    const builder = new BlockBuilder();
    let row: Value[] = Array.from({ length: 600 }, (_, k) =>
      builder.node(Op.Mul, attribute(k & 7, k & 3), uniform(k & 31, (k >> 3) & 3)),
    );
    while (row.length > 1) {
      const sums: Value[] = [];
      for (let k = 0; k + 1 < row.length; k += 2) sums.push(builder.node(Op.Add, row[k], row[k + 1]));
      if (row.length % 2 === 1) sums.push(row[row.length - 1]);
      row = sums;
    }
    builder.varying(0, 0, row[0]);
    const task = { ...builder.task(), liveIn: new Uint8Array(64), liveOut: new Uint8Array(64) };
    const schedule = scheduleBlock(task);
    checkSchedule(task, schedule);
    // 600 products and 599 sums; every word but those at the two ends should do nearly four of them.
    assert.ok(schedule.words.length < 400, `${schedule.words.length} words`);
  });

  it('stores what nothing computes in one word, whatever was scheduled before', () => {
    const builder = new BlockBuilder();
    builder.varying(0, 0, attribute(0));
    const schedule = scheduleBlock(builder.task());
    checkSchedule(builder.task(), schedule);
    assert.equal(schedule.words.length, 1);
  });

  it('has words enough for a chain of the slowest operations', () => {
    const builder = new BlockBuilder();
    let chain: Value = attribute(0);
    for (let k = 0; k < 60; k++) chain = builder.node(k % 2 === 0 ? Op.Log2 : Op.Exp2, chain);
    builder.varying(0, 0, chain);
    const task = builder.task();
    const schedule = scheduleBlock(task, { steps: 1 });
    checkSchedule(task, schedule);
    assert.equal(schedule.words.length, 60 * 4 + 1);
  });

  it('always gives the same words, and never worse ones for more steps', () => {
    fc.assert(
      fc.property(choices(200), (list) => {
        const task = randomTask(list, 3, true);
        const quick = scheduleBlock(task, { steps: 300 });
        assert.deepEqual(scheduleBlock(task, { steps: 300 }), quick);
        const slices = improveBlock(task, quick, { steps: 3000 });
        let step = slices.next();
        while (!step.done) step = slices.next();
        assert.ok(step.value.words.length <= quick.words.length);
        checkSchedule(task, step.value);
      }),
      { numRuns: runs(20) },
    );
  });
});
