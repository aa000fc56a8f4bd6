import assert from 'node:assert/strict';
import { moveToSoftStack } from '../../../../server/src/languages/ptx/soft-stack/index.js';
import { applyEdits } from '../../../support/fixture.js';
import { bindText } from '../bound.js';
import { checkFixes, checkStack, frameIn, head, softFunction, stackFindings, stacks } from './support.js';

const use = '.extern .func use (.param .u64 x);\n';
const pass = (register: string): string =>
  `\t{\n\t.param .u64 p0;\n\tst.param.u64 [p0], ${register};\n\tcall use, (p0);\n\t}`;
const soft = (text: string): string => head + stacks + use + text;

describe('ptx stack rules: alignment', () => {
  it('wants frames of soft stacks to be multiples of 8', () => {
    const fixed = checkFixes(
      soft(
        softFunction('f', 20, '\tst.u32 [%a4], %b1;').replace(
          'sub.u64 %a4, %a3, 20;\n',
          'sub.u64 %a4, %a3, 20;\n\t^^^^^^^^^^^^^^^^^^^^^ warning stack/alignment: the soft stack frame has 20 bytes\n',
        ),
      ),
    );
    assert.match(fixed, /sub\.u64 %a4, %a3, 24;/);
    checkStack(soft(softFunction('f', 24, '\tst.u32 [%a4], %b1;')));
  });

  it('finds accesses that are not aligned', () => {
    checkStack(
      soft(
        softFunction(
          'f',
          32,
          `	st.u32 [%a4+4], %b1;
	st.u64 [%a4+12], %a1;
	^^^^^^^^^^^^^^^^^^^^^ error stack/alignment: the access to '%a4+12' is 8 bytes wide at offset 12
	st.v2.u32 [%a4+24], {%b1, %b2};`,
        ),
      ),
    );
    checkStack(`${head}.func f ()
{
	.local .align 4 .b8 x[16];
	.reg .b64 %a<4>;
	.reg .b32 %b<4>;
	ld.local.u32 %b0, [x+4];
	ld.local.u64 %a0, [x+8];
	^^^^^^^^^^^^^^^^^^^^^^^^ warning stack/alignment: 'x' is aligned to 4 only
	ld.local.u16 %b1, [x+3];
	^^^^^^^^^^^^^^^^^^^^^^^^ error stack/alignment: the access to 'x' is 2 bytes wide at offset 3
	ret;
}
`);
  });
});

describe('ptx stack rules: restoring', () => {
  it('finds the return that leaves the own pointer in the slot', () => {
    const fixed = checkFixes(
      soft(
        softFunction(
          'f',
          32,
          `${pass('%a4')}
	setp.eq.u32 %p1, %b1, 0;
	@%p1 bra DONE;
	st.shared.u64 [%a2], %a3;
	ret;
DONE:
	ret;
	^^^ error stack/not-restored: 'f' returns here (over DONE), and the caller's stack pointer has not been put back`,
          { restore: false },
        ),
      ),
    );
    assert.match(fixed, /DONE:\n\tst\.shared\.u64 \[%a2\], %a3;\n\tret;/);
  });

  it('tells a path from all paths, and keeps the guard of a return', () => {
    const fixed = checkFixes(
      soft(
        softFunction(
          'f',
          32,
          `${pass('%a4')}
	setp.eq.u32 %p1, %b1, 0;
	@%p1 bra NEXT;
	st.shared.u64 [%a2], %a3;
NEXT:
	setp.eq.u32 %p2, %b2, 0;
	@%p2 ret;
	     ^^^ error stack/not-restored: 'f' returns here on some path (over NEXT)
	st.shared.u64 [%a2], %a3;
	ret;`,
          { restore: false },
        ),
      ),
    );
    assert.match(fixed, /@%p2 st\.shared\.u64 \[%a2\], %a3;\n\t@%p2 ret;/);
  });

  it('takes a restored pointer for one whether it was kept or computed', () => {
    checkStack(
      soft(
        softFunction(
          'f',
          32,
          `${pass('%a4')}\n\tadd.u64 %a5, %a4, 32;\n\tst.shared.u64 [%a2], %a5;\n\tret;`,
          {
            restore: false,
          },
        ),
      ),
    );
    checkStack(
      soft(
        softFunction(
          'f',
          32,
          `${pass('%a4')}\n\tld.shared.u64 %a5, [%a2];\n\tadd.u64 %a5, %a5, 32;\n\tst.shared.u64 [%a2], %a5;\n\tret;`,
          { restore: false },
        ),
      ),
    );
  });

  it('does not ask it of kernels, nor of functions that do not come back', () => {
    const text = soft(softFunction('f', 32, `${pass('%a4')}\n\texit;`, { restore: false }));
    checkStack(text);
    assert.deepEqual(
      stackFindings(
        soft(softFunction('k', 32, pass('%a4'), { restore: false }) + '\tret;\n}\n').replace(
          '.func k',
          '.entry k',
        ),
      ).map(({ code }) => code),
      ['stack/no-setup'],
    );
  });

  it('says so where a SIMD region is not left', () => {
    checkStack(
      soft(
        softFunction(
          'f',
          32,
          `	cvta.local.u64 %a5, lanes;
	add.u64 %a5, %a5, 128;
	st.shared.u64 [%a2], %a5;
	ret;
	^^^ error stack/not-restored: 'f' returns here, and an address in .local still stands in the slot`,
          { restore: false, declarations: '.local .align 8 .b8 lanes[128];' },
        ),
      ),
    );
  });
});

describe('ptx stack rules: publishing', () => {
  it('wants the pointer published before a call', () => {
    const fixed = checkFixes(
      soft(
        softFunction('f', 32, `${pass('%a4')}\n\tret;`, { publish: false, restore: false }).replace(
          '\tcall use, (p0);\n',
          "\tcall use, (p0);\n\t^^^^ error stack/unpublished: 'use' may use the stack\n",
        ),
      ),
    );
    assert.match(fixed, /sub\.u64 %a4, %a3, 32;\n\tst\.shared\.u64 \[%a2\], %a4;/);
    assert.match(fixed, /st\.shared\.u64 \[%a2\], %a3;\n\tret;/);
  });

  it('lets a function call others while its frame is not in use', () => {
    checkStack(
      soft(
        softFunction('f', 32, `\tst.u32 [%a4], %b1;\n${pass('%a1')}\n\tret;`, {
          publish: false,
          restore: false,
        }),
      ),
    );
    checkStack(
      head +
        stacks +
        '.extern .func (.param .u64 r) malloc (.param .u64 n);\n' +
        softFunction(
          'f',
          32,
          '\tst.u32 [%a4], %b1;\n\t{\n\t.param .u64 r0;\n\t.param .u64 p0;\n\tst.param.u64 [p0], %a1;\n\tcall (r0), malloc, (p0);\n\t}\n\tld.u32 %b1, [%a4];\n\tret;',
          { publish: false, restore: false },
        ),
    );
  });
});

describe('ptx stack rules: slots', () => {
  const indexed = (index: string, scale: string): string =>
    soft(
      softFunction('f', 32, '\tst.u32 [%a4], %b1;\n\tret;', { publish: false, restore: false })
        .replace('%tid.y', index)
        .replace('%b0, 8', `%b0, ${scale}`),
    );
  const at = (text: string, message: string): string =>
    text.replace(
      '\tld.shared.u64 %a3, [%a2];\n',
      `\tld.shared.u64 %a3, [%a2];\n\t^^^^^^^^^^^^^ ${message}\n`,
    );

  it('wants the index to be the warp', () => {
    checkStack(indexed('%tid.y', '8'));
    const fixed = checkFixes(
      at(indexed('%tid.x', '8'), 'error stack/slot-index: __nvptx_stacks is indexed with %tid.x'),
    );
    assert.match(fixed, /mov\.u32 %b0, %tid\.y;/);
    checkStack(at(indexed('%warpid', '8'), '').replace(/\t\^+ \n/, ''));
  });

  it('wants 8 bytes a slot of pointers, and 4 a flag', () => {
    checkStack(
      at(indexed('%tid.y', '4'), 'error stack/slot-index: the slots of __nvptx_stacks have 8 bytes'),
    );
    const flag = (scale: number): string => `${head}.extern .shared .u32 __nvptx_uni[32];
.func f ()
{
	.reg .u64 %a<4>;
	.reg .u32 %b<4>;
	mov.u32 %b0, %tid.y;
	mul.wide.u32 %a0, %b0, ${scale};
	mov.u64 %a1, __nvptx_uni;
	add.u64 %a1, %a1, %a0;
	ld.shared.u32 %b1, [%a1];
${scale === 4 ? '' : '\t^^^^^^^^^^^^^ error stack/slot-index: the slots of __nvptx_uni have 4 bytes\n'}	ret;
}
`;
    checkStack(flag(4));
    checkStack(flag(8));
  });

  it('takes one slot for all warps for a fault, but not where a kernel sets up a single warp', () => {
    checkStack(
      soft(`.func f ()
{
	.reg .u64 %a<4>;
	ld.shared.u64 %a0, [__nvptx_stacks];
	^^^^^^^^^^^^^ error stack/slot-index: every warp uses slot 0 of __nvptx_stacks
	sub.u64 %a1, %a0, 16;
	st.u64 [%a1], %a0;
	ret;
}
`),
    );
    checkStack(
      soft(
        '.visible .entry k (.param .u64 area)\n{\n\t.reg .u64 %a<4>;\n\tld.param.u64 %a0, [area];\n\tst.shared.u64 [__nvptx_stacks], %a0;\n\tret;\n}\n',
      ),
    );
  });

  it('wants the arrays as the runtime has them', () => {
    const leaf = softFunction('f', 16, '\tst.u32 [%a4], %b1;\n\tret;', { publish: false, restore: false });
    checkStack(
      `${head}.extern .shared .u64 __nvptx_stacks[16];\n                     ^^^^^^^^^^^^^^ error stack/array: __nvptx_stacks has 32 elements\n${leaf}`,
    );
    checkStack(
      `${head}.extern .shared .u32 __nvptx_stacks[32];\n                     ^^^^^^^^^^^^^^ error stack/array: the elements of __nvptx_stacks have 64 bits\n${leaf}`,
    );
    checkStack(
      `${head}.extern .global .u64 __nvptx_stacks[32];\n                     ^^^^^^^^^^^^^^ error stack/array: __nvptx_stacks lies in shared memory\n${leaf}`,
    );
  });
});

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

describe('ptx stack rules: run-time size', () => {
  const take = '\tld.param.u64 %a5, [in];\n\tand.b64 %a5, %a5, -16;\n\tsub.u64 %a4, %a4, %a5;';

  it('wants the lowered pointer published before the next call', () => {
    const fixed = checkFixes(
      soft(
        softFunction('f', 16, `${take}\n${pass('%a4')}`).replace(
          '\tcall use, (p0);\n',
          '\tcall use, (p0);\n\t^^^^ error stack/dynamic: the stack pointer was lowered\n',
        ),
      ),
    );
    assert.match(fixed, /sub\.u64 %a4, %a4, %a5;\n\tst\.shared\.u64 \[%a2\], %a4;/);
    checkStack(soft(softFunction('f', 16, `${take}\n\tst.shared.u64 [%a2], %a4;\n${pass('%a4')}`)));
  });

  const turn = (end: string, mark: string): string =>
    soft(
      softFunction(
        'f',
        16,
        `	ld.param.u64 %a5, [in];
	and.b64 %a5, %a5, -16;
	mov.u64 %a8, %a4;
AGAIN:
	sub.u64 %a4, %a4, %a5;
${mark}	st.shared.u64 [%a2], %a4;
${pass('%a4')}
${end}	add.u32 %b2, %b2, 1;
	setp.lt.u32 %p1, %b2, 10;
	@%p1 bra AGAIN;`,
      ),
    );

  it('finds a loop in which the stack grows', () => {
    checkStack(
      turn('', '\t^^^^^^^ warning stack/dynamic: every turn of the loop lowers the stack pointer further\n'),
    );
    checkStack(turn('\tmov.u64 %a4, %a8;\n\tst.shared.u64 [%a2], %a4;\n', ''));
  });

  it('takes what is done under one guard, and under its opposite, for a whole', () => {
    const under = (guard: string, last = ''): string => `	${guard} sub.u64 %a4, %a4, %a5;
	${guard} and.b64 %a4, %a4, -16;
${last === '' ? `	${guard} st.shared.u64 [%a2], %a4;` : last}`;
    const asked = '\tld.param.u64 %a5, [in];\n\tsetp.lt.u64 %p1, %a5, 64;\n';
    const marked = (text: string): string =>
      text.replace(
        '\tcall use, (p0);\n',
        '\tcall use, (p0);\n\t^^^^ error stack/dynamic: the stack pointer was lowered\n',
      );
    const f = (body: string): string => soft(softFunction('f', 16, `${asked}${body}\n${pass('%a4')}`));
    checkStack(f(under('@%p1')));
    checkStack(f(`${under('@%p1')}\n${under('@!%p1')}`));
    checkStack(f(under('@%p1', '\tst.shared.u64 [%a2], %a4;')));
    checkStack(marked(f(under('@%p1', '\t@!%p1 st.shared.u64 [%a2], %a4;'))));
    checkStack(marked(f(`${under('@%p1')}\n${under('@!%p1', '\t@%p1 st.shared.u64 [%a2], %a4;')}`)));
    checkStack(
      marked(
        f(`\t@%p1 sub.u64 %a4, %a4, %a5;\n\tsetp.gt.u64 %p1, %a5, 8;\n\t@%p1 st.shared.u64 [%a2], %a4;`),
      ),
    );
  });

  it('publishes where only guarded code does, on every path', () => {
    const call = pass('%a4');
    const f = (stores: string): string =>
      soft(softFunction('f', 16, `\tsetp.eq.u32 %p1, %b0, 0;\n${stores}\n${call}`, { publish: false }));
    checkStack(f('\t@%p1 st.shared.u64 [%a2], %a4;\n\t@!%p1 st.shared.u64 [%a2], %a4;'));
    checkStack(
      f('\t@%p1 st.shared.u64 [%a2], %a4;').replace(
        '\tcall use, (p0);\n',
        "\tcall use, (p0);\n\t^^^^ error stack/unpublished: 'use' may use the stack from the caller's pointer on\n",
      ),
    );
  });

  const own = (before: string, after: string, mark: string): string => `${head.replace(
    '7.0',
    '7.3',
  )}.func f (.param .u64 in)
{
	.reg .b64 %a<8>;
	.reg .b32 %b<4>;
	.reg .pred %p;
	ld.param.u64 %a0, [in];
AGAIN:
${before}	alloca.u64 %a1, %a0, 16;
${mark}	st.local.u32 [%a1], %b0;
${after}	add.u32 %b0, %b0, 1;
	setp.lt.u32 %p, %b0, 10;
	@%p bra AGAIN;
	ret;
}
`;

  it("does the same for PTX's own alloca", () => {
    checkStack(own('', '', '\t^^^^^^^^^^ warning stack/dynamic: every turn of the loop takes more memory\n'));
    checkStack(own('\tstacksave.u64 %a2;\n', '\tstackrestore.u64 %a2;\n', ''));
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

describe('ptx stack rules: OpenACC', () => {
  const mapped = '//:FUNC_MAP "f", 0, 0x1, 0x20\n';

  it('refuses soft stacks beside its partitions', () => {
    const f = softFunction('f', 32, pass('%a4'));
    checkStack(
      `${soft(f)}${mapped}${'^'.repeat(mapped.length - 1)} error stack/openacc: OpenACC divides the work\n.shared .align 8 .u8 other[24];\n`,
    );
    checkStack(
      `${soft(f)}.shared .align 8 .u8 __oacc_bcast[24];\n                     ^^^^^^^^^^^^ error stack/openacc: OpenACC divides the work\n`,
    );
    checkStack(`${soft(f)}//:FUNC_MAP "f"\n`);
  });
});

describe('ptx stack rules: parts of a warp', () => {
  const kernel = (condition: string, call: string): string =>
    soft(
      softFunction('deep', 32, pass('%a4')) +
        `.func g ()
{
	.reg .u32 %b<4>;
	.reg .u64 %a;
	.reg .pred %p;
	mov.u32 %b0, %laneid;
	${condition}
	@%p bra SKIP;
	{
	.param .u64 p0;
	st.param.u64 [p0], %a;
${call}	}
SKIP:
	ret;
}
`,
    );
  const plain = '\tcall deep, (p0);\n';

  it('finds calls that only some lanes make', () => {
    checkStack(
      kernel(
        'setp.gt.u32 %p, %b0, 15;',
        `${plain}\t^^^^ warning stack/divergent-call: only a part of the warp calls 'deep', which uses the stack\n`,
      ),
    );
    checkStack(
      kernel(
        'and.b32 %b1, %b0, 1; setp.eq.u32 %p, %b1, 0;',
        "\tcall use, (p0);\n\t^^^^ information stack/divergent-call: only a part of the warp calls 'use'\n",
      ),
    );
  });

  it('finds a call under a guard', () => {
    checkStack(
      kernel(
        'setp.eq.u32 %p, %b1, 0; and.b32 %b2, %b0, 3; setp.ne.u32 %q, %b2, 0;',
        '\t@%q call deep, (p0);\n\t    ^^^^ warning stack/divergent-call: only a part of the warp\n',
      ).replace('.reg .pred %p;', '.reg .pred %p, %q;'),
    );
  });

  it('knows the lane and the warp in %tid.x', () => {
    // lane 0 alone
    checkStack(kernel('and.b32 %b1, %b0, 31; setp.ne.u32 %p, %b1, 0;', plain));
    checkStack(kernel('rem.u32 %b1, %b0, 32; setp.ne.u32 %p, %b1, 5;', plain));
    checkStack(kernel('elect.sync _|%p, -1; not.pred %p, %p;', plain));
    // equal in all lanes of the warp
    checkStack(kernel('shr.u32 %b1, %b0, 5; setp.gt.u32 %p, %b1, 5;', plain));
    checkStack(kernel('div.u32 %b1, %b0, 64; setp.gt.u32 %p, %b1, 5;', plain));
    checkStack(kernel('redux.sync.max.u32 %b1, %b0, -1; setp.gt.u32 %p, %b1, 5;', plain));
    for (const part of ['and.b32 %b1, %b0, 15;', 'shr.u32 %b1, %b0, 4;', 'rem.u32 %b1, %b0, 33;'])
      checkStack(
        kernel(
          `${part} setp.eq.u32 %p, %b1, 0;`,
          `${plain}\t^^^^ warning stack/divergent-call: only a part of the warp calls 'deep'\n`,
        ),
      );
  });

  it('lets one lane call alone, and all together', () => {
    checkStack(kernel('setp.ne.u32 %p, %b0, 0;', plain));
    checkStack(kernel('setp.ne.u32 %p, %b1, 0;', plain));
    checkStack(kernel('vote.sync.any.pred %p, 1, -1;', plain));
  });

  it('does not count the code behind the point where lanes meet again', () => {
    checkStack(
      kernel('setp.gt.u32 %p, %b0, 15;', '\t}\n\t{\n').replace(
        'SKIP:\n',
        `SKIP:\n\t{\n\t.param .u64 p0;\n\tst.param.u64 [p0], %a;\n${plain}\t}\n`,
      ),
    );
  });

  it("knows GCC's master lane", () => {
    checkStack(
      kernel(
        'mov.u32 %b1, %tid.y; mad.wide.u32 %c, %b1, 4, %d; ld.shared.u32 %b2, [%c]; and.b32 %b2, %b2, %b0; setp.ne.u32 %p, %b2, %b0;',
        plain,
      )
        .replace('.reg .pred %p;', '.reg .pred %p;\n\t.reg .u64 %c, %d;\n\tmov.u64 %d, __nvptx_uni;')
        .replace(stacks, `${stacks}.extern .shared .u32 __nvptx_uni[32];\n`),
    );
  });
});

describe('ptx stack rules: start-up', () => {
  const deep =
    softFunction('deep', 32, pass('%a4')) +
    '.func middle ()\n{\n\t{\n\t.param .u64 p0;\n\tst.param.u64 [p0], 0;\n\tcall deep, (p0);\n\t}\n\tret;\n}\n';

  it('wants a warp in each row of a block', () => {
    const kernel = (directive: string): string =>
      wrapper('st.shared.u64 [%a1], %a2;').replace('size)\n{', `size)\n${directive}\n{`);
    for (const [directive, why] of [
      ['.reqntid 256, 1, 1', '8 warps of a block have the same %tid.y'],
      ['.reqntid 8, 16, 1', 'with 8 in x it would have more than one slot'],
      ['.reqntid 32, 2, 2', 'another %tid.z'],
    ]) {
      const [found, ...others] = stackFindings(kernel(directive));
      assert.deepEqual([found.code, found.severity, others.length], ['stack/launch-shape', 'warning', 0]);
      assert.ok(
        found.message.includes(`'k' uses one stack a warp`) && found.message.includes(why),
        found.message,
      );
    }
    for (const quiet of ['.reqntid 32, 8, 1', '.maxntid 256, 1, 1', '.reqntid 32'])
      assert.deepEqual(stackFindings(kernel(quiet)), []);
    // a kernel that does not come to the stack is launched as it likes
    assert.deepEqual(
      stackFindings(
        kernel('.reqntid 256, 1, 1')
          .replace(/\tcall middle;\n/, '')
          .replaceAll('__nvptx_stacks', 'other'),
      ).filter(({ code }) => code === 'stack/launch-shape'),
      [],
    );
  });

  it('wants a kernel to set its stacks up', () => {
    const [found] = checkStack(
      soft(
        `${deep}.visible .entry k ()\n{\n\tcall middle;\n\t^^^^^^^^^^^^ warning stack/no-setup: kernel 'k' calls 'middle', which uses a soft stack ('middle' calls 'deep')\n\tret;\n}\n`,
      ),
    );
    assert.equal(found.related?.[0].anchor, 'deep');
  });

  const wrapper = (store: string): string =>
    soft(`${deep}.visible .entry k (.param .u64 area, .param .u64 size)
{
	.reg .u64 %a<8>;
	.reg .u32 %b<4>;
	mov.u32 %b0, %tid.y;
	mov.u64 %a0, __nvptx_stacks;
	mad.wide.u32 %a1, %b0, 8, %a0;
	ld.param.u64 %a2, [area];
	ld.param.u64 %a3, [size];
	add.u64 %a2, %a2, %a3;
	${store}
	call middle;
	ret;
}
`);

  it('is content with a wrapper', () => {
    checkStack(wrapper('st.shared.u64 [%a1], %a2;'));
    assert.deepEqual(
      stackFindings(wrapper('st.u64 [%a2], %a2;')).map(({ code }) => code),
      ['stack/no-setup'],
    );
  });

  it('is content with a function that is called first', () => {
    checkStack(
      soft(
        `${deep}.func setup (.param .u64 area)\n{\n\t.reg .u64 %a<4>;\n\tld.param.u64 %a0, [area];\n\tst.shared.u64 [__nvptx_stacks], %a0;\n\tret;\n}\n.visible .entry k ()\n{\n\t{\n\t.param .u64 p0;\n\tst.param.u64 [p0], 0;\n\tcall setup, (p0);\n\t}\n\tcall middle;\n\tret;\n}\n`,
      ),
    );
  });
});

describe('ptx stack rules: what the move to soft stacks writes', () => {
  const before = `${head}.extern .func use (.param .u64 x);
.func f (.param .u32 n)
{
	.local .align 16 .b8 room[40];
	.reg .b64 %a<4>;
	.reg .b32 %b<4>;
	.reg .pred %p;
	mov.u64 %a0, room;
	cvta.local.u64 %a1, %a0;
	ld.param.u32 %b0, [n];
	setp.eq.u32 %p, %b0, 0;
	@%p ret;
	st.local.u32 [%a0+8], %b0;
	{
	.param .u64 p0;
	st.param.u64 [p0], %a1;
	call use, (p0);
	}
	ret;
}
`;

  for (const lanes of ['uniform', 'own'] as const)
    it(`is in order (${lanes})`, () => {
      const { edits, functions } = moveToSoftStack(bindText(before), { lanes });
      assert.deepEqual(
        functions.map(({ name, bytes }) => [name, bytes]),
        [['f', 48]],
      );
      const after = applyEdits(before, edits);
      const { frame } = frameIn(after, 'f');
      assert.equal(frame.kind, 'soft');
      assert.equal(frame.bytes, 48);
      assert.equal(frame.soft?.restores.length, 2);
      assert.deepEqual(stackFindings(after), []);
    });
});
