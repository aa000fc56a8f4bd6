import { declaration, definition } from '../../server/src/features/definition.js';
import { checkMarks, fixture } from '../support/fixture.js';
import { toySnapshot } from '../support/toy/programs.js';

function check(marked: string): void {
  const f = fixture(marked);
  const s = toySnapshot(f.text);
  const position = f.lines.positionAt(f.cursor);
  checkMarks(
    f,
    definition(s, position).map((l) => l.range),
    'definition',
  );
  if (f.marks.some((m) => m.message === 'declaration'))
    checkMarks(
      f,
      declaration(s, position).map((l) => l.range),
      'declaration',
    );
}

describe('definition', () => {
  it('at a use in a loop: the one before the loop and the one from the round before', () =>
    check(`
kernel k {
  reg a, b
#     ^ declaration
  pred p
  const a, 1
#       ^ definition
top:
  add b, a$0, a
  add a, b, b
#     ^ definition
  less p, a, b
  branch p, top
  ret
}`));

  it('after a killing definition: that one alone', () =>
    check(`
kernel k {
  reg a, b
  const a, 1
  const a, 2
#       ^ definition
  add b, $0a, a
  ret
}`));

  it('a predicated definition does not kill', () =>
    check(`
kernel k {
  reg a, b
  pred p
  const a, 1
#       ^ definition
  less p, a, a
  @p const a, 2
#          ^ definition
  add b, a, $0a
  ret
}`));

  it('both arms of a branch, and not what comes later', () =>
    check(`
kernel k {
  reg a, b
  pred p
  less p, b, b
  branch p, other
  const a, 1
#       ^ definition
  jump join
other:
  const a, 2
#       ^ definition
join:
  store [b], $0a
  const a, 3
  ret
}`));

  it('on a definition: itself', () =>
    check(`
kernel k {
  reg a
#     ^ declaration
  const a, 1
  const $0a, 2
#       ^ definition
  ret
}`));

  it('a use that nothing reaches: the declaration', () =>
    check(`
kernel k {
  reg a, b
#     ^ definition
  store [a$0], b
  const a, 2
  ret
}`));

  it('on a declaration: every definition', () =>
    check(`
kernel k {
  reg $0a
#     ^ declaration
  const a, 1
#       ^ definition
  const a, 2
#       ^ definition
  ret
}`));

  it('the inner scope hides the outer one', () =>
    check(`
kernel k {
  reg a
  const a, 1
  { reg a
#       ^ declaration
    const a, 2
#         ^ definition
    store [a], $0a }
  ret
}`));

  it('a register of a range: its definition, declared by the range', () =>
    check(`
kernel k {
  reg r<8>
#     ^^^^ declaration
  const r3, 1
#       ^^ definition
  store [r3], r$03
  ret
}`));

  it('a function called: its body, not its forward declaration', () =>
    check(`
fn helper
#  ^^^^^^ declaration
kernel k {
  call hel$0per
  ret
}
fn helper { ret }
#  ^^^^^^ definition
#  ^^^^^^ declaration
`));

  it('a parameter and a global', () => {
    check(`
kernel k(n) {
#        ^ definition
  reg a
  param a, n$0
}`);
    check(`
global table 4
#      ^^^^^ definition
kernel k {
  reg a
  address a, $0table
}`);
  });

  it('a label', () =>
    check(`
kernel k {
  jump to$0p
  top:
# ^^^ definition
  ret
}`));
});
