import assert from 'node:assert/strict';
import { asWords, runWell, words } from '../../../support/ptx-module-run.js';
import { faultOf, HEAD, kernel, outcomeOf, outOf, REGISTERS } from './support.js';

describe('ptx grid: state spaces', () => {
  it('gives each thread local memory of its own', () => {
    // every thread writes its number, then reads it back after all others have written theirs
    const text = kernel(`
      .local .align 8 .b8 depot[16];
      mov.u64 %rd2, depot;
      st.local.u32 [%rd2+8], %r0;
      bar.sync 0;
      ld.local.u32 %r1, [depot+8];
      st.global.u32 [%rd1], %r1;`);
    assert.deepEqual(
      outOf(text, 40, { block: [40, 1, 1], seed: 5 }),
      Array.from({ length: 40 }, (_, k) => k),
    );
  });

  it('gives each block shared memory of its own', () => {
    const text = kernel(
      `mov.u32 %r1, 1;
       atom.shared.add.u32 %r2, [count], %r1;
       bar.sync 0;
       ld.shared.u32 %r3, [count];
       mov.u32 %r4, %ctaid.x; mad.lo.u32 %r3, %r4, 100, %r3;
       st.global.u32 [%rd1], %r3;`,
      '.shared .u32 count;\n',
    );
    assert.deepEqual(
      outOf(text, 6, { grid: [2, 1, 1], block: [3, 1, 1], seed: 2 }),
      [3, 3, 3, 103, 103, 103],
    );
  });

  it('reads constants, initialised variables and pointers in them', () => {
    const text = kernel(
      `ld.const.u32 %r1, [table+8];
       ld.global.u64 %rd2, [pointer];
       ld.u32 %r2, [%rd2];
       add.u32 %r1, %r1, %r2;
       st.global.u32 [%rd1], %r1;`,
      `.const .u32 table[4] = {1, 2, 30, 4};
       .global .u32 cells[2] = {5, 600};
       .global .u64 pointer = cells+4;\n`,
    );
    assert.deepEqual(outOf(text, 1), [630]);
  });

  it('takes generic addresses of every space', () => {
    const text = kernel(
      `.local .u32 own;
       cvta.local.u64 %rd2, own; cvta.shared.u64 %rd3, mine; cvta.const.u64 %rd4, seven; cvta.global.u64 %rd5, eight;
       mov.u32 %r1, 40; st.u32 [%rd2], %r1; mov.u32 %r1, 2; st.u32 [%rd3], %r1;
       ld.u32 %r2, [%rd2]; ld.u32 %r3, [%rd3]; ld.u32 %r4, [%rd4]; ld.u32 %r5, [%rd5];
       add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5;
       st.global.u32 [%rd1], %r2;
       cvta.to.local.u64 %rd6, %rd2; ld.local.u32 %r6, [%rd6]; st.global.u32 [%rd1+4], %r6;
       isspacep.local %p1, %rd2; isspacep.shared %p2, %rd2; isspacep.shared %p3, %rd3;
       selp.u32 %r7, 1, 0, %p1; selp.u32 %r8, 2, 0, %p2; selp.u32 %r9, 4, 0, %p3;
       add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9; st.global.u32 [%rd1+8], %r7;`,
      '.shared .u32 mine;\n.const .u32 seven = 7;\n.global .u32 eight = 8;\n',
    );
    assert.deepEqual(outOf(text, 3), [57, 40, 5]);
  });

  it('takes a structure as an argument and lets the kernel index it', () => {
    const text = `${HEAD}.visible .entry k (.param .u64 out, .param .align 4 .b8 s[12]) { ${REGISTERS}
      ld.param.u64 %rd0, [out];
      mov.b64 %rd1, s;
      ld.param.u32 %r1, [%rd1+8];
      ld.param.u32 %r2, [s+4];
      sub.u32 %r1, %r1, %r2; st.global.u32 [%rd0], %r1; ret; }`;
    const result = runWell(text, {
      entry: 'k',
      buffers: { out: new Uint8Array(4) },
      arguments: [{ address: 'out' }, { bytes: words(1, 20, 300) }],
    });
    assert.deepEqual(asWords(result.memory.get('out')), [280]);
  });

  it('has shared memory whose size the launch says', () => {
    const text = kernel(
      `mov.u64 %rd2, dynamic; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd2, %rd2, %rd3;
       st.shared.u32 [%rd2], %r0; bar.sync 0; ld.shared.u32 %r1, [dynamic+4]; st.global.u32 [%rd1], %r1;`,
      '.extern .shared .b8 dynamic[];\n',
    );
    assert.deepEqual(outOf(text, 2, { block: [2, 1, 1], dynamicShared: 8 }), [1, 1]);
    assert.match(faultOf(text, { block: [3, 1, 1], dynamicShared: 8 }), /behind dynamic/);
  });
});

describe('ptx grid: faults', () => {
  const cases: readonly [string, string, string, RegExp][] = [
    [
      'behind a buffer',
      '',
      'st.global.u32 [%rd0+256], %r0;',
      /st\.global\.u32: 4 bytes at global address 0x7f0000000100: ends 4 bytes behind out/,
    ],
    ['null', '', 'mov.u64 %rd2, 0; ld.u32 %r1, [%rd2];', /4 bytes at global address 0x0: below everything/],
    ['not aligned', '', 'st.global.u32 [%rd0+2], %r0;', /0x7f0000000002: not aligned to 4/],
    ['a vector not aligned', '', 'ld.global.v2.u32 {%r1, %r2}, [%rd0+4];', /not aligned to 8/],
    [
      'behind a local array',
      '',
      '.local .align 4 .b8 a[8]; st.local.u32 [a+8], %r0;',
      /local address .*: ends 4 bytes behind a of k/,
    ],
    [
      'a shared address taken for a generic one',
      '.shared .u32 s[2];\n',
      'mov.u64 %rd2, s; st.u32 [%rd2], %r0;',
      /global address 0x400: below everything/,
    ],
    [
      'a local address taken for a global one',
      '',
      '.local .u32 a; mov.u64 %rd2, a; st.global.u32 [%rd2], %r0;',
      /below everything/,
    ],
    [
      'a variable in another space',
      '.shared .u32 s;\n',
      'ld.global.u32 %r1, [s];',
      /s is in shared memory, not in global memory/,
    ],
    [
      'constant memory written',
      '.const .u32 c = 1;\n',
      'cvta.const.u64 %rd2, c; st.u32 [%rd2], %r0;',
      /c at 0x[0-9a-f]+ is in constant memory/,
    ],
    [
      'an atomic on local memory',
      '',
      '.local .u32 a; cvta.local.u64 %rd2, a; atom.add.u32 %r1, [%rd2], 1;',
      /atom\.add\.u32: atomics do not work on local memory/,
    ],
    ['a trap', '', 'trap;', /^trap: a trap/],
    [
      'a value that was never written',
      '',
      'st.global.u32 [%rd0], %r5;',
      /takes a value that was never written/,
    ],
    [
      'a call of no function',
      '',
      'P: .callprototype _ (); call %rd0, P;',
      /0x7f0000000000, which is no function/,
    ],
  ];
  for (const [name, before, body, expected] of cases)
    it(`names: ${name}`, () => assert.match(faultOf(kernel(body, before)), expected));

  it('names a local address of another thread', () => {
    const text = kernel(
      `.local .u32 a; cvta.local.u64 %rd2, a;
       setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u64 [exchange], %rd2; bar.sync 0;
       ld.shared.u64 %rd3, [exchange]; setp.eq.u32 %p2, %r0, 1; @%p2 st.u32 [%rd3], %r0;`,
      '.shared .u64 exchange;\n',
    );
    assert.match(faultOf(text, { block: [2, 1, 1] }), /in the local memory of thread 0, not of thread 1/);
  });

  it('names the address of a frame that is gone, also when another has come since', () => {
    const text = kernel(
      `{ .param .u64 r; call (r), dangling; ld.param.u64 %rd2, [r]; }
       { .param .u64 r; call (r), dangling; ld.param.u64 %rd3, [r]; }
       ld.u32 %r1, [%rd2];`,
      `.func (.param .u64 r) dangling () { .reg .u64 %a; .local .u32 x; cvta.local.u64 %a, x; st.u32 [%a], 1;
         st.param.u64 [r], %a; ret; }\n`,
    );
    assert.match(faultOf(text), /outside of every variable of a call that has not returned/);
  });

  it('names the place: function, instruction, block and thread', () => {
    const text = kernel('setp.eq.u32 %p1, %r0, 5; @%p1 st.global.u32 [%rd0+1024], %r0;');
    const place = outcomeOf(text, { grid: [2, 1, 1], block: [4, 1, 1] }).fault?.place;
    assert.deepEqual([place?.function, place?.opcode], ['k', 'st.global.u32']);
    assert.deepEqual(
      [place?.block, place?.thread],
      [
        [1, 0, 0],
        [1, 0, 0],
      ],
    );
  });

  it('stops a program that does not end, and says where', () => {
    const text = kernel('loop: add.u32 %r1, %r0, 1; bra loop;');
    assert.match(faultOf(text, { steps: 1000 }), /^limit: not at an end after 1000 instructions/);
  });
});
