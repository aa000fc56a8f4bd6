import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Instruction, Program } from '../../../../server/src/targets/gen/program.js';
import {
  setDependencyControl,
  unsafety,
  type DependencyControlOptions,
} from '../../../../server/src/targets/gen/vec4/dependency-control.js';
import { instruction, programOf, type Made } from '../../../support/gen-program.js';

const allocated = (...code: readonly Instruction[]): Program =>
  programOf(code, { phase: 'allocated', firstFree: 6 });

/** By instruction: `-` none, `<` NoDDClr, `>` NoDDChk, `*` both. */
const bits = (program: Program, options?: DependencyControlOptions): string =>
  setDependencyControl(program, options)
    .instructions.map(({ noDDClear, noDDCheck }) =>
      noDDClear ? (noDDCheck ? '*' : '<') : noDDCheck ? '>' : '-',
    )
    .join('');

const mov = (destination: string, source = 'g20', made: Made = {}): Instruction =>
  instruction('mov', destination, [source], made);

const both = ['precise', 'reference'] as const;

describe('gen dependency control', () => {
  for (const as of both) {
    it(`F31 gives the first of a run NoDDClr, the middle both, the last NoDDChk (${as})`, () => {
      const code = [...'xyzw'].map((channel) => mov(`g10.${channel}`));
      assert.equal(bits(allocated(...code), { as }), '<**>');
    });

    it(`F31 begins a new run where a mask overlaps any channel since its beginning (${as})`, () => {
      assert.equal(bits(allocated(mov('g10.x'), mov('g10.y'), mov('g10.x'), mov('g10.z')), { as }), '<><>');
    });

    it(`F31 ends a run at a read of its register, and at the end of a block (${as})`, () => {
      assert.equal(bits(allocated(mov('g10.x'), mov('g11', 'g10'), mov('g10.y')), { as }), '---');
      const blocks = programOf([[mov('g10.x')], [mov('g10.y')]], { phase: 'allocated', firstFree: 6 });
      assert.equal(bits(blocks, { as }), '--');
    });

    it(`F31 lets writes of other registers stand between, and keeps runs of each (${as})`, () => {
      const code = [mov('g10.x'), mov('m3.x'), mov('g10.y'), mov('m3.yzw')];
      assert.equal(bits(allocated(...code), { as }), '<<>>');
    });

    it(`F33 stops all runs at predicates, messages, math and 64 bits (${as})`, () => {
      const stops = [
        mov('g30', 'g20', { predicate: 'normal' }),
        instruction('rcp', 'g30.x', ['g20']),
        mov('g30:DF', 'g20:DF', { execSize: 4 }),
        instruction('gfx4_scratch_read', 'g30', [2], { message: { mlen: 2, baseMrf: 14 } }),
      ];
      for (const stop of stops)
        assert.equal(bits(allocated(mov('g10.x'), stop, mov('g10.y')), { as }), '---', stop.opcode.name);
    });
  }

  it('F32 forgets all general runs at a fixed register in the reference, not those of message registers', () => {
    const code = [
      instruction('dp4', 'g10.x', ['g4', 'g20']),
      instruction('dp4', 'g10.y', ['g4', 'g21']),
      instruction('dp4', 'm2.x', ['g4', 'g20']),
      instruction('dp4', 'm2.y', ['g4', 'g21']),
    ];
    assert.equal(bits(allocated(...code), { as: 'reference' }), '--<>');
    // nothing writes g4, so it breaks no run
    assert.equal(bits(allocated(...code)), '<><>');
  });

  it('F32 lets uniforms stand in a run in both', () => {
    const code = [mov('g10.x', 'u1'), mov('g10.y', 'u2')];
    for (const as of both) assert.equal(bits(allocated(...code), { as }), '<>');
  });

  it('F34 puts no bit on an opcode of several instructions, which the reference forgot', () => {
    const merges = [
      instruction('simd4x2_merge', 'g10.x', ['g20', 'g21']),
      instruction('simd4x2_merge', 'g10.y', ['g22', 'g23']),
    ];
    assert.equal(bits(allocated(...merges), { as: 'reference' }), '<>');
    assert.equal(bits(allocated(...merges)), '--');
    const names = [
      'simd4x2_merge',
      'unpack_flags_simd4x2',
      'find_live_channel',
      'broadcast',
      'mov_indirect',
      'tcs_set_input_urb_offsets',
      'an_opcode_nobody_knows',
    ];
    for (const name of names)
      assert.equal(unsafety(allocated(), instruction(name, 'g10.x', ['g20'])), 'several instructions', name);
  });

  it('F34 exempts pack_bytes, as long as it writes one channel', () => {
    const pack = (mask: string) => instruction('pack_bytes', `g10.${mask}:UD`, ['g20:UD']);
    assert.equal(bits(allocated(pack('x'), pack('y'))), '<>');
    assert.equal(unsafety(allocated(), pack('xy')), 'several instructions');
  });

  it('puts no bit on half of a SIMD4x2 instruction: its vertex may be away, and the run end unexecuted', () => {
    const half = (group: number) => mov('g10.x', 'g20', { execSize: 4, group });
    assert.equal(unsafety(allocated(), half(4)), 'half width');
    assert.equal(unsafety(allocated(), { ...half(4), noMask: true }), undefined);
  });

  it('takes g112 for m0 on Gen7', () => {
    const code = [mov('m0.x'), mov('g30', 'g112'), mov('m0.y')];
    assert.equal(bits(allocated(...code)), '---');
  });

  it('takes away bits that stood there before', () => {
    const code = [mov('g10.x', 'g20', { noDDClear: true }), mov('g11.x', 'g20', { noDDCheck: true })];
    assert.equal(bits(allocated(...code)), '--');
  });
});
