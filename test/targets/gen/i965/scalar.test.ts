import assert from 'node:assert/strict';
import { virtual } from '../../../../server/src/ir/place.js';
import type { Allocated } from '../../../../server/src/targets/gen/allocation.js';
import { allocateScalar } from '../../../../server/src/targets/gen/i965/allocate-scalar.js';
import { scalarCosts } from '../../../../server/src/targets/gen/i965/costs.js';
import { payloadLastUses } from '../../../../server/src/targets/gen/i965/payload.js';
import { ScalarSpiller } from '../../../../server/src/targets/gen/i965/spiller-scalar.js';
import { liveScalar } from '../../../../server/src/targets/gen/live/scalar.js';
import type { Instruction, Program } from '../../../../server/src/targets/gen/program.js';
import { graphOf, instruction, predicated } from '../../../support/gen-program.js';

const line = (
  grfs: readonly number[],
  code: readonly Instruction[],
  options: Partial<Pick<Program, 'width' | 'registerLimit' | 'firstFree'>> = {},
): Program => graphOf(grfs, [[code]], { dialect: 'scalar', firstFree: 2, registerLimit: 128, ...options });

function allocate(program: Program): Allocated {
  const found = allocateScalar(program);
  assert.ok(found.kind === 'allocated');
  return found;
}

/** The program with register 0 spilled to byte 0: each instruction's name, lanes, and scratch offset or registers. */
function spilled(program: Program): string[] {
  const spiller = new ScalarSpiller(program, 14);
  spiller.spill(virtual(0), 0);
  return spiller
    .finish()
    .program.instructions.map(
      ({ opcode, execSize, noMask, message, destinations, sources }) =>
        `${opcode.name}(${execSize})${noMask ? ' NoMask' : ''}` +
        (opcode.scratch === undefined
          ? ''
          : ` v${[...destinations, ...sources].map((o) => (o.file === 'virtual' ? `${o.register}+${o.offset}` : '')).join('')} @${message.scratchOffset}`),
    );
}

const wide = { execSize: 16 } as const;
const end = (payload: string): Instruction =>
  instruction('send', 'null', [0, 0, payload], { message: { mlen: 1, isEndOfThread: true } });

describe('i965 allocation of scalar programs', () => {
  it('F11 has 128 registers, and those of payload again behind their last use', () => {
    const code = (count: number): Instruction[] => [
      instruction('mov', 'v0', ['g2']),
      ...Array.from({ length: count - 1 }, (_, r) => instruction('mov', `v${r + 1}`, ['v0'])),
      ...Array.from({ length: count }, (_, r) => instruction('mov', 'null', [`v${r}`])),
      instruction('mov', 'null', ['g1']),
    ];
    const program = (count: number): Program =>
      line(
        Array.from({ length: count }, () => 1),
        code(count),
        { firstFree: 3 },
      );
    // g0 is read by nobody, g1 by the last instruction, g2 by the first: 127 places for the others
    assert.equal(allocate(program(126)).spilled.length, 0);
    const full = allocateScalar(program(127), { maySpill: false });
    assert.equal(full.kind, 'allocated');
    assert.equal(allocateScalar(program(128), { maySpill: false }).kind, 'refused');
  });

  it('keeps payload that a loop reads until the loop ends', () => {
    const program = graphOf(
      [1],
      [
        [[instruction('mov', 'v0', ['g1'])], 1],
        [[instruction('do', '', [])], 2, 3],
        [
          [
            instruction('add', 'v0', ['v0', 'g3']),
            instruction('mov', 'v0', ['v0']),
            predicated(instruction('while', '', [])),
          ],
          1,
          3,
        ],
        [[end('v0')]],
      ],
      { dialect: 'scalar', firstFree: 5, registerLimit: 128 },
    );
    // the last message reads g0 and g1; g2 and g4 nobody reads
    assert.deepEqual([...payloadLastUses(program)], [5, 5, -1, 4, -1]);
  });

  it('F12 keeps a result of 16 lanes off its sources, one of 8 lanes may take their place', () => {
    const code = (lanes: 8 | 16): Instruction[] => [
      instruction('mov', 'v0', ['g1'], { execSize: lanes }),
      instruction('add', 'v1', ['v0', 'v0'], { execSize: lanes }),
      instruction('mov', 'null', ['v1'], { execSize: lanes }),
    ];
    const apart = (lanes: 8 | 16): number => {
      const { address } = allocate(
        line([lanes / 8, lanes / 8], code(lanes), { width: lanes, registerLimit: 2 + lanes / 4 }),
      );
      return Math.abs(address[0] - address[1]);
    };
    assert.ok(apart(16) >= 64);
    assert.equal(
      allocateScalar(line([2, 2], code(16), { width: 16, registerLimit: 3 }), { maySpill: false }).kind,
      'refused',
    );
    assert.equal(
      allocateScalar(line([1, 1], code(8), { registerLimit: 2 }), { maySpill: false }).kind,
      'allocated',
    );
  });

  it('sends what ends the thread from the highest registers, and lower when something was spilled', () => {
    const { address } = allocate(
      line([2], [instruction('mov', 'v0', ['g1'], wide), end('v0')], { width: 16 }),
    );
    assert.equal(address[0], 32 * 126);
    // 130 GRFs at once
    const count = 65;
    const many = allocate(
      line(
        Array.from({ length: count }, () => 2),
        [
          ...Array.from({ length: count }, (_, r) => instruction('mov', `v${r}`, ['g1'], wide)),
          ...Array.from({ length: count }, (_, r) => instruction('mov', 'null', [`v${r}`], wide)),
          instruction('mov', 'v0', ['g1'], wide),
          end('v0'),
        ],
        { width: 16 },
      ),
    );
    assert.ok(many.spilled.length > 0);
    assert.equal(many.address[0], 32 * 123);
    for (const address of many.address) assert.ok(address < 32 * 125);
  });

  it('F18 does not spill what lives no longer than one instruction, nor temporaries', () => {
    const program = line(
      [1, 1, 1],
      [
        instruction('mov', 'v0', ['g1']),
        instruction('mov', 'v1', ['v0']),
        instruction('mov', 'null', ['v1']),
        instruction('mov', 'v2', ['g1']),
      ],
    );
    assert.deepEqual([...scalarCosts(program, liveScalar(program))], [Infinity, Infinity, -1]);
    assert.deepEqual([...scalarCosts(program, liveScalar(program), (i) => i === 2)], [Infinity, -1, -1]);
  });

  it('F21 counts GRFs by loops and branches, over the logarithm of the length', () => {
    const program = graphOf(
      [2, 1],
      [
        [[instruction('mov', 'v0', ['g1'], wide), predicated(instruction('if', '', []))], 1, 2],
        [[instruction('mov', 'v1', ['v0'], wide)], 2],
        [[instruction('endif', '', [])], 3],
        [[instruction('do', '', [])], 4, 5],
        [[instruction('add', 'v1', ['v1', 'v0+32'], {}), predicated(instruction('while', '', []))], 3, 5],
        [[instruction('mov', 'null', ['v1'])]],
      ],
      { dialect: 'scalar', width: 16, firstFree: 2, registerLimit: 128 },
    );
    const [cost] = scalarCosts(program, liveScalar(program));
    // 2 written, 2 read in the branch, 1 in the loop; live from 0 to 6, the loop's end
    assert.ok(Math.abs(cost - (2 + 2 * 0.5 + 10) / Math.log(6)) < 1e-5);
  });

  it('reloads for each read the GRFs that it reads, in messages of a power of two', () => {
    const code = [
      instruction('mov', 'v0', ['g1'], wide),
      instruction('mov', 'v0+64', ['g1'], wide),
      instruction('mov', 'v0+128', ['g1'], wide),
      instruction('mov', 'null', ['v0+64'], wide),
      instruction('send', 'v1', [0, 0, 'v0'], { ...wide, message: { mlen: 6, rlen: 2 } }),
      instruction('add', 'null', ['v0', 'v0']),
    ];
    assert.deepEqual(spilled(line([6, 2], code, { width: 16 })), [
      'mov(16)',
      'gfx4_scratch_write(16) v2+0 @0',
      'mov(16)',
      'gfx4_scratch_write(16) v3+0 @64',
      'mov(16)',
      'gfx4_scratch_write(16) v4+0 @128',
      'gfx7_scratch_read(16) NoMask v5+0 @64',
      'mov(16)',
      // six GRFs: three messages of two
      'gfx7_scratch_read(16) NoMask v6+0 @0',
      'gfx7_scratch_read(16) NoMask v6+64 @64',
      'gfx7_scratch_read(16) NoMask v6+128 @128',
      'send(16)',
      // each of two reads by itself
      'gfx7_scratch_read(8) NoMask v7+0 @0',
      'gfx7_scratch_read(8) NoMask v8+0 @0',
      'add(8)',
    ]);
  });

  it('reloads before a write that leaves something of its GRFs, and stores them whole', () => {
    const write = (made: Instruction): string[] => spilled(line([2], [made]));
    assert.deepEqual(write(instruction('mov', 'v0', ['g1'])), ['mov(8)', 'gfx4_scratch_write(8) v1+0 @0']);
    assert.deepEqual(write(predicated(instruction('mov', 'v0', ['g1']))), [
      'gfx7_scratch_read(8) v1+0 @0',
      'mov(8)',
      'gfx4_scratch_write(8) v1+0 @0',
    ]);
    assert.deepEqual(write(instruction('mov', 'v0+32:UW', ['g1:UW'])), [
      'gfx7_scratch_read(8) NoMask v1+0 @32',
      'mov(8)',
      'gfx4_scratch_write(8) NoMask v1+0 @32',
    ]);
    assert.deepEqual(write(instruction('mov', 'v0+4', [1], { execSize: 1, noMask: true })), [
      'gfx7_scratch_read(8) NoMask v1+0 @0',
      'mov(1) NoMask',
      'gfx4_scratch_write(8) NoMask v1+0 @0',
    ]);
  });

  it('takes m14 and m15 in SIMD8, m13 to m15 in SIMD16', () => {
    const base = (lanes: 8 | 16): readonly number[] => {
      const count = lanes === 8 ? 130 : 65;
      const { code } = allocate(
        line(
          Array.from({ length: count }, () => lanes / 8),
          [
            ...Array.from({ length: count }, (_, r) =>
              instruction('mov', `v${r}`, ['g1'], { execSize: lanes }),
            ),
            ...Array.from({ length: count }, (_, r) =>
              instruction('mov', 'null', [`v${r}`], { execSize: lanes }),
            ),
          ],
          { width: lanes },
        ),
      );
      const write = code.instructions.find(({ opcode }) => opcode.name === 'gfx4_scratch_write')!;
      return [write.message.baseMrf, write.message.mlen];
    };
    assert.deepEqual(base(8), [14, 2]);
    assert.deepEqual(base(16), [13, 3]);
  });
});
