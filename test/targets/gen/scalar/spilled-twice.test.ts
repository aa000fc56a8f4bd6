import assert from 'node:assert/strict';
import { genIr } from '../../../../server/src/languages/gen-ir/index.js';
import { decode } from '../../../../server/src/targets/gen/decode.js';
import type { Program } from '../../../../server/src/targets/gen/program.js';
import { allocateBeignet } from '../../../../server/src/targets/gen/scalar/index.js';
import { compare, executable } from '../../../../server/src/targets/gen/simulate/compare.js';
import { listing } from '../../../support/gen-programs.js';

function programOf(text: string): Program {
  const unit = genIr.parse(text);
  const environment = {
    earlier: () => [],
    later: () => [],
    names: () => [],
    setting: () => undefined,
    isFirst: true,
  };
  const lowered = genIr.lower(genIr.bind(unit, environment));
  assert.ok(lowered);
  return decode(lowered);
}

/**
 * In 2013 Beignet spilled one register after the other; the pass for the second one met the hardware operands and the
 * spill code that the first had left behind, took the virtual number of a hardware operand (which nobody had set) for
 * the register to spill, and put spill code around spill code. This program is in that state: it has a pool, spill
 * code and hardware operands already, and more registers than fit.
 */
const values = Array.from({ length: 36 }, (_, k) => k);
const text = [
  '.gen 1',
  '.target ivb',
  '.stage fs',
  '.mode simd8',
  '.payload g0-g2',
  '.grf_limit 40',
  '.reserved 8 @g32',
  '.scratch 64',
  ...values.map((k) => `mov(8) vgrf${k}:D, ${k}d`),
  'add(8) g33:D, g1:D, 5d',
  'gfx4_scratch_write(8) (mlen: 2) null:D, g33:D {offset 32}',
  'gfx7_scratch_read(8) g34:D,   NoMask {offset 32}',
  'add(8) vgrf36:D, g34:D, vgrf3:D',
  ...values.map((k) => `add(8) vgrf36:D, vgrf36:D, vgrf${k}:D`),
  'mov(8) g1:D, vgrf36:D',
  '.live_out g1',
].join('\n');

describe('F24 spilling several registers of a program that has spill code and hardware operands', () => {
  const program = programOf(text);
  const { allocation, attempts } = allocateBeignet(program);

  it('spills some of them', () => {
    assert.deepEqual(
      attempts.map(({ name, failure }) => [name, failure]),
      [
        ['simd8', 'REGISTER_ALLOCATION_FAIL'],
        ['simd8+pool8', undefined],
      ],
    );
    assert.ok(allocation.kind === 'allocated' && allocation.spilled.length > 1);
  });

  it('leaves the spill code of the text and its hardware operands as they are', () => {
    assert.ok(allocation.kind === 'allocated');
    const before = listing(program).filter((line) => /\bg3[34]\b/.test(line));
    const after = listing(allocation.code);
    for (const line of before.slice(0, 3)) assert.ok(after.includes(line), line);
    // the sum reads g34 and one spilled or placed register, never one register twice
    const sum = allocation.code.instructions.find(
      ({ origin, opcode }) => origin >= 0 && opcode.name === 'add' && origin === values.length + 3,
    );
    const [first, second] = sum?.sources.map((s) => (s.file === 'grf' ? s.grf : -1)) ?? [];
    assert.equal(first, 34);
    assert.notEqual(second, 34);
  });

  it('and still computes what the text says', () => {
    assert.ok(allocation.kind === 'allocated');
    const options = { seeds: [1, 2, 3], steps: 1000 };
    assert.equal(executable(program, options), undefined);
    assert.equal(compare(program, allocation.code, options), undefined);
  });
});
