import assert from 'node:assert/strict';
import { checkFixes, checkStack, head, pass, soft, softFunction, stackFindings, use } from './support.js';

describe('ptx stack rules: .local', () => {
  it('finds atomics and conversions that local memory does not have', () => {
    checkStack(`${head}.func f (.param .u64 in)
{
	.local .align 8 .b8 x[16];
	.reg .b64 %a<8>;
	.reg .b32 %b<4>;
	mov.u64 %a0, x;
	cvta.local.u64 %a1, %a0;
	add.u64 %a2, %a1, 8;
	atom.add.u32 %b0, [%a2], 1;
	^^^^^^^^^^^^ error stack/local-space: atom works on an address in .local
	red.add.u32 [%a1], 1;
	^^^^^^^^^^^ error stack/local-space: red works on an address in .local
	cvta.to.global.u64 %a3, %a2;
	^^^^^^^^^^^^^^^^^^ error stack/local-space: the address lies in .local, and has no counterpart in .global
	cvta.to.local.u64 %a4, %a2;
	ld.local.u32 %b1, [%a4];
	ld.param.u64 %a5, [in];
	atom.add.u32 %b0, [%a5], 1;
	ret;
}
`);
  });

  it('tells the window from generic addresses, and repairs loads and stores', () => {
    const fixed = checkFixes(`${head}.func f (.param .u64 in)
{
	.local .align 8 .b8 x[16];
	.reg .b64 %a<8>;
	.reg .b32 %b<4>;
	mov.u64 %a0, x;
	cvta.local.u64 %a1, %a0;
	ld.u32 %b0, [%a0];
	^^^^^^ error stack/local-space: the address lies in the local window
	st.local.u32 [%a1], %b0;
	^^^^^^^^^^^^ error stack/local-space: the address is generic
	st.global.u32 [%a1+4], %b0;
	^^^^^^^^^^^^^ error stack/local-space: st.global works on an address in .local; write st
	ret;
}
`);
    assert.match(fixed, /ld\.local\.u32 %b0, \[%a0\];\n\tst\.u32 \[%a1\], %b0;\n\tst\.u32 \[%a1\+4\], %b0;/);
  });

  it('is silent where only some path brings a local address', () => {
    checkStack(`${head}.func f (.param .u64 in)
{
	.local .align 8 .b8 x[16];
	.reg .b64 %a<8>;
	.reg .b32 %b<4>;
	.reg .pred %p;
	cvta.local.u64 %a1, x;
	ld.param.u64 %a2, [in];
	setp.eq.u64 %p, %a2, 0;
	selp.b64 %a3, %a1, %a2, %p;
	atom.add.u32 %b0, [%a3], 1;
	ret;
}
`);
  });

  it('finds data in .local where others are on soft stacks', () => {
    const local = `.func g ()
{
	.local .align 8 .b8 x[16];
	                    ^ information stack/local-in-soft: 'x' lies in .local, while this module keeps soft stacks
	.local .align 8 .b8 y[16];
	                    ^ warning stack/local-in-soft: 'y' lies in .local, while this module keeps soft stacks: other threads cannot reach it, and its address escapes
	.reg .b64 %a<4>;
	cvta.local.u64 %a0, y;
	st.local.u64 [x], %a1;
${pass('%a0')}
	ret;
}
`;
    checkStack(soft(softFunction('f', 32, pass('%a4')) + local));
    // alone it is what every other compiler does
    assert.deepEqual(stackFindings(head + use + local.replace(/\t\s*\^.*\n/g, '')), []);
  });

  it('lets each lane have its stack in .local inside a SIMD region', () => {
    checkStack(
      soft(
        softFunction(
          'f',
          32,
          `	cvta.local.u64 %a5, lanes;
	add.u64 %a5, %a5, 128;
	st.shared.u64 [%a2], %a5;
${pass('%a4')}`,
          { declarations: '.local .align 8 .b8 lanes[128];' },
        ),
      ),
    );
  });
});

describe('ptx stack rules: dead frames', () => {
  it('finds the address of a frame that is returned', () => {
    checkStack(`${head}.func (.param .u64 back) f ()
{
	.local .align 8 .b8 x[16];
	.reg .b64 %a<8>;
	cvta.local.u64 %a1, x;
	add.u64 %a1, %a1, 8;
	st.param.u64 [back], %a1;
	^^^^^^^^^^^^ error stack/dead-frame: 'f' returns the address of 'x'
	ret;
}
`);
    checkStack(
      soft(
        softFunction(
          'f',
          32,
          "\tst.u64 [%a4], %a4;\n\tmov.u64 %r, %a4;\n\tret;\n\t^^^ error stack/dead-frame: 'f' returns the address of '%a4'",
          { publish: false, restore: false },
        ).replace('.func f', '.func (.reg .u64 %r) f'),
      ),
    );
  });

  it('lets numbers go back: how far two addresses lie apart, and how one is aligned', () => {
    const back = (code: string): string =>
      `${head}.func (.param .u64 back) f ()\n{\n\t.local .align 8 .b8 x[16];\n\t.reg .b64 %a<4>;\n\t.reg .pred %p;\n\tmov.u64 %a1, x;\n${code}\n\tst.local.u8 [x+1], 0;\n\tst.param.u64 [back], %a2;\n\tret;\n}\n`;
    checkStack(
      back(
        '\tmov.u64 %a2, %a1;\nL:\n\tld.local.u64 %a3, [%a2];\n\tsetp.ne.u64 %p, %a3, 0;\n\tadd.u64 %a2, %a2, 8;\n\t@%p bra L;\n\tsub.u64 %a2, %a2, %a1;',
      ),
    );
    checkStack(back('\tcvta.local.u64 %a1, %a1;\n\tand.b64 %a2, %a1, 7;'));
  });

  it('lets the address of memory that was passed go back', () => {
    checkStack(
      `${head}.func (.param .u64 back) f (.param .u64 in)\n{\n\t.reg .b64 %a;\n\t.local .b64 x;\n\tst.local.u64 [x], %a;\n\tld.param.u64 %a, [in];\n\tst.param.u64 [back], %a;\n\tret;\n}\n`,
    );
  });
});
