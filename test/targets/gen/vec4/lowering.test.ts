import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type {
  Instruction,
  Operand,
  Program,
  RegisterOperand,
} from '../../../../server/src/targets/gen/program.js';
import { compare } from '../../../../server/src/targets/gen/simulate/compare.js';
import { setDependencyControl } from '../../../../server/src/targets/gen/vec4/dependency-control.js';
import { lowerMerges, mergeOrder } from '../../../../server/src/targets/gen/vec4/lower-merge.js';
import { lowerReads } from '../../../../server/src/targets/gen/vec4/lower-reads.js';
import { immediate, instruction, programOf, register, type Made } from '../../../support/gen-program.js';

const seeds = { seeds: [1, 2, 3], steps: 1000 };

/** Virtual registers v0 to v7 of one GRF, results handed over in `out`; g1 to g3 hold inputs. */
const virtual = (code: readonly Instruction[], ...out: string[]): Program =>
  programOf(code, {
    registers: Array<number>(8).fill(32),
    liveOut: out.map((text) => register(text, false) as RegisterOperand),
  });

const inputs = [1, 2, 3].map((n) => instruction('mov', `v${n}`, [`g${n}`]));
const names = ({ instructions }: Program): string[] => instructions.map(({ opcode }) => opcode.name);
const text = (operand: Operand): string =>
  operand.file === 'immediate'
    ? `#${operand.low}`
    : operand.file === 'virtual'
      ? `v${operand.register}+${operand.offset}/${operand.mask}/${operand.swizzle.toString(4).padStart(4, '0')}`
      : operand.file;

const merge = (destination: string, first: string, second: string, made: Made = {}): Instruction =>
  instruction('simd4x2_merge', destination, [first, second], made);

describe('gen lowering of simd4x2_merge', () => {
  it('F37 puts each vertex in its half, in the channels of the mask alone', () => {
    const program = virtual([...inputs, merge('v1.xz', 'v2', 'v3')], 'v1');
    const lowered = lowerMerges(program);
    assert.deepEqual(names(lowered).slice(3), ['mov', 'mov']);
    const [low, high] = lowered.instructions.slice(3);
    assert.deepEqual([low.execSize, low.group, high.execSize, high.group], [4, 0, 4, 4]);
    assert.deepEqual(text(low.destinations[0]), text(register('v1.xz', true)));
    assert.deepEqual(text(high.destinations[0]), text(register('v1+16.xz', true)));
    assert.equal(compare(program, lowered, seeds), undefined);
  });

  it('F37 keeps the swizzles, the predicate and the saturation of the merge', () => {
    const code = [
      ...inputs,
      instruction('cmp', 'null', ['v2', 'v3'], { condition: 'l' }),
      merge('v1.yzw', 'v2.wzyx', '-v3.xxyy', { predicate: 'normal', saturate: true }),
    ];
    const program = virtual(code, 'v1');
    assert.equal(compare(program, lowerMerges(program), seeds), undefined);
  });

  it('F37 moves vertex 1 first where the destination is the second source; the first source is no matter', () => {
    assert.equal(mergeOrder(merge('v2', 'v1', 'v2')), 'vertex 1 first');
    assert.equal(mergeOrder(merge('v1', 'v1', 'v2')), 'vertex 0 first');
    for (const aliased of [merge('v2', 'v1', 'v2'), merge('v1', 'v1', 'v2'), merge('v1', 'v1', 'v1')]) {
      const program = virtual([...inputs, aliased], 'v1', 'v2');
      const lowered = lowerMerges(program);
      assert.equal(lowered.instructions.length, 5);
      assert.equal(compare(program, lowered, seeds), undefined);
    }
  });

  it('F37 takes a register of its own where neither vertex may come first, and refuses in an allocated program', () => {
    const crossed = merge('v2', 'v2+16', 'v2');
    assert.equal(mergeOrder(crossed), 'neither');
    const program = virtual([...inputs, crossed], 'v2');
    const lowered = lowerMerges(program);
    assert.equal(lowered.registers.length, program.registers.length + 1);
    assert.equal(compare(program, lowered, seeds), undefined);
    const allocated = programOf([merge('g20', 'g20+16', 'g20')], { phase: 'allocated' });
    assert.deepEqual(names(lowerMerges(allocated)), ['simd4x2_merge']);
  });

  it('F37 emits nothing for an empty mask', () => {
    const [empty] = merge('v1', 'v2', 'v3').destinations;
    const none = { ...merge('v1', 'v2', 'v3'), destinations: [{ ...(empty as RegisterOperand), mask: 0 }] };
    assert.deepEqual(names(lowerMerges(virtual([none]))), []);
  });

  it('F37 never gives the moves dependency bits', () => {
    const code = [merge('g10.x', 'g20', 'g21'), merge('g10.y', 'g22', 'g23')];
    const lowered = setDependencyControl(lowerMerges(programOf(code, { phase: 'allocated' })));
    assert.equal(lowered.instructions.length, 4);
    assert.ok(lowered.instructions.every(({ noDDClear, noDDCheck }) => !noDDClear && !noDDCheck));
  });
});

describe('gen lowering of buffer reads', () => {
  const load = (destination: string, offset: string | number, made: Made = {}): Instruction => ({
    ...instruction('pull_constant_load', destination, [0, typeof offset === 'number' ? 0 : offset], made),
    ...(typeof offset === 'number' ? { sources: [immediate(0), immediate(offset, 'UD')] } : {}),
  });

  it('F38 reads the enclosing OWord of a constant offset, and swizzles by the rest: 20 is OWord 1, shift 1', () => {
    const program = virtual([load('v1.xyz', 20)], 'v1.xyzz');
    const lowered = lowerReads(program);
    assert.deepEqual(names(lowered), ['oword_dual_block_read', 'mov']);
    assert.equal(text(lowered.instructions[0].sources[0]), '#1');
    // x from y, y from z, z from w (w is not written)
    const moved = lowered.instructions[1].sources[0] as RegisterOperand;
    assert.deepEqual(
      [0, 1, 2].map((c) => (moved.swizzle >> (2 * c)) & 3),
      [1, 2, 3],
    );
    assert.equal(compare(program, lowered, seeds), undefined);
  });

  it('F38 reads a second OWord for what lies behind the first', () => {
    const program = virtual([load('v1', 24)], 'v1');
    const lowered = lowerReads(program);
    assert.deepEqual(names(lowered), ['oword_dual_block_read', 'mov', 'oword_dual_block_read', 'mov']);
    assert.deepEqual(
      [0, 2].map((i) => text(lowered.instructions[i].sources[0])),
      ['#1', '#2'],
    );
    assert.equal(compare(program, lowered, seeds), undefined);
  });

  it('F38 reads straight into the destination at a multiple of 16', () => {
    const program = virtual([load('v1', 32)], 'v1');
    const lowered = lowerReads(program);
    assert.deepEqual(names(lowered), ['oword_dual_block_read']);
    assert.equal(text(lowered.instructions[0].sources[0]), '#2');
    assert.equal(compare(program, lowered, seeds), undefined);
  });

  it('F38 reads each vertex at its own byte address, unaligned, and merges', () => {
    const code = [...inputs, instruction('and', 'v2:UD', ['g1:UD', 1020]), load('v1.xyw', 'v2.yyyy:UD')];
    const program = virtual(code, 'v1');
    const lowered = lowerReads(program);
    assert.deepEqual(names(lowered).slice(4), [
      'unaligned_oword_block_read',
      'unaligned_oword_block_read',
      'simd4x2_merge',
    ]);
    const [first, second] = lowered.instructions.slice(4).map(({ sources }) => sources[0] as RegisterOperand);
    assert.deepEqual([first.offset, second.offset], [0, 16]);
    assert.equal(compare(program, lowered, seeds), undefined);
    assert.equal(compare(program, lowerMerges(lowered), seeds), undefined);
  });

  it('lets one read do for both vertices where the offset is a constant of the program', () => {
    const lowered = lowerReads(virtual([load('v1', 'u1.xxxx:UD')], 'v1'));
    assert.deepEqual(names(lowered), ['unaligned_oword_block_read', 'simd4x2_merge']);
  });

  it('reads without the predicate, and moves with it', () => {
    const code = [
      ...inputs,
      instruction('cmp', 'null', ['v2', 'v3'], { condition: 'l' }),
      load('v1', 20, { predicate: 'normal' }),
    ];
    const program = virtual(code, 'v1');
    const lowered = lowerReads(program);
    assert.ok(
      lowered.instructions.every((each) => each.predicate === undefined || each.opcode.name === 'mov'),
    );
    assert.equal(compare(program, lowered, seeds), undefined);
  });

  it('leaves what the machine can read by itself: sampler loads, untyped reads unless asked, and all of Gen6', () => {
    const sampler = instruction('pull_constant_load_gfx7', 'v1', [0, 'v2.xxxx:UD'], { message: { mlen: 1 } });
    const untyped = instruction('untyped_surface_read', 'v1:UD', ['v2:UD', 0, 4], { message: { mlen: 1 } });
    const program = virtual([...inputs, sampler, untyped], 'v1');
    assert.equal(lowerReads(program), program);
    assert.deepEqual(names(lowerReads(program, { untyped: true })).slice(4), [
      'unaligned_oword_block_read',
      'unaligned_oword_block_read',
      'simd4x2_merge',
    ]);
    const gen6 = programOf([load('v1', 20)], { platform: 'snb', registers: [32, 32] });
    assert.equal(lowerReads(gen6), gen6);
  });
});
