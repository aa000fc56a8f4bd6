import assert from 'node:assert/strict';
import { atomsOf } from '../../../../server/src/targets/gen/best/atoms.js';
import { factsOf, fit, place, plan } from '../../../../server/src/targets/gen/best/candidate.js';
import { rangesOf } from '../../../../server/src/targets/gen/best/live.js';
import { referencesOf } from '../../../../server/src/targets/gen/best/references.js';
import { resourcesOf } from '../../../../server/src/targets/gen/best/resources.js';
import { pressureOrder, reordered } from '../../../../server/src/targets/gen/best/schedule.js';
import type { Instruction, Program } from '../../../../server/src/targets/gen/program.js';
import { graphOf, instruction, programOf } from '../../../support/gen-program.js';

const rangesIn = (program: Program) => rangesOf(program, referencesOf(program));

/** Most registers that live at once, counted from the ranges alone. */
function peak(program: Program): number {
  const { from, to } = rangesIn(program);
  let most = 0;
  for (let position = 0; position <= 2 * program.instructions.length; position++) {
    let live = 0;
    for (let cell = 0; cell < from.length; cell++) if (from[cell] <= position && position < to[cell]) live++;
    most = Math.max(most, live);
  }
  return most;
}

const scratch = (code: readonly Instruction[], way: 'read' | 'write'): number =>
  code.filter(({ opcode }) => opcode.scratch === way).length;

describe('gen best: ranges', () => {
  it('lets a result take the place of a source that ends there', () => {
    const { from, to } = rangesIn(
      programOf([instruction('mov', 'v0', ['g2']), instruction('add', 'v1', ['v0', 'v0'])], {
        registers: [32, 32],
      }),
    );
    // v0 is written by instruction 0 (position 1) and read by 1 (position 2); v1 begins at 3
    assert.deepEqual([from[0], to[0], from[1]], [1, 3, 3]);
  });

  it('keeps what a loop carries, and what lanes that left it still need, through the whole loop', () => {
    const program = graphOf(
      [1, 1],
      [
        [[instruction('mov', 'v0', ['g2'])], 1],
        [[instruction('add', 'v1', ['v0', 'g2']), instruction('mov', 'v0', ['v1'])], 1, 2],
        [[instruction('mov', 'm2', ['v1'])]],
      ],
    );
    const { from, to } = rangesIn(program);
    // v0 to the loop's end; v1 is written whole before it is read, but read behind the loop
    assert.deepEqual([from[0], to[0]], [1, 6]);
    assert.deepEqual([from[1], to[1]], [3, 7]);
  });
});

describe('gen best: atoms', () => {
  it('takes a result of four registers apart, and binds what a message reads together', () => {
    const send = instruction('send', 'v1', [0, 0, 'v0'], { message: { mlen: 2, rlen: 4 } });
    const program = programOf(
      [
        instruction('mov', 'v0', ['g2']),
        instruction('mov', 'v0+32', ['g3']),
        send,
        instruction('add', 'v2', ['v1+32', 'v1+96']),
      ],
      { registers: [64, 128, 32], dialect: 'scalar', registerLimit: 128 },
    );
    const references = referencesOf(program);
    const atoms = atomsOf(program, references, rangesOf(program, references));
    assert.deepEqual([...atoms.size], [1, 1, 1, 1, 1, 1, 1]);
    assert.deepEqual([...atoms.isBound], [1, 1, 0, 0, 0, 0, 0]);
  });
});

/** Sums of neighbours over `n` loads that all come first: n registers live, though two would do. */
function wide(n: number, source: (k: number) => string): Program {
  const code = [];
  for (let k = 0; k < n; k++) code.push(instruction('mul', `v${k}`, [source(k), 'g3']));
  code.push(instruction('mov', `v${n}`, ['g2']));
  for (let k = 0; k < n; k++) code.push(instruction('add', `v${n + k + 1}`, [`v${n + k}`, `v${k}`]));
  code.push(instruction('mov', 'm2', [`v${2 * n}`]));
  return programOf(code, { registers: Array<number>(2 * n + 1).fill(32), firstFree: 4, registerLimit: 16 });
}

describe('gen best: order', () => {
  it('brings twenty values that wait for a sum down to two', () => {
    const program = wide(20, () => 'g2');
    const references = referencesOf(program);
    const order = pressureOrder(
      program,
      references,
      rangesOf(program, references),
      resourcesOf(program, references),
      'upwards',
    );
    assert.equal(peak(program), 21);
    assert.equal(peak(reordered(program, order)), 2);
  });

  it('leaves writers of one message register, and readers of a flag, behind each other', () => {
    const compare = instruction('cmp', 'null', ['g2', 'g3'], { condition: 'l' });
    const select = (to: string) => instruction('sel', to, ['g2', 'g3'], { predicate: 'normal' });
    const program = programOf(
      [
        compare,
        select('v0'),
        compare,
        select('v1'),
        instruction('mov', 'm2', ['v0']),
        instruction('mov', 'm2', ['v1']),
      ],
      { registers: [32, 32] },
    );
    const references = referencesOf(program);
    const order = pressureOrder(
      program,
      references,
      rangesOf(program, references),
      resourcesOf(program, references),
      'upwards',
    );
    const at = [...order];
    const place = (i: number): number => at.indexOf(i);
    assert.ok(place(0) < place(1) && place(1) < place(2) && place(2) < place(3) && place(4) < place(5));
  });
});

describe('gen best: splitting', () => {
  it('computes again what comes from the payload, without any message', () => {
    const facts = factsOf(wide(20, () => 'g2'));
    assert.equal(fit(facts), undefined);
    const made = plan(facts, { recompute: true, most: 1 });
    assert.ok('split' in made);
    assert.equal(made.split.messages, 0);
    assert.ok(made.split.operations > 0);
  });

  it('stores a value once for all its reloads where it cannot be computed again', () => {
    const facts = factsOf(wide(20, () => 'g2'));
    const made = plan(facts, { recompute: false, most: 1 });
    assert.ok('split' in made);
    const attempt = place(made, () => true);
    assert.ok('allocation' in attempt);
    const { code, spilled } = attempt.allocation;
    const stored = spilled.filter(({ how }) => how === 'stored');
    // g4 to g15, and g2 and g3 behind their last readers, are 14 for the 21 values that live at once
    assert.equal(stored.length, 7);
    assert.equal(scratch(code.instructions, 'write'), 7);
    assert.equal(scratch(code.instructions, 'read'), 7);
  });
});
