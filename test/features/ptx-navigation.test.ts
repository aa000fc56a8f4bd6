import assert from 'node:assert/strict';
import { incomingCalls, prepareCallHierarchy } from '../../server/src/features/call-hierarchy.js';
import { declaration, definition } from '../../server/src/features/definition.js';
import { highlights, references } from '../../server/src/features/references.js';
import { rename } from '../../server/src/features/rename.js';
import { documentSymbols } from '../../server/src/features/symbols.js';
import { applyEdits, checkMarks, fixture } from '../support/fixture.js';
import { ptxHead, ptxSnapshot } from '../support/ptx.js';
import { toyTarget } from '../support/toy/target.js';

const open = (text: string): ReturnType<typeof ptxSnapshot> => ptxSnapshot(text, toyTarget);

function checkPlaces(marked: string): void {
  const f = fixture(marked);
  const s = open(f.text);
  const position = f.lines.positionAt(f.cursor);
  const has = (message: string): boolean => f.marks.some((m) => m.message === message);
  if (has('definition'))
    checkMarks(
      f,
      definition(s, position).map((l) => l.range),
      'definition',
    );
  if (has('declaration'))
    checkMarks(
      f,
      declaration(s, position).map((l) => l.range),
      'declaration',
    );
  if (has('reference'))
    checkMarks(
      f,
      references(s, position, false).map((l) => l.range),
      'reference',
    );
  const marked_ = highlights(s, position);
  for (const kind of ['read', 'write'] as const)
    if (has(kind))
      checkMarks(
        f,
        marked_.filter((h) => h.kind === kind).map((h) => h.range),
        kind,
      );
}

describe('PTX: definitions that reach', () => {
  it('in a loop both, the one before it and the one of the round before', () =>
    checkPlaces(`
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .pred %p<2>;
    .reg .b32 %r<20>;
//            ^^^^^^ declaration
    mov.u32 %r17, 0;
//          ^^^^ definition
//          ^^^^ write
LOOP:
    add.s32 %r2, %r1$07, 1;
//               ^^^^ read
    shl.b32 %r17, %r2, 1;
//          ^^^^ definition
//          ^^^^ write
    setp.lt.s32 %p1, %r17, 100;
//                   ^^^^ read
    @%p1 bra LOOP;
    ret;
}`));

  it('a guarded move does not end the reach of the one before', () =>
    checkPlaces(`
.version 8.0
.target sm_90
.address_size 64
.func (.reg .b32 %out) f(.reg .b32 %in, .reg .pred %c)
{
    .reg .b32 %a;
//            ^^ declaration
    mov.u32 %a, 1;
//          ^^ definition
    @%c mov.u32 %a, %in;
//              ^^ definition
    add.s32 %out, $0%a, 1;
    ret;
}`));

  it('both arms of a diamond, through vectors and addresses', () =>
    checkPlaces(`
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .pred %q;
    .reg .f32 %f<4>;
    .reg .u64 %a, %b;
    ld.param.u64 %a, [p];
    setp.ne.u64 %q, %a, 0;
    @%q bra OTHER;
    ld.global.v2.f32 {%f1, %f2}, [%a];
//                    ^^^ definition
    bra.uni JOIN;
OTHER:
    ld.global.v2.f32 {%f3, %f1}, [%a+8];
//                         ^^^ definition
JOIN:
    st.global.v2.f32 [%a], {%f2, %$0f1};
    ret;
}`));

  it('inner scopes hide outer names', () =>
    checkPlaces(`
.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
    .reg .b32 %a;
    mov.u32 %a, 1;
    {
    .reg .b32 %a;
//            ^^ declaration
    mov.u32 %a, 2;
//          ^^ definition
    add.s32 %a, %$0a, 1;
    }
    ret;
}`));
});

describe('PTX: names across functions', () => {
  const module = `
.version 8.0
.target sm_90
.address_size 64
.extern .func f(.param .b32 x);
//            ^ declaration
.shared .align 4 .b8 tile[64];
.visible .entry k()
{
    .reg .b32 %r1;
    .param .b32 a;
    mov.u32 %r1, tile;
    st.param.b32 [a], %r1;
    call.uni $0f, (a);
//           ^ reference
    ret;
}
.func f(.param .b32 x)
//    ^ declaration
//    ^ definition
{
    ret;
}`;

  it('a function: declared twice, defined once', () => checkPlaces(module));

  it('who calls it', () => {
    const f = fixture(module);
    const s = open(f.text);
    assert.equal(prepareCallHierarchy(s, f.lines.positionAt(f.cursor))?.range.start.line, 14);
    assert.deepEqual(
      incomingCalls(s, 'f').map((c) => c.item.name),
      ['k'],
    );
  });

  it('the outline', () =>
    assert.deepEqual(
      documentSymbols(open(fixture(module).text)).map((x) => `${x.kind} ${x.name}`),
      ['function f', 'variable tile', 'kernel k', 'function f'],
    ));
});

describe('PTX: rename', () => {
  function check(marked: string, name: string, wanted: string | RegExp): void {
    const f = fixture(ptxHead + marked);
    const s = open(f.text);
    const answer = rename(s, f.lines.positionAt(f.cursor), name);
    if ('refused' in answer) {
      assert.ok(wanted instanceof RegExp, answer.refused);
      assert.match(answer.refused, wanted);
      return;
    }
    const text = applyEdits(
      f.text,
      answer.edits.map((e) => ({
        span: { start: f.lines.offsetAt(e.range.start), end: f.lines.offsetAt(e.range.end) },
        newText: e.newText,
      })),
    );
    assert.ok(typeof wanted === 'string', `not refused: ${text}`);
    assert.equal(text, ptxHead + wanted);
  }

  const body = (declared: string, code: string): string =>
    `.visible .entry k()\n{\n\t${declared}\n\t${code}\n\tret;\n}\n`;

  it('a register of a range gets a declaration of its own', () =>
    check(
      body('.reg .b32 %r<10>;', 'mov.u32 %r$01, 1; add.s32 %r2, %r1, %r1;'),
      '%sum',
      body('.reg .b32 %r<10>; .reg .b32 %sum;', 'mov.u32 %sum, 1; add.s32 %r2, %sum, %sum;'),
    ));

  it('a register of its own is renamed where it is declared', () =>
    check(body('.reg .b32 %a, %b;', 'mov.u32 $0%a, %b;'), 'c', body('.reg .b32 c, %b;', 'mov.u32 c, %b;')));

  it('says at the declaration of a range what to do instead', () =>
    check(
      body('.reg .b32 %r$0<10>;', 'mov.u32 %r1, 1; mov.u32 %r2, %r1;'),
      '%sum',
      /`%r<10>` declares many registers at once: rename one of them where it is used/,
    ));

  it('refuses registers of a range, special registers, words and parts of words', () => {
    const text = body('.reg .b32 %a, %r<10>;', 'mov.u32 $0%a, 1; mov.u32 %r3, %a;');
    check(text, '%r3', /already a register here/);
    for (const name of ['.b32', '3a', '%a %b', 'a;', 'WARP_SZ']) check(text, name, /name|mean/);
    check(body('.reg .b32 %a;', 'mov.u32 %a, %t$0id.x;'), '%x', /no name/);
  });
});
