import assert from 'node:assert/strict';
import { moveToSoftStack } from '../../../../server/src/languages/ptx/soft-stack/index.js';
import { applyEdits } from '../../../support/fixture.js';
import { bindText } from '../bound.js';
import { checkStack, frameIn, head, pass, soft, softFunction, stackFindings, stacks } from './support.js';

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
