import assert from 'node:assert/strict';
import { analysisOf } from '../../../../server/src/targets/nvidia/code/analysis.js';
import { contextOf } from '../../../../server/src/targets/nvidia/code/context.js';
import { optimised } from '../../../../server/src/targets/nvidia/code/pipeline.js';
import { machineSource } from '../../../../server/src/targets/nvidia/code/source.js';
import { groupsOf, type Groups } from '../../../../server/src/targets/nvidia/estimate/groups.js';
import { launchableOf } from '../../../../server/src/targets/nvidia/limits.js';
import type { Function } from '../../../../server/src/ir/function.js';
import { isDefinition } from '../../../../server/src/passes/occurrences.js';
import { unitsOf } from '../../../support/ptx-run.js';

/** The code as compiled, and its groups where each register is alone. */
function grouped(body: string, halves?: boolean): { readonly f: Function; readonly groups: Groups } {
  const text = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .b32 %r<20>; .reg .b64 %rd<20>;
ld.param.u64 %rd1, [p];
ld.volatile.global.u32 %r1, [%rd1]; ld.volatile.global.u32 %r2, [%rd1+4];
${body}
ret; }
`;
  const source = machineSource(unitsOf(text).find((unit) => unit.function !== undefined)!.function!);
  const { f } = optimised(source, contextOf(launchableOf(source, {}), {}));
  const { registerStart: start, segmentFrom: from, segmentTo: to } = analysisOf(f).ranges;
  const { registerClass, registerWidth: width } = f;
  const bundleOf = Int32Array.from({ length: f.registerCount }, (_, r) => r);
  const bundles = { bundleOf, start, from, to, registerClass, width };
  return { f, groups: groupsOf(f, bundles, true, halves) };
}

/** The registers that the one instruction with this root writes. */
function written(f: Function, root: string): number[] {
  const found: number[] = [];
  for (let i = 0; i < f.instructionCount; i++)
    if (f.opcodes.text(f.opcode[i]).startsWith(root))
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
        if (isDefinition(f, o)) found.push(f.operandPlace[o]);
  return found;
}

describe('registers that must lie side by side', () => {
  const halvesApart = `mul.lo.u32 %r3, %r1, %r2; mul.hi.u32 %r4, %r1, %r2;
st.volatile.global.u32 [%rd1+8], %r4; st.volatile.global.u32 [%rd1+12], %r3;`;

  // disassembled code of ptxas 13.0: IMAD.WIDE writes an even register and the next one
  it('are both halves of a product that the text asks for one by one', () => {
    const { f, groups } = grouped(halvesApart);
    const [low, high, ...more] = written(f, 'mul.wide');
    assert.deepEqual([f.registerWidth[low], f.registerWidth[high], more.length], [1, 1, 0]);
    assert.equal(groups.next[low], high);
    assert.equal(groups.next[high], low);
    assert.deepEqual([groups.offset[low], groups.offset[high]], [0, 1]);
    assert.deepEqual([groups.width[low], groups.alignment[low]], [2, 2]);
    assert.ok(groups.hasHalves);
  });

  it('are not where the product is two instructions', () => {
    const { f, groups } = grouped(halvesApart, false);
    for (const half of written(f, 'mul.wide')) assert.equal(groups.next[half], half);
    assert.ok(!groups.hasHalves);
  });

  it('are the elements of a vector, at a multiple of their number', () => {
    const { f, groups } = grouped(
      `ld.volatile.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1+16];
st.volatile.global.u32 [%rd1+8], %r4; st.volatile.global.u32 [%rd1+12], %r6;
st.volatile.global.u32 [%rd1+16], %r3; st.volatile.global.u32 [%rd1+20], %r5;`,
    );
    const elements = written(f, 'ld.volatile.global.v4');
    assert.equal(elements.length, 4);
    elements.forEach((r, k) => {
      assert.equal(groups.offset[r], k);
      assert.deepEqual([groups.width[r], groups.alignment[r]], [4, 4]);
    });
    assert.ok(!groups.hasHalves);
  });
});
