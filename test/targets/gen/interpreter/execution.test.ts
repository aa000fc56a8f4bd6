import { strict as assert } from 'node:assert';
import { run } from '../../../../server/src/targets/gen/simulate/run.js';
import type { Instruction } from '../../../../server/src/targets/gen/program.js';
import { f0, g, imm, ins, mask, nowhere, program, swizzle, v } from '../../../support/gen-machine.js';
import { bitsOf, OPTIONS, result, scalar } from '../../../support/gen-result.js';

describe('gen interpreter: channels', () => {
  const fill = (register: number, values: number[]) =>
    values.map((value, c) =>
      ins('mov', v(register, { type: 'D', offset: 4 * c, stride: 1 }), [imm(value, 'D')], {
        execSize: 1,
        noMask: true,
      }),
    );
  it('a stride of 0 reads one element, a stride of 2 every other', () => {
    const data = fill(0, [10, 11, 12, 13, 14, 15, 16, 17]);
    const one = ins('mov', v(1, { type: 'D' }), [v(0, { type: 'D', stride: 0, offset: 8 })]);
    assert.deepEqual(scalar([...data, one], 1), Array(8).fill(12));
    const two = ins('mov', v(1, { type: 'D' }), [v(0, { type: 'D', stride: 2 })], { execSize: 4 });
    assert.deepEqual(scalar([...data, two], 1).slice(0, 5), [10, 12, 14, 16, undefined]);
  });
  it('a region goes by rows', () => {
    const data = fill(0, [0, 1, 2, 3, 4, 5, 6, 7]);
    const rows = ins('mov', v(1, { type: 'D' }), [v(0, { type: 'D', region: [1, 4, 0] })]);
    assert.deepEqual(scalar([...data, rows], 1), [0, 0, 0, 0, 1, 1, 1, 1]);
  });
  it('16 channels execute as two halves: the second sees what the first wrote', () => {
    const data = [
      ins('mov', v(0, { type: 'D' }), [imm(5, 'D')], { execSize: 16 }),
      ins('add', v(0, { type: 'D' }), [v(0, { type: 'D', stride: 0 }), imm(1, 'D')], { execSize: 16 }),
    ];
    const all = scalar(data, 0, 'D', { width: 16 });
    assert.deepEqual(all, [...Array<number>(8).fill(6), ...Array<number>(8).fill(7)]);
  });
  it('write masks and swizzles go vertex by vertex', () => {
    const data = fill(0, [0, 1, 2, 3, 4, 5, 6, 7]);
    const moves = [
      ins('mov', v(1, { type: 'D' }), [imm(9, 'D')]),
      ins('mov', v(1, { type: 'D', mask: mask('yz') }), [v(0, { type: 'D', swizzle: swizzle('wwxx') })]),
    ];
    // The data moves are of one channel each and do not care about the dialect.
    const all = result(program([...data, ...moves], { bytes: [32, 32], liveOut: [v(1, { type: 'D' })] }));
    assert.deepEqual(all, [9, 3, 0, 9, 9, 7, 4, 9]);
  });
  it('a dot product is one number a vertex', () => {
    const p = program(
      [
        ins('mov', v(0), [{ ...imm(0, 'VF'), vector: [1, 2, 3, 4] }]),
        ins('dp4', v(1, { mask: mask('y') }), [v(0), v(0)]),
        ins('dph', v(2), [v(0), v(0)]),
        ins('mov', v(1, { mask: mask('x') }), [v(2)]),
      ],
      { bytes: [32, 32, 32], liveOut: [v(1, { swizzle: swizzle('xyxy') })] },
    );
    const [dph, dp4] = [1 + 4 + 9 + 4, 1 + 4 + 9 + 16].map(bitsOf);
    assert.deepEqual(result(p), [dph, dp4, dph, dp4, dph, dp4, dph, dp4]);
  });
});

describe('gen interpreter: control flow', () => {
  const lane = (register: number) =>
    ins('mov', v(register, { type: 'UW' }), [{ ...imm(0, 'UV'), low: 0x7654_3210 }], { noMask: true });
  const D = { type: 'D' } as const;
  const set = (value: number, more: Partial<Instruction> = {}) =>
    ins('mov', v(1, D), [imm(value, 'D')], more);
  const less = (limit: number) =>
    ins('cmp', nowhere('D'), [v(0, { type: 'UW' }), imm(limit, 'D')], {
      condition: { test: 'l', flag: f0 },
    });
  const predicate = { flag: f0, inverse: false, mode: 'normal' } as const;

  it('each channel takes its own side of an if', () => {
    const all = scalar(
      [
        lane(0),
        less(3),
        ins('if', undefined, [], { predicate }),
        set(1),
        ins('else', undefined),
        set(2),
        ins('endif', undefined),
      ],
      1,
    );
    assert.deepEqual(all, [1, 1, 1, 2, 2, 2, 2, 2]);
  });
  it('NoMask writes in channels that do not execute; nothing executes where no channel does', () => {
    const all = scalar(
      [
        lane(0),
        set(0),
        less(3),
        ins('if', undefined, [], { predicate }),
        set(7, { noMask: true }),
        ins('endif', undefined),
        less(0),
        ins('if', undefined, [], { predicate }),
        set(9, { noMask: true }),
        ins('endif', undefined),
      ],
      1,
    );
    assert.deepEqual(all, Array(8).fill(7));
  });
  it('a loop goes on until the last channel has left', () => {
    // Each channel counts to its own number: break when the counter is not below it.
    const all = scalar(
      [
        lane(0),
        set(0),
        ins('do', undefined),
        ins('cmp', nowhere('D'), [v(1, D), v(0, { type: 'UW' })], { condition: { test: 'ge', flag: f0 } }),
        ins('break', undefined, [], { predicate }),
        ins('add', v(1, D), [v(1, D), imm(1, 'D')]),
        ins('while', undefined),
      ],
      1,
    );
    assert.deepEqual(all, [0, 1, 2, 3, 4, 5, 6, 7]);
  });
  it('a channel that has left a loop inside of an if stays out at the endif', () => {
    const all = scalar(
      [
        lane(0),
        set(0),
        ins('do', undefined),
        less(4),
        ins('if', undefined, [], { predicate }),
        ins('break', undefined),
        ins('endif', undefined),
        set(5),
        less(100),
        ins('while', undefined, [], { predicate: { ...predicate, inverse: true } }),
      ],
      1,
    );
    assert.deepEqual(all, [0, 0, 0, 0, 5, 5, 5, 5]);
  });
  it('halted channels come back at the target', () => {
    const all = scalar(
      [
        lane(0),
        set(1),
        less(2),
        ins('halt', undefined, [], { predicate }),
        set(2),
        ins('halt_target', undefined),
        ins('add', v(1, D), [v(1, D), imm(10, 'D')]),
      ],
      1,
    );
    assert.deepEqual(all, [11, 11, 12, 12, 12, 12, 12, 12]);
  });
  it('any and all of a vertex, and one component for all', () => {
    const compare = ins('cmp', nowhere('F'), [v(0), imm(3, 'F')], { condition: { test: 'z', flag: f0 } });
    const chosen = (mode: 'any4h' | 'all4h' | 'x' | 'z') =>
      result(
        program(
          [
            ins('mov', v(0), [{ ...imm(0, 'VF'), vector: [1, 2, 3, 4] }]),
            compare,
            ins('sel', v(1, D), [imm(1, 'D'), imm(0, 'D')], {
              predicate: { flag: f0, inverse: false, mode },
            }),
          ],
          { bytes: [32, 32], liveOut: [v(1, D)] },
        ),
      )[1];
    assert.deepEqual([chosen('any4h'), chosen('all4h'), chosen('x'), chosen('z')], [1, 0, 0, 1]);
  });
  it('a branch on what was never written ends the comparison', () => {
    const p = program([ins('if', undefined, [], { predicate }), ins('endif', undefined)], {
      dialect: 'scalar',
    });
    assert.equal(run(p, OPTIONS).end, 'unknown');
  });
  it('a loop without an end reaches the limit', () => {
    const p = program([ins('do', undefined), ins('while', undefined)], { dialect: 'scalar' });
    assert.equal(run(p, OPTIONS).end, 'limit');
  });
});

describe('gen interpreter: messages', () => {
  it('scratch keeps the channels that were not written', () => {
    const D = { type: 'D' } as const;
    const message = { mlen: 3, baseMrf: 13, scratchOffset: 64 };
    const index = imm(4, 'D');
    const write = (letters: string) =>
      ins('gfx4_scratch_write', g(0, { ...D, mask: mask(letters) }), [v(0, D), index], { message });
    const p = program(
      [
        ins('mov', v(0, D), [imm(5, 'D')]),
        write('xyzw'),
        ins('mov', v(0, D), [imm(6, 'D')]),
        write('yw'),
        ins('gfx4_scratch_read', v(1, D), [index], {
          message: { mlen: 2, baseMrf: 14, scratchOffset: 64 },
        }),
      ],
      { bytes: [32, 32], liveOut: [v(1, D)] },
    );
    assert.deepEqual(result(p), [5, 6, 5, 6, 5, 6, 5, 6]);
  });
  it('a read sees what was written before, channel by channel', () => {
    const D = { type: 'D' } as const;
    const p = program(
      [
        ins('mov', v(0, { type: 'UW' }), [{ ...imm(0, 'UV'), low: 0x7654_3210 }], { noMask: true }),
        ins('mul', v(1, { type: 'UD' }), [v(0, { type: 'UW' }), imm(4, 'UD')]),
        ins('add', v(2, D), [v(1, D), imm(100, 'D')]),
        ins('untyped_write', undefined, [v(1, { type: 'UD' }), v(2, D), imm(3, 'UD')]),
        ins('xor', v(1, { type: 'UD' }), [v(1, { type: 'UD' }), imm(4, 'UD')]),
        ins('untyped_read', v(3, D), [v(1, { type: 'UD' }), imm(3, 'UD')]),
      ],
      { dialect: 'selection', bytes: [32, 32, 32, 32], liveOut: [v(3, D)] },
    );
    assert.deepEqual(result(p), [104, 100, 112, 108, 120, 116, 128, 124]);
  });
});
