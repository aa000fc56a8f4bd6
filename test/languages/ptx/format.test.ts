import assert from 'node:assert/strict';
import fc from 'fast-check';
import { format } from '../../../server/src/languages/ptx/format.js';
import { lex } from '../../../server/src/languages/ptx/lexer.js';
import type { FormatOptions } from '../../../server/src/languages/language.js';
import type { TextEdit } from '../../../server/src/text/span.js';
import { corpusOrSkip } from '../../support/corpus.js';
import { runs } from '../../support/fuzz.js';
import { compilerOutput, parseUnits } from './support.js';

const tabs: FormatOptions = { tabSize: 8, insertSpaces: false };
const spaces: FormatOptions = { tabSize: 4, insertSpaces: true };

function apply(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let at = 0;
  for (const { span, newText } of edits) {
    assert.ok(span.start >= at && span.end >= span.start && span.end <= text.length);
    result += text.slice(at, span.start) + newText;
    at = span.end;
  }
  return result + text.slice(at);
}

const formatted = (text: string, options: FormatOptions = tabs): string =>
  parseUnits(text)
    .map(({ syntax }) => apply(syntax.text, format(syntax, options)))
    .join('');

const words = (text: string): string[] => {
  const tokens = lex(text);
  return Array.from(
    { length: tokens.count },
    (_, i) => `${tokens.kind[i]} ${text.slice(tokens.start[i], tokens.end[i])}`,
  );
};

describe('PTX formatting', () => {
  it('indents further lines of one instruction below its first', () => {
    const text =
      '.entry k()\n{\n\tmma.sync.f32 \t{%f1, %f2},\n{%r1,\n%r2},\n\t\t\t\t{%f1, %f2};\n\tret;\n}\n';
    const wanted = ['\tmma.sync.f32 \t{%f1, %f2},', '\t\t{%r1,', '\t\t%r2},', '\t\t{%f1, %f2};', '\tret;'];
    assert.deepEqual(formatted(text).split('\n').slice(2, 7), wanted);
  });

  it('writes one statement a line, operands at the tab stop, as nvcc does', () => {
    assert.equal(
      formatted(
        `.version   8.0
.target sm_80 ,debug
.visible .entry  k ( .param.u64 p , .param .u32 n ) .maxntid 128,1 , 1 { .reg.b32 %r<10> ; // registers
ld.param.u64 %rd1,[ p ];@ ! %p1   bra   L ;
L : add.s32 %r1 , %r2,( 2+3 )*4;  { call ( r ) ,f, ( a,b ) ; }
   setp.eq.s32 %p1 | %p2, %r1, { %r1 , _ }; ld.u32 %r1, [ %rd1 + -4 ]; ret;}
`,
      ),
      `.version 8.0
.target sm_80, debug
.visible .entry k(.param .u64 p, .param .u32 n)
.maxntid 128, 1, 1
{
\t.reg .b32 \t%r<10>; // registers
\tld.param.u64 \t%rd1, [p];
\t@!%p1 bra \tL;
L:
\tadd.s32 \t%r1, %r2, (2+3)*4;
\t{
\t\tcall (r), f, (a, b);
\t}
\tsetp.eq.s32 \t%p1|%p2, %r1, {%r1, _};
\tld.u32 \t%r1, [%rd1+-4];
\tret;
}
`,
    );
  });

  it('puts parameters on lines of their own where the first one is', () => {
    assert.equal(
      formatted('.func (.param .b32 r) f(\n.param .b32 a, .param .b32 b)\n;\n'),
      '.func (.param .b32 r) f(\n\t.param .b32 a,\n\t.param .b32 b\n);\n',
    );
  });

  it('indents with blanks when asked, operands at the next stop', () => {
    assert.equal(
      formatted(
        '.entry k()\n{\n\tmov.u32 \t%r1, 5;\n\tadd.s32 %r1, %r1, 1;\n\t@%p ld.global.u32 %r1, [a];\n}\n',
        spaces,
      ),
      '.entry k()\n{\n    mov.u32 %r1, 5;\n    add.s32 %r1, %r1, 1;\n    @%p ld.global.u32   %r1, [a];\n}\n',
    );
  });

  it('keeps comments, up to two blank lines, and statements that cannot be read', () => {
    assert.equal(
      formatted(
        '.entry k()\n{\n// first\nret; // last\n\n\n\n\n/* a\n b */\nmov.u32   %r1   %r2;\n  // end\n}\n',
      ),
      '.entry k()\n{\n\t// first\n\tret; // last\n\n\n\t/* a\n b */\n\tmov.u32   %r1   %r2;\n\t// end\n}\n',
    );
  });

  it('leaves words apart that would become one', () => {
    const text = '.entry k()\n{\n\tmov.u32 \t%r1, 5 % 3;\n\tmov.u32 \t%r1, 1 - -2;\n}\n';
    assert.equal(formatted(text), text);
  });

  const piece = fc.constantFrom(
    ...'.entry k(|)|{|}|;|;\n|,| |\n|\t|\r\n|mov.u32|%r1|%|5|3|.5|0x1|+|-|[|]|(|L:|@|!|p|\|\||<|/|//c\n|/*c*/|"s"|.reg .b32 a;|.loc 1 2 3|call (r), f, (a);|ld.u32 %r1, [%rd1 + -4];|setp.eq.s32 p | q, a, b;|.param .u64 p'.split(
      '|',
    ),
  );

  it('changes no token, and formatting twice is formatting once', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom(tabs, spaces), (pieces, options) => {
        const text = `.entry k()\n{\n${pieces.join('')}\n}\n`;
        const once = formatted(text, options);
        assert.deepEqual(words(once), words(text));
        assert.equal(formatted(once, options), once);
      }),
      { numRuns: runs(800) },
    );
  });

  it('applies in parts: any of its edits alone changes no token', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.nat(), (pieces, choice) => {
        const text = `.entry k()\n{\n${pieces.join('')}\n}\n`;
        const { syntax } = parseUnits(text)[0];
        const edits = format(syntax, tabs).filter((_, i) => ((choice >> (i % 30)) & 1) === 1);
        assert.deepEqual(words(apply(syntax.text, edits)), words(syntax.text));
      }),
      { numRuns: runs(400) },
    );
  });

  it('leaves what nvcc writes nearly as it is, without changing a token', function () {
    const files = compilerOutput(corpusOrSkip(this, 'ptx')).filter(({ text }) => text.length < 100_000);
    let kept = 0;
    let lines = 0;
    for (const { path, text } of files.filter((_, i) => i % 8 === 0)) {
      const once = formatted(text);
      assert.deepEqual(words(once), words(text), path);
      assert.equal(formatted(once), once, path);
      if (!text.includes('NVVM')) continue;
      const before = text.split('\n');
      const after = new Set(once.split('\n'));
      lines += before.length;
      kept += before.filter((line) => after.has(line)).length;
    }
    assert.ok(kept > 0.9 * lines, `${kept} of ${lines} lines kept`);
  });
});
