import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { Instruction, Program, RegisterOperand } from '../../../../server/src/targets/gen/program.js';
import { compare } from '../../../../server/src/targets/gen/simulate/compare.js';
import { coalesce } from '../../../../server/src/targets/gen/vec4/coalesce.js';
import { runs } from '../../../support/fuzz.js';
import { instruction, programOf, register, type Made } from '../../../support/gen-program.js';

const seeds = { seeds: [1, 2], steps: 1000 };

const virtual = (code: readonly Instruction[], ...out: string[]): Program =>
  programOf(out.length === 0 ? code : [...code, instruction('live_out', '', out)], {
    registers: Array<number>(8).fill(32),
    liveOut: out.map((text) => register(text, false) as RegisterOperand),
  });

const mov = (destination: string, source: string, made: Made = {}) =>
  instruction('mov', destination, [source], made);
const add = (destination: string, a: string, b: string, made: Made = {}) =>
  instruction('add', destination, [a, b], made);
const urb = instruction('vs_urb_write', '', [], { message: { mlen: 3, baseMrf: 1, isEndOfThread: true } });

/** Destinations that are left, as in the text of the tests. */
const written = (program: Program): string[] =>
  coalesce(program).instructions.flatMap(({ destinations }) =>
    destinations.map((destination) => {
      if (destination.file === 'immediate') return '';
      const mask = [...'xyzw'].filter((_, c) => (destination.mask >> c) & 1).join('');
      const base =
        destination.file === 'virtual'
          ? `v${destination.register}`
          : destination.file === 'message'
            ? `m${destination.number}`
            : destination.file;
      return mask === 'xyzw' ? base : `${base}.${mask}`;
    }),
  );

const isKept = (code: readonly Instruction[], ...out: string[]): void => {
  const program = virtual(code, ...out);
  assert.equal(coalesce(program), program);
};

describe('gen register coalescing', () => {
  it('F35 lets the producer write the message register, with the mask of the move', () => {
    const program = virtual([add('v1.xyz', 'g1', 'g2'), mov('m2.xyz', 'v1.xyzz'), urb]);
    assert.deepEqual(written(program), ['m2.xyz']);
    assert.equal(compare(program, coalesce(program), seeds), undefined);
  });

  it('F35 keeps two masked moves into one message register from clobbering each other', () => {
    const code = [
      add('v1.xy', 'g1', 'g2'),
      add('v2.xy', 'g2', 'g3'),
      mov('m2.xy', 'v1.xyyy'),
      mov('m2.zw', 'v2.xyxy'),
      urb,
    ];
    const program = virtual(code);
    assert.deepEqual(written(program), ['m2.xy', 'm2.zw']);
    assert.equal(compare(program, coalesce(program), seeds), undefined);
  });

  it('turns the sources by the swizzle of the move, but not those of dot products', () => {
    const code = [
      add('v1', 'g1.xxyy', 'g2'),
      mov('v2', 'v1.wzyx'),
      instruction('dp4', 'v3.x', ['g1', 'g2']),
      mov('v4.w', 'v3.xxxx'),
    ];
    const program = virtual(code, 'v2', 'v4.wwww');
    assert.deepEqual(written(program), ['v2', 'v4.w']);
    assert.equal(compare(program, coalesce(program), seeds), undefined);
  });

  it('follows several producers of one register', () => {
    const code = [add('v1.xy', 'g1', 'g2'), add('v1.zw', 'g2', 'g3'), mov('v2', 'v1')];
    const program = virtual(code, 'v2');
    assert.deepEqual(written(program), ['v2.xy', 'v2.zw']);
    assert.equal(compare(program, coalesce(program), seeds), undefined);
  });

  it('deletes a move of a register to itself', () => {
    const program = virtual([add('v1', 'g1', 'g2'), mov('v1.xz', 'v1')], 'v1');
    assert.deepEqual(written(program), ['v1']);
  });

  it('F36 keeps the move where the source lives on', () => {
    isKept([add('v1', 'g1', 'g2'), mov('v2', 'v1'), add('v3', 'v1', 'v2')], 'v3');
    isKept([add('v1', 'g1', 'g2'), mov('m2', 'v1'), urb], 'v1');
  });

  it('F36 keeps it behind producers that write a flag, accumulate, or are messages', () => {
    isKept([add('v1', 'g1', 'g2', { condition: 'nz' }), mov('v2', 'v1')], 'v2');
    isKept([instruction('mac', 'v1', ['g1', 'g2']), mov('v2', 'v1')], 'v2');
    const read = instruction('gfx4_scratch_read', 'v1', [2], { message: { mlen: 2, baseMrf: 14 } });
    isKept([read, mov('v2', 'v1')], 'v2');
    isKept([instruction('unpack_flags_simd4x2', 'v1:UD', []), mov('v2:UD', 'v1:UD')], 'v2');
  });

  it('F36 keeps a partial move behind an opcode that cannot mask, and coalesces a whole one', () => {
    const merge = instruction('simd4x2_merge', 'v1', ['g1', 'g2']);
    isKept([merge, mov('m2.xy', 'v1.xyyy'), urb]);
    assert.deepEqual(written(virtual([merge, mov('m2', 'v1'), urb])), ['m2']);
  });

  it('F36 keeps it where the producer is narrower, wider, or under another mask', () => {
    isKept([mov('v1', 'g1', { execSize: 4 }), mov('v2', 'v1')], 'v2');
    isKept([mov('v1', 'g1', { noMask: true }), mov('v2', 'v1')], 'v2');
  });

  it('F36 keeps it where the message register belongs to another message in between', () => {
    const first = { ...urb, message: { ...urb.message, isEndOfThread: false } };
    isKept([add('v1', 'g1', 'g2'), mov('m2', 'g3'), first, mov('m2', 'v1'), urb]);
    const reload = instruction('gfx4_scratch_read', 'v3', [2], { message: { mlen: 2, baseMrf: 14 } });
    isKept([add('v1', 'g1', 'g2'), reload, mov('m15', 'v1')], 'v3');
  });

  it('keeps it where the destination is read or written in between, or the source is read', () => {
    isKept([add('v1', 'g1', 'g2'), add('v3', 'v2', 'g1'), mov('v2', 'v1')], 'v2', 'v3');
    isKept([add('v1', 'g1', 'g2'), mov('v2.x', 'g1'), mov('v2', 'v1')], 'v2');
    isKept([add('v1', 'g1', 'g2'), add('v3', 'v1', 'g1'), mov('v2', 'v1')], 'v2', 'v3');
  });

  it('keeps a saturating move behind a producer of another type', () => {
    isKept([add('v1:D', 'g1:D', 'g2:D'), mov('v2', 'v1', { saturate: true })], 'v2');
    const program = virtual([add('v1', 'g1', 'g2'), mov('v2', 'v1', { saturate: true })], 'v2');
    assert.ok(coalesce(program).instructions[0].saturate);
    assert.equal(compare(program, coalesce(program), seeds), undefined);
  });

  it('leaves what the program does as it was', () => {
    const place = fc.constantFrom('v1', 'v2', 'v3', 'v4');
    const target = fc
      .tuple(fc.oneof(place, fc.constantFrom('m2', 'm3')), fc.constantFrom('xyzw', 'x', 'xy', 'zw', 'yw'))
      .map(([r, mask]) => `${r}.${mask}`);
    const value = fc
      .tuple(fc.oneof(place, fc.constantFrom('g1', 'g2')), fc.constantFrom('xyzw', 'wzyx', 'xxxx', 'yyzw'))
      .map(([r, swizzle]) => `${r}.${swizzle}`);
    const step = fc.oneof(
      fc.tuple(target, value).map(([d, a]) => mov(d, a)),
      fc.tuple(target, value, fc.boolean()).map(([d, a, saturate]) => mov(d, a, { saturate })),
      fc.tuple(target, value, value).map(([d, a, b]) => add(d, a, b)),
      fc.tuple(target, value, value).map(([d, a, b]) => instruction('dp3', d, [a, b])),
      fc.tuple(target, value).map(([d, a]) => mov(d, a, { predicate: 'normal' })),
      fc.constant({ ...urb, message: { ...urb.message, isEndOfThread: false } }),
    );
    const start = [
      ...[1, 2, 3, 4].map((n) => mov(`v${n}`, n % 2 === 0 ? 'g1' : 'g2.wzyx')),
      mov('m2', 'g1'),
      mov('m3', 'g2'),
      instruction('cmp', 'null', ['g1', 'g2'], { condition: 'l' }),
    ];
    fc.assert(
      fc.property(fc.array(step, { maxLength: 16 }), (code) => {
        const program = virtual([...start, ...code, urb], 'v1', 'v2');
        assert.equal(compare(program, coalesce(program), { seeds: [1], steps: 1000 }), undefined);
      }),
      { numRuns: runs(300) },
    );
  });
});
