import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { GridOptions, GridResult } from '../../../../server/src/languages/ptx/execute/grid.js';
import { STACK_AREA } from '../../../../server/src/languages/ptx/execute/grid.js';
import type { ProgramUnit } from '../../../../server/src/languages/ptx/semantics/module.js';
import { corpusOrSkip, filesOf } from '../../../support/corpus.js';
import { isLongSearch } from '../../../support/fuzz.js';
import { miniGomp } from '../../../support/mini-gomp.js';
import { asDoubles, asWords, run, runWell, words } from '../../../support/ptx-module-run.js';
import { unitsOf } from '../../../support/ptx-run.js';

/**
 * What GCC 12 makes of an OpenMP program for nvptx (soft stacks, uniform SIMT), at three levels and for two targets, is
 * executed and must give what the C source says. Single functions are called by a kernel of ours; whole target
 * regions run on several warps over a small runtime (`mini-gomp.ts`).
 */
const bytesOf = (values: ArrayLike<number> & { readonly buffer: ArrayBufferLike }): Uint8Array =>
  new Uint8Array(values.buffer);

/** Each level and each target once; all of both where time does not matter. */
const USUAL = isLongSearch ? /^gcc12_omp_/ : /^gcc12_omp_(?:O0_sm_30|O2_sm_75|O3_sm_75)/;

const STACK = 4096;

/** Calls `body` with `%r` registers and stores `%r0` at `out[%tid.y]`. */
const caller = (name: string, body: string): string => `
.visible .entry test_${name} (.param .u64 out, .param .u32 n) {
  .reg .u32 %a, %r0, %y; .reg .u64 %o, %d;
  ld.param.u64 %o, [out]; ld.param.u32 %a, [n];
  mov.u32 %y, %tid.y; mad.wide.u32 %o, %y, 4, %o;
  add.u32 %a, %a, %y;
  ${body}
  st.u32 [%o], %r0;
  ret; }`;

const callOf = (name: string, result = 'u32'): string => `
  { .param .${result} v; .param .u32 x; st.param.u32 [x], %a; call (v), ${name}, (x);
    ld.param.${result} ${result === 'u64' ? '%d' : '%r0'}, [v]; }
  ${result === 'u64' ? 'cvt.u32.u64 %r0, %d;' : ''}`;

const functions: readonly [string, string, (n: number) => number][] = [
  ['leafarr', callOf('leafarr'), (n) => (n & 15) * n],
  ['vla', callOf('vla'), (n) => (n - 1) ** 2 + 1],
  ['sw', callOf('sw', 'u64'), (n) => [5, 7, 0, -4, 64, 99, 36][n] ?? 0],
  [
    'ind',
    `mov.u64 %d, leafarr; { .param .u32 v; .param .u64 f; .param .u32 x; st.param.u64 [f], %d; st.param.u32 [x], %a;
     call (v), ind, (f, x); ld.param.u32 %r0, [v]; }`,
    (n) => (n & 15) * n + ((n + 1) & 15) * (n + 1),
  ],
];
const teams = (count: number) => ({ hooks: { omp_get_num_teams: () => BigInt(count) } });

describe("ptx grid: GCC's soft stacks", function () {
  this.timeout(60_000);
  let programs: readonly (readonly [string, readonly ProgramUnit[]])[] = [];

  before(function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'generated');
    const callers =
      functions.map(([name, body]) => caller(name, body)).join('') + caller('alc', callOf('alc'));
    programs = filesOf(folder, '.as.ptx')
      .filter((path) => USUAL.test(basename(path)))
      .map((path) => [basename(path), unitsOf(readFileSync(path, 'latin1') + callers + miniGomp)]);
    assert.equal(programs.length, isLongSearch ? 6 : 3);
  });

  for (const [name, , meaning] of functions)
    it(`${name} computes what its source says, in four warps at once`, () => {
      for (const [file, units] of programs) {
        for (const [lanes, x] of [
          [32, 32],
          [1, 1],
        ]) {
          const result = runWell(units, {
            entry: `test_${name}`,
            block: [x, 4, 1],
            lanes,
            seed: 7,
            buffers: { out: new Uint8Array(16) },
            arguments: [{ address: 'out' }, 3],
            stacks: { bytes: STACK, slots: '__nvptx_stacks' },
          });
          const expected = [3, 4, 5, 6].map((n) => meaning(n) >>> 0);
          assert.deepEqual(asWords(result.memory.get('out')), expected, `${file}, ${lanes} lanes a warp`);
          assert.deepEqual(result.stacks?.violations(), []);
        }
      }
    });

  it('finds that the example asks sink to write more than it allocated', () => {
    // alc(n) has 2n bytes, rounded up to 16, and lets sink count in n integers: 4n > 16 for n = 5
    for (const [, units] of programs) {
      const { fault, stacks } = run(units, {
        entry: 'test_alc',
        block: [32, 2, 1],
        buffers: { out: new Uint8Array(8) },
        arguments: [{ address: 'out' }, 100],
        stacks: { bytes: STACK, slots: '__nvptx_stacks' },
      });
      assert.ok(fault !== undefined || stacks?.violations().length !== 0);
    }
  });

  /** A target region over a structure of pointers to the buffers. */
  function region(
    units: readonly ProgramUnit[],
    entry: string,
    buffers: Readonly<Record<string, Uint8Array>>,
    options: Partial<GridOptions> = {},
  ): GridResult {
    return runWell(units, {
      entry,
      block: [32, 4, 1],
      buffers: { ...buffers, data: new Uint8Array(64) },
      links: Object.keys(buffers).map((to, k) => ({ buffer: 'data', at: 8 * k, to })),
      arguments: [{ address: 'data' }, { address: STACK_AREA }, STACK],
      stacks: { bytes: STACK },
      ...options,
    });
  }

  it('runs a parallel region in which each warp has an array of its own', () => {
    // each thread t: int a[8]; a[i] = i * t; x += a[t & 7]
    for (const [file, units] of programs) {
      for (let seed = 0; seed < 2; seed++) {
        const { memory, stacks } = region(
          units,
          'main$_omp_fn$7',
          { x: words(1000) },
          { block: [32, 8, 1], seed },
        );
        const sum = [0, 1, 2, 3, 4, 5, 6, 7].reduce((s, t) => s + t * t, 1000);
        assert.deepEqual(asWords(memory.get('x')), [sum], file);
        // what the others write in the stack of warp 0 is the shared sum in its frame, by atomics
        assert.ok(stacks !== undefined && stacks.trespasses.every((t) => t.owner === 0 && t.bytes === 4));
        assert.equal(new Set(stacks.trespasses.map((t) => t.address)).size, 1);
        for (let warp = 1; warp < 8; warp++)
          assert.ok(stacks.depthOf(warp) >= 32 && stacks.depthOf(warp) <= STACK);
      }
    }
  });

  it('runs a reduction over SIMD lanes, which move to stacks in local memory for the while', () => {
    // y[i] += 2 x[i]; sum of y over the elements of team 0 of 16
    const count = 4096 / 16;
    const x = new Float32Array(4096).map((_, k) => k % 7);
    const y = new Float32Array(4096).map((_, k) => k % 5);
    for (const [file, units] of programs) {
      const buffers = { x: bytesOf(x), y: bytesOf(y), sum: bytesOf(new Float64Array([0.5])) };
      const { memory } = region(units, 'main$_omp_fn$1', buffers, { seed: 3, ...teams(16) });
      const expected = Array.from(y, (v, k) => (k < count ? v + 2 * x[k] : v));
      assert.deepEqual([...new Float32Array(memory.get('y')!.slice().buffer)], expected, file);
      assert.deepEqual(
        asDoubles(memory.get('sum')),
        [expected.slice(0, count).reduce((s, v) => s + v, 0.5)],
        file,
      );
    }
  });

  it('runs a matrix product and forces between particles, one lane a warp', () => {
    const narrow = { block: [1, 4, 1] as const, lanes: 1, seed: 11 };
    const a = new Float32Array(65536).map((_, k) => (k * 7) % 13);
    const b = new Float32Array(65536).map((_, k) => (k * 5) % 11);
    const x = new Float64Array(1024).map((_, k) => k % 32);
    const y = new Float64Array(1024).map((_, k) => Math.floor(k / 32));
    for (const [file, units] of programs) {
      if (file.includes('O0')) continue;
      // 65536 elements, 8192 teams: team 0 has the first eight of row 0
      const product = region(
        units,
        'main$_omp_fn$5',
        { a: bytesOf(a), b: bytesOf(b), c: new Uint8Array(4 * 65536) },
        { ...narrow, ...teams(8192) },
      );
      const c = new Float32Array(product.memory.get('c')!.slice(0, 32).buffer);
      const row = [0, 1, 2, 3, 4, 5, 6, 7].map((j) => {
        let sum = 0;
        for (let k = 0; k < 256; k++) sum += a[k] * b[256 * k + j];
        return sum;
      });
      assert.deepEqual([...c], row, file);
      const forces = region(
        units,
        'main$_omp_fn$3',
        { x: bytesOf(x), y: bytesOf(y), f: new Uint8Array(8 * 1024) },
        { ...narrow, ...teams(512) },
      );
      const f = asDoubles(forces.memory.get('f'));
      for (const i of [0, 1]) {
        let sum = 0;
        for (let j = 0; j < 1024; j++) {
          const [dx, dy] = [x[i] - x[j], y[i] - y[j]];
          sum += dx / Math.sqrt(dx * dx + dy * dy + 1e-9);
        }
        assert.ok(Math.abs(f[i] - sum) < 1e-9 * Math.abs(sum), `${file}: ${f[i]}, not ${sum}`);
      }
    }
  });

  it('runs the region that calls all of them', () => {
    // sumv prints "3 1 5 3.000000\n" and returns its length; alc and the two after it return what they did not set
    for (const [file, units] of programs) {
      const result = region(units, 'main$_omp_fn$0', { x: words(2) }, { block: [32, 1, 1] });
      assert.deepEqual(new Set(result.output), new Set(['3 1 5 3.000000\n']), file);
      assert.deepEqual(result.stacks?.violations(), [], file);
    }
  });
});
