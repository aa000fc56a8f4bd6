import assert from 'node:assert/strict';
import { checkFixes, checkStack, head, pass, soft, softFunction, stackFindings, stacks } from './support.js';

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
