import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OperandFlag } from '../../../../server/src/ir/function.js';
import { CodeWriter, machineCodeOf } from '../../../../server/src/targets/nvidia/code/writer.js';
import { machineSource } from '../../../../server/src/targets/nvidia/code/source.js';
import type { MachineCode } from '../../../../server/src/targets/nvidia/code/code.js';
import { corpusOrSkip, filesOf } from '../../../support/corpus.js';
import { isLongSearch, runs } from '../../../support/fuzz.js';
import { runCode, sameMeaning } from '../../../support/machine-code.js';
import { ptxHead } from '../../../support/ptx.js';
import { runKernel, unitsOf } from '../../../support/ptx-run.js';
import { randomLoops } from '../../../support/random-loops.js';
import { randomKernel } from '../../../support/random-ptx.js';

const kernel = (body: string) =>
  unitsOf(`${ptxHead}.visible .entry k(.param .u64 p) {
    .reg .u64 %out; .reg .pred %p<4>; .reg .b32 %r<9>;
    ld.param.u64 %out, [p];
    ${body}
    ret; }`);

/** The code of a kernel, written by hand from its source: `each` copies instruction i. */
function rewritten(
  units: ReturnType<typeof kernel>,
  each: (writer: CodeWriter, i: number, code: MachineCode) => void,
): MachineCode {
  const written = units.find((u) => u.function)?.function;
  assert.ok(written);
  const code = machineCodeOf(machineSource(written));
  const writer = new CodeWriter(code);
  writer.block();
  for (let i = 0; i < code.f.instructionCount; i++) each(writer, i, code);
  return writer.finish();
}

const stored = (units: ReturnType<typeof kernel>, code: MachineCode): string => {
  const { run, memory } = runCode(units, 'k', code, 1000);
  return run.message || memory.log.map(({ value }) => value).join(' ');
};

describe('machine code is executed by what it stands for', () => {
  it('values between folded instructions need no register, all others do', () => {
    const units = kernel(
      'mov.u32 %r1, 20; add.u32 %r2, %r1, 1; shl.b32 %r3, %r2, 1; st.global.u32 [%out], %r3;',
    );
    const folded = (withUse: boolean): MachineCode =>
      rewritten(units, (w, i, { f }) => {
        if (i === 2) return;
        if (i !== 3) return void w.copy(i);
        w.head(3, [2, 3]);
        w.operand(f.operandStart[3], f.operandPlace[f.operandStart[3]]);
        if (withUse) w.operand(f.operandStart[2] + 1, f.operandPlace[f.operandStart[2] + 1]);
      });
    assert.equal(stored(units, folded(true)), '42');
    assert.equal(
      stored(units, folded(false)),
      'instruction 2: shl.b32: %r1, which a source instruction reads, is no operand and was not computed before',
    );
  });

  it('a branch in front of an instruction is its guard', () => {
    const units = kernel(`mov.u32 %r1, 1; setp.eq.u32 %p1, %r1, 1;
      @%p1 bra L; mov.u32 %r1, 7; L: st.global.u32 [%out], %r1;`);
    const guarded = (guard: (branch: number) => number): MachineCode =>
      rewritten(units, (w, i, { f }) => {
        if (i === 3) return;
        if (i !== 4) return void w.copy(i);
        const o = f.operandStart[4];
        w.head(4, [guard(3), 4]);
        w.operand(o, f.operandPlace[o], OperandFlag.Definition | OperandFlag.Predicated);
        w.operand(f.operandStart[4] - 1, f.operandPlace[f.operandStart[4] - 1]);
      });
    assert.equal(
      stored(
        units,
        guarded((branch) => branch),
      ),
      '1',
      'taken: the move is left out',
    );
    assert.equal(
      stored(
        units,
        guarded((branch) => ~branch),
      ),
      '7',
      'taken: the move is executed',
    );
  });

  it('an instruction without source is a move', () => {
    const units = kernel('mov.u32 %r1, 5; st.global.u32 [%out], %r1;');
    let moved = -1;
    const code = rewritten(units, (w, i, { f }) => {
      const to = f.operandPlace[f.operandStart[1]];
      w.copy(i, (register) => (i === 2 && register === to ? moved : register));
      if (i !== 1) return;
      moved = w.another(to);
      w.head(i, []);
      w.plainOperand(moved, OperandFlag.Definition);
      w.plainOperand(to, OperandFlag.Use);
    });
    assert.equal(stored(units, code), '5');
  });

  // unrolled, %r1 is 0, 1, ... 5 in the tests, and the numbers from 1 on are moved to registers of their own
  it('a number that was moved to a register is not what the source reads in its place', () => {
    sameMeaning(
      kernel(`mov.u32 %r2, 155; mov.u32 %r1, 0;
        L: setp.eq.u32 %p1, %r1, 16; @!%p1 mul.lo.s32 %r2, %r2, 14;
        add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 6; @%p2 bra L;
        st.global.u32 [%out], %r2;`),
    );
  });

  // %r4 is read as %r3, so that the copy of it moves what is nowhere; the store reads %r3 in place of the copy
  it('a copy of what another register holds may move nothing', () => {
    const sums = kernel(`ld.global.u32 %r1, [%out]; ld.global.u32 %r2, [%out+4];
      add.u32 %r3, %r1, %r2; st.global.u32 [%out+8], %r3;
      add.u32 %r4, %r1, %r2; mov.u32 %r5, %r4; st.global.u32 [%out+12], %r5;`);
    sameMeaning(sums);
    sameMeaning(
      kernel(`mov.u32 %r1, 0; mov.u32 %r2, 77; add.s32 %r3, %r2, %r1; mov.u32 %r4, %r3;
        st.global.u32 [%out], %r2; st.global.u32 [%out+4], %r4;`),
    );
  });

  // both loops are unrolled, sums of three take in two rounds: of %r2 one is a number and one a register, which the
  // first loop has counted as %r1
  it('what is repeated inside an instruction has each operand once, the last repetitions those that are left', () => {
    sameMeaning(
      kernel(`ld.global.u32 %r3, [%out]; mov.u32 %r1, 0; mov.u32 %r4, 1;
        K: @%p1 mad.lo.s32 %r4, %r4, %r4, %r1; add.u32 %r1, %r1, 2; setp.lt.u32 %p2, %r1, 6; @%p2 bra K;
        mov.u32 %r2, 0;
        L: sub.u32 %r3, %r3, %r2; add.u32 %r2, %r2, 2; setp.lt.u32 %p2, %r2, 8; @%p2 bra L;
        st.global.u32 [%out], %r3; st.global.u32 [%out+4], %r4;`),
    );
  });

  it('but what is computed from it must be somewhere', () => {
    const units = kernel(
      'mov.u32 %r1, 20; mov.u32 %r2, %r1; shl.b32 %r3, %r2, 1; st.global.u32 [%out], %r3;',
    );
    const code = rewritten(units, (w, i, { f }) => {
      if (i === 2) return;
      if (i !== 3) return void w.copy(i);
      w.head(3, [2, 3]);
      w.operand(f.operandStart[3], f.operandPlace[f.operandStart[3]]);
    });
    assert.match(stored(units, code), /: %r1, which a source instruction reads, is no operand/);
  });
});

describe('machine code computes what its source computes', () => {
  it('random kernels, after every pass', function () {
    this.timeout(60_000);
    fc.assert(
      fc.property(randomKernel, (text) => sameMeaning(text)),
      { numRuns: runs(30) },
    );
  });

  it('random loops, after every pass', function () {
    this.timeout(60_000);
    fc.assert(
      fc.property(randomLoops, (text) => sameMeaning(text)),
      { numRuns: runs(60) },
    );
  });

  it('reference kernels, as far as they can be interpreted', function () {
    this.timeout(120_000);
    const folder = corpusOrSkip(this, 'ptx');
    const seen = new Set<string>();
    const largest = isLongSearch ? Infinity : 120;
    let executed = 0;
    for (const path of ['generated', 'dev'].flatMap((name) => filesOf(join(folder, name), '.ptx'))) {
      const family = basename(path).replace(/\.\d+\w*\.ptx$/, '');
      if (seen.has(family)) continue;
      seen.add(family);
      const text = readFileSync(path, 'latin1');
      if (text.length > 60 * largest) continue;
      const units = unitsOf(text);
      for (const { function: f } of units) {
        if (f?.isEntry !== true || f.instructionCount > largest) continue;
        if (runKernel(units, f.name, { steps: 2000 }).run.end !== 'left') continue;
        executed++;
        try {
          sameMeaning(units, f.name, { steps: 2000 });
        } catch (error) {
          assert.fail(`${basename(path)} ${f.name}: ${(error as Error).message}`);
        }
      }
    }
    if (isLongSearch) console.log(executed);
    assert.ok(executed > 30, `${executed} kernels`);
  });
});
