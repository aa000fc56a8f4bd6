import assert from 'node:assert/strict';
import type { Allocated } from '../../../../server/src/targets/gen/allocation.js';
import type { Program } from '../../../../server/src/targets/gen/program.js';
import {
  allocateWithPool,
  type PoolOptions,
} from '../../../../server/src/targets/gen/scalar/allocate-program.js';
import { listing, selection, type Selection, type SelectionOptions } from '../../../support/gen-programs.js';

function allocated(program: Program, options: PoolOptions): Allocated {
  const allocation = allocateWithPool(program, options);
  assert.equal(allocation.kind, 'allocated', allocation.kind === 'refused' ? allocation.detail : '');
  return allocation;
}

function compile(
  text: string,
  options: PoolOptions = { reserved: 0 },
  selected: SelectionOptions = {},
): Selection & { allocation: Allocated; code: string[]; place: (name: string) => number } {
  const made = selection(text, selected);
  const allocation = allocated(made.program, options);
  return {
    ...made,
    allocation,
    code: listing(allocation.code),
    place: (name) => allocation.address[made.of(name)],
  };
}

describe('the linear scan', () => {
  it('F11 gives payload registers back after their last use', () => {
    // g1 to g126 hold the payload and one register is left: a value more fits only when a payload register has died
    const text = `dword a b c
      mov a = g1
      mov b = g2
      mov c = 3
      add a = a b
      add a = a c
      mov g9 = a`;
    const { place } = compile(text, { reserved: 0 }, { firstFree: 10 });
    assert.ok(
      place('a') >= 10 * 32 || [3, 4, 5, 6, 7, 8].includes(place('a') / 32),
      'unnamed ones are free at once',
    );
    const tight = compile(text.replaceAll('g9', 'g1'), { reserved: 0, maxRegisters: 5 }, { firstFree: 3 });
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => tight.place(name) / 32),
      [3, 4, 2],
    );
  });

  it('F12 a native instruction may write over the source that ends there; a mov may not', () => {
    const { place } = compile(
      `dword a b c
      mov a = 1
      add b = a 1
      mov c = b
      add c = c c`,
      { reserved: 8 }, // with a pool ended registers are given back at once
    );
    assert.equal(place('b'), place('a'));
    assert.notEqual(place('c'), place('b'));
  });

  it('places the payload by last use, from g1 on', () => {
    const { place } = compile(`dword late early x
      uniform dword n
      add x = early n
      add x = x late
      add x = x late`);
    // early ends at -1 + 0, n at 0, late at 3
    assert.deepEqual([place('early'), place('n'), place('late')], [32, 64, 96]);
  });

  it('gives ended registers back at every twelfth register only, without a pool', () => {
    const names = Array.from({ length: 14 }, (_, k) => `r${k}`);
    const text = ['dword ' + names.join(' '), ...names.map((name) => `mov ${name} = 1`)].join('\n');
    const { place } = compile(text);
    // r0 to r10 are the first eleven; the twelfth expires all before it and begins at the lowest again
    assert.deepEqual(
      names.slice(0, 11).map((name) => place(name) / 32),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    );
    assert.deepEqual(
      names.slice(11).map((name) => place(name) / 32),
      [1, 2, 3],
    );
  });

  it('keeps the second and third source of a mad in different halves', () => {
    const { place } = compile(`dword a b c d
      mov a = 1
      mov b = 2
      mov c = 3
      mad d = c a b`);
    assert.ok(place('a') < 2048);
    assert.equal(place('b'), 127 * 32, 'from the tail, because its partner lies below g64');
  });

  it('lets a register of the block borrow the hole of another', () => {
    // between the add and the second mov the place of a holds nothing
    const text = `dword a b t
      L0 -> 1
      mov a = 1
      add b = a 1
      add t = b 1
      add b = b t
      mov a = 5
      L1
      add b = a b`;
    const { place } = compile(text);
    assert.equal(place('t'), place('a'));
    const without = compile(text, { reserved: 0, reusesHoles: false });
    assert.notEqual(without.place('t'), without.place('a'));
  });

  it('does not let a register borrow that is written in all lanes', () => {
    const { place } = compile(`dword a b t
      L0 -> 1
      mov a = 1
      add b = a 1
      add t = b 1 !nomask
      add b = b t
      mov a = 5
      L1
      add b = a b`);
    assert.notEqual(place('t'), place('a'));
  });
});

describe('vectors', () => {
  it('places the operands of a message together and the answer too', () => {
    const { place, code } = compile(`dword addr x y
      mov addr = 1
      untyped_read x y = addr 1
      add x = x y`);
    assert.equal(place('y'), place('x') + 32);
    assert.equal(code.length, 3, 'no copies');
  });

  it('copies a register that is in two vectors already, and a uniform one', () => {
    const { code } = compile(`dword addr x y
      uniform dword u
      add addr = 1 2
      add x = 1 2
      add y = 1 2
      untyped_write = addr x y 1
      untyped_write = addr y x 1
      untyped_write = addr u 1`);
    // the second write needs copies of all three; the third of its address and of u, spread over the lanes
    assert.equal(code.filter((line) => line.startsWith('mov')).length, 3 + 2);
    assert.ok(code.some((line) => /^mov g\d+ = g\d+(\+\d+)?<0> !nomask$/.test(line)));
  });

  it('shares a run of a longer vector', () => {
    const { code } = compile(`dword a b c
      mov a = 1
      mov b = 2
      mov c = 3
      untyped_write = a b c 1
      untyped_write = b c 1`);
    assert.equal(code.length, 5);
  });

  it('always copies sources when registers may be spilled, so that the originals may go alone', () => {
    const text = `dword a b
      mov a = 1
      mov b = 2
      untyped_write = a b 1`;
    assert.equal(compile(text).code.length, 3);
    assert.equal(compile(text, { reserved: 8 }).code.length, 5);
  });

  it('F27 the copy for an answer lives for two points, so that it is no temporary of the pool', () => {
    const made = compile(
      `dword addr x
      uniform dword u
      mov addr = 1
      untyped_read u = addr 1
      mov x = u`,
    );
    assert.equal(made.code.filter((line) => line.startsWith('mov(1)')).length, 1);
    assert.ok(made.code.find((line) => line.startsWith('mov(1)'))!.endsWith('!nomask'));
  });
});
