import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { Function } from '../../../server/src/ir/function.js';
import { format } from '../../../server/src/languages/gpir/format.js';
import { gpir } from '../../../server/src/languages/gpir/index.js';
import { lex } from '../../../server/src/languages/gpir/lexer.js';
import { parse } from '../../../server/src/languages/gpir/parser/parse.js';
import { unitEnd } from '../../../server/src/languages/gpir/split.js';
import type { FormatOptions } from '../../../server/src/languages/language.js';
import { corpusOrSkip, filesOf } from '../../support/corpus.js';
import { applyEdits } from '../../support/fixture.js';
import { runs } from '../../support/fuzz.js';
import { alone } from './support.js';

const blanks: FormatOptions = { tabSize: 2, insertSpaces: true };
const tabs: FormatOptions = { tabSize: 4, insertSpaces: false };

function unitsOf(text: string): string[] {
  const units: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = unitEnd(text, start);
    units.push(text.slice(start, end));
    start = end;
  }
  return units;
}

const formatted = (text: string, options = blanks): string =>
  unitsOf(text)
    .map((unit) => applyEdits(unit, format(parse(unit), options)))
    .join('');

const words = (text: string): string[] => {
  const { count, kind, start, end } = lex(text);
  return Array.from({ length: count }, (_, i) => `${kind[i]} ${text.slice(start[i], end[i])}`);
};

/** Everything of a lowered function that does not say where in the text it stands. */
function meaning(f: Function | undefined): unknown {
  if (f === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(f)
      .filter(([key, value]) => !/span|name(Start|End)/i.test(key) && typeof value !== 'function')
      .map(([key, value]) => [key, ArrayBuffer.isView(value) ? Array.from(value as Int32Array) : value]),
  );
}

const lowered = (text: string): unknown[] =>
  unitsOf(text).map((unit) => meaning(gpir.lower(gpir.bind(gpir.parse(unit), alone))));

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..', 'examples');

describe('gpir formatting', () => {
  it('puts directives and labels at the margin, instructions on lines of their own', () => {
    assert.equal(
      formatted(`  .program   lit
.attribute\ta0   in_position
.live_out @a ,$3.x
 loop :%x=add   %a,- %b ; sum
st_var v0.x ,%x
    branch   loop
`),
      `.program lit
.attribute a0 in_position
.live_out @a, $3.x
loop:
  %x = add %a, -%b ; sum
  st_var v0.x, %x
  branch loop
`,
    );
  });

  it('indents as the editor does', () =>
    assert.equal(formatted('a:\n%x = mov 1\n', tabs), 'a:\n\t%x = mov 1\n'));

  it('keeps comments in one column, apart from the code by what they were', () => {
    assert.equal(
      formatted(`%x = ld_att   a0.x   ; first
%yy = ld_att a0.y    ; second
%z = add %x,%yy
%u = mov %z          ; third
%v = mov %z // alone
`),
      `  %x = ld_att a0.x    ; first
  %yy = ld_att a0.y   ; second
  %z = add %x, %yy
  %u = mov %z         ; third
  %v = mov %z // alone
`,
    );
    assert.equal(
      formatted('%x = mov 1;close\n%longer = mov 1;closer\n'),
      '  %x = mov 1 ;close\n  %longer = mov 1 ;closer\n',
    );
  });

  it('indents comment lines like what follows; at the margin and apart they stay', () => {
    const text = `; the file

; the block
a:
  ; the instruction
  %x = mov 1
; apart

  %y = mov 2
  ; at the end
`;
    assert.equal(formatted(text), text);
    assert.equal(
      formatted('a:\n; here\n%x = mov 1\n   ; there\nb:\n'),
      'a:\n  ; here\n  %x = mov 1\n; there\nb:\n',
    );
  });

  it('keeps up to two blank lines, and line ends', () => {
    assert.equal(formatted('%x = mov 1\n\n\n\n\n%y = mov 2'), '  %x = mov 1\n\n\n  %y = mov 2');
    assert.equal(formatted('%x = mov 1\r\n%y=mov 2\r\n'), '  %x = mov 1\r\n  %y = mov 2\r\n');
  });

  it('leaves a line with a mistake as it is', () => {
    const text = '  %x = add  %a   %b\n  (  wrong   )\n  %y = mov 1\n';
    assert.equal(formatted(text), text);
  });

  const piece = fc.constantFrom(
    ...'.program p|.attribute a0 n|.varying v0 p position|.live_out @a, $3.x|a|:|b:|%x|=|add|%x = add %a, %b|st_var v0.x, %x|-|+| - |2.5|-1|inf|0x3f800000|,|u0.x|@r|$3.x|branch a|; c|// c|;|\n|\n|\n|\r\n|\n\n\n\n| |  |\t|%|(|é|\u00a0|.x'.split(
      '|',
    ),
  );
  const anyText = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

  it('changes no token, and formatting twice is formatting once', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(blanks, tabs), (text, options) => {
        const once = formatted(text, options);
        assert.deepEqual(words(once), words(text));
        assert.equal(formatted(once, options), once);
      }),
      { numRuns: runs(1500) },
    );
  });

  it('applies in parts: any of its edits alone changes neither tokens nor problems', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, choice) => {
        const unit = unitsOf(text)[0] ?? '';
        const edits = format(parse(unit), blanks).filter((_, i) => ((choice >> (i % 30)) & 1) === 1);
        const after = applyEdits(unit, edits);
        assert.deepEqual(words(after), words(unit));
        const codes = (source: string): string[] => parse(source).problems.map(({ message }) => message);
        assert.deepEqual(codes(after), codes(unit));
      }),
      { numRuns: runs(800) },
    );
  });

  it('finds the examples formatted', () => {
    for (const name of readdirSync(examples).filter((file) => file.endsWith('.gpir'))) {
      const text = readFileSync(join(examples, name), 'utf8');
      assert.equal(formatted(text), text, name);
    }
  });

  it('changes nothing of what the reference programs mean', function () {
    this.timeout(30_000);
    for (const path of filesOf(corpusOrSkip(this, 'gpir'), '.gpir')) {
      const text = readFileSync(path, 'utf8');
      const squeezed = text.replace(/^ +/gm, '').replaceAll(', ', ',').replaceAll(' = ', '=');
      const once = formatted(squeezed);
      assert.equal(formatted(once), once, path);
      assert.equal(once, formatted(text), path);
      assert.deepEqual(lowered(once), lowered(text), path);
    }
  });
});
