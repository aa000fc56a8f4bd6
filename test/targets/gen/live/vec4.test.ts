import assert from 'node:assert/strict';
import { isLiveAtEntry, isLiveAtExit } from '../../../../server/src/passes/liveness.js';
import type { Instruction } from '../../../../server/src/targets/gen/program.js';
import { liveVec4 } from '../../../../server/src/targets/gen/live/vec4.js';
import { graphOf, instruction, predicated } from '../../../support/gen-program.js';

const rangeOf = (program: Parameters<typeof liveVec4>[0], register: number): [number, number] => {
  const live = liveVec4(program);
  return [live.start[register], live.end[register]];
};

/** The jump of a predicate that is the same in all channels of a vertex. */
const wholeVertices = (jump: Instruction): Instruction => ({
  ...jump,
  ...(jump.predicate && { predicate: { ...jump.predicate, mode: 'x' } }),
});

describe('liveness of SIMD4x2 programs', () => {
  it('F11 counts every register whose range contains the instruction, both ends included', () => {
    const program = graphOf(
      [1, 2, 1],
      [
        [
          [
            instruction('mov', 'v0', ['v2']),
            instruction('mov', 'v1:DF', ['v0:DF']),
            instruction('mov', 'm1', ['v1']),
          ],
        ],
      ],
    );
    // register 2 is read without a write: from the program's start (here the same instruction)
    assert.deepEqual([...liveVec4(program).pressure], [2, 3, 2]);
  });

  it('F13 takes x and y that are written one after the other for a whole definition', () => {
    const body = [
      instruction('mov', 'v1', ['v1']),
      instruction('mov', 'v0.x', ['v1']),
      instruction('mov', 'v0.y', ['v1']),
      instruction('add', 'v1', ['v0.xyxy', 'v0.yyyy']),
    ];
    assert.deepEqual(rangeOf(graphOf([1, 1], [[body]]), 0), [1, 3]);
  });

  it('F13 has a register that is written under a predicate live from the entry', () => {
    const body = [
      instruction('cmp', 'null', ['v1', 'v1'], { condition: 'l' }),
      instruction('mov', 'v0.x', ['v1']),
      predicated(instruction('mov', 'v0.y', ['v1'])),
      instruction('add', 'v1', ['v0.xyxy', 'v0.yyyy']),
    ];
    const program = graphOf([1, 1], [[body]]);
    assert.deepEqual(rangeOf(program, 0), [0, 3]);
    const live = liveVec4(program);
    // channel x of the first vertex is defined, y is what came in
    assert.equal(isLiveAtEntry(live, live.variableStart[0] + 0, 0), false);
    assert.equal(isLiveAtEntry(live, live.variableStart[0] + 1, 0), true);
  });

  it('F13 ends the old value at a predicated sel, which writes every lane', () => {
    const body = [
      instruction('mov', 'v1', ['v1']),
      predicated(instruction('sel', 'v0', ['v1', 'v1'])),
      instruction('add', 'v1', ['v0', 'v0']),
    ];
    assert.deepEqual(rangeOf(graphOf([1, 1], [[body]]), 0), [1, 2]);
  });

  it('has a register that a loop writes in part live through the whole loop', () => {
    // 0 | 1 do | 2 mov x, 3 mov xyzw <- r0, 4 while | 5 mov
    const program = graphOf(
      [1, 1],
      [
        [[instruction('mov', 'v1', ['v1'])], 1],
        [[instruction('do', '', [])], 2, 3],
        [
          [
            instruction('mov', 'v0.x', ['v1']),
            instruction('mov', 'v1', ['v0']),
            wholeVertices(predicated(instruction('while', '', []))),
          ],
          1,
          3,
        ],
        [[instruction('mov', 'm1', ['v1'])]],
      ],
    );
    const live = liveVec4(program);
    // y, z and w come from before the program: live from its start to the loop's end
    assert.deepEqual([live.start[0], live.end[0]], [0, 4]);
    const x = live.variableStart[0];
    assert.deepEqual([live.variableFrom[x], live.variableTo[x]], [2, 3]);
    assert.equal(isLiveAtExit(live, x + 3, 2), true);
    assert.equal(isLiveAtExit(live, x, 2), false);
  });

  it('keeps the two vertices apart', () => {
    const half = { execSize: 4 } as const;
    const body = [
      instruction('mov', 'v1', ['v1']),
      instruction('mov', 'v0', ['v1'], half),
      instruction('mov', 'v0+16', ['v1'], { ...half, group: 4 }),
      instruction('add', 'v1', ['v0', 'v0']),
    ];
    assert.deepEqual(rangeOf(graphOf([1, 1], [[body]]), 0), [1, 3]);
  });

  it('gives registers that nothing mentions no range', () => {
    assert.deepEqual(rangeOf(graphOf([1, 1], [[[instruction('mov', 'v1', ['v1'])]]]), 0), [-1, -1]);
  });
});
