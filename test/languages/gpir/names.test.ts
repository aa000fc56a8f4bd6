import assert from 'node:assert/strict';
import { applyEdits } from '../../support/fixture.js';
import { check, problemsOf } from './support.js';

describe('gpir names', () => {
  it('values: undefined, defined twice, unused', () =>
    check(
      `
  %light = ld_uni u0.x
  %x = mul %ligt, %light
//         ^^^^^ error name/undeclared: '%ligt' is not defined in this program; did you mean '%light'?
  %light = const 1
//^^^^^^ error name/duplicate: '%light' is defined twice
  %dead = mov %light
//^^^^^^^^^^^^^^^^^^ hint name/never-read: '%dead' is never used
  st_var v0.x, %x
`,
      true,
    ));

  it('a value that a faulty instruction defines is defined', () =>
    check(
      `
  %a = frobnicate 1
//     ^^^^^^^^^^ error isa/unknown-instruction: there is no operation 'frobnicate'
  %b =
//^^^^ error syntax/statement: an operation is missing
  %c = add %a
//     ^^^ error isa/operand-count: 'add' takes 2 operands (value, value), not 1
  %d = add %b, (
//             ^ error syntax/character
  %e = add %c, %d
  st_var v0.x, %e
`,
      true,
    ));

  it('values: every path to a use passes the definition', () =>
    check(`
  %c = ld_uni u0.x
  %u = add %v, 1
//         ^^ error name/used-before-declaration: '%v' is used before it is defined
  %v = add %u, 1
  branch_cond right, %c
left:
  %l = add %c, 1
  branch join
right:
  %r = add %c, 2
join:
  %s = add %l, -%r
//         ^^ error name/undefined-on-path: '%l' is not defined on every path to here
//              ^^ error name/undefined-on-path: '%r' is not defined on every path to here
  %t = add - %l, %v
//           ^^ error name/undefined-on-path: '%l' is not defined
loop:
  %late = add %t, 1
  branch_cond loop, %late
end:
  st_var v0.x, %late
`));

  it('values: a definition further down reaches only round a loop', () =>
    check(`
  %c = ld_uni u0.x
loop:
  %n = add %m, 1
//         ^^ error name/used-before-declaration: '%m' is used before it is defined
  %m = add %c, 1
  branch_cond loop, %n
`));

  it('labels: unknown, defined twice, cutting a block for nothing', () =>
    check(
      `
start:
  %c = ld_uni u0.x
  branch_cond othr, %c
//            ^^^^ error name/unknown-label: there is no label 'othr' in this program; did you mean 'other'?
behind:
  branch_cond other, %c
other:
  st_var v0.x, %c
middle:
^^^^^^ hint name/unused-label: no branch goes to 'middle'
  st_var v0.y, %c
other:
^^^^^ error name/duplicate: there is a label 'other' already
  st_var v0.z, %c
`,
      true,
    ));

  it('blocks: a branch ends one, and something has to lead to each', () =>
    check(`
  %c = ld_uni u0.x
  branch_cond end, %c
//^^^^^^^^^^^ error isa/block-end: 'branch_cond' stands inside a block
  %d = add %c, 1
  branch_cond end, %d
  branch far
dead:
^^^^ warning isa/unreachable: no path leads to 'dead'
  branch end
//^^^^^^ error isa/block-end: 'branch' stands inside a block
  branch_cond far, %c
far:
  st_var v0.x, %d
end:
  st_var v0.y, %c
`));

  it('registers: written on no path, on some paths, never read', () =>
    check(
      `
  %c = ld_uni u0.x
  %n = ld_reg @never
//            ^^^^^^ error name/never-written: '@never' is read here, and no path to here writes it
  st_reg @dead, %n
//       ^^^^^ hint name/never-read: '@dead' is written, but never read
  branch_cond join, %c
left:
  st_reg @some, %c
  %own = ld_reg @some
  st_reg §3.x, %own
join:
  %s = add @some, -@some
//         ^^^^^ warning name/undefined-on-path: '@some' is read here, and some path to here does not write it
//                 ^^^^^ warning name/undefined-on-path: '@some' is read here, and some path
  %p = add %s, §3.x
//             ^^^^ warning name/undefined-on-path: '§3.x' is read here
  st_var v0.x, %p
`.replaceAll("'§3.x'", "'$3.x'"),
      true,
    ));

  it('temporaries, and what an instruction reads itself before it writes', () =>
    check(`
.live_out @r
  st_tmp t3.w, -t3.w
//              ^^^^ error name/never-written: 't3.w' is read here, and no path to here writes it
  %x = add t3.w, t3.x
//               ^^^^ error name/never-written: 't3.x' is read here
  branch_cond join, %x
other:
  st_tmp t0.x, 1
join:
  %y = ld_tmp t0.x
//            ^^^^ warning name/undefined-on-path: 't0.x' is read here
  st_reg @r, %y
.program other
  st_reg @r, - @r
//             ^^ error name/never-written: '@r' is read here
`));

  it('registers: in a loop the write of the round before comes too late for the first', () =>
    check(`
loop:
  %a = ld_reg @a
//            ^^ warning name/undefined-on-path: '@a' is read here, and some path
  %b = add %a, 1
  st_reg @a, %b
  branch_cond loop, %b
`));

  it('registers: a fragment may read what it has not written', () =>
    check(`
.live_out @sum, §3.x
  %a = ld_reg @sum
  %b = add %a, §4.y
  st_reg @sum, %b
  st_reg §3.x, %b
`));

  it('registers: what leaves a fragment is mentioned in it', () =>
    check(`
.live_out @handed_on, @written, @writen
//                              ^^^^^^^ warning name/never-written: nothing in this program writes '@writen'
  st_reg @written, @handed_on
`));

  it('locations and registers: only those that the machine has', () =>
    check(
      `
.attribute a16 x
//         ^^^ error hw/location: there is no 'a16': the machine has the attributes a0 to a15
.uniform u303 fits
.uniform u304 large
//       ^^^^ hint hw/driver-limit: the driver offers 304 uniform vectors, u0 to u303: 'u304'
  %a = add a15.w, a16.x
//                ^^^ error hw/location: there is no 'a16'
  %b = add u511.x, -u512.x
//         ^^^^ hint hw/driver-limit: the driver offers 304 uniform vectors
//                  ^^^^ error hw/location: there is no 'u512'
  %c = add §15.w, -§16.x
//                 ^^^^^ error hw/location: there is no register '§16.x'
//         ^^^^^ error name/never-written
  %d = add t511.x, t99999999999999999999.x
//                 ^^^^^^^^^^^^^^^^^^^^^ error hw/location: there is no 't99999999999999999999'
  %e = add %a, %b
  %f = add %c, %d
  st_var v12.x, %e
  st_var v13.x, %f
//       ^^^ hint hw/driver-limit: the driver offers 13 varying vectors, v0 to v12: 'v13'
  st_var v13.y, %f
  st_var v16.y, %f
//       ^^^ error hw/location: there is no 'v16'
`
        .replaceAll("'§16.x'", "'$16.x'")
        .replace('//         ^^^^^ error name/never-written\n', ''),
      true,
    ));

  it('declarations: each vector and each role once', () =>
    check(`
.program lit
.attribute a0 position
.attribute a1 normal
.attribute a0 again
//         ^^ error name/duplicate: 'a0' is named twice
.varying v0 out_position position
.varying v1 other position
//                ^^^^^^^^ error name/duplicate: v0 is the position already
`));

  it('programs: each name once', () =>
    check(`
.program a
.program b
.program a
//       ^ error name/duplicate: a program 'a' stands further up already
`));
});

describe('gpir operands', () => {
  it('are as many and of the kind that the operation takes', () =>
    check(`
  %x = ld_att u0.x
//            ^^^^ error isa/operand: 'ld_att' takes an attribute such as a0.x here, not 'u0.x'; 'ld_uni' takes 'u0'
  %y = ld_uni -u0.x
//            ^ error isa/operand: '-' cannot stand before a uniform
  %z = ld_reg %x
//            ^^ error isa/operand: 'ld_reg' takes a register, '@name' or '$3.x' here, and '%x' is a value
  %w = const %x
//           ^^ error isa/operand: 'const' takes a number here
  %v = add 1
//     ^^^ error isa/operand-count: 'add' takes 2 operands (value, value), not 1
  %u = add 1, 2, 3, 4
//               ^^^^ error isa/operand-count: 'add' takes 2 operands (value, value), not 4
  %t = add v0.x, 1
//         ^^^^ error isa/operand: 'v0.x' is an output
  %s = add a0, u0.r
//         ^^ error isa/operand: 'a0' is no location: one component is meant
//             ^^^^ error isa/operand: 'u0.r' is no location
  %r = add x, there
//         ^ error isa/operand: 'x' is no operand; did you mean '%x'?
//            ^^^^^ error isa/operand: 'add' takes a value, a number, a location or a register here
  add 1, 2
//^^^ error isa/result: 'add' needs a value for its result
  %q = st_var v0.x, 1
//^^ error isa/result: 'st_var' has no result
  st_var a0.x, 1
//       ^^^^ error isa/operand: 'st_var' takes a varying such as v0.x here, not 'a0.x'
  st_reg %x, 1
//       ^^ error isa/operand: 'st_reg' takes a register
  branch_cond 1.5, %y
//            ^^^ error name/unknown-label: there is no label '1.5'
third:
  st_tmp 1, t0.x
//       ^^^^^^^ error isa/operand: 'st_tmp' takes the temporary first, then the value
  branch_cond %y, end
//            ^^^^^^^ error isa/operand: 'branch_cond' takes the label first, then the value
other:
  branch -end
//       ^ error syntax/operand: a label has no sign
end:
`));

  it('operations of other languages are known', () => {
    const messages = (text: string): string[] => problemsOf(text).map((p) => p.message);
    assert.match(messages('%x = sub 1, 2').join(), /'add %a, -%b' subtracts/);
    assert.match(messages('%x = rsq 1').join(), /did you mean 'rsqrt'/);
    assert.match(messages('%x = ADD 1, 2').join(), /did you mean 'add'/);
    assert.match(messages('%x = selct 1, 2, 3').join(), /did you mean 'select'/);
    assert.doesNotMatch(messages('%x = thing 1, 2, 3').join(), /did you mean/);
  });

  it('repairs what it can repair', () => {
    const repaired = (text: string, code: string): string => {
      const problem = problemsOf(text).find((p) => p.code === code);
      assert.ok(problem?.fixes !== undefined, text);
      return applyEdits(text, problem.fixes[0].edits);
    };
    for (const [code, before, after] of [
      ['isa/unknown-instruction', '%x = sub %a, @b', '%x = add %a, -@b'],
      ['isa/unknown-instruction', '%x = fneg %a', '%x = neg %a'],
      ['isa/result', '%v1 = mov 1\nadd 1, 2', '%v1 = mov 1\n%v0 = add 1, 2'],
      ['isa/result', '  %x = st_var v0.x, 1', '  st_var v0.x, 1'],
      ['isa/operand-count', '%x = neg 1, 2, 3', '%x = neg 1'],
      ['isa/operand', '%x = ld_att u0.x', '%x = ld_uni u0.x'],
      ['isa/operand', '%x = ld_uni @r', '%x = ld_reg @r'],
      ['isa/operand', 'st_var @r, 1', 'st_reg @r, 1'],
      ['isa/operand', '%x = ld_att a0.g', '%x = ld_att a0.y'],
      ['isa/operand', '%x = const %y', '%x = mov %y'],
      ['isa/operand', '%x = mov 1\n%y = mov x', '%x = mov 1\n%y = mov %x'],
      ['isa/operand', 'st_reg -%x, @r', 'st_reg @r, -%x'],
      ['isa/operand', 'branch_cond 1, a\na:', 'branch_cond a, 1\na:'],
      ['isa/unknown-instruction', 'loop\nst_var v0.x, 1', 'loop:\nst_var v0.x, 1'],
      ['isa/unknown-instruction', 'branch adds\nadds', 'branch adds\nadds:'],
      ['isa/block-end', 'branch a\n  %x = mov 1\na:', 'branch a\nblock0:\n  %x = mov 1\na:'],
      ['name/undeclared', '%one = mov 1\nst_var v0.x, %onne', '%one = mov 1\nst_var v0.x, %one'],
      ['name/unknown-label', 'branch lop\nloop:', 'branch loop\nloop:'],
      ['name/never-read', 'a:\n  %x = mov 1 \n  st_var v0.x, 1', 'a:\n  st_var v0.x, 1'],
      ['name/never-read', 'a: %x = mov 1 ; why\n', 'a:  ; why\n'],
      ['name/never-read', 'st_reg @r, 1\r\nst_reg @r, 2\r\nst_var v0.x, 1', 'st_var v0.x, 1'],
      ['name/unused-label', 'st_var v0.x, 1\nm:\nst_var v0.y, 1', 'st_var v0.x, 1\nst_var v0.y, 1'],
    ])
      assert.equal(repaired(before, code), after);
  });
});
