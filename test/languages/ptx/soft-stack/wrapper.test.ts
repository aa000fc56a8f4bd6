import assert from 'node:assert/strict';
import { errorsIn, func, head, linesOf, moved } from './support.js';

const kernel = `${head}.visible .entry k(
	.param .u64 .ptr .global .align 4 out,
	.param .align 4 .b8 pair[6]
)
.maxntid 32, 4, 1
{
	.local .align 4 .b8 depot[4];
	.reg .b64 %rd<3>;
	.reg .b32 %r<3>;
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [pair];
	st.local.u32 [depot], %r1;
	ret;
}
`;

describe('soft stack: the entry that sets stacks up', () => {
  const { text, refusals } = moved(kernel, { lanes: 'uniform', mainKernel: 'k' });
  const impl = text.slice(text.indexOf('.func'), text.indexOf('.entry'));
  const entry = text.slice(text.indexOf('.visible .entry'));

  it('makes a function of the kernel, without what only a kernel has', () => {
    assert.deepEqual(refusals, []);
    assert.match(impl, /^\.func k\$impl\(\s*\.param \.u64 out,\s*\.param \.align 4 \.b8 pair\[6\]\s*\)\s*\{/);
    assert.ok(linesOf(impl).includes('st.u32 [%stack_frame], %r1;'));
  });

  it('keeps name, linkage and directives for the entry, and adds two parameters', () => {
    assert.match(
      entry,
      /^\.visible \.entry k\(\s*\.param \.u64 \.ptr \.global \.align 4 out,\s*\.param \.align 4 \.b8 pair\[6\],\s*\.param \.u64 stack_area,\s*\.param \.u64 stack_bytes\s*\)\s*\.maxntid 32, 4, 1\s*\{/,
    );
    assert.deepEqual(errorsIn(text), []);
  });

  it('stores the upper end of the stack of each warp, then calls the body', () => {
    const lines = linesOf(entry);
    const setUp = lines.slice(2, lines.indexOf('{'));
    // the sum of the definition, step by step: slot of the warp; block; block * ntid.y + tid.y + 1; area + bytes * that
    assert.deepEqual(setUp, [
      'mov.u32 %stack_warp, %tid.y;',
      'mov.u64 %stack_slots, __nvptx_stacks;',
      'mad.wide.u32 %stack_slot, %stack_warp, 8, %stack_slots;',
      'mov.u32 %stack_block, %ctaid.z;',
      'mov.u32 %stack_extent, %nctaid.y;',
      'mov.u32 %stack_position, %ctaid.y;',
      'mad.lo.u32 %stack_block, %stack_block, %stack_extent, %stack_position;',
      'mov.u32 %stack_extent, %nctaid.x;',
      'mov.u32 %stack_position, %ctaid.x;',
      'mad.lo.u32 %stack_block, %stack_block, %stack_extent, %stack_position;',
      'mov.u32 %stack_warps, %ntid.y;',
      'add.u32 %stack_warp, %stack_warp, 1;',
      'cvt.u64.u32 %stack_number, %stack_warp;',
      'mad.wide.u32 %stack_number, %stack_block, %stack_warps, %stack_number;',
      'ld.param.u64 %stack_area, [stack_area];',
      'ld.param.u64 %stack_bytes, [stack_bytes];',
      'mad.lo.u64 %stack_top, %stack_number, %stack_bytes, %stack_area;',
      'st.shared.u64 [%stack_slot], %stack_top;',
    ]);
    assert.deepEqual(lines.slice(lines.indexOf('{')), [
      '{',
      '.reg .b64 %argument64;',
      '.reg .b32 %argument32;',
      '.reg .b16 %argument16;',
      '.param .u64 argument0;',
      '.param .align 4 .b8 argument1[6];',
      'ld.param.b64 %argument64, [out];',
      'st.param.b64 [argument0], %argument64;',
      // six bytes at an alignment of four
      'ld.param.b32 %argument32, [pair];',
      'st.param.b32 [argument1], %argument32;',
      'ld.param.b16 %argument16, [pair+4];',
      'st.param.b16 [argument1+4], %argument16;',
      'call.uni k$impl, (argument0, argument1);',
      '}',
      'ret;',
    ]);
  });

  it('defines the slots, since nothing else does', () => {
    assert.match(text, /\n\.weak \.shared \.align 8 \.u64 __nvptx_stacks\[32\];\n/);
    const declared = kernel.replace('.visible', '.extern .shared .u64 __nvptx_stacks[32];\n.visible');
    const again = moved(declared, { lanes: 'uniform', mainKernel: 'k' }).text;
    assert.match(again, /\n\.weak \.shared \.u64 __nvptx_stacks\[32\];\n/);
    assert.equal(again.split('__nvptx_stacks[32]').length, 2);
  });

  it('makes no second one', () => {
    assert.deepEqual(moved(text, { lanes: 'uniform', mainKernel: 'k' }).edits, []);
  });

  it('makes an entry for a function, whose result nobody takes', () => {
    const source = func('ret;', '(.param .b32 r) main(.param .u32 n)');
    const { text: made } = moved(source, { lanes: 'uniform', mainKernel: 'main' });
    assert.match(made, /\.visible \.entry main_kernel\(/);
    assert.ok(linesOf(made.slice(made.indexOf('.entry'))).includes('call.uni (result), main, (argument0);'));
    assert.deepEqual(errorsIn(made), []);
    assert.deepEqual(moved(made, { lanes: 'uniform', mainKernel: 'main' }).edits, []);
  });

  it('refuses what a function could not do', () => {
    const reason = (body: string, parameters = '.param .u64 p'): string =>
      moved(`${head}.entry k(${parameters})\n{\n${body}\n}\n`, { mainKernel: 'k' }).refusals[0].reason;
    assert.match(
      reason('.reg .b64 %a;\nmov.b64 %a, p;\nret;'),
      /'mov\.b64' takes a kernel's parameter otherwise/,
    );
    assert.match(reason('ret;', '.param .texref t'), /no parameter of this kind/);
    assert.match(
      moved(kernel, { lanes: 'uniform', mainKernel: 'q' }).refusals[0].reason,
      /no kernel and no function/,
    );
  });
});
