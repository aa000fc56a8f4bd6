import assert from 'node:assert/strict';
import type { CompletionItem } from '../../../server/src/languages/language.js';
import { ptx } from '../../../server/src/languages/ptx/index.js';
import { fixture } from '../../support/fixture.js';
import { bindText, type PlacedUnit } from './bound.js';

const before = `.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 o) f(.param .b32 a, .param .b64 q);
.global .f32 table[4];
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<5>; .reg .f32 %f<9>; .reg .v4 .f32 v;
mov.u32 %r1, %tid.x; ld.global.f32 %f1, [table+4]; setp.eq.u32 %p1, %r1, 0;
`;

/** Calls `ask` with the unit and the place of the cursor `$0` in a kernel's body (or in `text` alone). */
function at<T>(marked: string, ask: (unit: PlacedUnit, offset: number) => T, isWhole = false): T {
  const { text, cursor } = fixture(isWhole ? marked : `${before}${marked}\n}\n`);
  const unit = bindText(text).findLast((u) => u.start <= cursor);
  assert.ok(unit !== undefined && cursor >= 0);
  return ask(unit, cursor - unit.start);
}

const completions = (marked: string, isWhole = false): readonly CompletionItem[] =>
  at(marked, (unit, offset) => ptx.complete(unit.bound, offset, unit.environment).items, isWhole);

const labels = (marked: string, isWhole = false): string[] =>
  completions(marked, isWhole).map((item) => item.label);

/** Labels in the order in which an editor would show them. */
const sorted = (marked: string): string[] =>
  [...completions(marked)]
    .sort((a, b) => ((a.sort ?? a.label) < (b.sort ?? b.label) ? -1 : 1))
    .map((item) => item.label);
const first = (marked: string): string => sorted(marked)[0];
const last = (marked: string): string => sorted(marked).at(-1)!;

describe('PTX completion', () => {
  it('offers instructions where a statement begins, behind a guard too', () => {
    assert.ok(labels('$0').includes('fma'));
    assert.ok(labels('@%p1 ad$0').includes('add'));
    assert.ok(labels('add.u32 %r1, %r1, 1; ld$0').includes('ld'));
  });

  it('offers only modifiers that can follow', () => {
    const rounding = labels('fma.$0');
    assert.ok(rounding.includes('.rn') && !rounding.includes('.wide'));
    assert.deepEqual(
      labels('mad.$0')
        .filter((label) => ['.lo', '.hi', '.wide', '.rn'].includes(label))
        .sort(),
      ['.hi', '.lo', '.rn', '.wide'],
    );
    const types = labels('mad.wide.$0');
    assert.ok(
      types.includes('.s32') && !types.includes('.f32') && !types.includes('.s64') && !types.includes('.lo'),
    );
    assert.ok(!labels('ld.global.$0').includes('.shared'), 'the state space is given once');
  });

  it('offers registers in scope, those of the right type first', () => {
    assert.ok(['%f1', '%r1'].includes(first('add.f32 %f2, $0;')));
    assert.equal(first('selp.b32 %r1, 1, 0, $0'), '%p1');
    assert.ok(!labels('{ .reg .b32 inner; mov.b32 inner, 0; } mov.b32 %r1, $0').includes('inner'));
    assert.ok(labels('{ .reg .b32 inner; mov.b32 inner, $0; }').includes('inner'));
    assert.ok(!labels('mov.b32 %r1, $0; .reg .b32 later;').includes('later'));
  });

  it('offers for an address registers that can hold one, 64-bit ones first', () => {
    const body = 'mov.u64 %rd1, table; mov.b32 %f2, 0; mov.u32 %r2, 0;';
    for (const opening of [
      'ld.global.f32 %f1, [',
      'st.global.f32 [',
      'ld.u32 %r1, [',
      'atom.add.u32 %r1, [',
    ]) {
      assert.equal(first(`${body} ${opening}$0`).startsWith('%rd'), true, opening);
      const offered = labels(`${body} ${opening}$0`);
      for (const wrong of ['%r1', '%f1', '%p1', '%f2', 'v'])
        assert.ok(!offered.includes(wrong), `${opening} ${wrong}`);
      assert.ok(offered.includes('table'));
    }
    for (const opening of ['ld.shared.f32 %f1, [', 'st.local.f32 [', 'ld.const.f32 %f1, [']) {
      const offered = labels(`${body} ${opening}$0`);
      assert.ok(offered.includes('%r1') && offered.includes('%rd1'), opening);
      assert.ok(!offered.includes('%f1') && !offered.includes('%p1'), opening);
    }
  });

  it('offers only names that may stand at the operand', () => {
    const offered = labels('add.s32 %r1, $0');
    assert.ok(offered.includes('%r1'));
    for (const wrong of ['%f1', '%p1', '%rd0', '%p0', 'v', 'p', 'table', 'f'])
      assert.ok(!offered.includes(wrong), wrong);
    assert.ok(!labels('selp.b32 %r1, 1, 0, $0').includes('%r1'));
    assert.ok(labels('shfl.sync.bfly.b32 %r1|$0').includes('%p1'));
    assert.ok(labels('ld.global.u8 $0').includes('%r1'), 'a load may widen');
    assert.ok(labels('mov.u64 %rd1, $0').includes('table'), 'its address');
    assert.ok(labels('mov.u64 %rd1, %$0').includes('%clock64'));
    assert.ok(!labels('mov.u64 %rd1, %$0').includes('%laneid'), 'of 32 bits');
    assert.equal(last('add.s32 %r1, %r1, $0'), 'WARP_SZ');
    assert.ok(
      !labels('add.f32 %f1, %f1, $0').includes('WARP_SZ') && !labels('add.s32 $0').includes('WARP_SZ'),
    );
    assert.ok(labels('st.global.v4.f32 [%rd1], $0').includes('v'));
    assert.ok(labels('st.global.v4.f32 [%rd1], {$0').includes('%f1'));
  });

  it('offers the next register of a range', () => assert.ok(labels('mov.u32 %r1, $0').includes('%r0')));

  it('offers predicates behind @', () => assert.deepEqual(labels('@$0 ret;'), ['%p1']));

  it('offers labels to a branch, from outside nested blocks only', () =>
    assert.deepEqual(labels('A: { B: } bra $0; C: ret;').sort(), ['A', 'C']));

  it('offers functions to a call, then what can be passed', () => {
    assert.equal(first('call $0'), 'f');
    assert.ok(labels('call (%r1), f, ($0').includes('%r1'));
  });

  it('offers special registers where the instruction takes them', () => {
    assert.ok(labels('mov.u32 %r1, %$0').includes('%ctaid'));
    assert.ok(!labels('add.u32 %r1, %$0').includes('%ctaid'));
    assert.deepEqual(labels('mov.u32 %r1, %tid.$0'), ['.x', '.y', '.z', '.w']);
    assert.deepEqual(labels('mov.f32 %f1, v.$0'), ['.x', '.y', '.z', '.w']);
  });

  it('offers directives by place', () => {
    assert.ok(labels('.$0').includes('.reg') && !labels('.$0').includes('.entry'));
    assert.ok(labels('.reg .$0').includes('.pred'));
    assert.ok(labels('.version 8.0\n.target sm_80\n.$0', true).includes('.visible'));
    assert.deepEqual(labels('.version 8.0\n.target sm_80\n.visible .$0', true).includes('.entry'), true);
    assert.ok(labels('.version $0', true).includes('8.0'));
    assert.ok(labels('.version 8.0\n.target $0', true).includes('sm_90a'));
    assert.ok(labels('.version 8.0\n.target sm_80\n.entry k() .$0', true).includes('.maxntid'));
  });

  it('offers nothing in comments, strings and numbers', () => {
    for (const marked of ['// add.$0', '/* add $0 */', '.pragma "no$0";', 'add.u32 %r1, 1$0'])
      assert.deepEqual(labels(marked), [], marked);
  });

  it('documents what it offers', () => {
    for (const item of [...completions('$0'), ...completions('ld.$0'), ...completions('.$0')])
      if (item.key !== undefined && item.kind !== 'modifier' && item.kind !== 'type')
        assert.ok((ptx.resolveCompletion(item.key) ?? '').length > 20, item.label);
  });
});

const hover = (marked: string): string =>
  at(marked, (unit, offset) => ptx.describe(unit.bound, offset)?.text ?? '');

describe('PTX reference', () => {
  it('explains an instruction, with the modifier under the cursor first', () => {
    assert.match(hover('fm$0a.rn.f32 %f1, %f1, %f1, %f1;'), /^\*\*`fma`\*\*/);
    assert.match(hover('fma.r$0n.f32 %f1, %f1, %f1, %f1;'), /^\*\*`\.rn`\*\* Rounds to the nearest/);
  });

  it('says what a memory operand touches: four floats are 16 bytes', () => {
    assert.match(hover('ld.global.v4.f32 v, [%rd1$0+16];'), /16 bytes of \.global memory.*multiple of 16/);
    assert.match(hover('st.shared.u8 [%r1$0], %r1;'), /1 byte of \.shared memory/);
  });

  it('shows constants in both notations', () => {
    assert.match(hover('mov.f32 %f1, 0f40$0490FDB;'), /3\.14159/);
    assert.match(hover('mov.u32 %r1, 25$05;'), /0xff/);
  });

  it('explains special registers, unless a register of the program hides them', () => {
    assert.match(hover('mov.u32 %r1, %lane$0id;'), /special register/);
    assert.doesNotMatch(
      hover('.reg .u32 %laneid; mov.u32 %laneid, 1; mov.u32 %r1, %lane$0id;'),
      /special register/,
    );
  });

  it('explains directives and types', () => {
    assert.match(hover('.re$0g .b64 x;'), /Virtual registers/);
    assert.match(hover('.reg .b6$04 x;'), /64 bits without meaning.*2 32-bit registers/);
  });
});

describe('PTX reference of declarations', () => {
  const headerHover = (marked: string): string =>
    at(marked, (unit, offset) => ptx.describe(unit.bound, offset)?.text ?? '', true);

  it('says what a target is', () => {
    const portable = headerHover('.version 8.0\n.target sm_8$00\n');
    assert.match(portable, /Ampere, compute capability 8\.0, from \.version 7\.0 on/);
    assert.match(portable, /every later machine/);
    assert.match(headerHover('.version 8.0\n.target sm_9$00a\n'), /sm_90 alone/);
    assert.match(headerHover('.version 9.0\n.target $0sm_100f\n'), /sm_100, sm_103\./);
    assert.match(headerHover('.version 8.0\n.target sm_80, deb$0ug\n'), /DWARF/);
  });

  it('says which toolkit brought a version', () => {
    assert.match(headerHover('.version 8$0.0\n.target sm_80\n'), /CUDA 12\.0\./);
    assert.match(headerHover('.version 7.$00\n.target sm_80\n'), /First version with `sm_80`/);
  });

  it('counts the registers of a range', () => {
    const text = hover('{ .reg .v2 .f32 %q$0<3>; mov.f32 %f1, %q1.x; mov.f32 %f1, %q2.x; }');
    assert.match(text, /\.v2 \.f32: `%q0` to `%q2`; 3 declared, 2 used/);
  });

  it('shows what a callee takes and returns', () =>
    assert.match(
      hover('call (%r1), $0f, (%r2, %rd1);'),
      /\.func \(\.param \.b32 o\) f \(\.param \.b32 a, \.param \.b64 q\)/,
    ));
});

describe('PTX signatures', () => {
  const signature = (marked: string): string =>
    at(marked, (unit, offset) => {
      const found = ptx.signatures(unit.bound, offset);
      return found === undefined ? '' : `${found.items[found.activeItem].label} @${found.activeParameter}`;
    });

  it('follow the cursor over the operands, and not into brackets', () => {
    assert.equal(signature('fma.rn.f32 %f1, %f2,$0'), 'fma.rn.f32 d, a, b, c @2');
    assert.match(signature('ld.global.v2.f32 {%f1, %f2}, $0'), /@1$/);
  });

  it('show the parameters of a callee', () =>
    assert.equal(
      signature('call (%r1), f, (%r2, $0);'),
      'call (.param .b32 o), f, (.param .b32 a, .param .b64 q) @1',
    ));

  it('end with the statement', () => assert.equal(signature('ret; $0'), ''));
});

describe('PTX links', () => {
  it('lead from .loc to the line of its .file, which may come later', () => {
    const text = '.version 8.0\n.target sm_80\n.entry k() {\n.loc 1 42 3\nret; }\n.file 1 "a/b.cu"\n';
    const links = bindText(text).flatMap(({ start, bound, environment }) =>
      ptx
        .links(bound, environment)
        .map((link) => ({ ...link, at: text.slice(start + link.span.start).slice(0, 4) })),
    );
    assert.deepEqual(
      links.map(({ path, line, at: word }) => [word, path, line]),
      [
        ['.loc', 'a/b.cu', 42],
        ['"a/b', 'a/b.cu', undefined],
      ],
    );
  });
});
