import { strict as assert } from 'node:assert';
import { checkAllocation } from '../../../server/src/targets/gen/check/index.js';
import { bestOf } from '../../../server/src/targets/gen/best/index.js';
import type { Instruction, Program } from '../../../server/src/targets/gen/program.js';
import { allocateVec4 } from '../../../server/src/targets/gen/i965/allocate-vec4.js';
import { allocateWithPool } from '../../../server/src/targets/gen/scalar/index.js';
import { compare } from '../../../server/src/targets/gen/simulate/compare.js';
import {
  m,
  f0,
  g,
  imm,
  ins,
  nowhere,
  program,
  v,
  type InstructionOptions,
} from '../../support/gen-machine.js';
import { programOf, shapeOf, tryMade } from '../../support/gen-trial.js';

const send = (
  destination: ReturnType<typeof v> | undefined,
  payload: ReturnType<typeof v>,
  message: InstructionOptions['message'],
  more: InstructionOptions = {},
): Instruction =>
  ins('send', destination, [imm(0, 'UD'), imm(0, 'UD'), payload], {
    ...more,
    message: { sharedFunction: 'sampler', ...message },
  });

/** `best` with every limit of registers in turn: what it allocates is right. */
function bestIsRight(of: (registerLimit: number) => Program, limits: readonly [number, number]): void {
  let allocated = 0;
  for (let limit = limits[0]; limit <= limits[1]; limit++) {
    const { allocation, lowered } = bestOf(of(limit));
    if (allocation.kind === 'refused') continue;
    allocated++;
    assert.deepEqual(checkAllocation(lowered, allocation), [], `${limit} registers`);
  }
  assert.ok(allocated > 0);
}

/** What random programs have found, as small as it became. */
describe('gen: found by random programs', () => {
  it('a pool is not put over the payload when registers are few', () => {
    const source = program(
      [
        ins('mov', v(0), [g(3)]),
        ins('send', undefined, [imm(0, 'UD'), imm(0, 'UD'), v(0)], {
          message: { mlen: 1, isEndOfThread: true },
        }),
      ],
      { dialect: 'scalar', bytes: [32], registerLimit: 11 },
    );
    const allocation = allocateWithPool(source, { reserved: 8 });
    if (allocation.kind === 'allocated') assert.deepEqual(checkAllocation(source, allocation), []);
    else assert.equal(allocation.reason, 'REGISTER_ALLOCATION_FAIL');
  });

  it('a piece is not moved away from where a message will still write it with the others', () => {
    const at = (bytes: number): { readonly offset: number } => ({ offset: bytes });
    const source = [
      ins('mov', v(0), [g(3)]),
      ins('mov', v(1), [imm(2.26)]),
      ins('mov', v(2), [g(2)]),
      ins('mov', v(3), [imm(2.02)]),
      ins('mov', v(4, at(32)), [imm(2.62)]),
      ins('mov', v(5, at(64)), [g(1)]),
      ins('mov', v(5), [v(0, { negate: true })]),
      ins('mov', v(5, at(96)), [g(3)]),
      send(v(4), v(5), { mlen: 4, rlen: 2 }),
      send(v(0), v(5), { mlen: 4, rlen: 1 }),
      ...[0, 1, 2, 3].map((register) => send(undefined, v(register), { mlen: 1 })),
    ];
    bestIsRight(
      (registerLimit) =>
        program(source, { dialect: 'scalar', bytes: [32, 32, 32, 32, 64, 128], registerLimit }),
      [8, 20],
    );
  });

  it('the parts of a payload that a loop reads before anything has written them stay side by side', () => {
    const wide: InstructionOptions = { execSize: 16 };
    const part = (register: number, piece: number) => v(register, { offset: 64 * piece });
    const source = [
      ins('mov', v(8, { type: 'D' }), [imm(0, 'D')], wide),
      ...[0, 1, 2, 3, 4].map((register) => ins('mov', v(register), [g(1, { stride: 0 })], wide)),
      ins('do', undefined, [], wide),
      ins('add', v(8, { type: 'D' }), [v(8, { type: 'D' }), imm(1, 'D')], wide),
      ins('cmp', nowhere('D'), [v(8, { type: 'D' }), imm(2, 'D')], {
        ...wide,
        condition: { test: 'ge', flag: f0 },
      }),
      ins('break', undefined, [], { ...wide, predicate: { flag: f0, inverse: false, mode: 'normal' } }),
      ins('mov', part(7, 2), [v(4, { negate: true })], wide),
      send(undefined, v(7), { mlen: 8 }, wide),
      ins('add', v(3), [part(6, 1), part(7, 3)], wide),
      ins('mov', v(6), [v(2)], wide),
      ins('while', undefined, [], wide),
      ins('mov', part(7, 0), [v(0)], wide),
      ins('mov', part(7, 1), [v(0)], wide),
      ins('mov', part(7, 2), [v(3)], wide),
      ins('mov', part(7, 3), [g(1, { stride: 0 })], wide),
      send(v(5), v(7), { mlen: 8, rlen: 2 }, wide),
      ins('mov', part(6, 0), [v(2)], wide),
      ins('mov', part(6, 1), [v(4)], wide),
      ins('mov', part(6, 2), [g(1, { stride: 0 })], wide),
      send(v(0), v(6), { mlen: 6, rlen: 2 }, wide),
      ...[0, 1, 2, 3, 5].map((register) => send(undefined, v(register), { mlen: 2 }, wide)),
    ];
    const bytes = [64, 64, 64, 64, 64, 64, 192, 256, 64];
    bestIsRight(
      (registerLimit) => program(source, { dialect: 'scalar', width: 16, bytes, registerLimit }),
      [22, 23],
    );
  });

  for (const [dialect, width, seed] of [
    ['vec4', 8, 2035],
    ['scalar', 16, 6117],
  ] as const)
    it(`what is stored of a result in a loop has the values of lanes that have left it (${dialect})`, () => {
      assert.equal(tryMade(programOf(seed, shapeOf(seed, dialect, width)), 'best', seed).fault, undefined);
    });

  it('a reload in an if of single channels is of all channels, since a swizzle may read others', () => {
    const flag = { kind: 'hardware', flag: 0 } as const;
    const of = (mode: 'normal' | 'x') =>
      program(
        [
          ...[1, 2, 3, 4].map((grf) => ins('mov', v(grf - 1), [g(grf)])),
          ins('cmp', nowhere(), [g(1), imm(0)], { condition: { test: 'l', flag } }),
          ins('if', undefined, [], { predicate: { flag, inverse: false, mode } }),
          ...[1, 2].map((register) => ins('add', v(3), [v(3), v(register)])),
          ins('add', v(3), [v(3), v(0, { swizzle: 0b01_00_11_10 })]),
          ins('endif', undefined, []),
          ...[1, 2].map((register) => ins('add', v(3), [v(3), v(register)])),
          ins('mov', m(1), [g(0)]),
          ins('mov', m(2), [v(3)]),
          ins('vs_urb_write', undefined, [], { message: { mlen: 2, baseMrf: 1, isEndOfThread: true } }),
        ],
        { bytes: [32, 32, 32, 32], firstFree: 5, registerLimit: 8 },
      );
    for (const mode of ['normal', 'x'] as const) {
      const source = of(mode);
      const allocation = allocateVec4(source);
      if (allocation.kind !== 'allocated') throw new Error(allocation.detail);
      const { instructions } = allocation.code;
      const first = instructions.findIndex(({ opcode }) => opcode.flow === 'if');
      const last = instructions.findIndex(({ opcode }) => opcode.flow === 'endif');
      const reloads = instructions
        .slice(first, last)
        .filter(({ opcode }) => opcode.name === 'gfx4_scratch_read');
      assert.ok(reloads.length > 0);
      assert.ok(reloads.every(({ noMask }) => noMask === (mode === 'normal')));
      assert.equal(compare(source, allocation.code, { seeds: [1, 2, 3, 4], steps: 1000 }), undefined);
    }
  });
});
