import assert from 'node:assert/strict';
import { frameIn, head, softFunction, stacks } from './support.js';

describe('ptx stack frames', () => {
  it('finds none where there is none', () => {
    const { frame } = frameIn(
      `${head}.func f (.param .u64 in)\n{\n\t.reg .u64 %a;\n\tld.param.u64 %a, [in];\n\tst.u64 [%a], %a;\n\tret;\n}\n`,
    );
    assert.equal(frame.kind, 'none');
    assert.equal(frame.bytes, 0);
    assert.ok(frame.isLeaf);
    assert.deepEqual(frame.touches, []);
  });

  it('knows a soft frame by what is done, not by names', () => {
    const body = [
      '\tst.u32 [%a4+8], %b1;',
      '\tadd.u64 %a5, %a4, 16;',
      '\t{\n\t.param .u64 p0;\n\tst.param.u64 [p0], %a5;\n\tcall use, (p0);\n\t}',
    ].join('\n');
    const { frame, show } = frameIn(
      `${head}${stacks}.extern .func use (.param .u64 x);\n${softFunction('f', 48, body)}`,
      'f',
    );
    assert.equal(frame.kind, 'soft');
    assert.equal(frame.bytes, 48);
    assert.equal(frame.alignment, 16);
    assert.ok(!frame.isLeaf);
    assert.deepEqual(
      frame.calls.map(({ callee }) => callee),
      ['use'],
    );
    const { soft } = frame;
    assert.deepEqual(
      [soft?.slot?.name, soft?.saved?.name, soft?.frame?.name, soft?.stack?.name],
      ['%a2', '%a3', '%a4', '%a4'],
    );
    assert.deepEqual(soft?.prologue.map(show), [
      'mov.u32 %b0, %tid.y',
      'mul.wide.u32 %a0, %b0, 8',
      'mov.u64 %a1, __nvptx_stacks',
      'add.u64 %a2, %a1, %a0',
      'ld.shared.u64 %a3, [%a2]',
      'sub.u64 %a4, %a3, 48',
      'st.shared.u64 [%a2], %a4',
    ]);
    assert.deepEqual(soft.publishes.map(show), ['st.shared.u64 [%a2], %a4']);
    assert.deepEqual(soft.restores.map(show), ['st.shared.u64 [%a2], %a3']);
    assert.deepEqual(
      frame.objects.map(({ name, offset, bytes }) => [name, offset, bytes]),
      [
        ['%a4+8', 8, 4],
        ['%a4+16', 16, 32],
      ],
    );
    assert.deepEqual(
      frame.escapes.map(({ kind, target, offset, instruction }) => [kind, target, offset, show(instruction)]),
      [['passed', 'use', 16, 'st.param.u64 [p0], %a5']],
    );
  });

  it('follows a register that holds other values before and after', () => {
    const { frame, show } = frameIn(
      head +
        stacks +
        softFunction(
          'f',
          32,
          '\tld.param.u64 %a5, [in];\n\tst.u64 [%a5], %a5;\n\tmov.u64 %a5, %a4;\n\tst.u32 [%a5], %b1;\n\tld.param.u64 %a5, [in];\n\tst.u64 [%a5], %a5;',
        ),
    );
    const accesses = frame.touches.filter(({ kind }) => kind === 'store').map((t) => show(t.instruction));
    assert.deepEqual(accesses, ['st.u32 [%a5], %b1']);
    assert.deepEqual(frame.escapes, []);
  });

  it('sees the slot through address arithmetic in other forms', () => {
    for (const address of [
      'mad.wide.u32 %a2, %b0, 8, %a1;',
      'cvt.u64.u32 %a0, %b0; shl.b64 %a0, %a0, 3; add.u64 %a2, %a0, %a1;',
      'mul.lo.u32 %b1, %b0, 8; cvt.u64.u32 %a0, %b1; add.s64 %a2, %a1, %a0;',
      'cvta.shared.u64 %a1, __nvptx_stacks; mad.wide.u32 %a2, %b0, 8, %a1;',
    ]) {
      const load = address.startsWith('cvta') ? 'ld' : 'ld.shared';
      const text = `${head}${stacks}.func f ()
{
	.reg .u64 %a<8>;
	.reg .u32 %b<4>;
	mov.u32 %b0, %tid.y;
	mov.u64 %a1, __nvptx_stacks;
	${address}
	${load}.u64 %a3, [%a2];
	add.s64 %a4, %a3, -32;
	st.u64 [%a4+8], %a1;
	ret;
}
`;
      const { frame } = frameIn(text);
      assert.equal(frame.softBytes, 32, address);
      const index = frame.origins.find((o) => o.kind === 'slot' && o.index === '%tid.y');
      assert.ok(index?.kind === 'slot' && index.scale === 8, address);
    }
  });

  it('tells arguments of variadic calls from variables, and rounds down to an alignment', () => {
    const { frame } = frameIn(
      head +
        stacks +
        softFunction('f', 40, '\tst.u64 [%a4], %a1;', { publish: false, declarations: '' }).replace(
          'sub.u64 %a4, %a3, 40;',
          'sub.u64 %a4, %a3, 40; and.b64 %a4, %a4, -64; sub.u64 %a6, %a4, 24;',
        ),
    );
    assert.equal(frame.soft?.frame?.name, '%a4');
    assert.equal(frame.soft.stack?.name, '%a6');
    assert.equal(frame.soft.outgoing, 24);
    assert.equal(frame.alignment, 64);
    assert.equal(frame.softBytes, 64 + 24);
    assert.equal(frame.touches.find(({ kind }) => kind === 'store')?.offset, 24);
  });

  it('finds allocations of run-time size, and where they are published', () => {
    const { frame, show } = frameIn(
      head +
        stacks +
        softFunction(
          'f',
          16,
          '\tld.param.u64 %a5, [in];\n\tand.b64 %a5, %a5, -16;\n\tsub.u64 %a4, %a4, %a5;\n\tst.shared.u64 [%a2], %a4;\n\tst.u32 [%a4], %b1;\n\tadd.u64 %a4, %a4, %a5;\n\tst.shared.u64 [%a2], %a4;',
        ),
    );
    assert.deepEqual(
      frame.dynamic.map(({ instruction, publishes }) => [show(instruction), publishes.map(show)]),
      [['sub.u64 %a4, %a4, %a5', ['st.shared.u64 [%a2], %a4']]],
    );
    assert.equal(frame.softBytes, 16);
    const back = frame.soft?.publishes.at(-1) ?? -1;
    const stored = frame.function.operandStart[back] + 1;
    const origin = frame.origins[frame.originOf[stored]];
    assert.ok(origin.kind === 'soft' && origin.offset === -16, 'adding the size gives the pointer before');
  });

  it('does not take an index below an array for an allocation', () => {
    const { frame } = frameIn(
      head +
        stacks +
        softFunction(
          'f',
          64,
          '\tadd.u64 %a5, %a4, 56;\n\tld.param.u64 %a6, [in];\n\tsub.u64 %a7, %a5, %a6;\n\tst.u32 [%a7], %b1;',
        ),
    );
    assert.deepEqual(frame.dynamic, []);
  });

  it('gives variables in .local their places, registers and escapes', () => {
    const { frame, show } = frameIn(`${head}.extern .func use (.param .u64 x);
.func (.param .u64 back) f (.param .u64 in)
{
	.local .align 4 .b8 small[6];
	.local .align 16 .b8 depot[32];
	.reg .u64 %a<8>;
	.reg .u32 %b<4>;
	mov.u64 %a1, depot;
	cvta.local.u64 %a2, %a1;
	ld.param.u64 %a3, [in];
	st.global.u64 [%a3], %a2;
	ld.local.u32 %b1, [small];
	add.u64 %a4, %a2, 8;
	st.v2.u32 [%a4], {%b1, %b1};
	{
	.param .u64 p0;
	st.param.b64 [p0], %a4;
	call.uni use, (p0);
	}
	selp.b64 %a5, %a4, %a3, %p0;
	st.param.u64 [back], %a5;
	ret;
}
`);
    assert.equal(frame.kind, 'local');
    assert.deepEqual(
      frame.objects.map(({ name, offset, bytes, alignment }) => [name, offset, bytes, alignment]),
      [
        ['small', 0, 6, 4],
        ['depot', 16, 32, 16],
      ],
    );
    assert.equal(frame.bytes, 48);
    assert.deepEqual(
      frame.localPointers.map(({ name, isGeneric }) => [name, isGeneric]),
      [
        ['%a1', false],
        ['%a2', true],
      ],
    );
    assert.deepEqual(
      frame.escapes.map((e) => [e.kind, e.target, e.object, e.offset, e.isCertain, show(e.instruction)]),
      [
        ['converted', '', 1, 0, true, 'cvta.local.u64 %a2, %a1'],
        ['stored', 'global', 1, 0, true, 'st.global.u64 [%a3], %a2'],
        ['passed', 'use', 1, 8, true, 'st.param.b64 [p0], %a4'],
        ['returned', '', 1, 8, false, 'st.param.u64 [back], %a5'],
      ],
    );
    assert.deepEqual(
      frame.touches
        .filter(({ bytes }) => bytes > 0)
        .map(({ kind, object, offset, bytes }) => [kind, object, offset, bytes]),
      [
        ['load', 0, 0, 4],
        ['store', 1, 8, 8],
      ],
    );
  });

  it('follows an address that unoptimised code keeps in the frame itself', () => {
    const { frame, show } = frameIn(
      head +
        stacks +
        softFunction(
          'f',
          32,
          '\tadd.u64 %a5, %a4, 16;\n\tst.u64 [%a4], %a5;\n\tld.u64 %a6, [%a4];\n\tst.u32 [%a6+4], %b1;',
        ),
    );
    const through = frame.touches.find((t) => show(t.instruction) === 'st.u32 [%a6+4], %b1');
    assert.equal(through?.offset, 20);
    const [escape] = frame.escapes;
    assert.deepEqual([escape.kind, escape.target], ['stored', 'frame']);
  });

  it('works with 32-bit addresses, and with names declared further down', () => {
    const { frame } = frameIn(`.version 6.0
.target sm_30
.address_size 32
.func f ()
{
	.reg .u32 %a<8>;
	mov.u32 %a0, %tid.y;
	mov.u32 %a1, __nvptx_stacks;
	mad.lo.u32 %a2, %a0, 4, %a1;
	ld.shared.u32 %a3, [%a2];
	sub.u32 %a4, %a3, 24;
	mov.u32 %a5, %a4;
	st.u32 [%a5], %a0;
	ret;
}
.extern .shared .u32 __nvptx_stacks[32];
`);
    assert.equal(frame.kind, 'soft');
    assert.equal(frame.bytes, 24);
    assert.equal(frame.touches.filter(({ kind }) => kind === 'store').length, 1);
  });

  it('lists the callees of an indirect call that names them', () => {
    const { frame } = frameIn(
      `${head}.func a ()\n{\n\tret;\n}\n.func b ()\n{\n\tret;\n}\n.func f (.param .u64 in)\n{\n\t.reg .u64 %a;\n\tld.param.u64 %a, [in];\n\tT: .calltargets a, b;\n\tcall %a, T;\n\tcall a;\n\tret;\n}\n`,
      'f',
    );
    assert.deepEqual(
      frame.calls.map(({ callee, candidates }) => [callee, candidates]),
      [
        [undefined, ['a', 'b']],
        ['a', []],
      ],
    );
  });
});
