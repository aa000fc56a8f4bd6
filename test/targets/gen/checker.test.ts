import { strict as assert } from 'node:assert';
import type { Allocated } from '../../../server/src/targets/gen/allocation.js';
import { checkAllocation, checkSchedule } from '../../../server/src/targets/gen/check/index.js';
import type { Instruction, Program } from '../../../server/src/targets/gen/program.js';
import {
  f0,
  g,
  imm,
  ins,
  mask,
  nowhere,
  program,
  u,
  v,
  type ProgramOptions,
} from '../../support/gen-machine.js';

/** The source's instructions at the places that `at` gives (GRFs), with the allocator's own where `more` puts them. */
function allocated(
  source: Program,
  at: readonly number[],
  more: readonly { readonly before: number; readonly code: Instruction; readonly carries?: number }[] = [],
  change: (instruction: Instruction, i: number) => Instruction = (instruction) => instruction,
): Allocated {
  const carries: number[] = [];
  const instructions: Instruction[] = [];
  const blockStart = new Int32Array(source.blockStart.length);
  const place = <T extends Instruction['sources'][number]>(operand: T): T =>
    operand.file === 'virtual'
      ? { ...g(at[operand.register]), ...operand, file: 'grf', grf: at[operand.register] }
      : operand;
  let block = 0;
  for (let i = 0; i <= source.instructions.length; i++) {
    while (block < blockStart.length && source.blockStart[block] === i)
      blockStart[block++] = instructions.length;
    for (const { before, code, carries: register = -1 } of more)
      if (before === i) {
        instructions.push(code);
        carries.push(register);
      }
    if (i === source.instructions.length) break;
    const original = source.instructions[i];
    const placed = {
      ...original,
      destinations: original.destinations.map(place),
      sources: original.sources.map(place),
    };
    instructions.push(change(placed, i));
    carries.push(-1);
  }
  blockStart[block - 1] = instructions.length;
  return {
    kind: 'allocated',
    code: { ...source, phase: 'allocated', instructions, blockStart },
    address: Int32Array.from(at, (grf) => grf * 32),
    spilled: [],
    scratchBytes: 1024,
    carries: Int32Array.from(carries),
  };
}

const messages = (source: Program, result: Allocated): string[] =>
  checkAllocation(source, result).map(({ message }) => message);

const right = (source: Program, result: Allocated) => {
  assert.deepEqual(messages(source, result), []);
};

const wrong = (source: Program, result: Allocated, expected: RegExp) => {
  assert.match(messages(source, result).join('\n'), expected);
};

const scratch = (offset: number) => ({ mlen: 0, baseMrf: -1, scratchOffset: offset });
const own = { noMask: true, origin: -1 } as const;
const reload = (grf: number, offset: number, more: Partial<Instruction> = {}) =>
  ins('gfx7_scratch_read', g(grf), [], { ...own, ...more, message: { ...scratch(offset), rlen: 1 } });
const save = (grf: number, offset: number, more: Partial<Instruction> = {}) =>
  ins('gfx4_scratch_write', nowhere(), [g(grf)], {
    ...own,
    ...more,
    message: { ...scratch(offset), mlen: 2 },
  });

describe('gen: allocation checker', () => {
  const simd8: ProgramOptions = { dialect: 'scalar', bytes: [32, 32, 32] };
  const straight = program(
    [
      ins('mov', v(0), [g(2)]),
      ins('mov', v(1), [g(3)]),
      ins('add', v(2), [v(0), v(1)]),
      ins('send', undefined, [imm(0, 'UD'), imm(0, 'UD'), v(2)], {
        message: { mlen: 1, isEndOfThread: true },
      }),
    ],
    simd8,
  );

  it('accepts registers that share a place one after the other', () => {
    right(straight, allocated(straight, [10, 11, 10]));
  });
  it('refuses two values in one register at a time', () => {
    wrong(
      straight,
      allocated(straight, [10, 10, 11]),
      /instruction 2 \(add\) reads g10 for v0, which holds v1 since instruction 1/,
    );
  });
  it('refuses a value over the payload while it is wanted', () => {
    wrong(
      straight,
      allocated(straight, [3, 11, 12]),
      /instruction 1 \(mov\) reads g3 for the program's own g3, which holds v0/,
    );
  });
  it('follows a value through scratch and copies', () => {
    const more = [
      { before: 1, code: save(10, 64) },
      { before: 2, code: reload(20, 64) },
      { before: 2, code: ins('mov', g(10), [g(20)], own) },
    ];
    right(
      straight,
      allocated(straight, [10, 10, 12], more.slice(0, 1).concat(more[1], more[2]), (instruction, i) =>
        i === 1
          ? { ...instruction, destinations: [g(11)] }
          : i === 2
            ? { ...instruction, sources: [g(10), g(11)] }
            : instruction,
      ),
    );
  });
  it('refuses a reload from another slot', () => {
    const more = [
      { before: 1, code: save(10, 64) },
      { before: 2, code: reload(10, 96) },
    ];
    wrong(
      straight,
      allocated(straight, [10, 11, 12], more),
      /reads g10 for v0, which comes from scratch byte 96 by the allocator's code 3/,
    );
  });
  it('accepts a constant that is computed again, with the right operands', () => {
    const source = program(
      [
        ins('add', v(0), [u(1), imm(2)]),
        ins('mov', v(1), [g(3)]),
        ins('add', v(2), [v(0), v(1)]),
        ins('send', undefined, [imm(0, 'UD'), imm(0, 'UD'), v(2)], { message: { mlen: 1 } }),
      ],
      simd8,
    );
    const again = (value: number) => [
      { before: 2, code: ins('add', g(10), [u(1), imm(value)], own), carries: 0 },
    ];
    const lost = (instruction: Instruction, i: number) =>
      i === 0 ? { ...instruction, destinations: [g(12)] } : instruction;
    right(source, allocated(source, [10, 11, 12], again(2), lost));
    wrong(source, allocated(source, [10, 11, 12], again(3), lost), /reads g10 for v0/);
  });

  describe('channels', () => {
    const predicate = { flag: f0, inverse: false, mode: 'normal' } as const;
    // v0 is set on both sides of an if; v1 lives only on the else side.
    const sides = program(
      [
        ins('cmp', nowhere(), [g(2), g(3)], { condition: { test: 'l', flag: f0 } }),
        ins('if', undefined, [], { predicate }),
        ins('mov', v(0), [g(2)]),
        ins('else', undefined),
        ins('mov', v(1), [g(3)]),
        ins('mov', v(0), [v(1)]),
        ins('endif', undefined),
        ins('send', undefined, [imm(0, 'UD'), imm(0, 'UD'), v(0)], { message: { mlen: 1 } }),
      ],
      simd8,
    );
    it('the other side of an if may use the register under its mask', () => {
      right(sides, allocated(sides, [10, 10, 12]));
    });
    it('but not in channels that wait: NoMask code there destroys their value', () => {
      const more = [{ before: 4, code: ins('mov', g(10), [g(3)], own) }];
      wrong(
        sides,
        allocated(sides, [10, 11, 12], more),
        /instruction 7 .send. reads g10 for v0, which comes from g3 by the allocator's code 4/,
      );
    });
    it('a predicated write meets a need only together with the old value', () => {
      const source = program(
        [
          ins('mov', v(0), [g(2)]),
          ins('cmp', nowhere(), [g(2), g(3)], { condition: { test: 'l', flag: f0 } }),
          ins('mov', v(0), [g(3)], { predicate }),
          ins('send', undefined, [imm(0, 'UD'), imm(0, 'UD'), v(0)], { message: { mlen: 1 } }),
        ],
        simd8,
      );
      right(source, allocated(source, [10]));
      const moved = allocated(source, [10], [], (instruction, i) =>
        i === 0 ? { ...instruction, destinations: [g(11)] } : instruction,
      );
      wrong(source, moved, /reads g10 for v0, which has had its value elsewhere since instruction 0/);
    });
    it('a value from before a loop must survive its back edge', () => {
      const source = program(
        [
          ins('mov', v(0), [g(2)]),
          ins('do', undefined),
          ins('mov', v(1), [v(0)]),
          ins('cmp', nowhere(), [v(1), g(3)], { condition: { test: 'l', flag: f0 } }),
          ins('while', undefined, [], { predicate }),
        ],
        simd8,
      );
      right(source, allocated(source, [10, 11]));
      wrong(
        source,
        allocated(source, [10, 11], [{ before: 4, code: ins('mov', g(10), [g(3)], own) }]),
        /reads g10 for v0/,
      );
    });
  });

  describe('vec4', () => {
    const masked = program(
      [
        ins('mov', v(0, { mask: mask('xy') }), [g(2)]),
        ins('mov', v(0, { mask: mask('zw') }), [g(3)]),
        ins('mov', v(1), [v(0)]),
        ins('dp4', v(2, { mask: mask('x') }), [v(1), v(1)]),
        ins('vs_urb_write', undefined, [], { message: { mlen: 1, baseMrf: 1 } }),
      ],
      { bytes: [32, 32, 32] },
    );
    it('channels that are not written stay', () => {
      right(masked, allocated(masked, [10, 10, 10]));
    });
    it('a spill of some channels keeps the others of the slot', () => {
      const slot = (letters: string) =>
        ins('gfx4_scratch_write', g(0, { mask: mask(letters) }), [g(10), imm(4, 'D')], {
          ...own,
          message: { mlen: 3, baseMrf: 13, scratchOffset: 64 },
        });
      const unspill = ins('gfx4_scratch_read', g(20), [imm(4, 'D')], {
        ...own,
        message: { mlen: 2, baseMrf: 14, scratchOffset: 64 },
      });
      const change = (instruction: Instruction, i: number) =>
        i === 2 ? { ...instruction, sources: [g(20)] } : instruction;
      const both = [
        { before: 1, code: slot('xy') },
        { before: 2, code: slot('zw') },
        { before: 2, code: unspill },
      ];
      right(masked, allocated(masked, [10, 11, 12], both, change));
      wrong(
        masked,
        allocated(masked, [10, 11, 12], both.slice(1), change),
        /instruction 2 \(mov\) reads g20 for v0/,
      );
    });
  });

  describe('the pool', () => {
    const selection: ProgramOptions = {
      dialect: 'selection',
      bytes: [32, 32, 32],
      pool: { first: 120, count: 8 },
    };
    const source = program(
      [ins('mov', v(0), [g(2)]), ins('add', v(1), [v(0), v(0)]), ins('add', v(2), [v(1), v(0)])],
      selection,
    );
    const unspill = (grf: number) => ins('unspill_reg', g(grf), [], { ...own, message: scratch(0) });
    const spill = (grf: number) => ins('spill_reg', undefined, [g(grf)], { ...own, message: scratch(0) });
    const inPool = (instruction: Instruction, i: number): Instruction =>
      i === 0
        ? { ...instruction, destinations: [g(121)] }
        : i === 1
          ? { ...instruction, sources: [g(121), g(122)] }
          : { ...instruction, sources: [g(11), g(121)] };
    const code = [
      { before: 1, code: spill(121) },
      { before: 1, code: unspill(122) },
      { before: 1, code: unspill(121) },
      { before: 2, code: unspill(121) },
    ];
    it('F25 a pool register holds a value for one instruction', () => {
      right(source, allocated(source, [10, 11, 12], code, inPool));
      wrong(
        source,
        allocated(source, [10, 11, 12], code.slice(0, 3), inPool),
        /reads g121 of the spill pool, which it did not load/,
      );
    });
    it('F25 two sources of one instruction have slots of their own', () => {
      const shared = (instruction: Instruction, i: number): Instruction =>
        i === 1 ? { ...instruction, sources: [g(121), g(121)] } : inPool(instruction, i);
      wrong(source, allocated(source, [10, 11, 12], code, shared), /two sources share g121/);
    });
  });

  describe('schedules', () => {
    const first = allocated(straight, [10, 11, 12]).code;
    const order = (...numbers: number[]): Program => ({
      ...first,
      instructions: numbers.map((k) => ({ ...first.instructions[k], noDDCheck: true })),
    });
    it('accepts what is only in another order', () => {
      assert.deepEqual(checkSchedule(first, order(1, 0, 2, 3)), []);
    });
    it('refuses a reader before its writer, and a writer before the last reader', () => {
      assert.match(
        checkSchedule(first, order(0, 2, 1, 3))[0].message,
        /add \(instruction 2\) was moved past mov \(instruction 1\)/,
      );
      const reuse = allocated(straight, [10, 11, 2]).code;
      const swapped = { ...reuse, instructions: [1, 2, 0, 3].map((k) => reuse.instructions[k]) };
      assert.notDeepEqual(checkSchedule(reuse, swapped), []);
    });
    it('refuses what is lost or new', () => {
      assert.match(checkSchedule(first, order(0, 1, 1, 3))[0].message, /is none of the block's instructions/);
    });
  });
});
