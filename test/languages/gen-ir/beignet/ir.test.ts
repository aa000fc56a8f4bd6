import assert from 'node:assert/strict';
import { saxpyIr } from './kernels.js';
import { classOfRegister, linesOf, lowered, problemsOf, shown, successorsOf } from './support.js';

const ir = (...lines: readonly string[]): string =>
  `.decl_function k\n## 50 registers ##\n${lines.join('\n')}\n\n.end_function\n`;

const heads = (text: string): string[] => {
  const f = lowered(text);
  return Array.from({ length: f.instructionCount }, (_, i) => shown(f, i)[0]);
};

describe('Beignet: GEN IR', () => {
  it('reads every shape of line', () => {
    const text = ir(
      '.decl.dword %0 local_id_0',
      '.decl.dword %41',
      'decl_input.structure.16 %41 s',
      'decl_input. %42 smp',
      '## 1 pushed register',
      'decl_pushed %43 @{1,4}',
      'LABEL $0',
      'BITCAST.int32.float {%45} {%46}',
      'BITCAST.int16.int32 {%45 %47} {%46}',
      'LOADI.half %44 half(1.5)',
      'LOADI.bool %44 1',
      'LOADI.float %45 1e-05',
      'LOAD.float.global.aligned {%45 %46} %41 bti:2',
      'LOAD.int8.constant.unaligned {%45} %41 bti: %46',
      'BLOCKLOAD.float.global.aligned {%45} %41 bti:2',
      'STORE.float.global.aligned %41 {%45 %46} bti:2',
      'ATOMIC.global.CMPXCHG %45 {%41} %46 %47 bti:2',
      'SEL.float %45 %44 %46 %47',
      'CVT.float.int32 %45 %46',
      'SAMPLE.float.float surface id 3 coord u %45 coord v %46 %47 %48 %49 %50 sampler idx 0',
      'TYPED_WRITE.float surface id 3 coord u %45 coord v %46 %47 %48 %49 %50',
      'GET_IMAGE_INFO.0 %45 surface id 3 info reg %46',
      'WORKGROUP_REDUCE_ADD %45 %46 (TheadID Map at SLM: 0)',
      'MBREAD.float.2 {%45 %46} 2D surface id 1 byte coord x %47 row coord y %48',
      'MBWRITE.float.1 2D surface id 1 byte coord x %47 row coord y %48 {%45}',
      'REGION %45 %46 offset: 4',
      'INDIRECT_MOV.float %45 %46 %47 offset: 4',
      'READ_ARF %45 arf:11',
      'SYNC.workgroup.local_read.local_write',
      'CALC_TIMESTAMPTimeStamp pointer 1 (Type 0)',
      'STORE_PROFILING BTI 1 (Type 0)',
      'WAIT',
      'IF !<%44> -> label$2',
      'ELSE -> label$3  <**>label: 3',
      'ENDIF -> label$3',
      'BRA -> label$0',
      'LABEL $2',
      'LABEL $3',
      'RET',
    );
    assert.deepEqual(problemsOf(text), []);
    const roles = linesOf(text, 'ir').map(
      ({ opcode, registers }) =>
        `${opcode.text} ${registers.map((r) => `${r.isResult ? 'd' : 's'}${r.number}`).join(' ')}`,
    );
    assert.ok(roles.includes('LOAD d45 d46 s41'));
    assert.ok(roles.includes('STORE s41 s45 s46'));
    assert.ok(roles.includes('ATOMIC d45 s41 s46 s47'));
    assert.ok(roles.includes('SAMPLE s45 s46 d47 d48 d49 d50'));
    assert.ok(roles.includes('TYPED_WRITE s45 s46 s47 s48 s49 s50'));
    assert.ok(roles.includes('MBREAD d45 d46 s47 s48'));
    assert.ok(roles.includes('MBWRITE s47 s48 s45'));
  });

  it('gives an instruction that the hardware has its name and operand order', () => {
    const f = lowered(
      ir(
        'LABEL $0',
        'SUB.float %45 %46 %47',
        'MAD.float %45 %46 %47 %48',
        'LT.float %44 %45 %46',
        'SEL.float %45 %44 %46 %47',
        'ABS.float %45 %46',
        'SQR.float %45 %46',
        'MUL.int32 %45 %46 %47',
        'LOADI.half %45 half(1.5)',
        'LOADI.int32 %45 -3',
      ),
    );
    assert.deepEqual(shown(f, 1).slice(2), ['u %46 v:F', 'u %47 -v:F']);
    // S0 * S1 + S2 is S2, S0, S1 for the hardware
    assert.deepEqual(shown(f, 2).slice(2), ['u %48 v:F', 'u %46 v:F', 'u %47 v:F']);
    assert.deepEqual(shown(f, 3), ['cmp(16) cond=l.v', 'd - null:F', 'u %45 v:F', 'u %46 v:F', 'd %44 v:UW']);
    assert.deepEqual(shown(f, 4), ['sel(16) pred=+v', 'd %45 v:F', 'u %46 v:F', 'u %47 v:F', 'ug %44 v:UW']);
    assert.equal(shown(f, 5)[2], 'u %46 |v|:F');
    assert.equal(shown(f, 6)[0], 'sqrt(16)');
    assert.equal(shown(f, 7)[0], 'ir_mul(16)');
    assert.equal(shown(f, 8)[2], 'u - #HF:00003e00');
    assert.equal(shown(f, 9)[2], 'u - #D:fffffffd');
  });

  it('knows all targets', () => {
    const f = lowered(saxpyIr);
    assert.equal(f.attributes.graph, undefined);
    assert.deepEqual(f.blockNames, ['$0', '', '$1']);
    assert.deepEqual(
      [0, 1, 2].map((b) => successorsOf(f, b)),
      [[1, 2], [2], []],
    );
    assert.equal(heads(saxpyIr)[4], 'jmpi(16) pred=+v target=2');
  });

  it('reports a label that is not there', () => {
    const text = ir('LABEL $0', 'BRA -> label$7');
    assert.deepEqual(
      problemsOf(text).map((p) => [p.code, text.slice(p.span.start, p.span.end)]),
      [['name/unknown-label', '$7']],
    );
  });

  it('takes families from declarations, and arguments and what follows from them alone as uniform', () => {
    const f = lowered(saxpyIr);
    for (const [name, family] of [
      ['%41', 'uniform dword'],
      ['%0', 'dword'],
      ['%45', 'bool'],
      ['%47', 'uniform dword'],
      ['%50', 'dword'],
    ])
      assert.equal(classOfRegister(f, name), family, name);
    // one lane is enough for it
    assert.equal(heads(saxpyIr)[5], 'mov(1)');
    // two definitions: the last round's value may differ from lane to lane
    assert.equal(classOfRegister(f, '%46'), 'dword');
  });
});
