import assert from 'node:assert/strict';
import { codeActions } from '../../server/src/features/code-actions.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { applyEdits } from '../support/fixture.js';
import { ptxSnapshot } from '../support/ptx.js';
import { accepts, checkCase, head, hoverOver, refuses, type Case } from './support.js';

const cases: Readonly<Record<string, Case>> = {
  'a cache modifier that is newer than the file: the reason, not a parsing error': {
    asked: 'github.com/InternLM/lmdeploy/issues/279',
    text: `${head('sm_80', '7.0')}.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	ld.global.L1::evict_last.u32 %r1, [%rd1];
	^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error isa/version: ld with .L1::evict_last needs .version 7.4 or later; this file says 7.0
	st.global.u32 [%rd1], %r1;
	ld.global.L2::128B.u32 %r1, [%rd1+4];
	^^^^^^^^^^^^^^^^^^^^^^ error isa/version: ld with .L2::128B needs .version 7.4 or later; this file says 7.0
	st.global.u32 [%rd1], %r1;
	ret;
}
`,
    ptxas: refuses(/requires PTX ISA \.version 7\.4/, 9),
  },
  'C inside a PTX body: which words, on which lines': {
    asked: 'github.com/kunzmi/managedCuda/issues/114',
    text: `${head()}.visible .entry k(.param .u64 p)
{
	.reg .f32 %f<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	ld.global.f32 %f2, [%rd1];
	float x;
	^^^^^ error isa/unknown-instruction: 'float' is C, and this is assembly: a register is declared with .reg and a type
	      ^ error name/undeclared: 'x' is not declared in this scope
	%f1 = %f2 + 1;
	    ^ error syntax/operand: PTX assigns nothing with '=': an instruction writes its first operand
	st.global.f32 [%rd1], %f2;
	ret;
}
`,
    ptxas: refuses(/Not a name of any known instruction|Parsing error/),
  },
  'a missing semicolon: the line where it is missing, not the one where ptxas stumbles': {
    asked: 'github.com/llvm/llvm-project/pull/166254',
    text: `${head()}.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x
	                  ^ error syntax/missing-semicolon: missing ';' after mov.u32
	add.s32 %r2, %r1, 1;
	st.global.u32 [%rd1], %r2;
	ret;
}
`,
    // ptxas counts it to the next line
    ptxas: refuses(/Parsing error near 'add'/, 10),
  },
  'a pragma at the head of the file': {
    asked: 'github.com/mitsuba-renderer/drjit-core/pull/160',
    text: `${head('sm_90', '9.0')}.pragma "enable_smem_spilling";
//      ^^^^^^^^^^^^^^^^^^^^^^ error isa/pragma: 'enable_smem_spilling' is allowed inside a function body only; move it there
.visible .entry k()
{
	ret;
}
`,
    ptxas: refuses(/allowed only within function scope/, 4),
  },
  'in the body it is accepted': {
    asked: 'github.com/mitsuba-renderer/drjit-core/pull/160',
    text: `${head('sm_90', '9.0')}.visible .entry k()
{
	.pragma "enable_smem_spilling";
	        ^^^^^^^^^^^^^^^^^^^^^^ information isa/pragma: 'enable_smem_spilling' is for whole programs
	ret;
}
`,
    ptxas: accepts,
  },
  'a dynamic stack allocation for an older PTX: the version that has it': {
    asked: 'github.com/llvm/llvm-project/issues/64017',
    text: `${head('sm_75', '7.0')}.visible .entry k(.param .u64 p)
{
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
	alloca.u64 %rd2, %rd1, 16;
	^^^^^^^^^^ error isa/version: alloca needs .version 7.3 or later; this file says 7.0
	st.global.u64 [%rd1], %rd2;
	ret;
}
`,
    ptxas: refuses(/'alloca' requires PTX ISA \.version 7\.3/, 8),
  },
  'a soft stack in shared memory, which GCC has for that reason, is nothing to complain about': {
    asked: 'github.com/SourceryTools/nvptx-tools/issues/8',
    text: `${head('sm_75', '7.0')}.extern .shared .u64 __nvptx_stacks[32];
.visible .func k(.param .u64 p)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<5>;
	mov.u32 %r1, %tid.y;
	mov.u64 %rd1, __nvptx_stacks;
	mul.wide.u32 %rd2, %r1, 8;
	add.u64 %rd3, %rd1, %rd2;
	ld.shared.u64 %rd4, [%rd3];
	st.u64 [%rd4+-8], %rd4;
	ret;
}
`,
    ptxas: accepts,
  },
};

describe('asked in public: what the text says', () => {
  for (const [title, one] of Object.entries(cases)) it(title, () => checkCase(one));

  it('what a newer .version or .target is needed for has a fix that raises it (circle 88, llvm 171219, FasterTransformer 250)', () => {
    const text = `${head('sm_80', '6.4')}.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	redux.sync.add.s32 %r2, %r1, 0xffffffff;
	st.global.u32 [%rd1], %r2;
	ret;
}
`;
    const s = ptxSnapshot(text, nvidia);
    const line = text.split('\n').findIndex((one) => one.includes('redux'));
    const [fix] = codeActions(s, { start: { line, character: 1 }, end: { line, character: 1 } });
    assert.match(fix.title, /\.version/);
    const edits = fix.edits.map(({ range, newText }) => ({
      span: { start: s.lines.offsetAt(range.start), end: s.lines.offsetAt(range.end) },
      newText,
    }));
    const mended = applyEdits(text, edits);
    assert.match(mended, /^\.version 7\.0$/m);
    checkCase({ asked: '', text: mended, ptxas: accepts });
    checkCase({
      asked: 'github.com/seanbaxter/circle/issues/88',
      text: text
        .replace(
          'sm_80\n',
          'sm_80\n//      ^^^^^ error isa/target-version: .target sm_80 needs .version 7.0 or later\n',
        )
        .replace(
          'ffff;\n',
          'ffff;\n\t^^^^^^^^^^^^^^^^^^ error isa/version: redux.sync.add.s32 needs .version 7.0 or later\n',
        ),
      ptxas: refuses(/'redux' requires PTX ISA \.version 7\.0/),
    });
  });

  it('which CUDA a .version came with (openxla 16431)', () => {
    // CUDA 12.6 brought PTX ISA 8.5; 8.6 came with 12.7
    for (const [version, release] of [
      ['8.5', /CUDA 12\.[56]/],
      ['8.6', /CUDA 12\.7/],
    ] as const) {
      const s = ptxSnapshot(`${head('sm_90', version)}.visible .entry k()\n{\n\tret;\n}\n`, nvidia);
      assert.match(hoverOver(s, version), release);
    }
  });
});
