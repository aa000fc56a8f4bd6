import assert from 'node:assert/strict';
import { virtual } from '../../../../server/src/ir/place.js';
import type { Allocated } from '../../../../server/src/targets/gen/allocation.js';
import { allocateVec4 } from '../../../../server/src/targets/gen/i965/allocate-vec4.js';
import { vec4Costs } from '../../../../server/src/targets/gen/i965/costs.js';
import { Vec4Spiller } from '../../../../server/src/targets/gen/i965/spiller-vec4.js';
import { liveVec4 } from '../../../../server/src/targets/gen/live/vec4.js';
import { scratchSize } from '../../../../server/src/targets/gen/scratch-size.js';
import type { Instruction, Program } from '../../../../server/src/targets/gen/program.js';
import { graphOf, instruction, predicated } from '../../../support/gen-program.js';

const line = (grfs: readonly number[], code: readonly Instruction[], limit = 112): Program =>
  graphOf(grfs, [[code]], { firstFree: 1, registerLimit: limit });

function allocate(program: Program): Allocated {
  const found = allocateVec4(program);
  assert.ok(found.kind === 'allocated');
  return found;
}

/** The program with register 0 spilled to slot 0, an instruction a line: name, destination, sources. */
function spilled(program: Program): string[] {
  const spiller = new Vec4Spiller(program, liveVec4(program));
  spiller.spill(virtual(0), 0);
  return spiller.finish().program.instructions.map(show);
}

const letters = 'xyzw';
function show({ opcode, predicate, destinations, sources }: Instruction): string {
  const channels = (bits: number): string =>
    bits === 15 ? '' : `.${[...letters].filter((_, c) => (bits >> c) & 1).join('')}`;
  const swizzle = (bits: number): string => {
    const text = [0, 1, 2, 3].map((c) => letters[(bits >> (2 * c)) & 3]).join('');
    return text === letters ? '' : `.${text}`;
  };
  const written = destinations.map((operand) =>
    operand.file === 'virtual'
      ? `v${operand.register}${channels(operand.mask)}`
      : operand.file === 'grf'
        ? `g${operand.grf}${channels(operand.mask)}`
        : operand.file,
  );
  const read = sources.map((operand) =>
    operand.file === 'virtual'
      ? `v${operand.register}${swizzle(operand.swizzle)}`
      : operand.file === 'immediate'
        ? String(operand.low)
        : operand.file,
  );
  return `${predicate === undefined ? '' : '(+f0) '}${opcode.name} ${[...written, ...read].join(' ')}`;
}

/** Registers 1 to n are all live at once, each read once at the end. */
const allLive = (count: number): Instruction[] => [
  ...Array.from({ length: count }, (_, r) => instruction('mov', `v${r}`, ['g0'])),
  ...Array.from({ length: count }, (_, r) => instruction('mov', 'm1', [`v${r}`])),
];

describe('i965 allocation of SIMD4x2 programs', () => {
  it('F11 takes 111 registers behind one of payload, and spills for the 112th', () => {
    const program = (count: number): Program =>
      line(
        Array.from({ length: count }, () => 1),
        allLive(count),
      );
    assert.equal(allocate(program(111)).spilled.length, 0);
    assert.ok(allocate(program(112)).spilled.length > 0);
    assert.ok(
      allocate(program(111)).code.instructions.every(
        ({ destinations: [to] }) => to.file !== 'grf' || to.grf >= 1,
      ),
    );
  });

  it('F12 lets a result take the place of a source that is read there for the last time', () => {
    const code = (name: string): Instruction[] => [
      instruction('mov', 'v0', ['g0']),
      instruction(name, 'v1', ['v0', 'v0']),
      instruction('mov', 'm1', ['v1']),
    ];
    const { address } = allocate(line([1, 1], code('add'), 2));
    assert.equal(address[0], address[1]);
    // an operation that writes before it has read everything needs two places
    const apart = allocate(line([1, 1], code('tcs_set_input_urb_offsets'), 3));
    assert.notEqual(apart.address[0], apart.address[1]);
    assert.equal(allocateVec4(line([1, 1], code('tcs_set_input_urb_offsets'), 2)).kind, 'refused');
  });

  it('F12 keeps results of more than 32 bytes off their sources', () => {
    const { address } = allocate(
      line(
        [2, 2],
        [
          instruction('mov', 'v0:DF', ['g0:DF']),
          instruction('add', 'v1:DF', ['v0:DF', 'v0:DF']),
          instruction('mov', 'm1', ['v1:DF']),
        ],
        8,
      ),
    );
    assert.ok(Math.abs(address[0] - address[1]) >= 64);
  });

  it('F17 gives slot n the indices 2n and 2n + 1, and rounds the total up', () => {
    const { code, spilled: registers, scratchBytes } = allocate(line([1, 1, 1, 1, 1], allLive(5), 4));
    const writes = code.instructions.filter(({ opcode }) => opcode.name === 'gfx4_scratch_write');
    assert.deepEqual(
      registers.map(({ scratchOffset }) => scratchOffset),
      registers.map((_, n) => 32 * n),
    );
    for (const { sources, message } of writes) {
      const index = sources[1];
      assert.ok(index.file === 'immediate');
      assert.equal(index.low * 16, message.scratchOffset);
    }
    assert.equal(scratchBytes, 32 * registers.length);
    const total = (bytes: number): number => scratchSize(line([], []), bytes);
    assert.deepEqual([0, 32, 1024, 1056, 5000].map(total), [0, 1024, 1024, 2048, 8192]);
  });

  it('F18 does not spill what is too wide, reached in part, of two sizes, or touched by scratch messages', () => {
    const costs = vec4Costs(
      line(
        [3, 2, 1, 2, 1, 1, 1],
        [
          instruction('mov', 'v0', ['g0']),
          instruction('mov', 'v1+32', ['g0']),
          instruction('mov', 'v2:UD', ['g0']),
          instruction('mov', 'm1', ['v2:UW']),
          instruction('mov', 'v3:DF', ['g0:DF'], { execSize: 4 }),
          instruction('gfx4_scratch_read', 'v4', [0]),
          instruction('gfx4_scratch_write', 'g0', ['v5', 0]),
          instruction('mov', 'v6', ['g0']),
        ],
      ),
    );
    assert.deepEqual([...costs], [-1, -1, -1, -1, -1, -1, 1]);
  });

  it('F18 does not put a store between payload in m13 and its message', () => {
    const costs = vec4Costs(
      line(
        [1, 1, 1],
        [
          instruction('mov', 'v0', ['g0']),
          instruction('mov', 'm13', ['v0']),
          instruction('mov', 'v1', ['v0']),
          instruction('vs_urb_write', '', [], { message: { mlen: 13, baseMrf: 1 } }),
          instruction('mov', 'v2', ['v1']),
        ],
      ),
    );
    assert.deepEqual([...costs], [1, -1, 1]);
  });

  it('F17 uses m21 to m23 on Gen6, which has 24 message registers', () => {
    const program = graphOf([1], [[[instruction('mov', 'v0', ['g0']), instruction('mov', 'm1', ['v0'])]]], {
      platform: 'snb',
    });
    const spiller = new Vec4Spiller(program, liveVec4(program));
    spiller.spill(virtual(0), 0);
    assert.deepEqual(
      spiller.finish().program.instructions.map(({ message }) => message.baseMrf),
      [-1, 21, -1],
    );
  });

  it('F18 ends when nothing is left that could be spilled', () => {
    const wide = line(
      [3, 3],
      [
        instruction('mov', 'v0', ['g0']),
        instruction('mov', 'v1', ['g0']),
        instruction('add', 'm1', ['v0', 'v1']),
      ],
      5,
    );
    const found = allocateVec4(wide);
    assert.equal(found.kind, 'refused');
    assert.ok(found.kind === 'refused' && found.reason === 'NO_REGISTER_TO_SPILL');
  });

  it('F19 reloads once for readers that follow one another', () => {
    const program = line(
      [1, 1],
      [
        instruction('mov', 'v0', ['g0']),
        instruction('mov', 'v1', ['g0']),
        instruction('add', 'v1', ['v0.xxxx', 'v1']),
        instruction('add', 'v1', ['v0.yyyy', 'v0.wwww']),
      ],
    );
    assert.deepEqual(spilled(program).slice(3), [
      'gfx4_scratch_read v3 0',
      'add v1 v3.xxxx v1',
      'add v1 v3.yyyy v3.wwww',
    ]);
  });

  it('F19 reloads again behind an instruction that does not read it, but not behind a scratch message', () => {
    const reader = instruction('add', 'v1', ['v0', 'v1']);
    const between = (other: Instruction): number =>
      spilled(
        line(
          [1, 1, 1],
          [instruction('mov', 'v0', ['g0']), instruction('mov', 'v1', ['g0']), reader, other, reader],
        ),
      ).filter((text) => text.startsWith('gfx4_scratch_read v') && !text.startsWith('gfx4_scratch_read v2'))
        .length;
    assert.equal(between(instruction('mov', 'v1', ['g0'])), 2);
    assert.equal(between(instruction('gfx4_scratch_read', 'v2', [4])), 1);
  });

  it('F19 reads a definition itself, as far as it wrote', () => {
    const program = line(
      [1, 1],
      [
        instruction('mov', 'v0.xy', ['g0']),
        instruction('add', 'v1', ['v0.xyxy', 'v0.yyyy']),
        instruction('add', 'v1', ['v0.zzzz', 'v1']),
      ],
    );
    assert.deepEqual(spilled(program), [
      'mov v2.xy grf',
      'gfx4_scratch_write g0.xy v2.xyyy 0',
      'add v1 v2.xyxy v2.yyyy',
      'gfx4_scratch_read v3 0',
      'add v1 v3.zzzz v1',
    ]);
  });

  it('F20 stores the channels of the mask, from channels that were written', () => {
    const stored = (mask: string): string =>
      spilled(line([1], [instruction('mov', `v0.${mask}`, ['g0'])]))[1];
    assert.equal(stored('xy'), 'gfx4_scratch_write g0.xy v1.xyyy 0');
    assert.equal(stored('z'), 'gfx4_scratch_write g0.z v1.zzzz 0');
    assert.equal(stored('yw'), 'gfx4_scratch_write g0.yw v1.yyyw 0');
    assert.equal(stored('xyzw'), 'gfx4_scratch_write g0 v1 0');
  });

  it('F20 keeps the predicate, but for sel', () => {
    const stored = (name: string): string =>
      spilled(line([1], [predicated(instruction(name, 'v0', ['g0', 'g0']))]))[1];
    assert.equal(stored('add'), '(+f0) gfx4_scratch_write g0 v1 0');
    assert.equal(stored('sel'), 'gfx4_scratch_write g0 v1 0');
  });

  it('F20 does not ask a flag that the definition itself has changed', () => {
    const code = spilled(line([1], [predicated(instruction('add', 'v0', ['g0', 'g0'], { condition: 'l' }))]));
    assert.deepEqual(code, ['gfx4_scratch_read v1 0', '(+f0) add v1 grf grf', 'gfx4_scratch_write g0 v1 0']);
  });

  it('F20 stores what one vertex wrote with the other as it was', () => {
    const code = spilled(line([1], [instruction('mov', 'v0+16.y', ['g0'], { execSize: 4, group: 4 })]));
    assert.deepEqual(code, ['gfx4_scratch_read v1 0', 'mov v1.y grf', 'gfx4_scratch_write g0.y v1.yyyy 0']);
  });

  it('F20 stores and reloads 64-bit values as two halves of both vertices', () => {
    const code = spilled(
      line([2, 2], [instruction('mov', 'v0.yz:DF', ['g0:DF']), instruction('mov', 'v1:DF', ['v0.yyyy:DF'])]),
    );
    assert.deepEqual(
      code.filter((text) => text.startsWith('gfx4')),
      // y of both vertices in the first slot (dwords z and w), z in the second (x and y); then both slots again
      ['gfx4_scratch_write g0.zw v3 0', 'gfx4_scratch_write g0.xy v3 2'],
    );
  });

  it('F21 counts occurrences by loop depth, 2.25 for 64 bits, and never picks what costs nothing', () => {
    const program = graphOf(
      [1, 1, 2, 1],
      [
        [[instruction('mov', 'v0', ['g0']), instruction('mov', 'v2:DF', ['g0:DF'])], 1],
        [[instruction('do', '', [])], 2, 3],
        [
          [
            instruction('mov', 'v1', ['v0']),
            instruction('mov', 'm1', ['v2:DF']),
            instruction('nop', ''),
            instruction('mov', 'm1', ['v0']),
            instruction('mov', 'm1', ['v0']),
            predicated(instruction('while', '', [])),
          ],
          1,
          3,
        ],
        [[instruction('mov', 'm1', ['v1'])]],
      ],
    );
    // v0: 1 + two reloads in the loop; the third read follows the second
    assert.deepEqual([...vec4Costs(program)], [21, 11, 2.25 + 22.5, 0]);
  });

  it('F21 spills what is cheap for what its neighbours gain', () => {
    // v0 is read once more at the end; v1 to v3 are read many times
    const busy = [1, 2, 3].flatMap((r) => [
      instruction('mov', 'm1', [`v${r}`]),
      instruction('mov', 'm1', ['g0']),
      instruction('mov', 'm1', [`v${r}`]),
      instruction('mov', 'm1', ['g0']),
    ]);
    const code = [
      ...[0, 1, 2, 3].map((r) => instruction('mov', `v${r}`, ['g0'])),
      ...busy,
      ...[3, 2, 1, 0].map((r) => instruction('mov', 'm1', [`v${r}`])),
    ];
    const { spilled: registers } = allocate(line([1, 1, 1, 1], code, 4));
    assert.deepEqual(
      registers.map(({ register }) => register),
      [0],
    );
    assert.deepEqual([registers[0].stores, registers[0].reloads], [[0], [19]]);
  });

  it('says whose value each inserted message moves', () => {
    const { code, carries } = allocate(line([1, 1, 1, 1, 1], allLive(5), 4));
    code.instructions.forEach(({ opcode }, i) => {
      assert.equal(carries![i] >= 0, opcode.scratch !== undefined);
    });
  });

  it('begins its slots behind those that the program uses', () => {
    const code = [instruction('gfx4_scratch_write', 'g0', ['g0', 6]), ...allLive(5)];
    const { spilled: registers } = allocate(line([1, 1, 1, 1, 1], code, 4));
    assert.equal(registers[0].scratchOffset, 4 * 32);
  });

  it('refuses in place of spilling where spilling is not allowed', () => {
    const found = allocateVec4(line([1, 1, 1, 1, 1], allLive(5), 4), { maySpill: false });
    assert.ok(found.kind === 'refused' && found.reason === 'REGISTER_ALLOCATION_FAIL');
    assert.match(
      found.detail,
      /^vgrf\d needs 1 GRF, and of 4, 1 of payload among them, what is live with it leaves 0; spilling is not allowed$/,
    );
  });
});
