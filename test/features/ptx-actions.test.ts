import assert from 'node:assert/strict';
import { codeActions } from '../../server/src/features/code-actions.js';
import { diagnostics } from '../../server/src/features/diagnostics.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { applyEdits, fixture } from '../support/fixture.js';
import { ptxHead, ptxSnapshot } from '../support/ptx.js';
import { toyTarget } from '../support/toy/target.js';

const open = (text: string): ReturnType<typeof ptxSnapshot> => ptxSnapshot(text, toyTarget);

const codesOf = (text: string): string[] => diagnostics(open(text)).items.map((d) => d.code);

const kernel = (declared: string, code: string): string =>
  `.visible .entry k(.param .u64 p)\n{\n    ${declared}\n    ${code}\n    ret;\n}\n`;

/** The text after the action at the cursor whose title matches. */
function applied(marked: string, title: RegExp, only?: readonly string[]): string {
  const f = fixture(marked);
  const s = open(f.text);
  for (const u of s.units) void u.compilation;
  const at = f.lines.positionAt(f.cursor);
  const actions = codeActions(s, { start: at, end: at }, only === undefined ? {} : { only });
  const action = actions.find((a) => title.test(a.title));
  assert.ok(action !== undefined, `no ${title} among: ${actions.map((a) => a.title).join('; ')}`);
  return applyEdits(
    f.text,
    action.edits.map((e) => ({
      span: { start: f.lines.offsetAt(e.range.start), end: f.lines.offsetAt(e.range.end) },
      newText: e.newText,
    })),
  );
}

describe('PTX: quick fixes of launch bounds', () => {
  const figures = (text: string) => {
    const s = ptxSnapshot(text, nvidia);
    const unit = s.units.find((u) => u.compilation !== undefined);
    assert.ok(unit?.compilation);
    const { limit, registers, spills } = unit.compilation.stats;
    const told = diagnostics(s).items.some(({ code }) => code === 'pressure/limit-ignored');
    return { told, figures: { limit, registers, spills } };
  };

  // what ptxas makes of them: 255 is the most, 24 the least, 3072 threads are on no SM
  const cases: readonly (readonly [string, string, string])[] = [
    ['.maxnreg 300', 'Write `.maxnreg 255`', '.maxnreg 255'],
    ['.maxntid 256 .maxnreg 300', 'Write `.maxnreg 255`', '.maxntid 256 .maxnreg 255'],
    ['.maxnreg 16', 'Write `.maxnreg 24`', '.maxnreg 24'],
    ['.maxntid 1024, 1, 1 .minnctapersm 3', 'Remove `.minnctapersm`', '.maxntid 1024, 1, 1'],
    ['\n  .minnctapersm 3\n  .maxntid 1024', 'Remove `.minnctapersm`', '\n  .maxntid 1024'],
  ];
  for (const [written, title, mended] of cases)
    it(`${title} in place of ${written}, with the same figures`, () => {
      const text = (directives: string): string =>
        `${ptxHead}.visible .entry k() ${directives} {\n    ret;\n}\n`;
      const s = ptxSnapshot(text(written), nvidia);
      const at = s.lines.positionAt(text(written).indexOf(' k()') + 1);
      for (const u of s.units) void u.compilation;
      const action = codeActions(s, { start: at, end: at }).find((a) => a.title === title);
      assert.ok(action);
      assert.equal(action.isPreferred, false);
      const fixed = applyEdits(
        text(written),
        action.edits.map((e) => ({
          span: { start: s.lines.offsetAt(e.range.start), end: s.lines.offsetAt(e.range.end) },
          newText: e.newText,
        })),
      );
      assert.equal(fixed, text(mended));
      const [before, after] = [figures(text(written)), figures(fixed)];
      assert.deepEqual([before.told, after.told], [true, false]);
      assert.deepEqual(after.figures, before.figures);
    });
});

describe('PTX: launch bounds without a quick fix', () => {
  const titles = (text: string): string[] => {
    const s = ptxSnapshot(ptxHead + text, nvidia);
    for (const u of s.units) void u.compilation;
    const at = s.lines.positionAt(s.text.indexOf(' k(') + 1);
    return codeActions(s, { start: at, end: at }).map(({ title }) => title);
  };
  for (const [why, text] of [
    ['a comment inside would be lost', '.entry k() .maxnreg /* c */ 300 { ret; }'],
    ['it stands twice, and the last one counts', '.entry k() .maxnreg 300 .maxnreg 301 { ret; }'],
    ['a function may have none', '.func k() .maxnreg 300 { ret; }'],
  ] as const)
    it(why, () =>
      assert.deepEqual(
        titles(`${text}\n`).filter((title) => title.includes('.maxnreg')),
        [],
      ),
    );
});

describe('PTX: the quick fix of launch bounds that force spills', () => {
  // all are made in front of the barrier and read behind it; 65 536 registers for 8 blocks of 256 threads are 32 each
  const live = (bound: string): string => {
    const each = (line: (k: number) => string): string =>
      Array.from({ length: 50 }, (_, k) => line(k)).join('\n');
    return `${ptxHead}.visible .entry k(.param .u64 p) ${bound} {
      .reg .u64 %rd1; .reg .f32 %f<50>; ld.param.u64 %rd1, [p];
      ${each((k) => `ld.volatile.global.f32 %f${k}, [%rd1+${4 * k}];`)}
      bar.sync 0;
      ${each((k) => `st.volatile.global.f32 [%rd1+${400 + 4 * k}], %f${k};`)} ret; }\n`;
  };

  // 50 values, a pointer and a few more: 4 blocks leave 64, 5 leave 48
  for (const [bound, mended] of [
    ['.maxntid 256, 1, 1 .minnctapersm 8', '.maxntid 256, 1, 1 .minnctapersm 4'],
    ['.maxnreg 32', '.maxnreg 64'],
  ] as const)
    it(`${mended} in place of ${bound}`, () => {
      const s = ptxSnapshot(live(bound), nvidia);
      const at = s.lines.positionAt(live(bound).indexOf(' k(') + 1);
      for (const u of s.units) void u.compilation;
      const told = (text: string): string[] =>
        diagnostics(ptxSnapshot(text, nvidia)).items.flatMap(({ code }) =>
          code.startsWith('spill/') ? [code] : [],
        );
      assert.ok(told(live(bound)).includes('spill/launch-bounds'));
      const action = codeActions(s, { start: at, end: at }).find(({ title }) => title.startsWith('Write'));
      assert.equal(action?.title, `Write \`${mended.slice(mended.lastIndexOf('.m'))}\``);
      assert.equal(action.isPreferred, false);
      assert.deepEqual(told(live(mended)), []);
    });

  // 6 blocks of 256 threads leave 40 registers, .maxnreg leaves 32: neither alone makes room for 50 values
  for (const bound of [
    '.maxntid 256 .minnctapersm 6 .maxnreg 32',
    '.maxnreg 40 .maxntid 256 .minnctapersm 8',
  ])
    it(`is not offered where another bound would force them: ${bound}`, () => {
      const s = ptxSnapshot(live(bound), nvidia);
      const at = s.lines.positionAt(live(bound).indexOf(' k(') + 1);
      for (const u of s.units) void u.compilation;
      assert.ok(diagnostics(s).items.some(({ code }) => code === 'spill/launch-bounds'));
      const titles = codeActions(s, { start: at, end: at }).map(({ title }) => title);
      assert.deepEqual(
        titles.filter((title) => title.startsWith('Write')),
        [],
      );
    });
});

describe('PTX: quick fixes', () => {
  it('declare a missing register with the type that its instruction wants', () => {
    const text =
      ptxHead + kernel('.reg .f32 %f<2>;', 'fma.rn.f32 %f1, $0%x, %f1, %f1; st.global.f32 [p], %f1;');
    const fixed = applied(text, /^Declare '%x'/);
    assert.match(fixed, /\.reg \.f32 %x;/);
    assert.ok(!codesOf(fixed).includes('name/undeclared'));
  });

  it('remove an unused register, with its comma or its line', () => {
    const two = ptxHead + kernel('.reg .b32 %a, $0%b;', 'mov.u32 %a, %tid.x;');
    assert.equal(applied(two, /Remove/), two.replace(', $0%b', ''));
    const alone = ptxHead + kernel('.reg .b32 $0%b;', 'bar.sync 0;');
    assert.equal(applied(alone, /Remove/), alone.replace('    .reg .b32 $0%b;\n', ''));
  });

  it('remove several unused registers of one declaration in one go', () => {
    const used = 'mov.u32 %x, %tid.x; st.global.u32 [%y], %x;';
    const cases: readonly (readonly [declared: string, count: number, left: string])[] = [
      ['.reg .b32 $0%a, %b, %x, %y;', 2, '.reg .b32 %x, %y;'],
      ['.reg .b32 %x, $0%a, %b, %y, %c;', 3, '.reg .b32 %x, %y;'],
      ['.reg .b32 $0%a, %x, %b<4>, %y, %c, %d;', 4, '.reg .b32 %x, %y;'],
      ['.reg .b32 $0%a, %b;\n    .reg .b32 %x, %y;', 2, '.reg .b32 %x, %y;'],
      ['.reg .b32 $0%a ,%x,%y;\n    .reg .f32 %f<3>, %g;', 3, '.reg .b32 %x,%y;'],
    ];
    for (const [declared, count, left] of cases) {
      const fixed = applied(
        ptxHead + kernel(declared, used),
        new RegExp(`^Fix all ${count} problems of name/unused-register`),
      );
      assert.equal(fixed, ptxHead + kernel(left, used));
    }
  });

  it('remove the first register of a list without a hole', () => {
    const text = ptxHead + kernel('.reg .b32 $0%a, %b;', 'mov.u32 %b, %tid.x;');
    assert.equal(applied(text, /^Remove/), text.replace('$0%a, ', ''));
  });

  it('make no guess together with safe repairs', () => {
    const text = ptxHead + kernel('.reg .b32 %sum;', 'mov.u32 %sum, %tid.x;\n    st.global.u32 [p], $0%sun');
    const f = fixture(text);
    const s = open(f.text);
    const at = f.lines.positionAt(f.cursor);
    const guess = codeActions(s, { start: at, end: at }).find((a) => a.title === "Change to '%sum'");
    assert.equal(guess?.isPreferred, false);
    const fixed = applied(text, /Fix/, ['source']);
    assert.match(fixed, /%sun;/, 'the semicolon is set, the name is left');
  });

  it('raise .version for an instruction, in its own unit', () => {
    const text =
      '.version 7.8\n.target sm_90\n.address_size 64\n' +
      kernel('.reg .b32 %r<3>; .reg .pred %p;', 'e$0lect.sync %r2|%p, 0xffffffff;');
    const fixed = applied(text, /Raise \.version to 8\.0/);
    assert.equal(fixed, text.replace('7.8', '8.0').replace('$0', ''));
    assert.ok(!codesOf(fixed).some((c) => c.startsWith('isa/')));
  });

  it('raise .target and keep its options', () => {
    const text =
      '.version 8.0\n.target sm_70, debug\n.address_size 64\n' +
      kernel('.reg .b32 %r<3>;', 'redux$0.sync.add.s32 %r2, %r1, 0xffffffff;');
    assert.match(applied(text, /Raise \.target to sm_80/), /\.target sm_80, debug\n/);
  });

  it('fix all of a file leaves alone what has two ways out', () => {
    const text =
      ptxHead +
      kernel(
        '.reg .b32 %r<3>, %unused;',
        '$0mov.u32 %r1, 1\n    add.s32 %r2, %r1, %q1;\n    st.global.u32 [p], %r2;',
      );
    const fixed = applied(text, /Fix all/, ['source.fixAll']);
    assert.match(fixed, /mov\.u32 %r1, 1;/);
    assert.ok(!fixed.includes('%unused'));
    for (const code of codesOf(fixed))
      assert.ok(!['syntax/missing-semicolon', 'name/unused-register'].includes(code));
  });
});

describe('PTX: move a frame to a soft stack', () => {
  const framed = (value: string, cursor = '$0'): string =>
    ptxHead +
    `.visible .entry ${cursor}k(.param .u32 p)\n{\n\t.local .b32 a;\n\t.reg .b32 %r<3>;\n\tmov.u32 %r1, ${value};\n\tst.local.u32 [a], %r1;\n\tret;\n}\n`;

  it('is offered on the head of the function', () => {
    const text = applied(framed('%tid.y'), /^Move stack frame to a soft stack$/);
    assert.match(text, /st\.u32 \[%stack_frame\], %r1;/);
    assert.match(text, /\.extern \.shared \.align 8 \.u64 __nvptx_stacks\[32\];/);
    assert.deepEqual(
      codesOf(text).filter((code) => !code.startsWith('stack/')),
      [],
    );
  });

  it('says why it cannot be done, and offers what can', () => {
    const f = fixture(framed('%tid.x'));
    const at = f.lines.positionAt(f.cursor);
    const found = codeActions(open(f.text), { start: at, end: at }, { only: ['refactor'] });
    assert.deepEqual(
      found.map(({ title, edits, refused }) => [title, edits.length > 0, refused?.slice(0, 27)]),
      [
        ['Move stack frame to a soft stack', false, "'st.local.u32' keeps %r1, w"],
        ['Move stack frame to a soft stack for each lane', true, undefined],
      ],
    );
  });

  it('is not offered elsewhere', () => {
    for (const marked of [
      framed('%tid.y', '').replace('ret;', '$0ret;'),
      framed('%tid.y').replace('.local .b32 a;', '').replace('.local', '.global').replace('[a]', '[0]'),
    ]) {
      const f = fixture(marked);
      const at = f.lines.positionAt(f.cursor);
      assert.deepEqual(codeActions(open(f.text), { start: at, end: at }, { only: ['refactor'] }), []);
    }
  });
});
