import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LexicalKind } from '../../../server/src/languages/language.js';
import { enclosing } from '../../../server/src/languages/ptx/enclosing.js';
import { folds } from '../../../server/src/languages/ptx/folds.js';
import { lexicalTokens } from '../../../server/src/languages/ptx/lexical.js';
import { parseSyntax } from '../../../server/src/languages/ptx/parser/parse.js';
import { fixture } from '../../support/fixture.js';
import { runs } from '../../support/fuzz.js';
import { parseUnits } from './support.js';

describe('PTX folding', () => {
  it('folds bodies, blocks, parameters, lists and runs of comments', () => {
    const text = `// one
// two

// alone
.entry k(
\t.param .u64 p,
\t.param .u64 q
)
{
\t{ ret; }
\t{
\t\tret;
\t}
}
.global .b32 t[2] = {
\t1,
\t2
};
/* a
   b */
`;
    const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length;
    const found = parseUnits(text).flatMap(({ start, syntax }) =>
      folds(syntax).map((fold) => [
        lineOf(start + fold.span.start),
        lineOf(start + fold.span.end),
        fold.kind,
      ]),
    );
    assert.deepEqual(found, [
      [1, 2, 'comment'],
      [6, 7, 'region'],
      [9, 14, 'region'],
      [11, 13, 'region'],
      [15, 18, 'region'],
      [19, 20, 'comment'],
    ]);
  });
});

describe('PTX selection', () => {
  const spansAt = (marked: string): string[] => {
    const { text, cursor } = fixture(marked);
    return enclosing(parseSyntax(text), cursor).map((span) => text.slice(span.start, span.end));
  };

  it('grows from a register to its operand, the operands, the instruction, the body, the function', () => {
    assert.deepEqual(spansAt('.entry k()\n{ ld.global.u32 %r1, [%r$0d1+4]; ret; }'), [
      '%rd1',
      '%rd1+4',
      '[%rd1+4]',
      '%r1, [%rd1+4]',
      'ld.global.u32 %r1, [%rd1+4]',
      'ld.global.u32 %r1, [%rd1+4];',
      ' ld.global.u32 %r1, [%rd1+4]; ret; ',
      '{ ld.global.u32 %r1, [%rd1+4]; ret; }',
      '.entry k()\n{ ld.global.u32 %r1, [%rd1+4]; ret; }',
    ]);
  });

  it('takes an opcode whole, after its parts', () => {
    assert.deepEqual(spansAt('.entry k()\n{ ld.glo$0bal.u32 a, [b]; }').slice(0, 2), [
      '.global',
      'ld.global.u32',
    ]);
  });

  it('is nested at every offset of any text', () => {
    const piece = fc.constantFrom(
      ...'.entry k(|)|{|}|;|,| |ld.u32|%r1|[|]|+|4|L:|@p|a|.reg .b32 x = {1, {2}};'.split('|'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const syntax = parseSyntax(pieces.join(''));
        for (let offset = 0; offset <= syntax.text.length; offset++) {
          const spans = enclosing(syntax, offset);
          assert.deepEqual(spans[spans.length - 1], { start: 0, end: syntax.text.length });
          for (let i = 0; i < spans.length; i++) {
            assert.ok(spans[i].start <= offset && offset <= spans[i].end);
            if (i > 0) assert.ok(spans[i].start <= spans[i - 1].start && spans[i - 1].end <= spans[i].end);
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('PTX lexical tokens', () => {
  it('tell opcodes, modifiers, types, directives, numbers and special registers apart, and leave names out', () => {
    const { text } = fixture(`.entry k(.param .u64 p) .maxntid 32
{ .reg.b32 %a; // c
@!q mad.lo.s32 %a, %tid.x, WARP_SZ, 0x1F; v: mov.b32 %a, v.x; .pragma "s"; }`);
    const tokens = lexicalTokens(parseSyntax(text), (name) => name === '%tid');
    const kinds: [LexicalKind, string][] = [
      [LexicalKind.Directive, 'directive'],
      [LexicalKind.Type, 'type'],
      [LexicalKind.Instruction, 'instruction'],
      [LexicalKind.Modifier, 'modifier'],
      [LexicalKind.Number, 'number'],
      [LexicalKind.String, 'string'],
      [LexicalKind.Operator, 'operator'],
      [LexicalKind.SpecialRegister, 'special'],
      [LexicalKind.Comment, 'comment'],
    ];
    const names = new Map(kinds);
    const shown = Array.from(
      tokens.start,
      (start, i) => `${names.get(tokens.kind[i])} ${text.slice(start, tokens.end[i])}`,
    );
    assert.deepEqual(shown, [
      ...['directive .entry', 'directive .param', 'type .u64', 'directive .maxntid', 'number 32'],
      ...['directive .reg', 'type .b32', 'comment // c'],
      ...[
        'operator @',
        'operator !',
        'instruction mad',
        'modifier .lo',
        'type .s32',
        'special %tid',
        'special .x',
      ],
      ...['number WARP_SZ', 'number 0x1F', 'instruction mov', 'type .b32', 'directive .pragma', 'string "s"'],
    ]);
  });
});
