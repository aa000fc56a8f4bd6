import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sourceLane } from '../../../../server/src/languages/ptx/execute/exchange.js';
import { runs } from '../../../support/fuzz.js';
import { faultOf, HEAD, kernel, outOf, outcomeOf, REGISTERS } from './support.js';

const range = (n: number): number[] => Array.from({ length: n }, (_, k) => k);
const warp = { block: [32, 1, 1] as const };

describe('ptx grid: warps', () => {
  it('reads in all lanes before any of them goes on to write', () => {
    // the way of a soft stack: load the pointer, subtract, publish; all lanes must see the same old value
    const text = kernel(
      `setp.eq.u32 %p1, %r0, 0; mov.u32 %r2, 1000; @%p1 st.shared.u32 [slot], %r2; bar.warp.sync 0xffffffff;
       ld.shared.u32 %r1, [slot]; sub.u32 %r2, %r1, 16; st.shared.u32 [slot], %r2; st.global.u32 [%rd1], %r1;`,
      '.shared .u32 slot;\n',
    );
    assert.deepEqual(new Set(outOf(text, 32, warp)), new Set([1000]));
  });

  it('interleaves warps by the seed: the same seed gives the same run, some seeds lose an update', () => {
    // load, add, store without atomics; two warps of one lane
    const text = kernel(`mov.u32 %r5, 0;
      loop: ld.global.u32 %r1, [%rd0]; add.u32 %r1, %r1, 1; st.global.u32 [%rd0], %r1;
      add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 50; @%p1 bra loop;`);
    const count = (seed: number): number => outOf(text, 1, { block: [2, 1, 1], lanes: 1, seed })[0];
    const counts = range(10).map((k) => count(k + 1));
    assert.deepEqual(
      counts,
      range(10).map((k) => count(k + 1)),
    );
    assert.ok(Math.min(...counts) < 100 && Math.min(...counts) >= 50, counts.join());
    assert.ok(new Set(counts).size > 3, counts.join());
  });

  it('brings lanes together again behind an if, an else and a loop of different lengths', () => {
    const text = kernel(`
      and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra even;
      add.u32 %r3, %r0, 100; bra join;
      even: add.u32 %r3, %r0, 200;
      join: activemask.b32 %r4; st.global.u32 [%rd1], %r4;
      mov.u32 %r6, 0;
      loop: setp.ge.u32 %p2, %r6, %r0; @%p2 bra done;
      add.u32 %r6, %r6, 1; bra loop;
      done: activemask.b32 %r5; st.global.u32 [%rd1+128], %r5;
      add.u32 %r3, %r3, %r6; st.global.u32 [%rd1+256], %r3;`);
    const out = outOf(text, 96, { ...warp, words: 96 });
    assert.deepEqual(new Set(out.slice(0, 64)), new Set([0xffff_ffff]));
    assert.deepEqual(
      out.slice(64),
      range(32).map((k) => (k % 2 === 0 ? 200 : 100) + 2 * k),
    );
  });

  it('brings lanes together behind a call in which they took different ways, and behind different callees', () => {
    const text = kernel(
      `{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r0; call (r), f, (a); ld.param.b32 %r2, [r]; }
       activemask.b32 %r4; st.global.u32 [%rd1], %r4;
       and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 0;
       mov.u64 %rd2, f; mov.u64 %rd3, g; selp.b64 %rd2, %rd2, %rd3, %p1;
       { .param .b32 a; .param .b32 r; st.param.b32 [a], %r2;
         P: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %rd2, (a), P; ld.param.b32 %r2, [r]; }
       activemask.b32 %r4; st.global.u32 [%rd1+128], %r4; st.global.u32 [%rd1+256], %r2;`,
      `.func (.param .b32 r) f (.param .b32 a) { .reg .b32 %x; .reg .pred %p; ld.param.b32 %x, [a];
         setp.gt.u32 %p, %x, 7; @%p bra big; add.u32 %x, %x, 1; st.param.b32 [r], %x; ret;
         big: add.u32 %x, %x, 2; st.param.b32 [r], %x; ret; }
       .func (.param .b32 r) g (.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; mul.lo.u32 %x, %x, 10;
         st.param.b32 [r], %x; ret; }\n`,
    );
    const f = (x: number): number => (x > 7 ? x + 2 : x + 1);
    const out = outOf(text, 96, { ...warp, words: 96 });
    assert.deepEqual(new Set(out.slice(0, 64)), new Set([0xffff_ffff]));
    assert.deepEqual(
      out.slice(64),
      range(32).map((k) => (k % 2 === 0 ? f(f(k)) : 10 * f(k))),
    );
  });

  it('goes on without lanes that have left', () => {
    const text = kernel(`setp.ge.u32 %p1, %r0, 5; @%p1 exit;
      vote.sync.ballot.b32 %r1, 1, 0xffffffff; bar.sync 0; st.global.u32 [%rd1], %r1;`);
    assert.deepEqual(outOf(text, 6, warp), [31, 31, 31, 31, 31, 0]);
  });

  it('jumps through a table, each lane to its own label', () => {
    const text = kernel(`and.b32 %r1, %r0, 3;
      T: .branchtargets a, b, c;
      setp.gt.u32 %p1, %r1, 2; @%p1 bra end;
      brx.idx %r1, T;
      a: mov.u32 %r2, 10; bra join; b: mov.u32 %r2, 20; bra join; c: mov.u32 %r2, 30;
      join: st.global.u32 [%rd1], %r2;
      end:`);
    assert.deepEqual(outOf(text, 8, warp), [10, 20, 30, 0, 10, 20, 30, 0]);
    assert.match(faultOf(text.replace('gt.u32 %p1, %r1, 2', 'gt.u32 %p1, %r1, 3')), /no fault/);
    assert.match(
      faultOf(text.replace('gt.u32 %p1, %r1, 2', 'gt.u32 %p1, %r1, 3'), warp),
      /target 3 of a list of 3/,
    );
  });
});

describe('ptx grid: lanes exchange', () => {
  it('shuffles as the manual says, in segments too', () => {
    // the manual in other words: a segment is what the mask leaves equal; beyond its end a lane keeps its own value
    const segmentOf = (lane: number, width: number): number => Math.floor(lane / width) * width;
    fc.assert(
      fc.property(
        fc.constantFrom(2, 4, 8, 16, 32),
        fc.nat(31),
        fc.nat(31),
        fc.constantFrom('up', 'down', 'bfly', 'idx'),
        (width, lane, by, mode) => {
          const c = ((32 - width) << 8) | (mode === 'up' ? 0 : 31);
          const first = segmentOf(lane, width);
          const wanted =
            mode === 'up'
              ? lane - by
              : mode === 'down'
                ? lane + by
                : mode === 'bfly'
                  ? lane ^ by
                  : first + (by % width);
          const inside =
            mode === 'up'
              ? wanted >= first
              : mode === 'bfly'
                ? wanted < first + width
                : wanted < first + width;
          assert.equal(sourceLane(mode, lane, by, c), inside ? wanted : -1);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('sums a warp by butterfly shuffles', () => {
    const text = kernel(`mov.u32 %r1, %r0; mov.u32 %r2, 16;
      loop: shfl.sync.bfly.b32 %r3|%p2, %r1, %r2, 31, 0xffffffff; add.u32 %r1, %r1, %r3;
      shr.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra loop;
      st.global.u32 [%rd1], %r1;`);
    assert.deepEqual(new Set(outOf(text, 32, warp)), new Set([(31 * 32) / 2]));
  });

  it('hands the value of one lane to all (uniform SIMT), though others never wrote it', () => {
    const text = kernel(`setp.eq.u32 %p1, %r0, 0; @%p1 atom.global.add.u32 %r1, [%rd0+252], 7;
      shfl.sync.idx.b32 %r1, %r1, 0, 31, 0xffffffff; st.global.u32 [%rd1], %r1;`);
    const out = outOf(text, 64, warp);
    assert.deepEqual([out[0], out[31], out[63]], [0, 0, 7]);
  });

  it('votes, matches, elects and reduces', () => {
    const text = kernel(`and.b32 %r1, %r0, 3; setp.eq.u32 %p1, %r1, 0;
      vote.sync.ballot.b32 %r2, %p1, 0xffffffff; st.global.u32 [%rd1], %r2;
      vote.sync.any.pred %p2, !%p1, 0xffffffff; vote.sync.all.pred %p3, %p1, 0xffffffff;
      vote.sync.uni.pred %p4, %p1, 0xffffffff;
      selp.u32 %r3, 1, 0, %p2; selp.u32 %r4, 2, 0, %p3; selp.u32 %r5, 4, 0, %p4;
      match.any.sync.b32 %r6, %r1, 0xffffffff;
      redux.sync.add.u32 %r7, %r0, 0xffffffff; redux.sync.max.s32 %r8, %r0, 0xffffffff;
      elect.sync %r9|%p5, 0xffffffff; selp.u32 %r10, 8, 0, %p5;
      add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r10;
      st.global.u32 [%rd1+128], %r3; st.global.u32 [%rd1+256], %r6;
      add.u32 %r7, %r7, %r8; st.global.u32 [%rd1+384], %r7;`);
    const out = outOf(text, 128, { ...warp, words: 128 });
    assert.deepEqual(new Set(out.slice(0, 32)), new Set([0x1111_1111]));
    assert.deepEqual(out.slice(32, 64), [9, ...range(31).map(() => 1)]);
    assert.deepEqual(
      out.slice(64, 96),
      range(32).map((k) => (0x1111_1111 << (k % 4)) >>> 0),
    );
    assert.deepEqual(new Set(out.slice(96)), new Set([496 + 31]));
  });

  it('waits for the lanes of the mask that take another way first', () => {
    const text = kernel(`setp.lt.u32 %p1, %r0, 16; @%p1 bra early;
      mov.u32 %r2, 5; slow: sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra slow;
      vote.sync.ballot.b32 %r1, 1, 0xffffffff; bra join;
      early: vote.sync.ballot.b32 %r1, 1, 0xffffffff;
      join: st.global.u32 [%rd1], %r1;`);
    assert.deepEqual(new Set(outOf(text, 32, warp)), new Set([0xffff_ffff]));
  });

  it('says who waits for whom when lanes of a mask never come', () => {
    const text = kernel(`setp.lt.u32 %p1, %r0, 16; @%p1 bra wait; bar.sync 1; bra end;
      wait: bar.warp.sync 0xffffffff; end:`);
    assert.match(
      faultOf(text, warp),
      /^deadlock: every thread waits: .*bar\.warp\.sync with mask 0xffffffff.*at barrier 1|^deadlock: every thread waits: .*at barrier 1.*mask 0xffffffff/,
    );
  });

  it('refuses a lane that is not in its own mask', () =>
    assert.match(faultOf(kernel('bar.warp.sync 1;'), warp), /lane 1 is not in its own mask 0x1/));
});

describe('ptx grid: barriers', () => {
  it('makes what warps wrote before visible behind', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        // each thread writes its slot, all wait, each reads its neighbour's, twice
        const text = kernel(
          `mul.wide.u32 %rd2, %r0, 4; mov.u64 %rd3, cells; add.u64 %rd2, %rd3, %rd2;
           st.shared.u32 [%rd2], %r0; bar.sync 0;
           add.u32 %r1, %r0, 1; and.b32 %r1, %r1, 15; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd3, %rd4;
           ld.shared.u32 %r2, [%rd4]; bar.sync 0; st.shared.u32 [%rd2], %r2; bar.sync 0;
           ld.shared.u32 %r2, [%rd4]; st.global.u32 [%rd1], %r2;`,
          '.shared .u32 cells[16];\n',
        );
        assert.deepEqual(
          outOf(text, 16, { block: [16, 1, 1], lanes: 4, seed }),
          range(16).map((k) => (k + 2) % 16),
        );
      }),
      { numRuns: runs(10) },
    );
  });

  it('lets a producer arrive without waiting, and counts threads where a number is given', () => {
    const text = kernel(
      `setp.lt.u32 %p1, %r0, 32; @%p1 bra produce;
       bar.sync 1, 64; ld.shared.u32 %r1, [cell]; st.global.u32 [%rd1], %r1; bra end;
       produce: mov.u32 %r2, 77; st.shared.u32 [cell], %r2; bar.arrive 1, 64; end:`,
      '.shared .u32 cell;\n',
    );
    for (let seed = 1; seed < 6; seed++) assert.equal(outOf(text, 64, { block: [64, 1, 1], seed })[63], 77);
  });

  it('reduces predicates over the block', () => {
    const text = kernel(`and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 1;
      bar.red.popc.u32 %r2, 0, %p1; bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, !%p1;
      selp.u32 %r3, 100, 0, %p2; selp.u32 %r4, 1000, 0, %p3; add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4;
      st.global.u32 [%rd1], %r2;`);
    assert.deepEqual(new Set(outOf(text, 40, { block: [40, 1, 1], seed: 4 })), new Set([1020]));
  });

  it('opens when the others have left', () => {
    const text = kernel(
      'setp.lt.u32 %p1, %r0, 32; @%p1 bra end; bar.sync 0; st.global.u32 [%rd1], %r0; end:',
    );
    assert.equal(outOf(text, 64, { block: [64, 1, 1], seed: 3 })[63], 63);
  });
});

describe('ptx grid: calls', () => {
  it('recurses with a frame for each call', () => {
    // digits of 1..n are kept in each frame's local memory and added on the way back
    const text = kernel(
      `{ .param .b32 a; .param .b32 r; mov.u32 %r1, 20; st.param.b32 [a], %r1; call (r), sum, (a); ld.param.b32 %r2, [r]; }
       st.global.u32 [%rd1], %r2;`,
      `.func (.param .b32 r) sum (.param .b32 n) { .reg .b32 %x, %y; .reg .pred %p; .local .align 4 .b8 keep[4];
         ld.param.b32 %x, [n]; st.local.u32 [keep], %x; mov.u32 %y, 0; setp.eq.u32 %p, %x, 0; @%p bra done;
         sub.u32 %x, %x, 1;
         { .param .b32 a; .param .b32 q; st.param.b32 [a], %x; call (q), sum, (a); ld.param.b32 %y, [q]; }
         done: ld.local.u32 %x, [keep]; add.u32 %y, %y, %x; st.param.b32 [r], %y; ret; }\n`,
    );
    assert.deepEqual(outOf(text, 1), [210]);
  });

  it('stops recursion without an end', () => {
    const text = kernel('call f;', '.func f () { call f; ret; }\n');
    assert.match(faultOf(text), /call: calls nested more than 2000 deep/);
  });

  it('passes structures, registers and several results', () => {
    const text = kernel(
      `{ .param .align 8 .b8 s[16]; .param .b32 r;
         mov.u64 %rd2, 5; st.param.u64 [s], %rd2; mov.u32 %r1, 6; st.param.u32 [s+8], %r1; st.param.u32 [s+12], %r0;
         call (r), f, (s); ld.param.b32 %r2, [r]; st.global.u32 [%rd1], %r2; }
       call (%r3, %r4), g, (%r2, 3); st.global.u32 [%rd1+4], %r3; st.global.u32 [%rd1+8], %r4;`,
      `.func (.param .b32 r) f (.param .align 8 .b8 s[16]) { .reg .b32 %x, %y; .reg .b64 %a; mov.b64 %a, s;
         ld.param.u32 %x, [%a]; ld.param.u32 %y, [%a+8]; mad.lo.u32 %x, %x, 10, %y; st.param.b32 [r], %x; ret; }
       .func (.reg .b32 %q, .reg .b32 %m) g (.reg .b32 %x, .reg .b32 %y) {
         div.u32 %q, %x, %y; rem.u32 %m, %x, %y; ret; }\n`,
    );
    assert.deepEqual(outOf(text, 3), [56, 18, 2]);
  });

  it('allocates on the stack in loops and gives it back', () => {
    const text = kernel(
      `stacksave.u64 %rd5; mov.u32 %r5, 0; mov.u32 %r6, 0;
       loop: mul.lo.u32 %r7, %r5, 4; add.u32 %r7, %r7, 4; cvt.u64.u32 %rd6, %r7; alloca.u64 %rd7, %rd6;
       cvta.local.u64 %rd8, %rd7; cvt.u64.u32 %rd9, %r5; shl.b64 %rd9, %rd9, 2; add.u64 %rd8, %rd8, %rd9;
       st.u32 [%rd8], %r5; ld.u32 %r8, [%rd8]; add.u32 %r6, %r6, %r8;
       add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 10; @%p1 bra loop;
       stackrestore.u64 %rd5; st.global.u32 [%rd1], %r6;`,
    );
    assert.deepEqual(outOf(text, 1), [45]);
    const late = text.replace('stackrestore.u64 %rd5;', 'stackrestore.u64 %rd5; ld.u32 %r8, [%rd8];');
    assert.match(faultOf(late), /outside of every variable of a call that has not returned/);
  });

  it('prints, allocates and frees through hooks', () => {
    const text = kernel(
      `.local .align 8 .b8 va[16];
       mov.u32 %r1, 42; st.local.u32 [va], %r1; mov.f64 %fd1, 0d3FF8000000000000; st.local.f64 [va+8], %fd1;
       cvta.local.u64 %rd2, va; cvta.global.u64 %rd3, format;
       { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd3; st.param.b64 [b], %rd2;
         call (r), vprintf, (a, b); ld.param.b32 %r2, [r]; }
       { .param .b64 n; .param .b64 r; mov.u64 %rd4, 12; st.param.b64 [n], %rd4; call (r), malloc, (n); ld.param.b64 %rd5, [r]; }
       st.u32 [%rd5+8], %r2; ld.u32 %r3, [%rd5+8]; st.global.u32 [%rd1], %r3;
       { .param .b64 p; st.param.b64 [p], %rd5; call free, (p); }`,
      `.global .align 1 .b8 format[10] = {37, 100, 32, 37, 46, 50, 102, 10, 0};
       .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
       .extern .func (.param .b64 r) malloc (.param .b64 n);
       .extern .func free (.param .b64 p);\n`,
    );
    const result = outcomeOf(text);
    assert.equal(result.fault, undefined);
    assert.deepEqual(result.output, ['42 1.50\n']);
    assert.deepEqual(outOf(text, 1), ['42 1.50\n'.length]);
    const late = text.replace(/ret; }$/, 'st.u32 [%rd5+8], %r2; ret; }');
    assert.match(faultOf(late), /a block of malloc is no longer there/);
    assert.match(faultOf(text.replaceAll('vprintf', 'other')), /a call of other, which has no body here/);
  });

  it('refuses a call with too few arguments and one that passes too small a structure', () => {
    const f = '.func f (.param .align 4 .b8 s[8]) { ret; }\n';
    assert.match(
      faultOf(
        `${HEAD}${f}.visible .entry k (.param .u64 out) { ${REGISTERS} { .param .align 4 .b8 s[4]; call f, (s); } ret; }`,
      ),
      /s has 4 bytes where 8 are passed/,
    );
  });
});
