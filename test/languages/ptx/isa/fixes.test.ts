import assert from 'node:assert/strict';
import { bindText, problemsOf } from '../bound.js';
import { assemble, hasPtxas } from './assembler.js';

const arch = 'sm_90';
const version = '8.5';
const declared =
  '.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .u32 %u<8>;';
const head = `.version ${version}
.target ${arch}
.address_size 64
.shared .align 128 .b8 shm[1024];
.global .align 128 .b8 gbl[1024];
`;
const opening = `.entry k(.param .b64 prm) { ${declared}\n`;
const around = (line: string): string => `${head}${opening}${line}\nret; }\n`;

const problemsIn = (line: string): ReturnType<typeof problemsOf> =>
  problemsOf(around(line)).filter((problem) => problem.severity === 'error');

/** The line after the fix with this title. */
function repaired(line: string, title: RegExp): string {
  const [problem] = problemsIn(line);
  assert.ok(problem !== undefined, `no problem in ${line}`);
  const fix = problem.fixes?.find((candidate) => title.test(candidate.title));
  assert.ok(
    fix !== undefined,
    `no ${title} for '${problem.message}': ${problem.fixes?.map((f) => f.title).join('; ')}`,
  );
  const text = around(line);
  const unit = bindText(text).findLast(({ parsed }) => parsed.text.includes(line))!;
  const start = text.indexOf(line) - unit.start;
  return [...fix.edits]
    .sort((a, b) => b.span.start - a.span.start)
    .reduce(
      (text, { span, newText }) => text.slice(0, span.start - start) + newText + text.slice(span.end - start),
      line,
    );
}

const isPreferred = (line: string): boolean =>
  problemsIn(line).some((problem) => problem.fixes?.some((fix) => fix.preferred === true) ?? false);

const repairs: readonly (readonly [line: string, title: RegExp, after: string, preferred: boolean])[] = [
  ['st.global.u32 %rd1, %r2;', /./, 'st.global.u32 [%rd1], %r2;', true],
  ['ld.shared.u32 %r1, shm;', /./, 'ld.shared.u32 %r1, [shm];', true],
  ['ld.global.u32 %r1, gbl+4;', /./, 'ld.global.u32 %r1, [gbl+4];', true],
  ['mul.s32 %r1, %r1, %r2;', /mul\.lo/, 'mul.lo.s32 %r1, %r1, %r2;', false],
  ['fma.f32 %f1, %f1, %f2, %f3;', /\.rn/, 'fma.rn.f32 %f1, %f1, %f2, %f3;', false],
  ['sin.f32 %f1, %f2;', /./, 'sin.approx.f32 %f1, %f2;', true],
  ['cvt.f32.u32 %f1, %r2;', /\.rz/, 'cvt.rz.f32.u32 %f1, %r2;', false],
  ['add.f32 %f1, %f1, 1;', /./, 'add.f32 %f1, %f1, 0f3F800000;', true],
  ['add.f64 %fd1, %fd1, -2;', /./, 'add.f64 %fd1, %fd1, 0dC000000000000000;', true],
  ['add.f32 %f1, %f1, 0x3f800000;', /bits/, 'add.f32 %f1, %f1, 0f3F800000;', false],
  ['add.s32 %r1, %r1, 1.0;', /./, 'add.s32 %r1, %r1, 1;', false],
  ['shfl.bfly.b32 %r1, %r2, 1, 31;', /32 lanes/, 'shfl.sync.bfly.b32 %r1, %r2, 1, 31, 0xffffffff;', false],
  ['vote.any.pred %p1, %p2;', /32 lanes/, 'vote.sync.any.pred %p1, %p2, 0xffffffff;', false],
];

describe('PTX repairs of instructions', () => {
  for (const [line, title, after, preferred] of repairs) {
    it(`${line} -> ${after}`, () => {
      assert.equal(repaired(line, title), after);
      assert.deepEqual(
        problemsIn(after).map((problem) => problem.message),
        [],
      );
      assert.equal(isPreferred(line), preferred);
    });
  }

  it('are accepted by ptxas', function () {
    if (!hasPtxas()) this.skip();
    const samples = repairs.map(([, , text]) => ({
      arch,
      version,
      text: text.replace(/\bprm\b/, 'gbl'),
    }));
    assert.deepEqual(assemble(samples), []);
  });

  it('are not made of a guess at an address or a type', () => {
    assert.deepEqual(problemsIn('st.global.u32 %f1, %r2;')[0].fixes ?? [], []);
    assert.deepEqual(problemsIn('st.global.u32 %r1, %r2;')[0].fixes ?? [], []);
  });
});

describe('PTX declarations of functions that are only called', () => {
  const caller = (call: string): string =>
    `.version ${version}\n.target ${arch}\n.address_size 64\n` +
    `.visible .entry k() { ${declared}\n{ .param .b32 a; .param .align 8 .b8 s[24]; .param .b64 o;\n${call} }\nret; }\n`;
  const stubbed = (call: string): string | undefined => {
    const text = caller(call);
    const fix = problemsOf(text)
      .find((problem) => problem.code === 'name/undeclared-function')
      ?.fixes?.find((candidate) => /extern/.test(candidate.title));
    if (fix === undefined) return undefined;
    const unit = bindText(text).findLast(({ parsed }) => parsed.text.includes(call))!;
    const [{ span, newText }] = fix.edits;
    return text.slice(0, unit.start + span.start) + newText + text.slice(unit.start + span.end);
  };

  it('follow from what is passed', () => {
    const text = stubbed('call (o), g, (a, s, %rd1);')!;
    assert.match(
      text,
      /^\.extern \.func \(\.param \.b64 result0\) g \(\.param \.b32 argument0, \.param \.align 8 \.b8 argument1\[24\], \.param \.b64 argument2\);$/m,
    );
    assert.deepEqual(
      problemsOf(text)
        .filter((problem) => problem.severity === 'error')
        .map((problem) => problem.message),
      [],
    );
  });

  it('are not guessed from constants, predicates or nothing known', () => {
    assert.equal(stubbed('call (o), g, (a, 5);'), undefined);
    assert.equal(stubbed('call (o), g, (%p1);'), undefined);
    assert.equal(stubbed('call (o), g, (nothing);'), undefined);
  });
});

describe('PTX messages about instructions', () => {
  const messageOf = (line: string): string => problemsIn(line)[0]?.message ?? '';

  it('quote constants as they are written', () => {
    assert.match(messageOf('add.s32 %r1, %r1, 1.0;'), /; 1\.0 is a floating-point constant/);
    assert.match(messageOf('setp.eq.s32 %p1, %r1, 0f00000000;'), /; 0f00000000 is a floating-point/);
  });

  it('list all types of an instruction', () =>
    assert.match(messageOf('mul %r1, %r1, %r2;'), /needs a type: .*\.u32.*\.s32.*\.f32/));

  it('call .approx no rounding', () =>
    assert.match(messageOf('sin.f32 %f1, %f2;'), /sin\.f32 needs \.approx$/));
});

describe('PTX suggestions for unknown names', () => {
  const only = (line: string): { message: string; titles: readonly string[] } => {
    const [problem] = problemsIn(line);
    return { message: problem.message, titles: (problem.fixes ?? []).map((fix) => fix.title) };
  };

  it('do not take a numbered register for a performance counter', () => {
    const text = around('@%q1 bra L; L:').replace('%p<9>', '%q<1>').replace('@%q1', '@%p1');
    const [problem] = problemsOf(text).filter((p) => p.severity === 'error');
    assert.doesNotMatch(problem.message, /pm1/);
    assert.deepEqual(problem.fixes?.map((fix) => fix.title).at(-1), "Declare '%p1' as .pred");
  });

  it('have the type that is wanted, or declare it', () => {
    const text = around('mov.b32 %r1, 0; add.f32 %f1, %f1, %f1;')
      .replace('.reg .f32 %f<9>;', '')
      .replace('.f64 %fd', '.f64 %x');
    const [problem] = problemsOf(text).filter((p) => p.severity === 'error');
    assert.deepEqual(
      problem.fixes?.map((fix) => fix.title),
      ["Declare '%f1' as .f32"],
    );
    assert.doesNotMatch(problem.message, /did you mean/);
  });

  it('name a special register that is one slip away', () => {
    assert.match(only('mov.u32 %r1, %tdi.x;').message, /did you mean '%tid\.x'/);
    assert.match(only('mov.u32 %r1, %laneidd;').message, /did you mean '%laneid'/);
  });

  it('declare no variable as a register', () => {
    assert.deepEqual(only('ld.shared.u32 %r1, [nope];').titles, []);
    assert.deepEqual(only('ld.shared.u32 %r1, [%nope];').titles.at(-1), "Declare '%nope' as .b32");
  });
});
