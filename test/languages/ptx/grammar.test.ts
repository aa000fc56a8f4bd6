import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IGrammar } from 'vscode-textmate';
import type { Statement } from '../../../server/src/languages/ptx/tree.js';
import { corpusOrSkip } from '../../support/corpus.js';
import { colour, loadGrammar, syntaxes } from '../../support/grammar.js';
import { compilerOutput, parseUnits } from './support.js';

describe('PTX grammar', () => {
  let grammar: IGrammar;
  before(async () => {
    grammar = await loadGrammar('ptx');
  });

  const scopes = (text: string): string[] =>
    colour(grammar, text)
      .filter(
        (token) =>
          token.text.trim() !== '' && token.scope !== 'source' && !token.scope.startsWith('punctuation'),
      )
      .map((token) => `${token.text.trim()} ${token.scope}`);

  it('colours a function head', () => {
    assert.deepEqual(
      scopes(
        '.visible .func (.param .b32 r) f(\n.param .u64 .ptr .global .align 8 p // c\n)\n.maxntid 128, 1',
      ),
      [
        '.visible storage.modifier',
        '.func storage.type.function',
        '.param storage.type.space',
        '.b32 support.type',
        'r variable.parameter',
        'f entity.name.function',
        '.param storage.type.space',
        '.u64 support.type',
        '.ptr storage.modifier',
        '.global storage.type.space',
        '.align storage.modifier',
        '8 constant.numeric.integer',
        'c comment.line.double-slash',
        '.maxntid keyword.control.directive',
        '128 constant.numeric.integer',
        '1 constant.numeric.integer',
      ],
    );
  });

  it('colours instructions, guards, labels and registers', () => {
    assert.deepEqual(
      scopes(
        '$L__BB0_2:\n@!%p1 bra.uni $L;\nld.shared::cta.v2.f32 {%f1, _}, [%rd12+-0x1F];\n mov.u32 %r1, %ctaid.x; ret;',
      ),
      [
        '$L__BB0_2 entity.name.label',
        '@ keyword.operator.guard',
        '! keyword.operator.logical',
        '%p1 variable.other.register.predicate',
        'bra keyword.other.instruction',
        '.uni keyword.other.modifier',
        'ld keyword.other.instruction',
        '.shared::cta keyword.other.modifier',
        '.v2 keyword.other.modifier',
        '.f32 support.type',
        '%f1 variable.other.register',
        '%rd12 variable.other.register',
        '+ keyword.operator',
        '- keyword.operator',
        '0x1F constant.numeric.hex',
        'mov keyword.other.instruction',
        '.u32 support.type',
        '%r1 variable.other.register',
        '%ctaid.x variable.language.special-register',
        'ret keyword.other.instruction',
      ],
    );
  });

  it('takes a vector component for no opcode, and a range for one register', () => {
    assert.deepEqual(scopes('mov.f32 v.x, w.y; .reg .pred %p<10>;').slice(2), [
      '.reg storage.type.space',
      '.pred support.type',
      '%p variable.other.register',
      '10 constant.numeric.integer',
    ]);
  });

  it('knows every form of number, and what is none', () => {
    const forms: readonly (readonly [string, string])[] = [
      ['0f3F800000', 'float.exact'],
      ['0d3FF0000000000000', 'float.exact'],
      ['0x1fU', 'hex'],
      ['0b101', 'binary'],
      ['017U', 'octal'],
      ['42', 'integer'],
      ['1.5e-3', 'float'],
    ];
    for (const [word, kind] of forms)
      assert.deepEqual(scopes(`add.u32 a, b, ${word};`).slice(-1), [`${word} constant.numeric.${kind}`]);
    for (const word of ['0f3F80', '089', '12abc'])
      assert.deepEqual(scopes(`add.u32 a, b, ${word};`).slice(-1), [`${word} invalid.illegal.number`]);
  });

  it('marks what ptxas refuses everywhere: characters outside ASCII', () => {
    assert.ok(scopes('// caf\u00e9').includes('\u00e9 invalid.illegal.non-ascii'));
    assert.ok(scopes('add.s32 a, a, \u22121;').includes('\u2212 invalid.illegal.non-ascii'));
  });

  it('keeps comments and strings to their ends', () => {
    assert.deepEqual(scopes('/* mov.u32\n ret; */ ret;').slice(-1), ['ret keyword.other.instruction']);
    assert.deepEqual(scopes('.pragma "nounroll // no comment"; ret;').slice(-1), [
      'ret keyword.other.instruction',
    ]);
  });

  it('finds the opcodes and labels that the parser finds, in what compilers write', function () {
    const files = compilerOutput(corpusOrSkip(this, 'ptx')).filter(({ text }) => text.length < 12_000);
    for (const { path, text } of files.filter((_, i) => i % 25 === 0)) {
      const found = new Set(
        colour(grammar, text.replaceAll('\r', ' '))
          .filter(({ scope }) => scope === 'keyword.other.instruction' || scope === 'entity.name.label')
          .map(({ line, text: word }) => `${line} ${word.trim()}`),
      );
      const expected = new Set<string>();
      for (const { start, syntax } of parseUnits(text))
        for (const item of syntax.items)
          if (item.kind === 'function')
            for (const statement of flat(item.body?.statements ?? [])) {
              const at =
                start + (statement.kind === 'instruction' ? statement.opcode.start : statement.start);
              const word = /^[\w$%]+/.exec(text.slice(at, at + 200))?.[0] ?? '';
              if (['instruction', 'label', 'targets', 'prototype'].includes(statement.kind))
                expected.add(`${text.slice(0, at).split('\n').length - 1} ${word}`);
            }
      assert.deepEqual([...found].sort(), [...expected].sort(), path);
    }
  });
});

function flat(statements: readonly Statement[]): Statement[] {
  return statements.flatMap((statement) =>
    statement.kind === 'block' ? flat(statement.statements) : [statement],
  );
}

describe('PTX language configuration', () => {
  interface Configuration {
    readonly wordPattern: string;
    readonly onEnterRules: readonly { readonly beforeText: string; readonly afterText?: string }[];
    readonly indentationRules: {
      readonly increaseIndentPattern: string;
      readonly decreaseIndentPattern: string;
    };
  }
  const configuration = JSON.parse(
    readFileSync(join(syntaxes, 'ptx.language-configuration.json'), 'utf8'),
  ) as Configuration;

  it('has a word pattern that takes registers, ranges and labels whole', () => {
    const words =
      'ld.global.u32 %rd12, [$L__BB0_2+4]; .reg .b32 %r<10>; .shared::cta 0f3F800000 1.5 _x'.match(
        new RegExp(configuration.wordPattern, 'g'),
      );
    assert.deepEqual(words, [
      ...['ld', '.global', '.u32', '%rd12', '$L__BB0_2', '4', '.reg', '.b32', '%r<10>'],
      ...['.shared::cta', '0f3F800000', '1.5', '_x'],
    ]);
    assert.ok(!new RegExp(`^(?:${configuration.wordPattern})$`).test(''));
  });

  it('indents behind an opening brace or parenthesis and a label, and not behind a comment', () => {
    const opens = new RegExp(configuration.indentationRules.increaseIndentPattern);
    assert.ok(opens.test('{ // callseq 0') && opens.test('.visible .entry k('));
    assert.ok(!opens.test('// {') && !opens.test('mov.b64 {a, b}, c;'));
    assert.ok(new RegExp(configuration.indentationRules.decreaseIndentPattern).test('\t}'));
    const rules = configuration.onEnterRules.map((rule) => new RegExp(rule.beforeText));
    assert.ok(rules[0].test('$L__BB0_2:') && !rules[0].test('\tmov.u32 a, b;'));
  });
});
