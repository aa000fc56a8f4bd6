import { highlights, references } from '../../server/src/features/references.js';
import { checkMarks, fixture } from '../support/fixture.js';
import { toySnapshot } from '../support/toy/programs.js';

describe('references and highlights', () => {
  it('reads and writes apart', () => {
    const f = fixture(`
kernel k {
  reg a, b
#     ^ text
  const a, 1
#       ^ write
  add b, $0a, a
#        ^ read
#           ^ read
  { reg a
    const a, 2 }
  @p const a, 3
#          ^ write
}`);
    const found = highlights(toySnapshot(f.text), f.lines.positionAt(f.cursor));
    for (const kind of ['text', 'read', 'write'])
      checkMarks(
        f,
        found.filter((h) => h.kind === kind).map((h) => h.range),
        kind,
      );
  });

  it('across units, with and without declarations', () => {
    const f = fixture(`
fn f
#  ^ declared
fn g {
  call f
#      ^ used
  { reg f
    const f, 1 }
}
fn f { call $0f }
#           ^ used
#  ^ declared`);
    const s = toySnapshot(f.text);
    const position = f.lines.positionAt(f.cursor);
    const ranges = (all: boolean) => references(s, position, all).map((l) => l.range);
    checkMarks(f, ranges(false), 'used');
    const marks = f.marks.map((m) => ({ ...m, message: 'place' }));
    checkMarks({ ...f, marks }, ranges(true), 'place');
  });

  it('a range is a declaration of its registers', () => {
    const f = fixture(`
kernel k {
  reg r<4>
#     ^^^^ place
  const r$01, 1
#       ^^ place
  const r2, 1
}`);
    const s = toySnapshot(f.text);
    checkMarks(
      f,
      references(s, f.lines.positionAt(f.cursor), true).map((l) => l.range),
      'place',
    );
  });
});
