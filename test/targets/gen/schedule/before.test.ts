import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { Instruction, Program, RegisterOperand } from '../../../../server/src/targets/gen/program.js';
import { orderBefore } from '../../../../server/src/targets/gen/schedule/before.js';
import { compare } from '../../../../server/src/targets/gen/simulate/compare.js';
import { runs } from '../../../support/fuzz.js';
import { instruction, programOf, register } from '../../../support/gen-program.js';

const virtual = (code: readonly Instruction[], ...out: string[]): Program =>
  programOf(out.length === 0 ? code : [...code, instruction('live_out', '', out)], {
    registers: Array<number>(16).fill(32),
    liveOut: out.map((text) => register(text, false) as RegisterOperand),
  });

const names = (program: Program, limit: number): string[] =>
  orderBefore(program, { limit }).instructions.map(({ opcode }) => opcode.name);

describe('gen order before allocation, latency first within a number of registers', () => {
  const load = (destination: string, source: string): Instruction =>
    instruction('untyped_surface_read', `${destination}:UD`, [`${source}:UD`, 0, 4], {
      message: { mlen: 1 },
    });
  // four loads, each used at once
  const loads = [1, 2, 3, 4].flatMap((n) => [
    load(`v${n}`, `g${1 + (n % 3)}`),
    instruction('add', `v${4 + n}`, [`v${n}`, 'g1']),
  ]);
  const sums = [5, 6, 7, 8].map((n) => instruction('mov', 'm2.x', [`v${n}`]));

  it('begins all loads before the first use while there are registers', () => {
    assert.deepEqual(
      names(virtual([...loads, ...sums]), 100).slice(0, 4),
      Array(4).fill('untyped_surface_read'),
    );
  });

  it('waits for a load rather than begin another one when there are none', () => {
    const [first, second] = names(virtual([...loads, ...sums]), 0);
    assert.deepEqual([first, second], ['untyped_surface_read', 'add']);
  });

  it('leaves what the program does as it was, whatever the limit', () => {
    const place = fc.integer({ min: 1, max: 6 }).map((n) => `v${n}`);
    const target = fc
      .tuple(fc.oneof(place, fc.constantFrom('m2', 'm3')), fc.constantFrom('xyzw', 'x', 'zw'))
      .map(([r, mask]) => `${r}.${mask}`);
    const value = fc
      .tuple(fc.oneof(place, fc.constantFrom('g1', 'g2')), fc.constantFrom('xyzw', 'wzyx', 'xxxx'))
      .map(([r, swizzle]) => `${r}.${swizzle}`);
    const urb = instruction('vs_urb_write', '', [], { message: { mlen: 3, baseMrf: 1 } });
    const step = fc.oneof(
      fc.tuple(target, value, value).map(([d, a, b]) => instruction('add', d, [a, b])),
      fc.tuple(target, value).map(([d, a]) => instruction('mov', d, [a], { predicate: 'normal' })),
      fc.tuple(value, value).map(([a, b]) => instruction('cmp', 'null', [a, b], { condition: 'l' })),
      fc.tuple(place, place).map(([d, a]) => load(d, a)),
      fc.constant(urb),
    );
    const start = [
      ...[1, 2, 3, 4, 5, 6].map((n) => instruction('mov', `v${n}`, [`g${1 + (n % 3)}`])),
      instruction('mov', 'm2', ['g1']),
      instruction('mov', 'm3', ['g2']),
      instruction('cmp', 'null', ['g1', 'g2'], { condition: 'l' }),
    ];
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.constantFrom(0, 6, 9, 100), (code, limit) => {
        const program = virtual([...start, ...code, urb], 'v1', 'v2', 'v3');
        const found = orderBefore(program, { limit });
        assert.equal(found.instructions.length, program.instructions.length);
        assert.equal(compare(program, found, { seeds: [1], steps: 1000 }), undefined);
      }),
      { numRuns: runs(200) },
    );
  });
});
