import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { estimate, stallsOf } from '../../../../server/src/targets/gen/estimate/estimate.js';
import type { PlatformName } from '../../../../server/src/targets/gen/platforms.js';
import { instruction, programOf } from '../../../support/gen-program.js';

const cycles = (platform: PlatformName, ...code: ReturnType<typeof instruction>[]): number =>
  estimate(programOf(code, { phase: 'allocated', platform })).cycles;

describe('gen estimate', () => {
  it('F39 estimates mul -> add at 18 cycles on ivb and 16 on hsw: 2 to issue each, 14 or 12 of latency', () => {
    const code = [instruction('mul', 'g10', ['g5', 'g6']), instruction('add', 'g11', ['g10', 'g5'])];
    assert.equal(cycles('ivb', ...code), 18);
    assert.equal(cycles('hsw', ...code), 16);
  });

  it('F33 estimates four dp4 into one register at 44 cycles plain and 8 with the bits on ivb, 38 and 8 on hsw', () => {
    const chain = (hasBits: boolean) =>
      [...'xyzw'].map((channel, i) =>
        instruction('dp4', `g10.${channel}`, [`g${20 + i}`, 'g5'], {
          noDDClear: hasBits && i < 3,
          noDDCheck: hasBits && i > 0,
        }),
      );
    assert.equal(cycles('ivb', ...chain(false)), 44);
    assert.equal(cycles('ivb', ...chain(true)), 8);
    assert.equal(cycles('hsw', ...chain(false)), 38);
    assert.equal(cycles('hsw', ...chain(true)), 8);
  });

  it('F40 takes 100 cycles for a scratch read', () => {
    const read = instruction('gfx4_scratch_read', 'g10', [2], { message: { mlen: 2, baseMrf: 14 } });
    // 2 to issue, 100 until the data are there, 2 for the add
    assert.equal(cycles('ivb', read, instruction('add', 'g11', ['g10', 'g5'])), 104);
  });

  it('keeps figures finite in loops of any depth: beyond nine they count as nine', () => {
    const nested = (depth: number): number =>
      cycles(
        'ivb',
        ...Array.from({ length: depth }, () => instruction('do', '', [])),
        instruction('mov', 'g10', ['g5']),
        ...Array.from({ length: depth }, () => instruction('while', '', [])),
      );
    assert.ok(nested(9) > 1e9);
    for (const depth of [10, 300, 3000]) assert.ok(nested(depth) < 1e11 * depth, `${depth}`);
  });

  it('names the producer and the register or the unit that an instruction waits for', () => {
    const program = programOf(
      [
        instruction('rcp', 'g10', ['g5']),
        instruction('add', 'g11', ['g10', 'g5']),
        instruction('int_quot', 'g12', ['g5:D', 'g6:D']),
        instruction('int_rem', 'g13', ['g5:D', 'g6:D']),
      ],
      { phase: 'allocated' },
    );
    assert.deepEqual(stallsOf(program, estimate(program)), [
      { instruction: 1, cycles: 14, producer: 0, cause: { register: 'g10' } },
      // the divider keeps the unit for 26 clocks from when it began, and the front end has spent 2 of them
      { instruction: 3, cycles: 24, producer: 2, cause: { unit: 'math' } },
    ]);
  });

  it('counts what stands in a loop ten times, `while` included and `do` not', () => {
    const code = [
      [instruction('do', '')],
      [instruction('add', 'g10', ['g5', 'g6']), instruction('while', '')],
      [instruction('add', 'g11', ['g5', 'g6'])],
    ];
    const program = programOf(code, { phase: 'allocated' });
    assert.equal(estimate(program).cycles, 0 + 10 * (2 + 2) + 2);
  });

  it('lets message registers of Gen7 share the time of g112 to g127', () => {
    const code = [instruction('mov', 'm2', ['g5']), instruction('mov', 'g20', ['g114'])];
    assert.equal(cycles('ivb', ...code), 18);
    assert.equal(cycles('snb', ...code), 4);
  });

  it('starts the clock of a selection program by the table of Beignet, and says so', () => {
    const code = [
      instruction('untyped_read', 'g10', ['g5'], { execSize: 16 }),
      instruction('add', 'g12', ['g10', 'g5'], { execSize: 16 }),
    ];
    const found = estimate(programOf(code, { phase: 'allocated', dialect: 'selection', width: 16 }));
    assert.equal(found.model, 'beignet');
    assert.equal(found.cycles, 160 + 4);
  });
});
