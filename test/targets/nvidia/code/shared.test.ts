import assert from 'node:assert/strict';
import { contextOf } from '../../../../server/src/targets/nvidia/code/context.js';
import { optimised, prepared } from '../../../../server/src/targets/nvidia/code/pipeline.js';
import type { MachineCode } from '../../../../server/src/targets/nvidia/code/code.js';
import { machineSource } from '../../../../server/src/targets/nvidia/code/source.js';
import { launchableOf } from '../../../../server/src/targets/nvidia/limits.js';
import { ptxHead } from '../../../support/ptx.js';
import { unitsOf } from '../../../support/ptx-run.js';

const kernel = (body: string): string => `${ptxHead}
  .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
    .reg .pred %p; .reg .b32 n, t, s, x, i; .reg .b64 a, o, w, v;
    ld.param.u64 a, [in]; ld.param.u64 o, [out]; ld.param.u32 n, [n];
    mov.u32 t, %tid.x;
    ${body}
    ret; }`;

/** A pointer of the whole warp with two accesses in a loop, and a pointer to which products are added. */
const TELLING = `mov.u32 i, 0; mul.wide.u32 w, t, 4; add.s64 o, o, w;
  L: .pragma "nounroll";
  ld.global.u32 s, [a]; ld.global.u32 x, [a+4]; add.u32 s, s, x; add.s64 a, a, 8; st.global.u32 [o], s;
  add.u32 i, i, 1; setp.lt.u32 %p, i, n; @%p bra L;`;
/** Nothing in which machines differ before instructions are ordered. */
const COMMON = 'st.shared.u32 [t], n;';

const machines = ['sm_75', 'sm_80', 'sm_86', 'sm_89', 'sm_90', 'sm_120'];

const sourceOf = (text: string): ReturnType<typeof machineSource> => {
  const written = unitsOf(text).flatMap(({ function: f }) => f ?? []);
  return machineSource(written[0]);
};

const preparedFor = (source: ReturnType<typeof machineSource>, arch: string, without = ''): MachineCode => {
  const options = { arch, without };
  return prepared(source, contextOf(launchableOf(source, options), options));
};

/** The same with every pass run for this machine alone. */
function madeFor(text: string, arch: string, without = ''): MachineCode {
  const source = sourceOf(text);
  const options = { arch, without };
  let last: MachineCode | undefined;
  optimised(source, contextOf(launchableOf(source, options), options), (code, pass) => {
    if (pass !== 'frames' && pass !== 'schedule') last = code;
  });
  assert.ok(last);
  return last;
}

const tablesOf = ({ f, executes, temporaries }: MachineCode): unknown => [
  f.opcode,
  f.operandPlace,
  f.registerClass,
  f.blockStart,
  executes,
  temporaries,
];

describe('code that machines have in common', () => {
  for (const order of [machines, [...machines].reverse()])
    it(`is what each of them would get by itself, asked for from ${order[0]} on`, () => {
      const source = sourceOf(kernel(TELLING));
      for (const without of ['', 'uniform', 'recompute fold'])
        for (const arch of order)
          assert.deepEqual(
            tablesOf(preparedFor(source, arch, without)),
            tablesOf(madeFor(kernel(TELLING), arch, without)),
            `${arch} without ${without}`,
          );
    });

  const distinct = (text: string): number => {
    const source = sourceOf(text);
    return new Set(machines.map((arch) => preparedFor(source, arch).executes)).size;
  };

  it('is made once where no pass has a reason to tell them apart', () => {
    assert.equal(distinct(kernel(COMMON)), 1);
  });

  it('is made for each kind of machine where a pass has one', () => {
    // before sm_80, before sm_90 and from there on
    assert.equal(distinct(kernel(TELLING)), 3);
  });
});
