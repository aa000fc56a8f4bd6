import type { GridOptions, GridResult } from '../../../../server/src/languages/ptx/execute/grid.js';
import { asWords, run, runWell } from '../../../support/ptx-module-run.js';

/** Kernels of tests: `out` is a buffer of 32-bit words, one for each thread of the grid unless told otherwise. */
export const HEAD = '.version 8.0\n.target sm_90\n.address_size 64\n';

export const REGISTERS = `.reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<10>; .reg .f64 %fd<10>;`;

/** A kernel with the parameter `out`; `%rd0` is its address, `%r0` the thread's number in the grid, `%rd1` its word. */
export const kernel = (body: string, before = ''): string => `${HEAD}${before}
.visible .entry k (.param .u64 out) {
  ${REGISTERS}
  .reg .u32 %t, %u, %v;
  ld.param.u64 %rd0, [out];
  mov.u32 %t, %ctaid.x; mov.u32 %u, %ntid.x; mov.u32 %v, %tid.x;
  mad.lo.u32 %r0, %t, %u, %v;
  mov.u32 %u, %tid.y;
  mov.u32 %v, %ntid.x; mad.lo.u32 %r0, %u, %v, %r0;
  mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;
  ${body}
  ret; }`;

type Options = Omit<GridOptions, 'entry'> & { readonly words?: number };

const complete = ({ words: count = 64, ...options }: Options): GridOptions => ({
  entry: 'k',
  arguments: [{ address: 'out' }],
  buffers: { out: new Uint8Array(4 * count) },
  ...options,
});

/** The first `count` words that a kernel leaves. */
export const outOf = (text: string, count: number, options: Options = {}): readonly number[] =>
  asWords(runWell(text, complete(options)).memory.get('out')).slice(0, count);

export const outcomeOf = (text: string, options: Options = {}): GridResult => run(text, complete(options));

export const faultOf = (text: string, options: Options = {}): string => {
  const { fault } = outcomeOf(text, options);
  return fault === undefined ? 'no fault' : `${fault.kind}: ${fault.message}`;
};
