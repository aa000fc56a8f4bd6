import assert from 'node:assert/strict';
import { codeActions } from '../../server/src/features/code-actions.js';
import { codeLenses } from '../../server/src/features/code-lens.js';
import { diagnostics } from '../../server/src/features/diagnostics.js';
import { hover } from '../../server/src/features/hover.js';
import type { UnitCall, UnitFrame } from '../../server/src/languages/frames.js';
import { stackTotals, totalsOf } from '../../server/src/features/stack-totals.js';
import { ptx } from '../../server/src/languages/ptx/index.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { defaultSettings } from '../../server/src/workspace/settings.js';
import { open } from '../support/edit-scripts.js';
import { fixture } from '../support/fixture.js';
import { ptxHead, ptxSnapshot } from '../support/ptx.js';

const module = `${ptxHead}
.extern .func outside ();
.func leaf ()
{
	.local .align 8 .b8 room[40];
	.reg .b64 %a<4>;
	mov.u64 %a0, room;
	st.local.u64 [%a0+8], %a1;
	ret;
}
.func middle ()
{
	.local .align 8 .b8 other[16];
	call leaf;
	ret;
}
.func even ()
{
	.local .b32 x;
	call odd;
	ret;
}
.func odd ()
{
	call even;
	call leaf;
	ret;
}
.func open ()
{
	call outside;
	call middle;
	ret;
}
.visible .entry kernel ()
{
	.local .align 16 .b8 depot[32];
	call middle;
	call leaf;
	ret;
}
`;

const contents = (marked: string): string => {
  const { text, lines, cursor } = fixture(marked);
  return hover(ptxSnapshot(text, nvidia), lines.positionAt(cursor))?.contents ?? '';
};

describe('stack frames in features', () => {
  it('adds the deepest path of callees', () => {
    const totals = stackTotals(ptxSnapshot(module, nvidia));
    const bytes = [...totals].map(([name, { own, total }]) => [name, own, total]);
    assert.deepEqual(bytes, [
      ['leaf', 40, 40],
      ['middle', 16, 56],
      ['even', 4, 44],
      ['odd', 0, 44],
      ['open', 0, 56],
      ['kernel', 32, 88],
    ]);
    assert.deepEqual(totals.get('kernel')?.path, ['kernel', 'middle', 'leaf']);
  });

  it('reports recursion, and what it does not know', () => {
    const totals = stackTotals(ptxSnapshot(module, nvidia));
    assert.deepEqual(totals.get('odd')?.recursion, ['even', 'odd']);
    assert.deepEqual(totals.get('open')?.unknown, ['outside']);
    assert.deepEqual(totals.get('kernel')?.unknown, []);
    assert.deepEqual(totals.get('kernel')?.recursion, []);
  });

  it('takes a long chain of calls, and a wide one, in its stride', () => {
    const count = 20_000;
    const nowhere = { start: 0, end: 0 };
    const call = (callee: string): UnitCall => ({ span: nowhere, callee, candidates: [] });
    const frames = Array.from({ length: count }, (_, n): UnitFrame => ({
      name: `f${n}`,
      span: nowhere,
      isEntry: false,
      place: '.local',
      bytes: 8,
      alignment: 8,
      isDynamic: false,
      objects: [],
      pointers: [],
      touches: [],
      escapes: [],
      calls: n === 0 ? [] : [call(`f${n - 1}`), call('f0'), call(`f${n >> 1}`)],
      madeAt: undefined,
    }));
    assert.equal(totalsOf(frames).get(`f${count - 1}`)?.total, count * 8);
  });

  it('shows the frame above the function, beside the other figures', () => {
    const titles = codeLenses(ptxSnapshot(module, nvidia)).map(({ title }) => title);
    const frames = titles.filter((title) => title.startsWith('frame') || title.startsWith('no frame'));
    assert.deepEqual(frames, [
      'frame 40 B (.local)',
      'frame 16 B (.local) · 56 bytes with callees',
      'frame 4 B (.local) · at least 44 bytes with callees · recursive',
      'no frame · at least 44 bytes with callees · recursive',
      'no frame · at least 56 bytes with callees',
      'frame 32 B (.local) · 88 bytes with callees',
    ]);
  });

  it('tells of a function its objects, its callees and its cycle', () => {
    const text = contents(module.replace('.entry kernel', '.entry ker$0nel'));
    assert.match(text, /\*\*Stack frame\*\* 32 bytes in `\.local`, aligned to 16/);
    assert.match(text, /\| `depot` \| 0 \| 32 \| 16 \| not touched directly \|/);
    assert.match(text, /\*\*With callees\*\* 88 bytes: `kernel` → `middle` → `leaf`/);
    assert.match(
      contents(module.replace('.func odd', '.func o$0dd')),
      /Recursion without a bound: `even`, `odd`/,
    );
  });

  it('tells of a variable who touches it and where it escapes', () => {
    const text = contents(`${ptxHead}
.extern .func use (.param .u64 p);
.func f ()
{
	.local .align 8 .b8 ro$0om[24];
	.reg .b64 %a<4>;
	mov.u64 %a0, room;
	cvta.local.u64 %a1, %a0;
	add.u64 %a2, %a1, 16;
	st.u32 [%a1], 1;
	{
	.param .u64 p0;
	st.param.u64 [p0], %a2;
	call use, (p0);
	}
	ret;
}
`);
    assert.match(text, /24 bytes at offset 0, aligned to 8/);
    assert.match(text, /written line 13/i);
    assert.match(text, /`room`\+16 passed to 'use', line 16/);
  });

  it('tells of a register which pointer of the frame it holds', () => {
    const text = contents(`${ptxHead}
.extern .shared .u64 __nvptx_stacks[32];
.func f ()
{
	.reg .u64 %q<8>;
	.reg .u32 %t;
	mov.u32 %t, %tid.y;
	mul.wide.u32 %q0, %t, 8;
	mov.u64 %q1, __nvptx_stacks;
	add.u64 %q2, %q1, %q0;
	ld.shared.u64 %q3, [%q2];
	sub.u64 %q4, %q3, 32;
	st.u64 [%$0q4], %q3;
	ret;
}
`);
    assert.match(
      text,
      /Holds the lowest address of the frame\. \*\*Stack frame\*\* 32 bytes in the soft stack/,
    );
  });

  it('says nothing where the language knows of no frames, or a function has none', () => {
    const s = ptxSnapshot(`${ptxHead}.visible .entry k ()\n{\n\tret;\n}\n`, nvidia);
    assert.equal(codeLenses(s).length, 1);
  });
});

describe('stack findings in features', () => {
  const text = `${ptxHead}
.extern .shared .u64 __nvptx_stacks[32];
.extern .func use (.param .u64 p);
.func f (.param .u64 in)
{
	.reg .u64 %q<8>;
	.reg .u32 %t;
	mov.u32 %t, %tid.y;
	mul.wide.u32 %q0, %t, 8;
	mov.u64 %q1, __nvptx_stacks;
	add.u64 %q2, %q1, %q0;
	ld.shared.u64 %q3, [%q2];
	sub.u64 %q4, %q3, 32;
	{
	.param .u64 p0;
	st.param.u64 [p0], %q4;
	call use, (p0);
	}
	ret;
}
`;

  it('stand among the diagnostics, with their fixes among the code actions', () => {
    const s = ptxSnapshot(text, nvidia);
    const found = diagnostics(s).items.filter(({ code }) => code.startsWith('stack/'));
    assert.deepEqual(
      found.map(({ code, severity }) => [code, severity]),
      [['stack/unpublished', 'error']],
    );
    const titles = codeActions(s, found[0].range).map(({ title }) => title);
    assert.ok(titles.includes('Publish %q4, and restore before every return'), titles.join());
  });

  it('obey the settings, and stay the same objects while other units are edited', () => {
    const severity = { 'stack/*': 'off' } as const;
    const off = ptxSnapshot(text, nvidia, {
      diagnostics: { ...defaultSettings.diagnostics, severity },
    });
    assert.deepEqual(
      diagnostics(off).items.filter(({ code }) => code.startsWith('stack/')),
      [],
    );
    const before = open(`${text}.func g ()\n{\n\tret;\n}\n`, { language: ptx, target: nvidia });
    const problems = before.language.moduleProblems?.(before.units);
    const again = before.language.moduleProblems?.(before.units);
    assert.ok(problems !== undefined && problems.size === 1);
    for (const [unit, list] of problems)
      for (const [n, problem] of list.entries()) assert.equal(again?.get(unit)?.[n], problem);
  });
});
