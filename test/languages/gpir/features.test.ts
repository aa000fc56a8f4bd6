import assert from 'node:assert/strict';
import { declaration, definition } from '../../../server/src/features/definition.js';
import { hover } from '../../../server/src/features/hover.js';
import { highlights, references } from '../../../server/src/features/references.js';
import { prepareRename, rename } from '../../../server/src/features/rename.js';
import { semanticTokens, tokenTypes } from '../../../server/src/features/semantic-tokens.js';
import { documentSymbols, workspaceSymbols } from '../../../server/src/features/symbols.js';
import { applyEdits, checkMarks } from '../../support/fixture.js';
import { gpirFixture, gpirSnapshot } from './support.js';

/** The places that the marks `definition`, `reference`, `read` and `write` say, of the name at the cursor. */
function checkPlaces(marked: string): void {
  const f = gpirFixture(marked);
  const s = gpirSnapshot(f.text);
  const position = f.lines.positionAt(f.cursor);
  const has = (message: string): boolean => f.marks.some((m) => m.message === message);
  const ranges = (places: readonly { readonly range: never }[]): never[] => places.map((l) => l.range);
  if (has('definition')) checkMarks(f, ranges(definition(s, position) as never), 'definition');
  if (has('declaration')) checkMarks(f, ranges(declaration(s, position) as never), 'declaration');
  if (has('reference')) checkMarks(f, ranges(references(s, position, false) as never), 'reference');
  const all = highlights(s, position);
  for (const kind of ['read', 'write', 'text'] as const)
    if (has(kind)) checkMarks(f, ranges(all.filter((h) => h.kind === kind) as never), kind);
}

describe('gpir: where a name comes from, and where it is used', () => {
  it('a value has one definition, whichever block uses it', () =>
    checkPlaces(`
a:
  %light = ld_uni u0.x
//^^^^^^ definition
//^^^^^^ declaration
//^^^^^^ write
b:
  %x = mul %li$0ght, -%light
//         ^^^^^^ reference
//         ^^^^^^ read
//                  ^^^^^^ reference
//                  ^^^^^^ read
.program other
  %light = ld_uni u1.x
`));

  it('a register has the definitions that reach', () => {
    checkPlaces(
      `
  %c = ld_uni u0.x
  st_reg @r, 0
  st_reg @r, 1
//       ^^ definition
//       ^^ write
  branch_cond join, %c
other:
  st_reg @r, 2
//       ^^ definition
join:
  %x = ld_reg @$0r
  st_reg @r, %x
`.replace('//       ^^ write\n', ''),
    );
    checkPlaces(`
.live_out @acc
//        ^^^^ reference
  st_reg @a$0cc, 1
//       ^^^^ definition
//       ^^^^ reference
  %x = add @acc, -@acc
//         ^^^^ reference
//                ^^^^ reference
`);
  });

  it('what outlives the program was written last', () =>
    checkPlaces(`
.live_out @a, @ac$0c
  st_reg @acc, 0
  st_reg @acc, 1
//       ^^^^ definition
`));

  it('labels', () =>
    checkPlaces(`
loop:
^^^^ definition
^^^^ text
  branch_cond lo$0op, 1
//            ^^^^ reference
//            ^^^^ text
`));

  it('physical registers', () =>
    checkPlaces(
      `
  st_reg §3.x, 1
//       ^^^^ definition
  st_reg §3.y, 1
  %x = add §$03.x, -§3.y
//         ^^^^ reference
`
        .replace('§$03', '§3$0')
        .replace('//         ^^^^ reference\n', ''),
    ));

  it('locations: by vector, with the directive as declaration', () =>
    checkPlaces(
      `
.attribute a1 in_normal
//         ^^ definition
  %x = ld_att a1.x
//            ^^ reference
  %y = add -a1.y, u1.x
//          ^^ reference
  %z = ld_att a$01.z
//            ^^ reference
`.replace('a$01.z', 'a1$0.z'),
    ));
});

describe('gpir: renaming', () => {
  const renamed = (marked: string, newName: string): string => {
    const f = gpirFixture(marked);
    const s = gpirSnapshot(f.text);
    const answer = rename(s, f.lines.positionAt(f.cursor), newName);
    if ('refused' in answer) return `refused: ${answer.refused}`;
    return applyEdits(
      f.text,
      answer.edits.map(({ range, newText }) => ({
        span: { start: f.lines.offsetAt(range.start), end: f.lines.offsetAt(range.end) },
        newText,
      })),
    );
  };

  it('values, registers and labels', () => {
    assert.equal(renamed('%a$0 = mov 1\n%b = add %a, -%a', '%sum'), '%sum = mov 1\n%b = add %sum, -%sum');
    assert.equal(
      renamed('.live_out @r\nst_reg @r$0, 1\n%x = mov -@r', '@acc.1'),
      '.live_out @acc.1\nst_reg @acc.1, 1\n%x = mov -@acc.1',
    );
    assert.equal(renamed('.live_out @r\n%x = mov @r$0', '@s'), '.live_out @s\n%x = mov @s');
    assert.equal(renamed('a: branch a$0', 'loop'), 'loop: branch loop');
    assert.equal(renamed('st_reg §3.x, 1\n%x = mov §3$0.x', '$4.y'), 'st_reg $4.y, 1\n%x = mov $4.y');
  });

  it('names of programs and of declared vectors', () => {
    assert.equal(
      renamed('.program a\n%x = mov 1\n.program b$0\n', 'c'),
      '.program a\n%x = mov 1\n.program c\n',
    );
    assert.equal(
      renamed('.attribute a0 in_po$0sition\n%x = mov a0.x', 'in_vertex'),
      '.attribute a0 in_vertex\n%x = mov a0.x',
    );
    assert.equal(
      renamed('.varying v0 out$0 position\nst_var v0.x, 1', 'clip'),
      '.varying v0 clip position\nst_var v0.x, 1',
    );
  });

  it('gives a vector another number', () =>
    assert.equal(
      renamed('.attribute a0 x\n%x = add a$00.x, -a0.y'.replace('a$00.x', 'a0$0.x'), 'a5'),
      '.attribute a5 x\n%x = add a5.x, -a5.y',
    ));

  it('is refused where the text would mean something else', () => {
    for (const [text, name] of [
      ['%a$0 = mov 1\n%b = mov %a', '%b'],
      ['%a$0 = mov 1\n%b = mov %a', 'b'],
      ['%a$0 = mov 1\n%b = mov %a', '%b c'],
      ['%a$0 = mov 1\n%b = mov %a', '%'],
      ['%a$0 = mov 1\n%b = mov %a', '@a'],
      ['%a$0 = mov 1\n%b = mov %a', '%\u00e4'],
      ['st_reg @a$0, 1\n%b = mov @a', '$3.x'],
      ['st_reg §3$0.x, 1\nst_reg §4.x, 1', '$4.x'],
      ['st_reg §3$0.x, 1\nst_reg §4.x, 1', '$16.x'],
      ['a: branch a$0\nb:', 'b'],
      ['a: branch a$0\nb:', 'b:'],
      ['a: branch a$0\nb:', '%b'],
      ['.program a$0\n%x = mov 1\n.program b\n', 'b'],
      ['.attribute a0 x\n%x = mov a0$0.x', 'u0'],
      ['.attribute a0 x\n%x = mov a0$0.x', 'a16'],
      ['.attribute a0 x\n.attribute a1 y\n%x = mov a0$0.x', 'a1'],
      ['.attribute a0 x$0\n%x = mov a0.x', 'two words'],
    ])
      assert.match(renamed(text, name), /^refused: /, `${text} -> ${name}`);
  });

  it('offers the name itself, and nothing for an operation', () => {
    const prepare = (marked: string): string => {
      const f = gpirFixture(marked);
      const answer = prepareRename(gpirSnapshot(f.text), f.lines.positionAt(f.cursor));
      return 'refused' in answer ? 'refused' : answer.placeholder;
    };
    assert.equal(prepare('%long$0er = mov 1'), '%longer');
    assert.equal(prepare('%x = m$0ov 1'), 'refused');
    assert.equal(prepare('%x = mov %nothing$0'), 'refused');
  });
});

describe('gpir: outline', () => {
  it('shows programs with their vectors and labels', () => {
    const s = gpirSnapshot(
      '.program lit\n.attribute a0 in_position\nstart:\n%x = mov a0.x\nloop: branch loop\n; next\n.program two\n%x = mov 1\n',
    );
    assert.deepEqual(
      documentSymbols(s).map(({ name, kind, range, children }) => [
        name,
        kind,
        range.start.line,
        range.end.line,
        children.map((child) => `${child.name} ${child.detail}`.trim()),
      ]),
      [
        ['lit', 'kernel', 0, 4, ['a0 in_position', 'start', 'loop']],
        ['two', 'kernel', 6, 7, []],
      ],
    );
    assert.deepEqual(
      workspaceSymbols([s], 'tw').map((symbol) => symbol.name),
      ['two'],
    );
  });

  it('shows the labels of a program without a name', () =>
    assert.deepEqual(
      documentSymbols(gpirSnapshot('a: %x = mov 1\nb: branch b')).map((symbol) => symbol.name),
      ['a', 'b'],
    ));
});

describe('gpir: colours', () => {
  /** Words with their token types, one line after the other. */
  const colours = (text: string): string[] => {
    const data = semanticTokens(gpirSnapshot(text));
    const lines = text.split('\n');
    const found: string[] = [];
    let line = 0;
    let character = 0;
    for (let k = 0; k < data.length; k += 5) {
      character = data[k] > 0 ? data[k + 1] : character + data[k + 1];
      line += data[k];
      found.push(`${lines[line].slice(character, character + data[k + 2])} ${tokenTypes[data[k + 3]]}`);
    }
    return found;
  };

  it('each word has one', () =>
    assert.deepEqual(
      colours(
        '.program lit ; one\n.varying v0 p position\nL1: %x = mad -a0.x, 2.5\nst_reg $3.x, @r\n0: branch 0\nbranch inf',
      ),
      [
        '.program macro',
        'lit function',
        '; one comment',
        '.varying macro',
        'v0 variable',
        'p enumMember',
        'position modifier',
        'L1 label',
        '%x variable',
        '= operator',
        'mad keyword',
        '- operator',
        'a0 parameter',
        '.x modifier',
        '2.5 number',
        'st_reg keyword',
        '$3.x variable',
        '@r variable',
        '0 label',
        'branch keyword',
        '0 label',
        'branch keyword',
        'inf label',
      ],
    ));
});

describe('gpir: hover', () => {
  const at = (marked: string): string => {
    const f = gpirFixture(marked);
    return hover(gpirSnapshot(f.text), f.lines.positionAt(f.cursor))?.contents ?? '';
  };

  it('tells of a vector how it is declared', () =>
    assert.match(at('.attribute a0 in_position\n%x = ld_att a0$0.x'), /in_position/));

  it('tells of a value where it lives', () => assert.match(at('%x$0 = mov 1\nst_var v0.x, %x'), /`%x`/));
});
