import assert from 'node:assert/strict';
import { liveScalar } from '../../../../server/src/targets/gen/live/scalar.js';
import type { Program } from '../../../../server/src/targets/gen/program.js';
import { graphOf, instruction, predicated } from '../../../support/gen-program.js';

const scalar = (
  sizes: readonly number[],
  blocks: Parameters<typeof graphOf>[1],
  more: Partial<Pick<Program, 'width'>> = {},
): Program => graphOf(sizes, blocks, { dialect: 'scalar', ...more });

const rangeOf = (program: Program, register: number): [number, number] => {
  const live = liveScalar(program);
  return [live.start[register], live.end[register]];
};

describe('liveness of scalar programs', () => {
  it('follows each GRF of a register by itself', () => {
    const live = liveScalar(
      scalar(
        [2, 1],
        [
          [
            [
              instruction('mov', 'v0', ['v1']),
              instruction('mov', 'v0+32', ['v1']),
              instruction('mov', 'v1', ['v0']),
              instruction('mov', 'v1', ['v0+32']),
            ],
          ],
        ],
      ),
    );
    assert.deepEqual([...live.variableFrom.subarray(0, 2)], [0, 1]);
    assert.deepEqual([...live.variableTo.subarray(0, 2)], [2, 3]);
    assert.deepEqual([live.start[0], live.end[0]], [0, 3]);
  });

  it('does not stretch a value to a place that none of its writes reaches', () => {
    // a loop whose body writes under a predicate and reads: live round the loop, not before it
    const program = scalar(
      [1, 1],
      [
        [[instruction('mov', 'v1', ['v1'])], 1],
        [[instruction('do', '', [])], 2, 3],
        [
          [
            instruction('cmp', 'null', ['v1', 'v1']),
            predicated(instruction('mov', 'v0', ['v1'])),
            instruction('mov', 'v1', ['v0']),
            predicated(instruction('while', '', [])),
          ],
          1,
          3,
        ],
        [[instruction('nop', '', [])]],
      ],
    );
    assert.deepEqual(rangeOf(program, 0), [1, 5]);
  });

  it('ends the old value at writes of whole packed GRFs alone', () => {
    const around = (write: ReturnType<typeof instruction>): Program =>
      scalar(
        [1, 1],
        [
          [[instruction('mov', 'v0', ['v1'])], 1],
          [[instruction('nop', '', []), write, instruction('mov', 'v1', ['v0'])], 1, 2],
          [[instruction('nop', '', [])]],
        ],
      );
    const ends = (write: ReturnType<typeof instruction>): number => rangeOf(around(write), 0)[0];
    // where the write in the loop does not end it, the value before the loop lives on
    const isKilled = (write: ReturnType<typeof instruction>): boolean => {
      const live = liveScalar(around(write));
      return live.entry.start[1] === 0;
    };
    assert.equal(ends(instruction('mov', 'v0', ['v1'])), 0);
    assert.equal(isKilled(instruction('mov', 'v0', ['v1'])), true);
    assert.equal(isKilled(predicated(instruction('sel', 'v0', ['v1', 'v1']))), true);
    assert.equal(isKilled(predicated(instruction('mov', 'v0', ['v1']))), false);
    assert.equal(isKilled(instruction('mov', 'v0:UW', ['v1'])), false);
    assert.equal(isKilled(instruction('mov', 'v0<2>:UW', ['v1'])), false);
    assert.equal(isKilled(instruction('mov', 'v0', ['v1'], { execSize: 1 })), false);
  });

  it('reads of a region with gaps only what lies between its first and last element', () => {
    const live = liveScalar(scalar([2, 1], [[[instruction('mov', 'v1', ['v0+2<2>:UW'])]]]));
    assert.deepEqual([...live.variableFrom.subarray(0, 2)], [0, -1]);
  });

  it('sees a send write all of its response', () => {
    const live = liveScalar(
      scalar(
        [4, 1],
        [
          [
            [
              instruction('send', 'v0', ['v1'], { message: { mlen: 1, rlen: 4 } }),
              instruction('mov', 'v1', ['v0']),
            ],
          ],
        ],
      ),
    );
    assert.deepEqual([...live.variableTo.subarray(0, 4)], [1, 0, 0, 0]);
  });
});
