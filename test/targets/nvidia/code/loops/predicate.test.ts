import assert from 'node:assert/strict';
import { OperandFlag } from '../../../../../server/src/ir/function.js';
import type { MachineCode } from '../../../../../server/src/targets/nvidia/code/code.js';
import { contextOf } from '../../../../../server/src/targets/nvidia/code/context.js';
import { predicate } from '../../../../../server/src/targets/nvidia/code/loops/predicate.js';
import { machineSource } from '../../../../../server/src/targets/nvidia/code/source.js';
import { machineCodeOf } from '../../../../../server/src/targets/nvidia/code/writer.js';
import { launchableOf } from '../../../../../server/src/targets/nvidia/limits.js';
import { sameMeaning } from '../../../../support/machine-code.js';
import { unitsOf } from '../../../../support/ptx-run.js';

/** A kernel `k`; `%p1` holds where the thread's number is above `above`; `%r2` is stored at its end. */
const kernel = (body: string, above = 17): string => `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [out];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r1, %tid.x;
mov.u32 %r2, 7;
setp.gt.s32 %p1, %r1, ${above};
${body}
st.global.u32 [%rd2], %r2;
ret;
}
`;

function predicated(text: string, arch = 'sm_80'): MachineCode {
  const written = unitsOf(text).find((unit) => unit.function !== undefined)?.function;
  assert.ok(written);
  const source = machineSource(written);
  const options = { arch };
  return predicate(machineCodeOf(source), contextOf(launchableOf(source, options), options));
}

function guarded({ f }: MachineCode): number {
  let count = 0;
  for (const flags of f.operandFlags) if ((flags & OperandFlag.Guard) !== 0) count++;
  return count;
}

const work = (count: number): string => 'mad.lo.s32 %r2, %r2, %r2, %r1;\n'.repeat(count);

/** Both ways through the condition mean what they meant. */
function sameBothWays(body: string): void {
  for (const above of [-1, 17, 100_000]) sameMeaning(kernel(body, above));
}

describe('predicated branches', () => {
  // Measured with ptxas 13.0: 8 integer multiply-adds under a condition have no branch, 9 have one.
  it('take in a small side', () => {
    const body = (count: number): string => `@%p1 bra Y;\n${work(count)}Y:\n`;
    const code = predicated(kernel(body(8)));
    assert.equal(code.f.blockCount, 1);
    assert.equal(guarded(code), 8);
    assert.equal(predicated(kernel(body(9))).f.blockCount, 3);
    assert.equal(predicated(kernel(body(8)), 'sm_90').f.blockCount, 3, 'one fewer from sm_90 on');
    sameBothWays(body(8));
  });

  it('take in both sides, and the side that is branched to', () => {
    const both = `@%p1 bra Z;\n${work(3)}bra Y;\nZ:\nadd.s32 %r2, %r2, 5;\nY:\n${work(1)}`;
    assert.equal(predicated(kernel(both)).f.blockCount, 1);
    assert.equal(guarded(predicated(kernel(both))), 4);
    sameBothWays(both);
    const away = `@!%p1 bra Z;\nY:\n${work(1)}bra END;\nZ:\nadd.s32 %r2, %r2, 5;\nbra Y;\nEND:\n`;
    assert.equal(predicated(kernel(away)).f.blockCount, 1);
    sameBothWays(away);
  });

  it('take in more with a load of global memory', () => {
    const body = `@%p1 bra Y;\nld.global.u32 %r3, [%rd2+8];\nadd.s32 %r2, %r2, %r3;\n${work(14)}Y:\n`;
    assert.equal(predicated(kernel(body)).f.blockCount, 1);
    sameBothWays(body);
  });

  it('leave atomics, guards and what writes the guard alone', () => {
    for (const inside of [
      'atom.global.add.u32 %r3, [%rd2+8], %r1;\n',
      '@%p2 add.s32 %r2, %r2, 1;\n',
      'setp.gt.s32 %p1, %r2, 3;\n',
    ])
      assert.ok(
        predicated(kernel(`setp.lt.s32 %p2, %r1, 3;\n@%p1 bra Y;\n${inside}Y:\n`)).f.blockCount > 1,
        inside,
      );
  });

  it('keep a condition around a predicated one', () => {
    const body = `setp.lt.s32 %p2, %r1, 30;\n@%p1 bra Y;\nadd.s32 %r2, %r2, 1;\n@%p2 bra W;\n${work(2)}W:\n${work(1)}Y:\n`;
    assert.equal(predicated(kernel(body)).f.blockCount, 3);
    sameBothWays(body);
  });

  it('join blocks that only follow each other, in linear time', () => {
    const chain = Array.from({ length: 20_000 }, (_, k) => `L${k}:\nadd.s32 %r2, %r2, 1;\n`).join('');
    assert.equal(predicated(kernel(chain)).f.blockCount, 1);
  });
});
