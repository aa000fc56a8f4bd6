import assert from 'node:assert/strict';
import { OpcodeTable } from '../../../server/src/ir/function.js';
import { architectures } from '../../../server/src/targets/nvidia/architectures.js';
import { classify, classifyText } from '../../../server/src/targets/nvidia/classify.js';
import { issueCycles, latencies, latencyOf } from '../../../server/src/targets/nvidia/latencies.js';

describe('nvidia instruction classes', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['add.s32', 'alu', 'alu'],
    ['add.s64', 'alu', 'wide'],
    ['add.rn.f32', 'fma', 'multiply'],
    ['fma.rn.f64', 'double', 'double'],
    ['fma.rn.f16x2', 'half', 'half'],
    ['mad.lo.s32', 'fma', 'multiply'],
    ['ld.param.u64', 'memory', 'constant'],
    ['ld.global.v4.f32', 'memory', 'global'],
    ['ld.global.cg.f32', 'memory', 'globalL2'],
    ['ld.shared::cta.f32', 'memory', 'shared'],
    ['st.shared.f32', 'memory', 'store'],
    ['atom.global.add.u32', 'memory', 'globalAtomic'],
    ['atom.shared.add.u32', 'memory', 'sharedAtomic'],
    ['div.rn.f32', 'sequence', 'divideFloat'],
    ['div.approx.f32', 'special', 'special'],
    ['rem.u64', 'sequence', 'divide64'],
    ['sqrt.approx.ftz.f32', 'special', 'special'],
    ['cvt.rn.f32.s32', 'special', 'convert'],
    ['cvt.u64.u32', 'alu', 'alu'],
    ['setp.lt.f64', 'double', 'double'],
    ['mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32', 'matrix', 'matrix'],
    ['shfl.sync.bfly.b32', 'memory', 'shuffle'],
    ['vadd4.s32.s32.s32', 'alu', 'alu'],
  ];
  for (const [text, unit, row] of cases)
    it(`${text}: ${unit}, ${row}`, () => {
      const found = classifyText(text);
      assert.deepEqual([found.unit, found.row], [unit, row]);
      assert.equal(found.note, undefined);
    });

  it('gives every text a class and says when it is a guess', () => {
    for (const text of ['', '.', 'frobnicate.u32', 'constructor', '__proto__.f32', 'ld'])
      assert.ok(classifyText(text).unit);
    assert.match(classifyText('frobnicate.u32').note ?? '', /not in the machine table/);
  });

  it('looks at a text once', () => {
    const table = new OpcodeTable();
    const number = table.number('add.s32');
    assert.equal(classify(table, number), classify(table, number));
  });

  it('every row has a source for every family, and waits are not negative', () => {
    for (const row of Object.values(latencies))
      for (const { cycles, source } of Object.values(row.byFamily)) {
        assert.ok(cycles >= 0);
        assert.ok(source.length > 0);
      }
    for (const { family } of architectures) {
      assert.ok(latencyOf('globalL2', family) > latencyOf('global', family));
      assert.ok(issueCycles('double', family) >= issueCycles('fma', family));
    }
  });
});
