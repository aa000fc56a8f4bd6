import assert from 'node:assert/strict';
import { ptx } from '../../../../server/src/languages/ptx/index.js';
import { occurrenceAt, Role } from '../../../../server/src/languages/symbols.js';
import { fixture } from '../../../support/fixture.js';
import { bindText, problemsOf, type PlacedProblem } from '../bound.js';

const header = '.version 8.0\n.target sm_90\n.address_size 64\n';

/** Problems of the code families that start with `family`, against the marks of the text. */
function check(marked: string, family = ''): void {
  const { text, marks, lines } = fixture(header + marked);
  const show = (start: number, end: number, message: string): string => {
    const at = lines.positionAt(start);
    return `${at.line}:${at.character}+${end - start} ${message}`;
  };
  const found = problemsOf(text).filter((problem) => problem.code.startsWith(family));
  assert.deepEqual(
    found.map((problem) => show(problem.span.start, problem.span.end, problem.message)),
    marks.map((mark) => show(mark.start, mark.end, mark.message)),
  );
}

/** The text after the first fix of the only problem with this code. */
function fixed(text: string, code: string): string {
  const found = problemsOf(text).filter((problem) => problem.code === code);
  assert.equal(found.length, 1, code);
  const edits = [...found[0].fixes![0].edits].sort((a, b) => b.span.start - a.span.start);
  const units = bindText(text);
  const own = units.find((unit) =>
    [...unit.parsed.problems, ...unit.bound.problems].some((p) => p.code === code),
  )!;
  return edits.reduce((result, edit) => {
    const anchor = edit.anchor;
    const holder =
      anchor === undefined ? own : units.find((u) => u.parsed.declares.some((d) => d.name === anchor))!;
    const base =
      holder.start +
      (anchor === undefined ? 0 : holder.parsed.declares.find((d) => d.name === anchor)!.span.start);
    return result.slice(0, base + edit.span.start) + edit.newText + result.slice(base + edit.span.end);
  }, text);
}

const codes = (text: string): string[] => problemsOf(text).map((problem: PlacedProblem) => problem.code);

describe('PTX names', () => {
  it('are seen from their declaration to the end of their block', () =>
    check(
      `.entry k() {
  mov.u32 a, 1;
          ^ 'a' is used before its declaration; declare it earlier in this block
  .reg .u32 a, d;
  { .reg .u32 b; mov.u32 b, a; mov.u32 d, b; }
  mov.u32 a, b;
             ^ 'b' was declared in an inner scope that has ended; declare it in a block that encloses both
  mov.u32 a, d;
}`,
      'name/',
    ));

  it('may be declared again in an inner block, not in the same one', () =>
    check(
      `.entry k(.param .u64 p) {
  .reg .u32 %r<4>, x;
  { .reg .u64 %r1; mov.u64 %r1, 5; ld.param.u64 %r1, [%r1]; }
  .reg .u32 %r2;
            ^^^ register '%r2' is already declared in this scope; rename one of them
  .reg .u32 p;
            ^ register 'p' is already declared in this scope; rename one of them
x: ret;
^ label 'x' is already defined in this scope; rename one of them
}`,
      'name/duplicate',
    ));

  it('of labels are seen before they are reached, and from inside', () =>
    check(`.entry k() { { bra OUT; } OUT: bra OUT; }`, 'name/'));

  it('of functions must be declared before the call', () =>
    check(
      `.entry k() {
  call helper;
       ^^^^^^ 'helper' is declared only later in the file; move the declaration up, or declare it before this function
  call _optix_trace;
       ^^^^^^^^^^^^ '_optix_trace' is an OptiX intrinsic that is declared nowhere: the OptiX driver knows it, ptxas alone refuses this call
}
.func helper() { ret; }`,
      'name/',
    ));

  it('of special registers may be taken by the program', () => {
    const [unit] = bindText(
      `${header}.entry k() { .reg .u32 %tid, r; mov.u32 %tid, 1; mov.u32 r, %tid; st.shared.u32 [r], r; }`,
    ).slice(-1);
    const f = ptx.lower(unit.bound)!;
    assert.equal(f.operandPlace[f.operandStart[1] + 1], f.operandPlace[f.operandStart[0]]);
  });

  it('that nobody reads or writes are told apart from those in use', () =>
    check(
      `.entry k() {
  .reg .u32 unused, only, never, used;
            ^^^^^^ register 'unused' is never used
  mov.u32 only, 1;
          ^^^^ 'only' is written, but never read
  add.u32 used, never, 1;
                ^^^^^ 'never' is read here, but nothing in this function writes it: its value is undefined
  st.shared.u32 [used], used;
}`.replace(/^(\s*\.reg.*\n)(.*\n)([\s\S]*)$/m, '$1$2$3'),
      'name/',
    ));

  it('of a range are one symbol a register, with one shared declaration', () => {
    const text = `${header}.entry k() { .reg .u32 %r<10>; mov.u32 %r3, 1; add.u32 %r4, %r3, %r3; st.shared.u32 [%r4], %r4; }`;
    const [unit] = bindText(text).slice(-1);
    const { symbols } = unit.bound;
    const at = text.indexOf('%r3,') - unit.start;
    const occurrence = occurrenceAt(symbols, at);
    const symbol = symbols.symbols[symbols.occurrenceSymbol[occurrence]];
    assert.equal(symbol.name, '%r3');
    assert.equal(symbols.occurrenceRole[occurrence], Role.Write);
    assert.equal(unit.parsed.text.slice(symbol.declaration!.start, symbol.declaration!.end), '%r<10>');
    const mentions = [...symbols.occurrenceSymbol].filter((s) => symbols.symbols[s].name === '%r3');
    assert.equal(mentions.length, 3);
    const { at: place, before, after } = symbol.ownDeclaration!;
    const renamed = unit.parsed.text.slice(0, place) + before + '%x' + after;
    assert.match(renamed, /\.reg \.u32 %r<10>; \.reg \.u32 %x;$/);
  });
});

describe('PTX repairs', () => {
  it('declare a missing register with the type that the instruction wants', () => {
    const text = `${header}.entry k() {\n\t.reg .f64 a;\n\tmov.f64 a, 0d0000000000000000;\n\tadd.f64 sum, a, a;\n\tst.shared.f64 [0], sum;\n}`;
    const once = problemsOf(text).filter((problem) => problem.code === 'name/undeclared');
    assert.equal(once.length, 2, 'every use is marked');
    const declared = text.replace('.reg .f64 a;', '.reg .f64 a;\n\t.reg .f64 sum;');
    const fix = once[0].fixes!.find((f) => f.title === "Declare 'sum' as .f64");
    assert.ok(fix !== undefined);
    const [unit] = bindText(text).slice(-1);
    const edit = fix.edits[0];
    assert.equal(
      text.slice(0, unit.start + edit.span.start) + edit.newText + text.slice(unit.start + edit.span.end),
      declared,
    );
    assert.ok(!codes(declared).includes('name/undeclared'));
  });

  it('raise .version for a target, and for an instruction', () => {
    const target = fixed('.version 7.0\n.target sm_90\n.entry k() { ret; }', 'isa/target-version');
    assert.equal(target, '.version 7.8\n.target sm_90\n.entry k() { ret; }');
    const text =
      '.version 7.0\n.target sm_80\n.entry k() { .reg .b32 a; bmsk.wrap.b32 a, 1, 2; st.shared.b32 [a], a; }';
    assert.equal(fixed(text, 'isa/version'), text.replace('7.0', '7.6'));
  });

  it('remove an unused register alone, in the middle, and with its line', () => {
    const body = (declarations: string): string =>
      `${header}.entry k() {\n${declarations}\tmov.u32 a, 1;\n\tst.shared.u32 [a], a;\n}`;
    assert.equal(fixed(body('\t.reg .u32 a, b;\n'), 'name/unused-register'), body('\t.reg .u32 a;\n'));
    assert.equal(
      fixed(body('\t.reg .u32 b, a;\n'), 'name/unused-register').replace(/ +/g, ' '),
      body('\t.reg .u32 a;\n'),
    );
    assert.equal(
      fixed(body('\t.reg .u32 a;\n\t.reg .f32 b;\n'), 'name/unused-register'),
      body('\t.reg .u32 a;\n'),
    );
  });

  it('write .version and .target where they are missing', () => {
    assert.match(
      fixed('.target sm_80\n.entry k() { ret; }', 'isa/header'),
      /^\.version 9\.0\n\.target sm_80/,
    );
    assert.match(
      fixed('.version 8.0\n.entry k() { ret; }', 'isa/header'),
      /^\.version 8\.0\n\.target sm_75\n/,
    );
  });
});

describe('PTX declarations', () => {
  it('of one name agree', () => {
    assert.deepEqual(codes(`${header}.func f(.param .u32 a);\n.func f(.param .u64 a) { ret; }`), [
      'type/prototype',
    ]);
    assert.deepEqual(codes(`${header}.func f();\n.func f();\n.func f() { ret; }`), []);
    assert.deepEqual(codes(`${header}.extern .global .u32 g;\n.visible .global .u32 g;`), []);
    assert.deepEqual(codes(`${header}.global .u32 g;\n.global .u32 g;`), ['name/duplicate']);
  });

  it('follow the rules of their state spaces', () => {
    const wrong: readonly (readonly [string, string])[] = [
      ['.reg .u32 r;', 'type/state-space'],
      ['.local .u32 r;', 'type/state-space'],
      ['.global .pred p;', 'type/state-space'],
      ['.global .u32 a[];', 'type/array-size'],
      ['.global .f32 a = 1;', 'type/initialiser'],
      ['.global .u32 a = 1.5;', 'type/initialiser'],
      ['.global .samplerref s;', 'isa/texture-mode'],
    ];
    for (const [text, code] of wrong) assert.deepEqual(codes(header + text), [code], text);
    const right = [
      '.global .u32 a[] = {1, 2};',
      '.global .b32 a = 0f3F800000;',
      '.extern .shared .b8 a[];',
      '.global .v4 .f32 a = {1.0, 2.0, 3.0, 4.0};',
    ];
    for (const text of right) assert.deepEqual(codes(header + text), [], text);
  });

  it('bound a call: numbers, types, sizes, alignments', () => {
    const functions =
      '.func g(.param .f32 a) { ret; }\n.func h(.param .align 8 .b8 a[16]) { ret; }\n.func (.reg .u32 r) m(.reg .u32 a) { mov.u32 r, a; ret; }\n';
    const call = (body: string): string[] =>
      codes(
        `${header}${functions}.entry k() { .reg .b32 %r; .reg .f32 %f; mov.b32 %r, 1; mov.f32 %f, 0f00000000; ${body} st.shared.b32 [%r], %f; }`,
      );
    // ptxas 13.0.88 gives these verdicts.
    const right = [
      'call g, (%r);',
      'call g, (%f);',
      'call g, (1.0);',
      'call (%r), m, (3);',
      'call (_), m, (%r);',
      '{ .param .align 8 .b8 x[16]; call h, (x); }',
    ];
    const wrong = [
      'call g, (1);',
      'call (%f), m, (%r);',
      'call (%r), m, (%f);',
      'call g;',
      'call g, (%r, %r);',
      '{ .param .align 4 .b8 x[16]; call h, (x); }',
      '{ .param .align 8 .b8 x[24]; call h, (x); }',
      '{ .param .b64 x; call h, (x); }',
      'call k;',
    ];
    for (const body of right) assert.deepEqual(call(body), [], body);
    for (const body of wrong)
      assert.ok(
        call(body).some((code) => code.startsWith('type/call-')),
        body,
      );
  });
});

/** ptxas 13.0 takes prototypes as statements, and knows them to the end of the file. */
describe('PTX prototypes inside a body', () => {
  const kernels = (first: string, second: string): string =>
    `.visible .entry k()\n{\n  ${first}\n  ret;\n}\n.visible .entry k2() { ${second} ret; }`;

  it('declare their function for the rest of the module', () => {
    check(kernels('.extern .func g(); call g;', 'call g;'));
    check(kernels('{ .extern .func g(); }', 'call g;'));
  });

  it('must agree with each other and with what stands before', () => {
    check(
      `.visible .entry k() {
  { .extern .func g(); }
  .extern .func g(.param .b32 x);
                ^ 'g' was declared before with 0 parameters
  ret;
}`,
    );
    check(
      `.extern .func g(.param .b32 x);
.visible .entry k() {
  .extern .func g();
                ^ 'g' was declared before with 1 parameter
  ret;
}`,
    );
  });

  it('have no body, and a missing brace before them tears nothing', () => {
    assert.deepEqual(codes(header + '.visible .entry k() { .extern .func g() { ret; }').slice(0, 1), [
      'syntax/declaration',
    ]);
    assert.deepEqual(
      codes(
        header + '.visible .entry k() {\n  ret;\n.extern .func g();\n.visible .entry k2() { call g; ret; }',
      ),
      ['syntax/unclosed-block'],
    );
  });
});

describe('PTX heads that are half written', () => {
  it('give one problem where `.entry name(` is gone', () =>
    check(`.visible
       ^ .entry name( expected between .visible and the parameters
  .param .u64 a,
  .param .u64 b
)
{
  .reg .b64 %rd;
  ld.param.u64 %rd, [b];
  st.global.u64 [%rd], %rd;
  ret;
}
.visible .entry k2() { ret; }`));
});

describe('PTX label ranges', () => {
  const table = (list: string): string =>
    `.visible .entry k() {
  .reg .b32 %r;
  mov.u32 %r, %tid.x;
  T: .branchtargets ${list};
  brx.idx %r, T;
  L0: L1: M: ret;
}`;

  it('stand for every label with their number', () => {
    check(table('L<2>, M'));
    assert.deepEqual(
      problemsOf(header + table('L<3>')).map((p) => p.message),
      ["label 'L2' is not defined in this function; did you mean 'L0'?"],
    );
  });
});
