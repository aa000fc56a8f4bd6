import assert from 'node:assert/strict';
import fc from 'fast-check';
import { evaluate } from '../../../../server/src/targets/nvidia/code/constants/evaluate.js';
import { formOfText } from '../../../../server/src/targets/nvidia/code/fold/forms.js';
import { runs } from '../../../support/fuzz.js';
import { sameMeaning, stagesOf } from '../../../support/machine-code.js';
import { ptxHead } from '../../../support/ptx.js';
import { runKernel, unitsOf } from '../../../support/ptx-run.js';

const kernel = (body: string): string => `${ptxHead}.visible .entry k(.param .u64 p) {
  .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %d<5>; .reg .f32 %f<9>; .reg .u64 %out;
  ld.param.u64 %out, [p]; mov.u32 %r8, %tid.x;
  ${body}
  ret; }`;

/** Opcodes after the pass. */
const opcodesOf = (text: string): string[] => {
  const stage = stagesOf(unitsOf(text), 'k').find(({ pass }) => pass === 'constants');
  assert.ok(stage);
  const { f } = stage.code;
  return Array.from(f.opcode, (opcode) => f.opcodes.text(opcode));
};

describe('constants', () => {
  it('what follows from the counter of an unrolled loop is computed before', () => {
    const text = kernel(`mov.u32 %r0, 0; mov.f32 %f1, 0f00000000;
      L: shl.b32 %r1, %r0, 3; xor.b32 %r2, %r1, %r8; cvt.rn.f32.u32 %f0, %r1; fma.rn.f32 %f1, %f0, %f0, %f1;
      st.global.u32 [%out], %r2; add.u32 %r0, %r0, 1; setp.lt.u32 %p, %r0, 4; @%p bra L;
      st.global.f32 [%out+4], %f1;`);
    const opcodes = opcodesOf(text);
    assert.equal(opcodes.filter((opcode) => opcode === 'xor.b32').length, 4);
    for (const gone of ['shl.b32', 'add.u32', 'cvt.rn.f32.u32']) assert.ok(!opcodes.includes(gone), gone);
    sameMeaning(unitsOf(text));
  });

  // 1.5 is 0x3fc00000 in single precision, whose halves as a double begin with 0x3ff80000 and end with zeros
  it('a number in single precision is rounded to it, however it is written', () => {
    for (const [written, bits] of [
      ['1.5', 0x3fc00000],
      ['0d3ff8000000000000', 0x3fc00000],
      ['0f3fc00000', 0x3fc00000],
      ['0.1', 0x3dcccccd],
    ] as const) {
      const text = kernel(
        `mov.f32 %f1, ${written}; mov.b32 %r1, %f1; add.u32 %r1, %r1, 7; st.global.u32 [%out], %r1;`,
      );
      const stage = stagesOf(unitsOf(text), 'k').find(({ pass }) => pass === 'constants');
      const said = Array.from(stage!.code.f.operandPayload ?? [], (p) => stage!.code.f.operandTexts?.text(p));
      assert.ok(said.includes(String(bits + 7)), written);
      sameMeaning(text);
    }
  });

  it('two copies of one register in one instruction are not mixed up', () => {
    const text = kernel(`mov.u32 %r0, 1; mov.u32 %r3, 0;
      L: mov.u32 %r1, %r0; add.u32 %r0, %r0, %r0; mad.lo.u32 %r3, %r1, %r0, %r3; setp.lt.u32 %p, %r0, 16; @%p bra L;
      add.u32 %r3, %r3, %r8; st.global.u32 [%out], %r3;`);
    sameMeaning(unitsOf(text));
  });

  // in the loop %r1 is read where the source reads %r2, which nothing computes any more
  it('what another register holds as well is known for that register alone', () => {
    const text = kernel(`mov.u32 %r3, %tid.x; mov.u32 %r1, 0; add.u32 %r1, %r1, 3;
      st.global.u32 [%out+4], %r1; mov.u32 %r2, 0;
      L: mad.lo.s32 %r3, %r3, %r3, %r2; add.u32 %r2, %r2, 3; setp.lt.u32 %p, %r2, 15; @%p bra L;
      st.global.u32 [%out], %r3;`);
    sameMeaning(text);
  });

  const storedBy = (text: string): bigint[] => {
    sameMeaning(text);
    return runKernel(unitsOf(text), 'k', { steps: 999 }).memory.log.map(({ value }) => value);
  };

  // rounds: %r1 = 1 & 0, %r0 = ~0; %r1 = ~0 & 1; the third stores 34 times that
  it('reads what is inverted in an operand, and negated', () => {
    const inverted = kernel(`mov.u32 %r0, 1; mov.u32 %r1, 0; mov.u32 %r2, 0;
      L: mul.wide.u32 %d1, %r1, 34; and.b32 %r1, %r0, %r2; not.b32 %r0, %r1; add.u32 %r2, %r2, 1;
      setp.lt.u32 %p, %r2, 3; @%p bra L; st.global.u64 [%out], %d1;`);
    assert.deepEqual(storedBy(inverted), [34n]);
    // 5 - (0 - 1) + (0 + 1) and so on: 1 + 2 + 3 twice
    const negated = kernel(`mov.u32 %r0, 0; mov.u32 %r1, 5;
      L: add.u32 %r0, %r0, 1; neg.s32 %r2, %r0; sub.u32 %r3, %r0, %r2; add.u32 %r1, %r1, %r3;
      setp.lt.u32 %p, %r0, 3; @%p bra L; st.global.u32 [%out], %r1;`);
    assert.deepEqual(storedBy(negated), [17n]);
  });

  // %r0 is 1 and what it was before, 0, is inside %d0: 1 * 7 + 0
  it('two copies of one register that are handed on together are not mixed up', () => {
    const text = kernel(`mov.u32 %r0, 0; mov.u64 %d0, 0; mov.u64 %d1, 0;
      L: st.global.u64 [%out], %d1; mov.u32 %r1, 7; mad.wide.s32 %d1, %r0, %r1, %d0; cvt.u64.u32 %d0, %r0;
      add.u32 %r0, %r0, 1; setp.lt.u32 %p, %r0, 4; @%p bra L; st.global.u64 [%out+8], %d1;`);
    // 0 * 7 + 0, 1 * 7 + 0, 2 * 7 + 1, 3 * 7 + 2
    assert.deepEqual(storedBy(text), [0n, 0n, 7n, 15n, 23n]);
  });

  it('computes what the language means', () => {
    const operations: readonly (readonly [string, number])[] = [
      ['add.s32', 2],
      ['sub.u32', 2],
      ['mul.lo.s32', 2],
      ['mad.lo.u32', 3],
      ['and.b32', 2],
      ['or.b32', 2],
      ['xor.b32', 2],
      ['not.b32', 1],
      ['neg.s32', 1],
      ['shl.b32', 2],
      ['shr.s32', 2],
      ['shr.u32', 2],
      ['min.s32', 2],
      ['max.u32', 2],
      ['mul.wide.s32', 2],
      ['mul.wide.u32', 2],
      ['cvt.s64.s32', 1],
      ['cvt.u64.u32', 1],
      ['cvt.rn.f32.s32', 1],
      ['cvt.rn.f32.u32', 1],
      ['add.f32', 2],
      ['sub.f32', 2],
      ['mul.rn.f32', 2],
      ['fma.rn.f32', 3],
    ];
    const word = fc.oneof(fc.integer(), fc.integer({ min: -40, max: 40 }), fc.float().map(bitsOf));
    fc.assert(
      fc.property(fc.constantFrom(...operations), fc.tuple(word, word, word), ([op, count], words) => {
        const sources = words.slice(0, count).map((w) => BigInt.asUintN(32, BigInt(w)));
        const value = evaluate(op, formOfText(op), sources);
        if (value === undefined) return;
        const isFloat = op.endsWith('f32') && !op.startsWith('cvt');
        const isWide = /wide|64/.test(op);
        const result = isWide ? '%d0' : /f32/.test(op) ? '%f0' : '%r0';
        const read = sources.map((_, k) => (isFloat ? `%f${k + 1}` : `%r${k + 1}`));
        const body = `${sources.map((s, k) => `mov.b32 ${read[k]}, ${s};`).join(' ')}
          ${op} ${[result, ...read].join(', ')}; st.global.b${isWide ? 64 : 32} [%out], ${result};`;
        const { memory, run } = runKernel(unitsOf(kernel(body)), 'k', { steps: 99 });
        assert.equal(run.message, '');
        assert.equal(
          memory.log[0].value,
          BigInt.asUintN(isWide ? 64 : 32, value),
          `${op} ${sources.join(' ')}`,
        );
      }),
      { numRuns: runs(200) },
    );
  });
});

function bitsOf(value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return view.getInt32(0);
}
