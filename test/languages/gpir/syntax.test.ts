import assert from 'node:assert/strict';
import { bitsToFloat } from '../../../server/src/ir/payload.js';
import { parse } from '../../../server/src/languages/gpir/parser/parse.js';
import { unitEnd } from '../../../server/src/languages/gpir/split.js';
import { applyEdits } from '../../support/fixture.js';
import { check, problemsOf } from './support.js';

describe('gpir syntax', () => {
  it('takes every form of the grammar', () =>
    check(`
; a comment
.program lit // another one
.attribute a0 in_position
.uniform u12 light
.varying v0 gl_Position position
.varying v1 gl_PointSize point_size
.varying v2 3d_coordinate
.live_out @a, §3.x
start: %x=ld_att a0.x
%y.1 = mul %x,-u12.w
  %z = select %x, -@a, - %y.1
  %n = const -0x3f800000
  %i = max inf, -nan
  %d = add +1, .5
  %e = add 1.e-5, 2.5E+3
  %f = mov -§3.x
  st_reg @a, %z
  st_reg §3.x, -%n
  st_tmp t2.z, %i
  st_var v0.x, t2.z
  branch_cond 0, %x
  branch u0.x
0:
inf :
u0.x: ; a label may have the name of anything
  st_var v1.y, %d
`));

  it('says what is missing on a line', () =>
    check(
      `
%x = add 1 2
//         ^ error syntax/missing-comma: ',' is missing before '2'
%y add 1, 2
^^ error syntax/statement: '=' is missing behind the result
%z =
^^^^ error syntax/statement: an operation is missing
%w = add 1,
//        ^ error syntax/operand: an operand is missing behind ','
%v = add , 1
//       ^ error syntax/operand: an operand is missing before ','
%u = neg -
//       ^ error syntax/operand: an operand is missing behind '-'
%t = neg %
//       ^ error syntax/operand: '%' begins the name of a value
%s = neg @
//       ^ error syntax/operand: '@' begins the name of a register
%r = neg §3
//       ^^ error syntax/operand: '§3' is no register
`.replaceAll("'§3'", "'$3'"),
    ));

  it('gives one problem a line and goes on with the next', () =>
    check(`
= add ( ] 1 2 , , %
^ error syntax/statement: '=' stands where an operation is expected
%x = add 1, ( ] 2 2 , , %
//          ^ error syntax/character: "(" is no character of gpir
a: b: c: %y = mov 1
// ^ error syntax/statement: a line holds one label
%z = mov 2 %w = mov 3 %v = mov (
//         ^^ error syntax/statement: a line holds one instruction
%u = neg 1 2
//         ^ error syntax/missing-comma: ',' is missing before '2'
%t add 1
^^ error syntax/statement: '=' is missing behind the result
%s = add %z, %w
`));

  it('knows how other languages say it', () =>
    check(`
# a comment
^ error syntax/character: '#' begins no comment
%x = mov 1 # another one
//         ^ error syntax/character: '#' begins no comment
%y = mov 1 /* a third */
//         ^^ error syntax/character: '/*' begins no comment
%z = mov 1.5f
//       ^^^^ error syntax/number: '1.5f' has a suffix
x = mov 1
^ error syntax/operand: a result is a value
@r = mov 1
^^ error syntax/operand: only 'st_reg' writes a register
.L1:
^^^ error syntax/directive: a label cannot begin with '.'
L2: .live_out @a
//  ^^^^^^^^^ error syntax/directive: a directive such as '.live_out' begins a line
%m = mov −1
//       ^ error syntax/non-ascii: '−' only looks like '-'
`));

  it('takes a number for what the grammar says', () =>
    check(`
%a = mov - 5
//       ^^^ error syntax/number: a blank stands between '-' and its number
%b = mov +%a
//       ^ error syntax/operand: '+' can stand directly before a number only
%c = mov 0x123456789
//       ^^^^^^^^^^^ error syntax/number: '0x123456789' has more than 8 hexadecimal digits
%d = mov 0xg
//       ^^^ error syntax/number: '0xg' is no hexadecimal number
%e = mov 1e
//       ^^ error syntax/number: '1e' has no digits in its exponent
%f = mov 1.2.3
//       ^^^^^ error syntax/number: '1.2.3' has more than one point
%g = mov 1e39
//       ^^^^ warning syntax/number: '1e39' is beyond the largest float32
%h = mov --1
//       ^^^ error syntax/number: '-1' has two signs
`));

  it('checks what directives say', () =>
    check(`
.program
^^^^^^^^ error syntax/directive: the name of the program is missing
.atribute a0 x
^^^^^^^^^ error syntax/unknown-directive: there is no directive '.atribute'; did you mean '.attribute'?
.attribute
^^^^^^^^^^ error syntax/directive: the vector that .attribute names is missing
.attribute a0.x position
//           ^^ error syntax/directive: .attribute names all four components
.attribute u0 position
//         ^^ error syntax/directive: 'u0' is no vector that .attribute can name
.attribute a1
//         ^^ error syntax/directive: the name of a1 is missing
.uniform u0, mvp
//         ^ error syntax/directive: a blank, not a comma
.varying v0 colour positon
//                 ^^^^^^^ error syntax/directive: 'positon' is no part
.live_out
^^^^^^^^^ error syntax/directive: the registers that stay live are missing
.live_out %x
//        ^^ error syntax/operand: '%x' is no register
.live_out @a @b
//           ^^ error syntax/missing-comma: ',' is missing before '@b'
.live_out @c, -@d
//            ^ error syntax/operand: a register that stays live has no sign
.live_out @c,
//          ^ error syntax/operand: a register is missing behind ','
%x = add @a, @b
%y = add @c, @d
`));

  it('reads numbers as float32', () => {
    const values = (text: string): number[] =>
      parse(text).statements.flatMap((s) =>
        s.kind === 'instruction'
          ? s.operands.flatMap((o) => (o.kind === 'number' ? [bitsToFloat(o.bits)] : []))
          : [],
      );
    assert.deepEqual(values('%x = select 0x40200000, -0x40200000, .1'), [2.5, -2.5, Math.fround(0.1)]);
    assert.deepEqual(values('%x = select -0, 1e-50, -1e50'), [-0, 0, -Infinity]);
    assert.deepEqual(values('%x = add -inf, nan'), [-Infinity, NaN]);
    const [nan] = parse('%x = mov -0x7fc00001').statements;
    assert.ok(nan.kind === 'instruction' && nan.operands[0].kind === 'number');
    assert.equal(nan.operands[0].bits >>> 0, 0xffc00001, 'the bits of a NaN are kept');
  });

  it('repairs what it can repair', () => {
    const repaired = (text: string): string => {
      const [problem] = problemsOf(text).filter((p) => p.severity === 'error');
      const [first] = problem.fixes ?? [];
      return applyEdits(text, first.edits);
    };
    for (const [before, after] of [
      ['%x = add 1 2', '%x = add 1, 2'],
      ['%x add 1, 2', '%x = add 1, 2'],
      ['%x = add 1, 2,', '%x = add 1, 2'],
      ['%x = mov - 5', '%x = mov -5'],
      ['%x = mov +@r', '%x = mov @r'],
      ['%x = mov 1.5f', '%x = mov 1.5'],
      ['%x = mov 1 # one', '%x = mov 1 ; one'],
      ['%x = mov \u22121', '%x = mov -1'],
      ['x = mov 1', '%x = mov 1'],
      ['a: b: %x = mov 1', 'a:\nb: %x = mov 1'],
      ['%x = mov 1 %y = mov 2', '%x = mov 1\n%y = mov 2'],
      ['.atribute a0 x', '.attribute a0 x'],
      ['.attribute a0.x x', '.attribute a0 x'],
      ['.varying v0 x positio', '.varying v0 x position'],
      ['.live_out @a @b', '.live_out @a, @b'],
    ])
      assert.equal(repaired(before), after);
  });

  it('leaves no problem behind a fix', () => {
    for (const text of ['%x = add 1 2', '%x = mov 1 # one', '.live_out @a @b @c', 'a: b: %x = mov 1']) {
      let now = text;
      for (let n = 0; n < 4; n++) {
        const problem = problemsOf(now).find((p) => p.severity === 'error');
        if (problem === undefined) break;
        now = applyEdits(now, problem.fixes![0].edits);
      }
      assert.deepEqual(
        problemsOf(now).filter((p) => p.severity === 'error'),
        [],
        now,
      );
    }
  });
});

describe('gpir units', () => {
  const units = (text: string): string[] => {
    const found: string[] = [];
    for (let at = 0; at < text.length;) {
      const end = unitEnd(text, at);
      found.push(text.slice(at, end));
      at = end;
    }
    return found;
  };

  it('begin at .program, with the comments directly above it', () =>
    assert.deepEqual(
      units('.program a\n%x = mov 1\n; end of a\n\n; about b\n// more\n  .program b\n%x = mov 2\n.program c'),
      [
        '.program a\n%x = mov 1\n; end of a\n\n',
        '; about b\n// more\n  .program b\n%x = mov 2\n',
        '.program c',
      ],
    ));

  it('do not begin inside comments, names or lines', () => {
    for (const text of [
      'a:\n; .program x\n%x = mov 1',
      '%x = mov .program',
      'a:\n.programs x',
      'a:\n.program.x y',
      'a: .program b',
    ])
      assert.deepEqual(units(text), [text]);
  });

  it('hold what stands before the first .program, unless it is comment alone', () => {
    assert.deepEqual(units('; licence\n\n\n; a\n.program a\n'), ['; licence\n\n\n; a\n.program a\n']);
    assert.deepEqual(units('%x = mov 1\r\n.program a\r\n'), ['%x = mov 1\r\n', '.program a\r\n']);
  });
});
