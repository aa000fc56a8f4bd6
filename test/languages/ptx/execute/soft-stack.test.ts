import assert from 'node:assert/strict';
import type { GridResult } from '../../../../server/src/languages/ptx/execute/grid.js';
import type { ProgramUnit } from '../../../../server/src/languages/ptx/semantics/module.js';
import { asWords, run } from '../../../support/ptx-module-run.js';
import { unitsOf } from '../../../support/ptx-run.js';
import { HEAD } from './support.js';

/**
 * A soft-stack module by hand, and the ways to get one wrong. `outer` keeps its number in its frame over two calls of
 * `inner`, which has a frame too and calls `leaf`; whoever gets the protocol wrong finds something else there, or
 * somebody else's memory. The executor must show each mistake, or tests that rest on it show nothing.
 */
const prologue = (bytes: number, isLeaf: boolean): string => `
  .reg .u64 %slot, %previous, %frame; .reg .u32 %warp;
  mov.u32 %warp, %tid.y; mov.u64 %slot, __nvptx_stacks; mad.wide.u32 %slot, %warp, 8, %slot;
  ld.shared.u64 %previous, [%slot]; sub.u64 %frame, %previous, ${bytes};
  ${isLeaf ? '' : 'st.shared.u64 [%slot], %frame; // publish'}`;

const func = (name: string, bytes: number, isLeaf: boolean, body: string): string => `
.func (.param .u32 r) ${name} (.param .u32 a) {
  .reg .u32 %x, %y, %k; .reg .u64 %at; .reg .pred %p;
  ld.param.u32 %x, [a];
  ${prologue(bytes, isLeaf)}
  ${body}
  ${isLeaf ? '' : `st.shared.u64 [%slot], %previous; // restore ${name}`}
  st.param.u32 [r], %y; ret; }`;

const call = (name: string): string => `
  { .param .u32 i; .param .u32 o; st.param.u32 [i], %x; call (o), ${name}, (i); ld.param.u32 %y, [o]; }`;

const fill = (words: number): string => `
  mov.u32 %k, 0; mov.u64 %at, %frame;
  fill: st.u32 [%at], %x; add.u64 %at, %at, 4; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, ${words}; @%p bra fill;`;

const module = `${HEAD}
.extern .shared .u64 __nvptx_stacks[32];
${func('leaf', 64, true, `${fill(16)} ld.u32 %y, [%frame+60]; add.u32 %y, %y, 1;`)}
${func('inner', 32, false, `${fill(8)} ${call('leaf')} ld.u32 %x, [%frame+28]; add.u32 %y, %y, %x;`)}
${func('outer', 16, false, `st.u32 [%frame], %x; add.u32 %x, %x, 1000; ${call('inner')} ${call('inner')} ld.u32 %x, [%frame]; mad.lo.u32 %y, %x, 100000, %y;`)}
.visible .entry k (.param .u64 out) {
  .reg .u64 %o; .reg .u32 %x, %y, %w; .reg .u32 %n; .reg .pred %q;
  ld.param.u64 %o, [out]; mov.u32 %w, %tid.y; mad.wide.u32 %o, %w, 4, %o;
  mov.u32 %n, 0;
  again: add.u32 %x, %w, 1; ${call('outer')} st.global.u32 [%o], %y;
  add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 4; @%q bra again;
  ret; }`;

/** outer keeps w + 1; inner and leaf get 1000 more; leaf adds one. */
const expected = [0, 1, 2, 3].map((w) => (w + 1) * 100_000 + 2 * (w + 1001) + 1);
const STACK = 128;

const runWith = (program: readonly ProgramUnit[], seed: number, width = 1): GridResult =>
  run(program, {
    entry: 'k',
    block: [width, 4, 1],
    lanes: width,
    seed,
    buffers: { out: new Uint8Array(16) },
    arguments: [{ address: 'out' }],
    stacks: { bytes: STACK, slots: '__nvptx_stacks' },
  });

function isRight({ fault, memory, stacks }: GridResult): boolean {
  const found = asWords(memory.get('out'));
  return (
    fault === undefined &&
    stacks?.violations().length === 0 &&
    expected.every((value, warp) => found[warp] === value)
  );
}

describe('ptx grid: a soft stack by hand', function () {
  this.timeout(60_000);
  it('is right under all orders, for warps of one lane and of many, and exactly as deep as its frames', () => {
    const units = unitsOf(module);
    for (let seed = 0; seed < 6; seed++)
      for (const width of seed === 1 ? [1, 32] : [1]) {
        const result = runWith(units, seed, width);
        assert.ok(
          isRight(result),
          `seed ${seed}: ${result.fault?.message ?? result.stacks?.violations().join()}`,
        );
        assert.deepEqual(
          [0, 1, 2, 3].map((w) => result.stacks?.depthOf(w)),
          [112, 112, 112, 112],
        );
      }
  });

  const mistakes: readonly [string, (text: string) => string][] = [
    [
      'no function publishes its pointer',
      (t) => t.replace(/st\.shared\.u64 \[%slot\], %frame; \/\/ publish/g, ''),
    ],
    [
      'inner does not restore it',
      (t) => t.replace(/st\.shared\.u64 \[%slot\], %previous; \/\/ restore inner/, ''),
    ],
    [
      'outer does not restore it',
      (t) => t.replace(/st\.shared\.u64 \[%slot\], %previous; \/\/ restore outer/, ''),
    ],
    [
      'the frame of inner is too small',
      (t) => t.replace('sub.u64 %frame, %previous, 32', 'sub.u64 %frame, %previous, 16'),
    ],
    ['the stack grows up', (t) => t.replaceAll('sub.u64 %frame, %previous', 'add.u64 %frame, %previous')],
    ['all warps share the slot of one', (t) => t.replaceAll('mov.u32 %warp, %tid.y', 'mov.u32 %warp, 0')],
    ['the slot is chosen by %tid.x', (t) => t.replaceAll('mov.u32 %warp, %tid.y', 'mov.u32 %warp, %tid.x')],
    [
      'slots are taken to have 4 bytes',
      (t) => t.replaceAll('mad.wide.u32 %slot, %warp, 8', 'mad.wide.u32 %slot, %warp, 4'),
    ],
    [
      'the pointer is stored in the next slot',
      (t) => t.replace('[%slot], %frame; // publish', '[%slot+8], %frame; // publish'),
    ],
    ['accesses go to local memory', (t) => t.replaceAll('ld.u32 %x, [%frame]', 'ld.local.u32 %x, [%frame]')],
    ['more is asked for than the stack has', (t) => t.replaceAll('%previous, 64', '%previous, 128')],
  ];
  for (const [name, breakIt] of mistakes)
    it(`shows that ${name}`, () => {
      const broken = breakIt(module);
      assert.notEqual(broken, module);
      const units = unitsOf(broken);
      assert.ok([1, 2, 3, 4, 5].some((seed) => !isRight(runWith(units, seed))));
    });
});
