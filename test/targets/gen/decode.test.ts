import assert from 'node:assert/strict';
import { decode } from '../../../server/src/targets/gen/decode.js';
import { restrictedFloat } from '../../../server/src/targets/gen/decode-text.js';
import {
  bytesRead,
  bytesWritten,
  channelsRead,
  hasHazard,
  impliedMrf,
  payloadMrf,
  writesFlag,
} from '../../../server/src/targets/gen/access.js';
import type { Instruction } from '../../../server/src/targets/gen/program.js';
import { genFunction } from '../../support/gen-function.js';

const vec4 = (...lines: string[]): readonly Instruction[] =>
  decode(genFunction(lines, { dialect: 'vec4', platform: 'hsw' })).instructions;
const scalar = (widths: Record<number, number>, ...lines: string[]): readonly Instruction[] =>
  decode(genFunction(lines, { dialect: 'scalar', platform: 'hsw', width: 8 }, widths)).instructions;

describe('Gen: decoding', () => {
  it('reads predicate, condition, modifiers, masks and swizzles', () => {
    const [cmp, mov] = vec4(
      'cmp(8) cond=ge.f0.1 | null:F <- v0.wwww:F, #F:3f000000',
      'mov(8) sat pred=-f0.1.any4h | v1+16.xz:F <- -|v0.yyyy|:F',
    );
    assert.deepEqual(cmp.condition, { test: 'ge', flag: { kind: 'hardware', flag: 1 } });
    assert.ok(writesFlag(cmp));
    assert.equal(cmp.destinations[0].file, 'null');
    assert.deepEqual([cmp.sources[1].type, 'low' in cmp.sources[1] && cmp.sources[1].low], ['F', 0x3f000000]);
    assert.deepEqual(mov.predicate, { flag: { kind: 'hardware', flag: 1 }, inverse: true, mode: 'any4h' });
    assert.ok(mov.saturate);
    const [destination] = mov.destinations;
    const [source] = mov.sources;
    assert.ok(destination.file === 'virtual' && source.file === 'virtual');
    assert.deepEqual([destination.register, destination.offset, destination.mask], [1, 16, 0b0101]);
    assert.deepEqual([source.negate, source.absolute, source.swizzle], [true, true, 0b01010101]);
  });

  it('keeps a hardware register apart from every virtual one', () => {
    const [mov] = vec4('mov(8) | v0:F <- g4:F');
    const [source] = mov.sources;
    assert.ok(source.file === 'grf' && source.grf === 4);
    assert.ok(!('register' in source));
  });

  it('reads vector immediates by the format of the restricted float: 1 is 0x30, -2 is 0xc0, 0 is 0', () => {
    assert.deepEqual([0x30, 0xc0, 0, 0x38].map(restrictedFloat), [1, -2, 0, 1.5]);
  });

  it('lets the option win over the platform of the file, and takes Ivy Bridge where neither says', () => {
    const source = genFunction(['mov(8) | v0:F <- g4:F'], { dialect: 'vec4', platform: 'hsw' });
    assert.equal(decode(source).platform.name, 'hsw');
    assert.equal(decode(source, { platform: 'byt' }).platform.name, 'byt');
    assert.equal(decode(genFunction(['mov(8) | v0:F <- g4:F'])).platform.name, 'ivb');
  });

  it('F11 gives vec4 on Gen7 112 registers, everything else 128', () => {
    const limit = (attributes: Record<string, string>): number =>
      decode(genFunction([], attributes)).registerLimit;
    assert.equal(limit({ dialect: 'vec4', platform: 'ivb' }), 112);
    assert.equal(limit({ dialect: 'vec4', platform: 'snb' }), 128);
    assert.equal(limit({ dialect: 'scalar', platform: 'ivb' }), 128);
    assert.equal(limit({ dialect: 'selection', platform: 'ivb' }), 128);
  });
});

describe('Gen: what dumps leave out of messages', () => {
  it('gives vec4 scratch messages the last message registers, and reads the slot from the index', () => {
    const [read, write] = vec4(
      'gfx4_scratch_read(8) | v0:F <- #D:00000006',
      'gfx4_scratch_write(8) | g0.xy:F <- v0.xyyy:F, #D:00000006',
    );
    assert.deepEqual(payloadMrf(read), { first: 14, count: 2 });
    assert.deepEqual(payloadMrf(write), { first: 13, count: 3 });
    // F17: slot n is index 2n, a slot has 32 bytes: index 6 is byte 96.
    assert.deepEqual([read.message.scratchOffset, write.message.scratchOffset], [96, 96]);
    assert.deepEqual(read.message.assumed, []);
    assert.deepEqual(impliedMrf(write), { first: 13, count: 3 });
  });

  it('counts the message registers that were written for a URB write, header included, to an odd length', () => {
    const [, , , urb] = vec4(
      'mov(8) | m2:UD <- #UD:00000000',
      'mov(8) | m3:F <- v0:F',
      'mov(8) | m4.xyz:F <- v0:F',
      'vs_urb_write(8) | none:UD <-',
    );
    assert.deepEqual(payloadMrf(urb), { first: 1, count: 5 });
    assert.deepEqual([...urb.message.assumed].sort(), ['base_mrf', 'mlen']);
    assert.equal(bytesWritten(urb, 0, 'vec4'), 0);
  });

  it('lets a send write the whole register that it names', () => {
    const [send] = scalar({ 1: 4 }, 'send(8) mlen=2 | v1:F <- #UD:00000000, #UD:00000000, v0:F');
    assert.equal(bytesWritten(send, 0, 'scalar'), 128);
    assert.equal(bytesRead(send, 2, 'scalar'), 64);
  });
});

describe('Gen: bytes and channels of operands', () => {
  it('reads execution size times type size, uniforms and immediates four elements in vec4, one in scalar code', () => {
    const [add] = vec4('add(8) | v0:F <- v1:F, u2.xxxx:F');
    assert.deepEqual(
      [0, 1].map((k) => bytesRead(add, k, 'vec4')),
      [32, 16],
    );
    const [wide] = vec4('add(8) | v0:DF <- v1:DF, v1:DF');
    assert.equal(bytesWritten(wide, 0, 'vec4'), 64);
    assert.ok(hasHazard(wide, 'vec4'));
    const [mul] = scalar({}, 'mul(16) | v0:F <- v1:F, u2<0>:F');
    assert.deepEqual(
      [0, 1].map((k) => bytesRead(mul, k, 'scalar')),
      [64, 4],
    );
    assert.ok(!hasHazard(mul, 'scalar'));
    const [half] = scalar({}, 'mul(16) | v0:F <- v1:F, v2+4<0>:F');
    assert.ok(hasHazard(half, 'scalar'));
  });

  it('reads two components for interpolation, and sixteen bytes of its coefficients', () => {
    const [linterp] = scalar({ 1: 2 }, 'linterp(8) | v0:F <- v1:F, g6+16<0>:F');
    assert.deepEqual(
      [0, 1].map((k) => bytesRead(linterp, k, 'scalar')),
      [64, 16],
    );
  });

  it('reads the swizzled channels of the write mask, dot products what they multiply', () => {
    const [mul, dp3, write] = vec4(
      'mul(8) | v0.xz:F <- v1.wzyx:F, v2:F',
      'dp3(8) | v0.w:F <- v1.xxyw:F, v2:F',
      'gfx4_scratch_write(8) | g0.xy:F <- v0.zwww:F, #D:00000000',
    );
    assert.deepEqual(
      [0, 1].map((k) => channelsRead(mul, k)),
      [0b1010, 0b0101],
    );
    assert.deepEqual(
      [0, 1].map((k) => channelsRead(dp3, k)),
      [0b0011, 0b0111],
    );
    assert.equal(channelsRead(write, 0), 0b1100);
  });
});
