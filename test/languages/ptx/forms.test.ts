import assert from 'node:assert/strict';
import { parseSyntax } from '../../../server/src/languages/ptx/parser/parse.js';
import type { Constant, Instruction, Operand } from '../../../server/src/languages/ptx/tree.js';
import { syntaxProblems, type PlacedProblem } from './support.js';

/** Every row was put to ptxas 13.0.88: a `Parsing error` (or a fault of the constant expression) means refused. */

const head = '.version 8.8\n.target sm_90\n.address_size 64\n';
const inBody = (statement: string): string => `${head}.entry k(.param .u64 p)\n{\n${statement}\n}\n`;
const inModule = (item: string): string => `${head}${item}\n`;

const rows = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const acceptedStatements = rows(`
  mov.u32 %r1, 0X1F;
  mov.u32 %r1, 0B11;
  mov.u32 %r1, 017U;
  mov.f32 %f1, 1.;
  mov.f32 %f1, .5;
  mov.f32 %f1, 1.0e+5;
  mov.f32 %f1, 0F3f800000;
  mov.f64 %d1, -0d3FF0000000000000;
  mov.f32 %f1, (0f3F800000);
  mov.f32 %f1, 1.5*(2.0-1.0)/2.0;
  mov.u32 %r1, (1 < 2) && (3 != 4) || !5;
  mov.u32 %r1, 1 ? 2 : 0 ? 4 : 5;
  mov.u32 %r1, (.s64)(.u64) 1;
  mov.u32 %r1, --5;
  mov.u32 %r1, WARP_SZ*2;
  mov.u32 %r1, 5 % 3;
  mov.u64 %rd1, gv+4*2;
  mov.u64 %rd1, gv+-4;
  mov.u64 %rd1, gv[%r1];
  ld.u32 %r1, [%rd1+4+4];
  ld.u32 %r1, [%rd1+-(4)];
  ld.u32 %r1, [%rd1+~4];
  ld.u32 %r1, [%rd1++4];
  ld.local.u32 %r1, [-4];
  L : mov.u32 %r1, 1;
  @ ! %p1 bra L; L:
  L: { mov.u32 %r1, 1; }
  L: .reg .b32 x;
  { }
  setp.eq.and.s32 _|%p2, %r1, %r2, !%p3;
  mov.b64 %rd1, {%r1, 2+3};
  mov.b64 {%r1, _}, %rd1;
  .reg .b32 ;
  .reg .v4 .b32 v<4>;
  .reg .b32 a < 4 >, b<0x5>;
  .reg .align 4 .b32 a;
  .reg.u32 %r;
  .local .align 4 .b8 a[4][4], b;
  .local .b8 a[WARP_SZ];
  .const .b32 sx = 1;
  .attribute(.managed) .global .b32 x;
  call(%r1),f,(%r2);
  call (_), f, (2+5);
  P: .callprototype (.param .b32 _) _ (.param .b32 _);
  P: .callprototype _;
  T: .branchtargets L<4>; L0: L1: L2: L3:
  .pragma "a", "b";
  .loc 1 2 3 mov.u32 %r1, 1;
  .loc 1 2 3, function_name $L+4, inlined_at 1 2 3
  mov.u32 %r1, %tid .x;
  vadd.s32.s32.s32 %r1, %r2.b0, %r3.h1;
  tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f1,%f2}];
  mov.u32%r1, 1;
  mov.u32 %r1,1;mov.u32 %r2,1;
  add.u32 %r1, %r2+1, 3;
  ld.v8.u32 {%r1, %r2}, [%rd1];
  $L__BB0_2: bra $L__BB0_2;
`);

const refusedStatements = rows(`
  mov.u32 %r1, 12u;
  mov.u32 %r1, 12UL;
  mov.f32 %f1, 1.0f;
  mov.f32 %f1, 1e;
  mov.f32 %f1, -0f3F800000;
  mov.f32 %f1, 0f3F8000000;
  mov.f64 %d1, 0d3ff000000000000;
  mov.f32 %f1, 1.5+2;
  mov.u32 %r1, 08;
  mov.u32 %r1, 0xG;
  mov.u32 %r1, 0b12;
  mov.u32 %r1, 12abc;
  mov.u32 %r1, (.s32) 5;
  mov.u32 %r1, 5/0;
  mov.f64 %d1, 1.0/0.0;
  mov.u32 %r1, 5%3;
  mov.u32 %r1, 5 %r2;
  mov.u64 %rd1, gv-4;
  mov.u64 %rd1, 4+gv;
  ld.u32 %r1, [4+%rd1];
  ld.u32 %r1, [gv+%rd1];
  ld.u32 %r1, [gv[1]];
  ld.u32 %r1, [gv]+4;
  ld.u32 %r1, [ ];
  ld.u32 %r1, (gv);
  ld.u32 %r1, [%rd1;
  ld.u32 %r1, %rd1];
  @%p1 L: mov.u32 %r1, 1;
  @!!%p1 bra L; L:
  @%p1|%p2 bra L; L:
  @%p1 { mov.u32 %r1, 1; }
  @%p1;
  { };
  mov.b64 %rd1, { };
  mov.b64 %rd1, {%r1, %r2,};
  .reg .b32 a b;
  .reg .b32 a, ;
  .reg a;
  .reg .b32 .v4 v;
  .reg .v3 .f32 c;
  .reg .b32 a<2+2>;
  .local .b8 .align 4 a[4];
  .local .b8 a[-1];
  .local .b8 a[4+4];
  .local .b8 a[1.5];
  .local .align (4) .b8 a[1];
  .static .b32 sx;
  .reg .tf32 c;
  .reg .bf16x2 c;
  P: .callprototype (.param .b32 r) foo (.param .b32 a);
  .callprototype (.param .b32 r) _ (.param .b32 a);
  T: .branchtargets L,; L:
  .pragma "a"
  .loc 1 2 3;
  .loc 1 2
  .file 1 "a"
  .noreturn
  mov.u32 %r1, %tid.x ;;
  mov.u32 %r1 ,;
  mov.u32 , %r1;
  ret
  mov.u64 %rd1, gv[1].x;
  mov.u32 %r1, "a";
  mov.u32 %r1, a.b.c;
  mov . u32 %r1, 1;
  mov. u32 %r1, 1;
  #pragma foo
  mov.u32 %r1, 1; # foo
  mov.u32 %r1, (1;
  mov.u32 %r1, 1);
  mov.u32 %r1, {1;
  mov.u32 %r1,, 5;
  mov.u32 %r1, ~%r2;
  add.u32 %r1, %r2*2, 3;
  add.u32 %r1, %r2-1, 3;
  _: bra _;
`);

const acceptedItems = rows(`
  .global .b32 a = 1, b[2] = {1,2}, c;
  .global .b32 a[2] = {};
  .global .b32 a[2][2] = {{1,2},{3,4}};
  .global .b32 a[] = {1,2};
  .global .u64 a[2] = {generic(g), generic(g)+8};
  .global .u8 a[2] = {0xff(g), 0xff00(g)};
  .global .attribute(.unified(1,2)) .b32 a;
  .attribute(.managed) .global .b32 a;
  .global .b8 s[8] = "hi";
  .global .u64 a[2] = {(1+2)*3, 1?2:3};
  .entry k;
  .entry k(.param .u64 .ptr .global .align 16 a) { ret; }
  .entry k(.param .u64 .ptr a, .param .u64 .align 8 b, .param.u32 c) { ret; }
  .entry k(.param .texref t, .param .u32 _) { ret; }
  .func (.param .b32 r) f (.param .u32 a) ;
  .func f { ret; }
  .func () f () { ret; }
  .func .attribute(.unified(1,2)) f () { ret; }
  .entry k() .maxntid 1,2,3 .minnctapersm 2 .pragma "nounroll"; { ret; }
  .entry k() .pragma "nounroll"; .maxntid 1 { ret; }
  .entry k() .reqntid 8 .reqnctapercluster 2 .explicitcluster { ret; }
  .func f() { ret; } .func g(); .alias g, f;
  .section .debug_foo { .b8 1, 2 .b32 x+4 .b64 .debug_foo .b8 3 }
  .section .debug_foo { L1: .b8 1 .b64 L2-L1 }
  .file 1 "a.c", 123, 456
  # 1 "a.c"
  .extern .shared .align 16 .b8 d[];
`);

const refusedItems = rows(`
  .global .b32 a[2] = {1,};
  .global .u64 a[2] = {g-8, 0};
  .global .u64 a[2] = {8+g, 0};
  .global .u8 a[2] = {mask(g+8), 0};
  .global .b8 s[8] = {"hi"};
  .global .b8 s[8] = "hi" "ho";
  .global .b32 .attribute(.managed) a;
  .visible .extern .global .b32 a;
  .global .align 4 .b32 a
  .entry k
  .entry k(.param .u32 a,) { ret; }
  .entry k(.param .u32 a .param .u32 b) { ret; }
  .entry k(.param .u32) { ret; }
  .func .noreturn f (.param .u32 a) ;
  .func f () { ret; };
  .entry k() .maxntid 1 2 { ret; }
  .entry k() .maxntid 1+1 { ret; }
  .entry k() .maxntid { ret; }
  .entry k() .maxntid 1, { ret; }
  .entry k() .maxnreg 32, { ret; }
  .entry k() .maxnreg 32, 2 { ret; }
  .entry k() .maxntid 1 ; { ret; }
  ;
  .global .b32 a;;
  .section .debug_foo { .b8 1, 2; .b32 x+4 }
  .section .debug_foo { .b8 "abc" }
  .section debug_foo { .b8 1 }
  .file 1 "a.c" 123 456
  .file 1 "a.c";
  .loc 1 2 3
  .global .b32 a[1?2:3];
  L: .global .b32 a;
  .language cuda
  .entry .visible k() { ret; }
  .address_size 64;
`);

function applyFirstFix(text: string, problem: PlacedProblem): string | undefined {
  const edits = problem.fixes?.[0]?.edits;
  if (edits === undefined) return undefined;
  const base = problem.span.start;
  return [...edits]
    .sort((a, b) => b.span.start - a.span.start)
    .reduce((result, edit) => {
      const at = base + (edit.span.start - problem.unitSpan.start);
      return result.slice(0, at) + edit.newText + result.slice(at + edit.span.end - edit.span.start);
    }, text);
}

describe('PTX forms that ptxas takes', () => {
  for (const [list, place] of [
    [acceptedStatements, inBody],
    [acceptedItems, inModule],
  ] as const)
    for (const row of list)
      it(row, () => {
        assert.deepEqual(syntaxProblems(place(row)), []);
      });
});

describe('PTX forms that ptxas refuses', () => {
  for (const [list, place] of [
    [refusedStatements, inBody],
    [refusedItems, inModule],
  ] as const)
    for (const row of list)
      it(row, () => {
        const text = place(row);
        const found = syntaxProblems(text);
        assert.equal(found.length, 1, found.map((problem) => problem.message).join(' | ') || 'accepted');
        const repaired = applyFirstFix(text, found[0]);
        if (repaired !== undefined) assert.deepEqual(syntaxProblems(repaired), [], repaired);
      });
});

describe('PTX mistakes side by side', () => {
  it('are told one by one', () => {
    const codes = (text: string): string[] => syntaxProblems(inBody(text)).map((problem) => problem.code);
    assert.deepEqual(codes('call (%r1) f (%r2);'), ['syntax/missing-comma', 'syntax/missing-comma']);
    assert.deepEqual(codes('mov.u32 a, b\nshf.r.wrap.b32 a, b c, d\nret;'), [
      'syntax/missing-semicolon',
      'syntax/missing-comma',
    ]);
  });
});

function onlyInstruction(statement: string): Instruction {
  const item = parseSyntax(`.entry k()\n{\n${statement}\n}`).items[0];
  assert.ok(item.kind === 'function');
  const found = item.body?.statements.find((node) => node.kind === 'instruction');
  assert.ok(found?.kind === 'instruction');
  return found;
}

function lastConstant(statement: string): Constant {
  const operands = onlyInstruction(statement).operands;
  const last = operands[operands.length - 1];
  assert.ok(last.kind === 'constant');
  return last.value;
}

describe('PTX constant expressions', () => {
  // Each row: ptxas finds a division by zero in 5/((expression)-(value)).
  const integers: readonly (readonly [string, bigint])[] = [
    ['-1 > 0U', 1n],
    ['-1 > 0', 0n],
    ['-7/2', -3n],
    ['-7 % 3', 0n],
    ['7 % -3', 7n],
    ['(-7 % 3) - 1 > 0', 1n],
    ['1<<64', 1n],
    ['1<<65', 2n],
    ['1>>-1', 0n],
    ['-8>>1U', -4n],
    ['(.u64)-8>>60', 15n],
    ['0xFFFFFFFFFFFFFFFF > 0', 1n],
    ['9223372036854775808 > 0', 1n],
    ['-1/2U', 0x7fff_ffff_ffff_ffffn],
    ['1 ? -1 : 0U', -1n],
    ['(0 ? 0U : -1) > 0', 0n],
    ['(0 ? -1 : 0U) - 1 > 0', 1n],
    ['!5', 0n],
    ['!1.5', 0n],
    ['~0 > 0', 1n],
    ['-1U > 0', 1n],
    ['0x1FFFFFFFFFFFFFFFF', -1n],
    ['18446744073709551616', 0n],
    ['2+3*4', 14n],
    ['1|2^3&2', 1n],
    ['1 || 0 && 0', 1n],
    ['10-3-2', 5n],
    ['(1.0 < 2.0)', 1n],
    ['0 ? 1 : 0 ? 2 : 3', 3n],
    ['(.s64)0xFFFFFFFFFFFFFFFF < 0', 1n],
    ['1 == 1 == 2', 0n],
    ['(5U < 6U) - 2 < 0', 1n],
    ['(0 | -1) > 0', 0n],
    ['(1 << 63) > 0', 0n],
    ['(1U << 63) > 0', 1n],
    ['WARP_SZ - 33 > 0', 0n],
    ['WARP_SZ', 32n],
    ['017U', 15n],
    ['0b101', 5n],
  ];
  for (const [expression, value] of integers)
    it(`${expression} is ${value}`, () => {
      const found = lastConstant(`mov.u64 %rd1, ${expression};`);
      assert.equal(found.integer, value);
      assert.equal(found.isFloat, false);
    });

  it('reads exact floats by their bits', () => {
    assert.deepEqual(
      ['0f3F800000', '0fC0490FDB', '0d400921FB54442D18', '1.5e1', '(2.0-1.0)/4.0'].map((word) => {
        const { float, floatWidth } = lastConstant(`mov.f32 %f1, ${word};`);
        return [float, floatWidth];
      }),
      [
        [1, 32],
        [Math.fround(-Math.PI), 32],
        [Math.PI, 64],
        [15, 64],
        [0.25, 64],
      ],
    );
  });
});

describe('PTX operands', () => {
  const show = (operand: Operand): string => {
    switch (operand.kind) {
      case 'name':
        return `${operand.name.text}${operand.component?.text ?? ''}${operand.index === undefined ? '' : `[${operand.index.integer ?? operand.index.names[0].text}]`}${operand.offset === undefined ? '' : `+${operand.offset.integer}`}`;
      case 'constant':
        return `#${operand.value.integer ?? operand.value.float}`;
      case 'address':
        return `<${operand.base === undefined ? '' : show(operand.base)}${operand.offset === undefined ? '' : `+${operand.offset.integer}`}${operand.more.map((more) => `;${show(more)}`).join('')}>`;
      case 'vector':
        return `{${operand.elements.map(show).join(' ')}}`;
      case 'list':
        return `(${operand.elements.map(show).join(' ')})`;
      case 'pair':
        return `${show(operand.first)}|${show(operand.second)}`;
      case 'not':
        return `!${show(operand.operand)}`;
      default:
        return operand.kind;
    }
  };
  const cases: readonly (readonly [string, string])[] = [
    ['ld.global.v2.f32 {%f1, _}, [%rd1+-8];', '{%f1 sink} <%rd1+-8>'],
    ['ld.local.u32 a, [8];', 'a <#8>'],
    ['setp.eq.and.s32 p|q, v.x, %tid.y, !r;', 'p|q v.x %tid.y !r'],
    ['mov.u64 a, gv[2];', 'a gv[2]'],
    ['mov.u64 a, gv+2*4;', 'a gv+8'],
    ['call.uni (r, s), f, (a, 5), P;', '(r s) f (a #5) P'],
    ['tex.2d.v4.f32.f32 {a, b, c, d}, [t, s, {x, y}];', '{a b c d} <t;s;{x y}>'],
    ['add.u32 a, b-1, 2;', 'a b+-1 #2'],
    ['add.u32 a, , b;', 'a missing b'],
  ];
  for (const [text, expected] of cases)
    it(text, () => {
      assert.equal(onlyInstruction(text).operands.map(show).join(' '), expected);
    });

  it('guards, opcodes and ends of instructions', () => {
    const guarded = onlyInstruction('@ ! %p1 ld.shared::cta.u32 a, [b];');
    assert.deepEqual([guarded.guard?.name.text, guarded.guard?.isNegated], ['%p1', true]);
    assert.equal(guarded.opcode.text, 'ld.shared::cta.u32');
    assert.deepEqual([guarded.isTerminated, guarded.isFaulty], [true, false]);
    const open = onlyInstruction('mov.u32 a, b\nret;');
    assert.deepEqual([open.isTerminated, open.isFaulty], [false, true]);
  });
});
