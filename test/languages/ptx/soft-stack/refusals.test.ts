import assert from 'node:assert/strict';
import { func, head, moved, refusalOf } from './support.js';

const frame =
  '.local .align 8 .b8 depot[32];\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\nmov.u64 %rd1, depot;';

/** The reason for a function with this code behind `mov.u64 %rd1, depot` in line 10. */
const reason = (code: string): string => refusalOf(func(`${frame}\n${code}\nret;`));

describe('soft stack: what is refused', () => {
  it('a module whose header does not say what is needed, at the line where it belongs', () => {
    const source = func('.local .b32 a;\nst.local.u32 [a], 0;\nret;');
    assert.match(
      refusalOf(source.replace('.address_size 64\n', '')),
      /^line 2: the file has no \.address_size; write/,
    );
    assert.match(refusalOf(source.replace('_size 64', '_size 32')), /^line 3: addresses have 32 bits/);
    assert.match(refusalOf(source.replace('.version 7.8\n', '')), /^line 1: the file has no \.version/);
    assert.match(refusalOf(source.replace('.target sm_75\n', '')), /^line 1: the file has no \.target/);
    assert.match(refusalOf(source.replace('7.8', '1.4')), /^line 1: PTX ISA 1\.4 has no generic addresses/);
    assert.match(refusalOf(source.replace('sm_75', 'sm_13')), /^line 2: sm_13 has no generic addresses/);
  });

  it('a function that is half written or wrong, with its first error', () => {
    assert.match(refusalOf(`${head}.func f(\n`), /0 refusals/);
    assert.match(
      refusalOf(`${head}.func f()\n{\n\t.local .b32 a;\n\tst.local.u32 [a], \n`),
      /^line \d: the function has \d errors?, the first one here/,
    );
    assert.match(reason('.unheard_of 3;'), /^line 11: the function has 1 error/);
    assert.match(reason('st.local.u32 [%rd1], %q;'), /^line 11: the function has 1 error.*%q/);
  });

  it('modules for OpenACC', () => {
    const source = func('.local .b32 a;\nst.local.u32 [a], 0;\nret;');
    assert.match(
      refusalOf(source.replace('.visible', '//:FUNC_MAP "f", 0x1, 0x20, 0x20\n.visible')),
      /^line 4: .*OpenACC/,
    );
    assert.match(
      refusalOf(source.replace('.visible', '.shared .align 8 .u8 __oacc_bcast[24];\n.visible')),
      /OpenACC/,
    );
    // without dimensions it is OpenMP's
    assert.deepEqual(moved(source.replace('.visible', '//:FUNC_MAP "f"\n.visible')).refusals, []);
  });

  it('frames that debug information describes', () => {
    const source =
      func('.local .b32 a;\nst.local.u32 [a], 0;\nret;') + '.section .debug_info\n{\n.b64 a\n.b8 1\n}\n';
    assert.match(refusalOf(source), /^line 12: debug information says here where the frame lies/);
  });

  it('local addresses in 32 bits', () => {
    assert.match(
      reason('mov.u32 %r1, depot;\nst.local.u32 [%r1], 0;'),
      /^line 11: 'mov\.u32' puts a local address into %r1/,
    );
    assert.match(reason('cvt.u32.u64 %r1, %rd1;'), /'cvt\.u32\.u64' computes with the local address/);
  });

  it('computation that does not come to the same byte', () => {
    for (const code of [
      'xor.b64 %rd2, %rd1, %rd3;',
      'mul.lo.u64 %rd2, %rd1, 2;',
      'shl.b64 %rd2, %rd1, 1;',
      'sub.u64 %rd2, %rd3, %rd1;',
      'add.u64 %rd2, %rd1, %rd1;',
      'mad.lo.u64 %rd2, %rd1, %rd3, %rd4;',
      'min.u64 %rd2, %rd1, %rd3;',
      'mov.b64 {%r1, %r2}, %rd1;',
      'st.global.u64 [%rd3], %rd1;',
      'setp.eq.u64 %p1, %rd1, %rd3;',
      'or.b64 %rd2, %rd1, 8;',
      'and.b64 %rd2, %rd1, %rd3;',
      'ld.u32 %r1, [%rd1];',
      'ld.global.u32 %r1, [%rd1];',
      'cvta.to.local.u64 %rd2, %rd1;',
    ])
      assert.match(reason(code), /^line 11: '/, code);
  });

  it('no computation that does', () => {
    const source = func(`${frame}
      add.u64 %rd2, %rd1, 8;
      sub.u64 %rd3, %rd2, 4;
      sub.u64 %rd4, %rd2, %rd1;
      mad.lo.u64 %rd5, %rd4, 2, %rd1;
      mad.wide.u32 %rd5, %r1, 4, %rd1;
      or.b64 %rd6, %rd1, 4;
      and.b64 %rd7, %rd2, -16;
      and.b64 %rd8, %rd2, 7;
      setp.eq.u64 %p1, %rd2, %rd1;
      selp.b64 %rd2, %rd3, %rd1, %p1;
      st.local.u32 [%rd2], 0;
      st.local.u64 [%rd7], %rd8;
      cvta.local.u64 %rd8, %rd2;
      st.global.u64 [%rd4], %rd8;
      ret;`);
    assert.deepEqual(moved(source).refusals, []);
  });

  it('registers that hold a local address on one path only', () => {
    assert.match(
      reason('@%p1 mov.u64 %rd1, 64;\nst.local.u32 [%rd1], 0;'),
      /^line 12: .*a local address in %rd1 on one path and something else on another/,
    );
    // one register for two things, one after the other, is no such thing
    const source = func(
      `${frame}\nst.local.u32 [%rd1], 0;\nmov.u64 %rd1, 64;\nst.global.u32 [%rd1], 0;\nret;`,
    );
    assert.deepEqual(moved(source).refusals, []);
  });

  it('local addresses that come from elsewhere', () => {
    assert.match(reason('ld.param.u64 %rd2, [p];\nld.local.u32 %r1, [%rd2];'), /from outside the function/);
    assert.match(reason('ld.local.u32 %r1, [16];'), /from outside the function/);
    const source = func(
      `${frame}\nld.param.u64 %rd2, [p];\ncvta.to.local.u64 %rd3, %rd2;\nld.local.u32 %r1, [%rd3+4];\nret;`,
    );
    const { text, refusals } = moved(source);
    assert.deepEqual(refusals, []);
    assert.match(text, /mov\.u64 %rd3, %rd2;\n\tld\.u32 %r1, \[%rd3\+4\];/);
  });

  it('questions whose answer would change', () => {
    assert.match(
      reason('cvta.local.u64 %rd2, %rd1;\nisspacep.global %p1, %rd2;'),
      /in which memory the frame lies/,
    );
    assert.match(reason('ld.param.u64 %rd2, [p];\nisspacep.local %p1, %rd2;'), /points into local memory/);
  });

  it('stacks that were never saved', () => {
    assert.match(
      reason('ld.param.u64 %rd2, [p];\nstackrestore.u64 %rd2;'),
      /restores from %rd2 what stacksave has not saved/,
    );
    assert.match(
      refusalOf(func('.reg .b32 %r<3>;\nalloca.u32 %r1, 8;\nret;')),
      /the function has 1 error, the first one here: alloca has no type/,
    );
  });

  it('what GCC leaves in .local memory of a soft-stack function', () => {
    const source = func(
      `.local .align 8 .b8 %simtstack_ar[136];\n.reg .b64 %a;\nmov.u64 %a, __nvptx_stacks;\nst.shared.u64 [%a], %a;\nret;`,
    ).replace('.visible', '.extern .shared .u64 __nvptx_stacks[32];\n.visible');
    assert.match(refusalOf(source), /^line 7: it has a soft stack already/);
  });

  it('a module that calls something else __nvptx_stacks', () => {
    const source = func('.local .b32 a;\nst.local.u32 [a], 0;\nret;').replace(
      '.visible',
      '.global .u32 __nvptx_stacks[32];\n.visible',
    );
    assert.match(refusalOf(source), /^line 4: __nvptx_stacks is declared as something else/);
  });
});

describe('soft stack: functions that get addresses of a frame', () => {
  const giver = func(
    `.local .b32 a;\n.reg .b64 %rd;\ncvta.local.u64 %rd, a;\n{\n.param .b64 q;\nst.param.b64 [q], %rd;\ncall g, (q);\n}\nret;`,
  );
  const receiver = (code: string): string =>
    `${head}.func g(.param .b64 q)\n{\n.reg .b64 %rd<3>;\n.reg .pred %p;\nld.param.b64 %rd1, [q];\n${code}\nret;\n}\n${giver.slice(head.length)}`;

  it('leave them generic', () => {
    const { text, functions } = moved(receiver('cvta.to.local.u64 %rd2, %rd1;\nst.local.u32 [%rd2], 1;'));
    assert.deepEqual(
      functions.map(({ name }) => name),
      ['f'],
    );
    assert.match(text, /mov\.u64 %rd2, %rd1;\nst\.u32 \[%rd2\], 1;/);
    assert.equal(text.includes('.local'), false);
  });

  it('keep the frame where it is when they ask where that is', () => {
    assert.match(
      refusalOf(receiver('isspacep.local %p, %rd1;')),
      /^line 9: its frame's address gets out, and g takes such addresses for local ones: 'isspacep\.local' asks/,
    );
  });
});
