import assert from 'node:assert/strict';
import { controlFlow } from '../../../../../server/src/passes/cfg.js';
import { dominatorsOf } from '../../../../../server/src/passes/dominators.js';
import { loopsOf } from '../../../../../server/src/passes/loops.js';
import { contextOf } from '../../../../../server/src/targets/nvidia/code/context.js';
import type { MachineCode } from '../../../../../server/src/targets/nvidia/code/code.js';
import { deadCode } from '../../../../../server/src/targets/nvidia/code/fold/dead-code.js';
import { fold } from '../../../../../server/src/targets/nvidia/code/fold/fold.js';
import { unroll } from '../../../../../server/src/targets/nvidia/code/loops/unroll.js';
import { machineSource } from '../../../../../server/src/targets/nvidia/code/source.js';
import { machineCodeOf } from '../../../../../server/src/targets/nvidia/code/writer.js';
import { launchableOf } from '../../../../../server/src/targets/nvidia/limits.js';
import { sameMeaning } from '../../../../support/machine-code.js';
import { unitsOf } from '../../../../support/ptx-run.js';

/** A kernel `k` around a loop; `%r1` counts from 0, `%r9` is the parameter n, `%rd2` a global address. */
const kernel = (loop: string, before = '', after = ''): string => `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
.reg .pred %p<9>; .reg .f32 %f<99>; .reg .b32 %r<99>; .reg .b64 %rd<99>;
.shared .align 4 .b8 sm[4096];
ld.param.u64 %rd1, [out];
ld.param.u32 %r9, [n];
cvta.to.global.u64 %rd2, %rd1;
mov.b64 %rd3, %rd2;
mov.u32 %r1, 0;
mov.u32 %r2, 7;
${before}
L:
${loop}
${after}
st.global.u32 [%rd2], %r2;
st.global.u32 [%rd2+4], %r1;
ret;
}
`;

/** Multiply-adds, each of which needs the one before. */
const work = (count: number): string => 'mad.lo.s32 %r2, %r2, %r2, %r9;\n'.repeat(count);

const counted = (body: string, bound: string, step = 1, compare = 'lt.s32'): string =>
  `${body}add.s32 %r1, %r1, ${step};\nsetp.${compare} %p1, %r1, ${bound};\n@%p1 bra L;`;

interface Shape {
  readonly loops: number;
  /** Instructions with the root `mad`. */
  readonly copies: number;
}

/** The kernel after unrolling. */
function unrolledCode(text: string): MachineCode {
  const written = unitsOf(text).find((unit) => unit.function !== undefined)?.function;
  assert.ok(written);
  const source = machineSource(written);
  const context = contextOf(launchableOf(source, {}), {});
  return unroll(fold(deadCode(machineCodeOf(source), context), context), context);
}

/** What unrolling leaves of a kernel. */
function shapeOf(text: string, root = 'mad'): Shape {
  const { f } = unrolledCode(text);
  const cfg = controlFlow(f);
  const { header } = loopsOf(cfg, dominatorsOf(cfg));
  let loops = 0;
  for (let b = 0; b < f.blockCount; b++) if (header[b] === b) loops++;
  let copies = 0;
  for (const opcode of f.opcode) if (f.opcodes.text(opcode).startsWith(root)) copies++;
  return { loops, copies };
}

describe('unrolled loops', function () {
  // runs thousands of interpreted instructions a case
  this.timeout(20_000);

  it('go away where the trip count is known and small', () => {
    const text = kernel(counted(work(3), '10'));
    assert.deepEqual(shapeOf(text), { loops: 0, copies: 30 });
    sameMeaning(text);
  });

  it('count down, and by more than one', () => {
    const text = kernel(
      `${work(1)}add.s32 %r1, %r1, -3;\nsetp.gt.s32 %p1, %r1, 0;\n@%p1 bra L;`,
      'mov.u32 %r1, 20;',
    );
    assert.deepEqual(shapeOf(text), { loops: 0, copies: 7 });
    sameMeaning(text);
    const unsigned = kernel(
      `${work(1)}sub.u32 %r5, %r5, 3;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra L;`,
      'mov.u32 %r5, 21;',
    );
    assert.deepEqual(shapeOf(unsigned), { loops: 0, copies: 7 });
    sameMeaning(unsigned);
  });

  // Measured with ptxas 13.0: 78 iterations of 16 multiply-adds are unrolled whole, 128 become 2 + 7 * 18.
  it('are peeled and copied where whole would be too much', () => {
    assert.equal(shapeOf(kernel(counted(work(16), '78'))).loops, 0);
    const text = kernel(counted(work(16), '128'));
    assert.deepEqual(shapeOf(text), { loops: 1, copies: 16 * 20 });
    sameMeaning(text);
    assert.deepEqual(shapeOf(kernel(counted(work(16), '256'))), { loops: 1, copies: 16 * 18 });
    assert.deepEqual(shapeOf(kernel(counted(work(8), '512'))), { loops: 1, copies: 8 * 36 });
  });

  // Measured with ptxas 13.0: up to 18 multiply-adds four times, 19 stay.
  it('are copied four times where the trip count is not known', () => {
    assert.equal(shapeOf(kernel(counted(work(18), '%r9'))).copies > 4 * 18, true);
    assert.deepEqual(shapeOf(kernel(counted(work(19), '%r9'))), { loops: 1, copies: 19 });
  });

  // Measured with ptxas 13.0 on sm_80: the fewest multiply-adds beside it that keep the loop as it is, told by the size of the
  // code for each number of them; 19 of them alone do.
  it('weigh what approximations do for denormal numbers', () => {
    const fewest: Readonly<Record<string, number>> = {
      'div.approx.f32 %f1, %f2, %f1;': 12,
      'div.approx.ftz.f32 %f1, %f2, %f1;': 17,
      'div.full.f32 %f1, %f2, %f1;': 7,
      'div.full.ftz.f32 %f1, %f2, %f1;': 11,
      'rcp.approx.f32 %f1, %f1;': 12,
      'rcp.approx.ftz.f32 %f1, %f1;': 18,
      'ex2.approx.f32 %f1, %f1;': 13,
      'lg2.approx.f32 %f1, %f1;': 13,
      'sqrt.approx.f32 %f1, %f1;': 13,
      'rsqrt.approx.f32 %f1, %f1;': 13,
    };
    for (const [approximation, count] of Object.entries(fewest)) {
      const copies = (beside: number): number =>
        shapeOf(
          kernel(
            counted(`${work(beside)}${approximation}\n`, '%r9'),
            'ld.global.f32 %f1, [%rd2+8]; ld.global.f32 %f2, [%rd2+12];',
            'st.global.f32 [%rd2+8], %f1;',
          ),
        ).copies;
      assert.equal(copies(count), count, `${count} beside ${approximation}`);
      assert.ok(copies(count - 1) > count - 1, `${count - 1} beside ${approximation}`);
    }
  });

  for (const [name, compare, step] of [
    ['less', 'lt.s32', 1],
    ['at most, unsigned', 'le.u32', 3],
    ['another', 'ne.s32', 1],
  ] as const)
    it(`mean what they meant for any trip count: ${name}`, () => {
      for (let n = 0; n < 12; n++) {
        if (compare === 'ne.s32' && n === 0) continue;
        const text = kernel(
          counted(work(2), '%r3', step, compare),
          `mov.u32 %r3, ${n}; add.s32 %r3, %r3, %r9; sub.s32 %r3, %r3, %r9;`,
        );
        assert.ok(shapeOf(text).copies > 2, 'unrolled');
        sameMeaning(text);
      }
    });

  it('with the test at the top are unrolled too', () => {
    for (const bound of ['%r3', '5'])
      for (let n = 0; n < 10; n++) {
        const text = kernel(
          `setp.ge.s32 %p1, %r1, ${bound};\n@%p1 bra X;\n${work(2)}add.s32 %r1, %r1, 1;\nbra L;\nX:`,
          `mov.u32 %r3, ${n}; add.s32 %r3, %r3, %r9; sub.s32 %r3, %r3, %r9;`,
        );
        assert.ok(shapeOf(text).copies > 2, 'unrolled');
        sameMeaning(text);
      }
  });

  it('address through what counts along with offsets', () => {
    const body =
      'st.global.u32 [%rd3+8], %r2;\nadd.s64 %rd3, %rd3, 16;\nst.global.u32 [%rd3], %r1;\nmul.lo.s32 %r2, %r2, 3;\n';
    for (const bound of ['%r3', '9', '400']) {
      const text = kernel(
        counted(body, bound),
        'mov.u32 %r3, 11; add.s32 %r3, %r3, %r9; sub.s32 %r3, %r3, %r9;',
      );
      sameMeaning(text, 'k', { steps: 100_000 });
    }
    const code = unrolledCode(kernel(counted(body, '9')));
    const addresses = new Set<number>();
    for (let i = 0; i < code.f.instructionCount; i++)
      if (code.f.opcodes.text(code.f.opcode[i]).startsWith('st.'))
        addresses.add(code.f.operandPlace[code.f.operandStart[i]]);
    assert.ok(addresses.size <= 2, 'no address of its own for each copy');
  });

  it('may branch and leave inside', () => {
    const branching = `setp.gt.u32 %p2, %r2, 1000;\n@%p2 bra Y;\n${work(1)}add.s32 %r2, %r2, 3;\nY:\nxor.b32 %r2, %r2, %r1;\n`;
    for (const bound of ['6', '%r3']) {
      const text = kernel(
        counted(branching, bound),
        'mov.u32 %r3, 7; add.s32 %r3, %r3, %r9; sub.s32 %r3, %r3, %r9;',
      );
      assert.ok(shapeOf(text).copies > 1, 'unrolled');
      sameMeaning(text);
    }
    const leaving = `setp.gt.u32 %p2, %r2, 100000;\n@%p2 bra X;\n${work(1)}`;
    const whole = kernel(counted(leaving, '6'), '', 'X:');
    assert.deepEqual(shapeOf(whole), { loops: 0, copies: 6 });
    sameMeaning(whole);
    // Measured with ptxas 13.0: with a second way out only a known trip count is unrolled.
    assert.deepEqual(shapeOf(kernel(counted(leaving, '%r9'), '', 'X:')), { loops: 1, copies: 1 });
  });

  // Measured with ptxas 13.0: LLVM's two branches at the end are a counted loop, unless they stand around the way out.
  it('may go back by a branch of its own', () => {
    for (let n = 3; n < 9; n++)
      for (const bound of ['%r3', '6']) {
        const text = kernel(
          `${work(2)}add.s32 %r1, %r1, 1;\nsetp.eq.s32 %p1, %r1, ${bound};\n@%p1 bra X;\nbra.uni L;\nY:\nadd.s32 %r2, %r2, 5;\nX:\nsetp.gt.u32 %p2, %r2, 1000;\n@!%p2 bra Y;`,
          `mov.u32 %r3, ${n}; add.s32 %r3, %r3, %r9; sub.s32 %r3, %r3, %r9;`,
        );
        assert.ok(shapeOf(text).copies > 2, 'unrolled');
        sameMeaning(text);
      }
  });

  // Measured with ptxas 13.0: with the way out directly behind them they are one branch that goes back where the test fails.
  it('stay where a branch goes back in front of the way out', () => {
    const loop = `${work(2)}add.s32 %r1, %r1, 1;\nsetp.eq.s32 %p1, %r1, BOUND;\n@%p1 bra X;\nbra.uni L;\nX:`;
    for (const bound of ['%r9', '6'])
      for (const guard of ['', 'setp.gt.u32 %p2, %r9, 1000;\n@%p2 bra X;'])
        assert.deepEqual(shapeOf(kernel(loop.replace('BOUND', bound), guard)), { loops: 1, copies: 2 });
    // what joins from beside stands between the loop and the way out in ptxas's own order
    const aside = 'setp.gt.u32 %p2, %r9, 1000;\n@!%p2 bra L;\nadd.s32 %r2, %r2, 5;\nbra.uni X;';
    assert.ok(shapeOf(kernel(loop.replace('BOUND', '%r9'), aside)).copies > 2);
  });

  // Measured with ptxas 13.0, sm_75 to sm_90: 14 multiply-adds of seven copies, or the two of the loop as it stands.
  it('with a barrier are copied only where all threads are seen to run them equally often', () => {
    const body = (barrier: string): string => `${barrier}\nst.shared.u32 [sm], %r2;\n${barrier}\n${work(2)}`;
    const copies = (bound: string, start = '', barrier = 'bar.sync 0;'): number =>
      shapeOf(kernel(counted(body(barrier), bound), start)).copies;
    const values = 'mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.x; add.s32 %r5, %r9, 1; and.b32 %r6, %r9, -4;';
    assert.ok(copies('%r9') > 2);
    assert.ok(copies('%r9', `${values} mov.u32 %r1, %r3;`) > 2);
    assert.ok(copies('0', `${values} mov.u32 %r1, %r6;`) > 2);
    assert.ok(copies('%r9', '', 'bar.arrive 1, 256;') > 2);
    for (const bound of ['%r3', '%r4', '%r5', '%r6']) assert.equal(copies(bound, values), 2, bound);
    assert.equal(copies('%r9', `${values} mov.u32 %r1, %r4;`), 2);
    for (const barrier of ['bar.warp.sync -1;', 'barrier.sync 0;'])
      assert.equal(copies('%r9', '', barrier), 2);
    // whole where the trip count is a number
    assert.equal(copies('6'), 12);
  });

  it('of which only the most iterations are known keep their tests', () => {
    const loop = `${work(1)}add.s32 %r1, %r1, 7;\nsetp.lt.u32 %p1, %r1, 35;\nsetp.lt.u32 %p2, %r2, 100000;\nand.pred %p3, %p1, %p2;\n@%p3 bra L;`;
    const text = kernel(loop);
    assert.deepEqual(shapeOf(text), { loops: 0, copies: 5 });
    sameMeaning(text);
    sameMeaning(kernel(loop, 'mov.u32 %r2, 1;'));
  });

  it('in loops: the inner one first, then the one around it', () => {
    const inner =
      'mov.u32 %r5, 0;\nI:\nmad.lo.s32 %r2, %r2, %r2, %r5;\nadd.s32 %r5, %r5, 1;\nsetp.lt.s32 %p2, %r5, 3;\n@%p2 bra I;\n';
    const text = kernel(counted(inner, '4'));
    assert.deepEqual(shapeOf(text), { loops: 0, copies: 12 });
    sameMeaning(text);
  });

  it('add several loaded values in one instruction, each copy its own', () => {
    const sum =
      'ld.global.u32 %r4, [%rd3+16];\nadd.s32 %r2, %r2, %r4;\nst.shared.u32 [sm], %r2;\nadd.s64 %rd3, %rd3, 4;\n';
    for (const body of [sum, sum.replace(/st.shared.*\n/, '')]) sameMeaning(kernel(counted(body, '6')));
  });

  it('are left alone where the pragma says so, and where ptxas sees no counter', () => {
    assert.deepEqual(shapeOf(kernel(counted(`.pragma "nounroll";\n${work(2)}`, '10'))), {
      loops: 1,
      copies: 2,
    });
    for (const loop of [
      `${work(2)}add.s32 %r1, %r1, 1;\nsetp.ge.s32 %p1, %r1, %r9;\n@!%p1 bra L;`,
      `${work(2)}add.s32 %r1, %r1, %r9;\nsetp.lt.s32 %p1, %r1, 1000;\n@%p1 bra L;`,
      `${work(2)}setp.lt.s32 %p1, %r1, %r9;\nadd.s32 %r1, %r1, 1;\n@%p1 bra L;`,
    ])
      assert.deepEqual(shapeOf(kernel(loop)), { loops: 1, copies: 2 }, loop);
  });

  it('do not let the code grow without bound', () => {
    const loops: string[] = [];
    for (let k = 0; k < 100; k++)
      loops.push(
        `mov.u32 %r5, 0;\nI${k}:\n${work(4)}add.s32 %r5, %r5, 1;\nsetp.lt.s32 %p2, %r5, 500;\n@%p2 bra I${k};\n`,
      );
    const code = unrolledCode(kernel('', '', loops.join('')));
    assert.ok(code.f.instructionCount < 8192 + 6 * 100 * 8);
  });
});
