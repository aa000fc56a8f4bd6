import assert from 'node:assert/strict';
import {
  allocateBeignet,
  strategiesOf,
  strategyName,
} from '../../../../server/src/targets/gen/scalar/index.js';
import { listing, selection, type SelectionOptions } from '../../../support/gen-programs.js';

function crowd(count: number, options: SelectionOptions = { width: 16 }): ReturnType<typeof selection> {
  const names = Array.from({ length: count }, (_, k) => `r${k}`);
  const lines = [
    'dword sum ' + names.join(' '),
    'mov sum = 0',
    ...names.map((name) => `mov ${name} = 1`),
    ...names.map((name) => `add sum = sum ${name}`),
  ];
  return selection(lines.join('\n'), options);
}

describe('F29 strategies', () => {
  const { program } = crowd(1);

  it('are SIMD16, SIMD8, then SIMD8 with pools of 8 and 16', () => {
    const names = strategiesOf(program, {}).map(strategyName);
    assert.deepEqual(names, ['simd16', 'simd8', 'simd8+pool8', 'simd8+pool16']);
  });

  it('begin at SIMD8 when that is forced, and stay in SIMD16 when that is', () => {
    const names = (width: 8 | 16): string[] => strategiesOf(program, { width }).map(strategyName);
    assert.deepEqual(names(8), ['simd8', 'simd8+pool8', 'simd8+pool16']);
    assert.deepEqual(names(16), ['simd16', 'simd16+pool8', 'simd16+pool16']);
  });

  it('of a program that is not SIMD16 stay in its width', () => {
    const names = strategiesOf(crowd(1, { width: 8 }).program, {}).map(strategyName);
    assert.deepEqual(names, ['simd8', 'simd8+pool8', 'simd8+pool16']);
  });

  it('take the pool that the program has', () => {
    const names = strategiesOf({ ...program, pool: { first: 116, count: 12 } }, {}).map(strategyName);
    assert.deepEqual(names, ['simd16', 'simd8', 'simd8+pool12']);
  });

  it('fall back by name and place', () => {
    // SIMD16: 127 GRFs hold 63 registers. SIMD8: 127. With a pool of 8: 119, the rest is spilled
    const small = allocateBeignet(crowd(62).program);
    assert.deepEqual(small.attempts, [{ name: 'simd16' }]);
    const middle = allocateBeignet(crowd(100).program);
    assert.deepEqual(
      middle.attempts.map(({ name, failure, instruction }) => [name, failure, instruction]),
      [
        ['simd16', 'REGISTER_ALLOCATION_FAIL', 63],
        ['simd8', undefined, undefined],
      ],
    );
    assert.equal(middle.program.width, 8);
    const large = allocateBeignet(crowd(130).program);
    assert.deepEqual(
      large.attempts.map(({ name, failure, instruction }) => [name, failure, instruction]),
      [
        ['simd16', 'REGISTER_ALLOCATION_FAIL', 63],
        ['simd8', 'REGISTER_ALLOCATION_FAIL', 127],
        ['simd8+pool8', undefined, undefined],
      ],
    );
    assert.ok(large.allocation.kind === 'allocated' && large.allocation.spilled.length === 131 - 119);
  });

  it('a forced SIMD16 fails with more than 16 spilled registers', () => {
    // a pool of 8 leaves g1 to g119: aligned to two, 59 registers from g2 on
    const reasons = (count: number): (string | undefined)[] =>
      allocateBeignet(crowd(count).program, { width: 16 }).attempts.map(({ failure }) => failure);
    assert.deepEqual(reasons(58 + 16), ['REGISTER_ALLOCATION_FAIL', undefined]);
    assert.deepEqual(reasons(58 + 17), [
      'REGISTER_ALLOCATION_FAIL',
      'REGISTER_SPILL_EXCEED_THRESHOLD',
      'REGISTER_SPILL_EXCEED_THRESHOLD',
    ]);
    const generous = allocateBeignet(crowd(58 + 17).program, { width: 16, spillThreshold: 17 });
    assert.equal(generous.allocation.kind, 'allocated');
  });

  it('have nothing for SIMD4x2', () => {
    const { allocation, attempts } = allocateBeignet({ ...program, dialect: 'vec4' });
    assert.equal(allocation.kind, 'refused');
    assert.deepEqual(attempts, []);
  });
});

describe('a SIMD16 program as SIMD8', () => {
  it('has registers of half the lanes, instructions of 8, and no second halves', () => {
    const { program } = selection(
      `dword a b
      qword q
      word w
      uniform dword u
      reg r
      add a = b u
      mov(8) q:UQ = 1
      mov(8) q+64:UQ = 1 !group8
      mov(8) r = g0 !nomask
      mov(1) u = 1 !nomask`,
      { width: 16 },
    );
    const { program: narrow } = allocateBeignet(program, { width: 8 });
    assert.deepEqual(
      narrow.registers.map(({ bytes }) => bytes),
      [32, 32, 64, 16, 4, 32],
    );
    assert.deepEqual(listing(narrow), [
      'add a = b u<0>',
      'mov q = 1',
      'mov r = g0 !nomask',
      'mov(1) u = 1 !nomask',
    ]);
  });

  it('has shorter messages', () => {
    const { program } = selection('dword a x y\n untyped_read x y = a 1', { width: 16 });
    const [read] = program.instructions;
    const long = { ...program, instructions: [{ ...read, message: { ...read.message, mlen: 2, rlen: 4 } }] };
    const { program: narrow } = allocateBeignet(long, { width: 8 });
    assert.deepEqual([narrow.instructions[0].message.mlen, narrow.instructions[0].message.rlen], [1, 2]);
  });

  it('cannot be made where something works on the upper lanes alone', () => {
    const { program } = selection('dword a\n mov(8) a+32 = 1 !group8 !nomask', { width: 16 });
    const { attempts } = allocateBeignet(program, { width: 8 });
    assert.ok(attempts.length > 0);
    assert.ok(attempts.every(({ detail }) => detail?.includes('halves')));
  });
});
