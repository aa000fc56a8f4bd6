import assert from 'node:assert/strict';
import { errorsIn, func, linesOf, moved } from './support.js';

const registers = '.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .pred %p;';

/** What every function does first; `bytes` comes off the caller's pointer. */
const prologue = (bytes: number): string[] => [
  '.reg .b32 %stack_warp;',
  '.reg .b64 %stack_slots, %stack_slot, %stack_previous, %stack_frame;',
  'mov.u32 %stack_warp, %tid.y;',
  'mov.u64 %stack_slots, __nvptx_stacks;',
  'mad.wide.u32 %stack_slot, %stack_warp, 8, %stack_slots;',
  'ld.shared.u64 %stack_previous, [%stack_slot];',
  `sub.u64 %stack_frame, %stack_previous, ${bytes};`,
];
const publish = 'st.shared.u64 [%stack_slot], %stack_frame;';
const restore = 'st.shared.u64 [%stack_slot], %stack_previous;';

describe('soft stack: the frame of a function', () => {
  it('replaces the depot by a frame below the pointer of the warp', () => {
    const { text, functions, refusals } = moved(
      func(`.local .align 8 .b8 depot[24];
        ${registers}
        mov.u64 %rd1, depot;
        cvta.local.u64 %rd2, %rd1;
        add.u64 %rd3, %rd1, 8;
        st.local.u32 [%rd3+4], %r1;
        ld.u32 %r2, [%rd2+12];
        ret;`),
    );
    assert.deepEqual(refusals, []);
    // 24 bytes, rounded to a multiple of 16
    assert.deepEqual(functions, [{ name: 'f', bytes: 32 }]);
    assert.deepEqual(linesOf(text), [
      ...registers.split('\n'),
      ...prologue(32),
      'mov.u64 %rd1, %stack_frame;',
      'mov.u64 %rd2, %rd1;',
      'add.u64 %rd3, %rd1, 8;',
      'st.u32 [%rd3+4], %r1;',
      'ld.u32 %r2, [%rd2+12];',
      // a leaf has published nothing
      'ret;',
    ]);
    assert.deepEqual(errorsIn(text), []);
  });

  it('lets callees begin below the frame, and gives the caller its pointer back on every way out', () => {
    const { text } = moved(
      func(`${registers}
        .local .align 4 .b8 a[4];
        ld.local.u32 %r1, [a];
        setp.eq.u32 %p, %r1, 0;
        @%p ret;
        @!%p bra L;
        call g;
        L:
        call g;
        ret;`).replace('.visible', '.extern .func g;\n.visible'),
    );
    assert.deepEqual(linesOf(text.slice(text.indexOf('f('))), [
      ...registers.split('\n'),
      ...prologue(16),
      publish,
      'ld.u32 %r1, [%stack_frame];',
      'setp.eq.u32 %p, %r1, 0;',
      `@%p ${restore}`,
      '@%p ret;',
      '@!%p bra L;',
      'call g;',
      'L:',
      'call g;',
      restore,
      'ret;',
    ]);
    assert.deepEqual(errorsIn(text), []);
  });

  it('restores where control falls out of the body, and not behind what does not come back', () => {
    const falling = (last: string): string[] =>
      linesOf(
        moved(
          func(`.local .b32 a;\n.reg .b32 %r;\n.reg .pred %p;\nst.local.u32 [a], %r;\ncall f;\n${last}`, 'f'),
        ).text,
      );
    assert.equal(falling('st.local.u32 [a], 0;').at(-1), restore);
    assert.deepEqual(falling('L:').slice(-2), ['L:', restore]);
    assert.equal(falling('@%p exit;').at(-1), restore);
    assert.ok(!falling('exit;').includes(restore));
    assert.ok(!falling('trap;').includes(restore));
  });

  it('has no way out of a function that never returns', () => {
    const { text } = moved(
      func('.local .b32 a;\nst.local.u32 [a], 0;\ncall f;', 'f .noreturn').replace(
        '.visible .func f',
        '.func f',
      ),
    );
    assert.ok(text.includes(publish.replace(' [', ' \t[')));
    assert.ok(!text.includes('%stack_previous;\n}'), text);
  });

  it('lays several variables out, each at its alignment', () => {
    // b: 0, w: 4 (of 4), v: 16 (of 16), then 32 bytes of v: 48
    const { text, functions } = moved(
      func(`.local .b8 b;\n.local .b32 w;\n.local .v4 .f32 v[2];
        ${registers}
        st.local.u8 [b], %r1;
        st.local.u32 [w], %r1;
        st.local.u32 [v+20], %r1;
        ld.local.u32 %r1, v[1];
        mov.u64 %rd1, w;
        mov.u64 %rd2, v+8;
        cvta.local.u64 %rd3, v;
        ret;`),
    );
    assert.deepEqual(functions, [{ name: 'f', bytes: 48 }]);
    assert.deepEqual(linesOf(text).slice(-8), [
      'st.u8 [%stack_frame], %r1;',
      'st.u32 [%stack_frame+4], %r1;',
      'st.u32 [%stack_frame+36], %r1;',
      // an index counts elements of 16 bytes
      'ld.u32 %r1, [%stack_frame+32];',
      'add.u64 %rd1, %stack_frame, 4;',
      'add.u64 %rd2, %stack_frame, 24;',
      'add.u64 %rd3, %stack_frame, 16;',
      'ret;',
    ]);
    assert.deepEqual(errorsIn(text), []);
  });

  it('clears the low bits of a frame whose objects ask for more than the stack keeps', () => {
    const source = func(`.local .align 64 .b8 a[64];\n${registers}\nst.local.u32 [a], %r1;\nret;`);
    assert.ok(linesOf(moved(source).text).includes('and.b64 %stack_frame, %stack_frame, -64;'));
    const of16 = source.replace('.align 64', '.align 16');
    assert.ok(!moved(of16).text.includes('and.b64'));
    assert.ok(
      linesOf(moved(of16, { lanes: 'uniform', frameAlignment: 8 }).text).includes(
        'and.b64 %stack_frame, %stack_frame, -16;',
      ),
    );
  });

  it('rounds to 8 where that is asked for', () => {
    const source = func(`.local .align 8 .b8 a[24];\n${registers}\nst.local.u32 [a], %r1;\nret;`);
    assert.deepEqual(moved(source, { lanes: 'uniform', frameAlignment: 8 }).functions, [
      { name: 'f', bytes: 24 },
    ]);
  });

  it('takes names that the function does not use', () => {
    const { text } = moved(
      func(`.local .b32 a;\n.reg .b64 %stack_frame;\n.reg .b32 %stack_slot;
        ld.local.u32 %stack_slot, [a];\nmov.u64 %stack_frame, 0;\nret;`),
    );
    assert.match(text, /sub\.u64 \t%stack_frame_, %stack_previous, 16;/);
    assert.match(text, /ld\.shared\.u64 \t%stack_previous, \[%stack_slot_\]/);
    assert.deepEqual(errorsIn(text), []);
  });

  it('declares the slots once, before their first use', () => {
    const two = (declaration: string): string =>
      moved(
        func(`.local .b32 a;\nst.local.u32 [a], 0;\nret;`, 'f') +
          `${declaration}.func g\n{\n\t.local .b32 a;\n\tst.local.u32 [a], 0;\n\tret;\n}\n`,
      ).text;
    assert.equal(two('').split('__nvptx_stacks[32]').length, 2);
    assert.deepEqual(errorsIn(two('')), []);
    // GCC's own order: behind the functions
    const late = two('.extern .shared .align 8 .u64 __nvptx_stacks[32];\n');
    assert.deepEqual(errorsIn(late), []);
    const early = func(`.local .b32 a;\nst.local.u32 [a], 0;\nret;`).replace(
      '.visible',
      '.extern .shared .u64 __nvptx_stacks[32];\n.visible',
    );
    assert.equal(moved(early).text.split('__nvptx_stacks[32]').length, 2);
  });

  it('gives each lane a slot of its own where that is asked for', () => {
    const { text } = moved(func(`.local .b32 a;\nst.local.u32 [a], 0;\nret;`), { lanes: 'own' });
    assert.ok(text.includes('.extern .shared .align 8 .u64 __lane_stacks[1024];'));
    assert.deepEqual(linesOf(text).slice(2, 11), [
      'mov.u32 %stack_thread, %tid.z;',
      'mov.u32 %stack_extent, %ntid.y;',
      'mov.u32 %stack_position, %tid.y;',
      'mad.lo.u32 %stack_thread, %stack_thread, %stack_extent, %stack_position;',
      'mov.u32 %stack_extent, %ntid.x;',
      'mov.u32 %stack_position, %tid.x;',
      'mad.lo.u32 %stack_thread, %stack_thread, %stack_extent, %stack_position;',
      'mov.u64 %stack_slots, __lane_stacks;',
      'mad.wide.u32 %stack_slot, %stack_thread, 8, %stack_slots;',
    ]);
    assert.deepEqual(errorsIn(text), []);
  });

  it('changes nothing the second time, nor where there is no frame', () => {
    const once = moved(func(`.local .b32 a;\nst.local.u32 [a], 0;\ncall f;\nret;`, 'f')).text;
    assert.deepEqual(moved(once).edits, []);
    assert.deepEqual(moved(once).refusals, []);
    assert.deepEqual(moved(func('ret;')).edits, []);
  });

  it('moves the functions that are named', () => {
    const source =
      func(`.local .b32 a;\nst.local.u32 [a], 0;\nret;`, 'f') +
      `.func g\n{\n\t.local .b32 a;\n\tst.local.u32 [a], 0;\n\tret;\n}\n`;
    const { functions, text } = moved(source, { lanes: 'uniform', functions: ['g'] });
    assert.deepEqual(functions, [{ name: 'g', bytes: 16 }]);
    assert.ok(text.includes('st.local.u32 [a], 0;'));
    assert.match(moved(source, { functions: ['h'] }).refusals[0].reason, /no function of this name/);
  });

  it('keeps line breaks and indentation', () => {
    const { text } = moved(func(`.local .b32 a;\nL:\nst.local.u32 [a], 0;\nret;`).replace(/\n/g, '\r\n'));
    assert.equal(text.replace(/\r\n/g, '').includes('\n'), false);
    assert.match(text, /\r\nL:\r\n/);
    const blanks = moved(func(`.local .b32 a;\nst.local.u32 [a], 0;\nret;`).replace(/\t/g, '    ')).text;
    assert.match(blanks, /\n {4}mov\.u32 %stack_warp, %tid\.y;\n/);
  });
});

describe('soft stack: memory that is allocated at run time', () => {
  const dynamic = `.reg .b64 %rd<9>;
    .reg .b32 %r<9>;
    stacksave.u64 %rd1;
    alloca.u64 %rd2, %rd3;
    alloca.u64 %rd4, 20, 32;
    st.local.u32 [%rd2], %r1;
    cvta.local.u64 %rd5, %rd4;`;

  it('lowers the stack pointer by what is asked for, rounded', () => {
    const { text, functions } = moved(func(`${dynamic}\nstackrestore.u64 %rd1;\nret;`));
    assert.deepEqual(functions, [{ name: 'f', bytes: 0 }]);
    assert.deepEqual(linesOf(text).slice(2), [
      '.reg .b32 %stack_warp;',
      '.reg .b64 %stack_slots, %stack_slot, %stack_previous, %stack_pointer, %stack_bytes;',
      'mov.u32 %stack_warp, %tid.y;',
      'mov.u64 %stack_slots, __nvptx_stacks;',
      'mad.wide.u32 %stack_slot, %stack_warp, 8, %stack_slots;',
      'ld.shared.u64 %stack_previous, [%stack_slot];',
      'mov.u64 %stack_pointer, %stack_previous;',
      'mov.u64 %rd1, %stack_pointer;',
      'add.u64 %stack_bytes, %rd3, 15;',
      'and.b64 %stack_bytes, %stack_bytes, -16;',
      'sub.u64 %stack_pointer, %stack_pointer, %stack_bytes;',
      'mov.u64 %rd2, %stack_pointer;',
      // 20 bytes take 32, and their address is a multiple of 32
      'sub.u64 %stack_pointer, %stack_pointer, 32;',
      'and.b64 %stack_pointer, %stack_pointer, -32;',
      'mov.u64 %rd4, %stack_pointer;',
      'st.u32 [%rd2], %r1;',
      'mov.u64 %rd5, %rd4;',
      'mov.u64 %stack_pointer, %rd1;',
      'ret;',
    ]);
    assert.deepEqual(errorsIn(text), []);
  });

  it('publishes each new pointer in a function that calls others, and each one that comes back', () => {
    const { text } = moved(
      func(`.local .b64 a;\n${dynamic}\ncall g;\nstackrestore.u64 %rd1;\ncall g;\nret;`).replace(
        '.visible',
        '.extern .func g;\n.visible',
      ),
    );
    const lines = linesOf(text.slice(text.indexOf('f(')));
    const published = 'st.shared.u64 [%stack_slot], %stack_pointer;';
    const after = (line: string): string | undefined => lines.at(lines.indexOf(line) + 1);
    assert.equal(after('mov.u64 %stack_pointer, %stack_frame;'), published);
    assert.equal(after('sub.u64 %stack_pointer, %stack_pointer, %stack_bytes;'), published);
    assert.equal(after('and.b64 %stack_pointer, %stack_pointer, -32;'), published);
    assert.equal(after('mov.u64 %stack_pointer, %rd1;'), published);
    assert.deepEqual(lines.slice(-2), [restore, 'ret;']);
    assert.deepEqual(errorsIn(text), []);
  });

  it('allocates under the guard of the instruction', () => {
    const { text } = moved(
      func(`.reg .b64 %rd<9>;\n.reg .pred %p;\n@!%p alloca.u64 %rd1, 8;\nst.local.u32 [%rd1], 0;\nret;`),
    );
    assert.ok(linesOf(text).includes('@!%p sub.u64 %stack_pointer, %stack_pointer, 16;'));
    assert.ok(linesOf(text).includes('@!%p mov.u64 %rd1, %stack_pointer;'));
  });
});

describe('soft stack: arguments whose number is open', () => {
  it('leaves the area where the caller put it, and makes its address generic', () => {
    const { text, refusals } = moved(
      func(
        `.local .b64 next;
        .reg .b64 %rd<3>;
        .reg .b32 %r;
        .reg .pred %p;
        @%p mov.u64 %rd1, rest;
        mov.u64 %rd1, rest+8;
        st.local.u64 [next], 0;
        ld.local.u32 %r, [%rd1+4];
        ld.param.u32 %r, [count];
        ret;`,
        'f(.param .u32 count, .param .align 8 .b8 rest[])',
      ),
    );
    assert.deepEqual(refusals, []);
    assert.deepEqual(linesOf(text).slice(-8), [
      '@%p mov.u64 %rd1, rest;',
      '@%p cvta.local.u64 %rd1, %rd1;',
      'mov.u64 %rd1, rest+8;',
      'cvta.local.u64 %rd1, %rd1;',
      'st.u64 [%stack_frame], 0;',
      'ld.u32 %r, [%rd1+4];',
      'ld.param.u32 %r, [count];',
      'ret;',
    ]);
    assert.deepEqual(errorsIn(text), []);
    assert.deepEqual(moved(text).edits, []);
  });
});
