import assert from 'node:assert/strict';
import { checkFixes, checkStack, head, pass, soft, softFunction } from './support.js';

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
