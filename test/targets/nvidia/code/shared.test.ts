import assert from 'node:assert/strict';
import type { Function } from '../../../../server/src/ir/function.js';
import type { CodeContext, MachineCode } from '../../../../server/src/targets/nvidia/code/code.js';
import { contextOf } from '../../../../server/src/targets/nvidia/code/context.js';
import { optimised, prepared } from '../../../../server/src/targets/nvidia/code/pipeline.js';
import { machineSource } from '../../../../server/src/targets/nvidia/code/source.js';
import { launchableOf } from '../../../../server/src/targets/nvidia/limits.js';
import { ptxHead } from '../../../support/ptx.js';
import { unitsOf } from '../../../support/ptx-run.js';

const kernel = (body: string): string => `${ptxHead}
  .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
    .reg .pred %p; .reg .b32 n, t, s, x, i; .reg .b64 a, o, w; .reg .b32 r<6>; .reg .f32 g, h;
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

/** Loads and chains of work for units that machines have more or less of. */
const ORDERED = `mul.wide.u32 w, t, 4; add.s64 a, a, w; add.s64 o, o, w;
  ${[0, 1, 2, 3, 4, 5].map((k) => `ld.global.u32 r${k}, [a+${4 * k}]; mul.lo.u32 r${k}, r${k}, ${k + 3};`).join(' ')}
  ${[0, 1, 2, 3, 4, 5].map((k) => `cvt.rn.f32.u32 g, r${k}; fma.rn.f32 h, g, h, g; mul.f32 h, h, g;`).join(' ')}
  st.global.f32 [o], h;`;

const machines = ['sm_75', 'sm_80', 'sm_86', 'sm_89', 'sm_90', 'sm_120'];

const sourceOf = (text: string): Function => {
  const written = unitsOf(text).flatMap(({ function: f }) => f ?? []);
  return machineSource(written[0]);
};

const preparedFor = (source: Function, arch: string, without = ''): MachineCode => {
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

  for (const text of [TELLING, COMMON, ORDERED])
    it(`is ordered as for each of them by itself: ${text.slice(0, 24)}`, () => {
      for (const order of [machines, [...machines].reverse()]) {
        const source = sourceOf(kernel(text));
        for (const arch of order)
          for (const maxRegisters of [255, 24]) {
            const options = { arch, maxRegisters };
            const contextFor = (f: Function): CodeContext => contextOf(launchableOf(f, options), options);
            const alone = sourceOf(kernel(text));
            assert.deepEqual(
              tablesOf(optimised(source, contextFor(source))),
              tablesOf(optimised(alone, contextFor(alone))),
              `${arch}, ${maxRegisters} registers`,
            );
          }
      }
    });

  it('is ordered once for machines that would order it alike', () => {
    const source = sourceOf(kernel(COMMON));
    const orders = machines.map((arch) =>
      optimised(source, contextOf(launchableOf(source, { arch }), { arch })),
    );
    assert.equal(new Set(orders.map(({ executes }) => executes)).size, 1);
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
