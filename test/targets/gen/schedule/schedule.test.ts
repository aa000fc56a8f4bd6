import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PlatformName } from '../../../../server/src/targets/gen/platforms.js';
import type { Instruction, Program } from '../../../../server/src/targets/gen/program.js';
import { scheduleWithStalls } from '../../../../server/src/targets/gen/schedule/schedule.js';
import { instruction, programOf } from '../../../support/gen-program.js';

const allocated = (code: readonly Instruction[], platform: PlatformName = 'ivb'): Program =>
  programOf(code, { phase: 'allocated', platform });

const add = (destination: string, source: string): Instruction =>
  instruction('add', destination, [source, 'u0']);
const order = (...code: Instruction[]): number[] => Array.from(scheduleWithStalls(allocated(code)).order);
/** Clocks that the second of two instructions, a dependent of the first, waits. */
const stall = (producer: Instruction, platform: PlatformName = 'ivb'): number =>
  scheduleWithStalls(allocated([producer, add('g31', 'g30')], platform)).stalls[1];

const scratchRead = (destination: string): Instruction =>
  instruction('gfx4_scratch_read', destination, [2], { message: { mlen: 2, baseMrf: 14 } });
const scratchWrite = (source: string): Instruction =>
  instruction('gfx4_scratch_write', 'g0', [source, 2], { message: { mlen: 3, baseMrf: 13 } });

describe('gen list scheduler of i965', () => {
  it('F39 expects a stall of 14 between mul and add', () => {
    assert.equal(stall(instruction('mul', 'g30', ['g20', 'g21'])), 14);
  });

  it('F40 takes a scratch read for 14, gfx7_scratch_read for 50, an untyped read for 600 or 300', () => {
    assert.equal(stall(scratchRead('g30')), 14);
    assert.equal(stall(instruction('gfx7_scratch_read', 'g30')), 50);
    const read = instruction('untyped_surface_read', 'g30', ['g20', 3, 4], { message: { mlen: 1 } });
    assert.equal(stall(read, 'ivb'), 600);
    assert.equal(stall(read, 'hsw'), 300);
  });

  it('F41 lets nothing pass a scratch write', () => {
    // the add of g20 waits for nobody, and would come first otherwise
    const code = [add('g30', 'g20'), add('g31', 'g30'), scratchWrite('g31'), add('g32', 'g20')];
    assert.deepEqual(order(...code), [0, 1, 2, 3]);
  });

  it('F41 lets scratch reads pass others, and each other', () => {
    const code = [add('g30', 'g20'), add('g31', 'g30'), scratchRead('g32'), add('g33', 'g20')];
    assert.deepEqual(order(...code), [0, 2, 3, 1]);
  });

  it('F41 orders vs_urb_write by its payload alone', () => {
    const urb = instruction('vs_urb_write', '', [], {
      message: { mlen: 3, baseMrf: 1, isEndOfThread: true },
    });
    const code = [instruction('mov', 'm2', ['g20']), add('g30', 'g20'), add('g31', 'g30'), urb];
    const found = order(...code);
    // behind its payload's mov, but not behind everything
    assert.ok(found.indexOf(3) > found.indexOf(0));
    assert.ok(found.indexOf(3) < found.indexOf(2));
  });

  it('keeps messages behind the message registers that they send, and these behind earlier messages', () => {
    const urb = instruction('vs_urb_write', '', [], { message: { mlen: 3, baseMrf: 1 } });
    const code = [instruction('mov', 'm2', ['g20']), urb, instruction('mov', 'm2', ['g21']), urb];
    assert.deepEqual(order(...code), [0, 1, 2, 3]);
  });

  it('makes a long block full of barriers in linear time: edges end at the next barrier', () => {
    const code = Array.from({ length: 8_000 }, (_, i) =>
      i % 2 === 0 ? scratchWrite('g20') : add(`g${30 + (i % 64)}`, 'g20'),
    );
    assert.equal(order(...code).length, 8_000);
  });
});
