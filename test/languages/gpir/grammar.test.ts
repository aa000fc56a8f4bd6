import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IGrammar } from 'vscode-textmate';
import { operations } from '../../../server/src/languages/gpir/isa/operations.js';
import { colour, loadGrammar, syntaxes } from '../../support/grammar.js';

describe('gpir grammar', () => {
  let grammar: IGrammar;
  before(async () => {
    grammar = await loadGrammar('gpir');
  });

  const scopes = (text: string): string[] =>
    colour(grammar, text)
      .filter(
        ({ text: word, scope }) =>
          word.trim() !== '' && scope !== 'source' && !scope.startsWith('punctuation'),
      )
      .map(({ text: word, scope }) => `${word.trim()} ${scope}`);

  it('colours directives', () => {
    assert.deepEqual(
      scopes(
        [
          '.program lit // c',
          ' .attribute a0 in_position',
          '.uniform u12 light.x ; d',
          '.varying v0 gl_Position position',
          '.live_out @acc, $3.x',
          '.texture t0',
        ].join('\n'),
      ),
      [
        '.program storage.type.function',
        'lit entity.name.function',
        'c comment.line',
        '.attribute storage.modifier',
        'a0 variable.language.location',
        'in_position entity.name.variable',
        '.uniform storage.modifier',
        'u12 variable.language.location',
        'light.x entity.name.variable',
        'd comment.line',
        '.varying storage.modifier',
        'v0 variable.language.location',
        'gl_Position entity.name.variable',
        'position keyword.other.role',
        '.live_out storage.modifier',
        'acc variable.other.register',
        '3.x variable.language.register',
        '.texture invalid.illegal.directive',
        't0 source',
      ].filter((line) => !line.endsWith(' source')),
    );
  });

  it('colours instructions, labels, names, locations and numbers', () => {
    assert.deepEqual(
      scopes(
        'loop.1: %x.0 = mul -%a, u3.w\n  st_var v0.x, %x.0\n %c=const -2.5e-3\n branch_cond loop.1, %c\n%h = add 0x40200000, inf',
      ),
      [
        'loop.1 entity.name.label',
        'x.0 variable.other.value',
        '= keyword.operator.assignment',
        'mul keyword.other.instruction',
        '- keyword.operator.negation',
        'a variable.other.value',
        'u3 variable.language.location',
        '.w variable.other.member',
        'st_var keyword.other.instruction.memory',
        'v0 variable.language.location',
        '.x variable.other.member',
        'x.0 variable.other.value',
        'c variable.other.value',
        '= keyword.operator.assignment',
        'const keyword.other.instruction',
        '-2.5e-3 constant.numeric.float',
        'branch_cond keyword.control.branch',
        'loop.1 entity.name.label',
        'c variable.other.value',
        'h variable.other.value',
        '= keyword.operator.assignment',
        'add keyword.other.instruction',
        '0x40200000 constant.numeric.hex',
        'inf constant.language',
      ],
    );
  });

  it('knows every operation, and takes no name for one', () => {
    for (const name of operations.keys())
      assert.match(scopes(`  ${name} `).at(0) ?? '', /^\S+ keyword\./, name);
    assert.deepEqual(
      scopes('%add = ld_reg @mul\nadd: branch max').map((line) => line.split(' ')[1]),
      [
        'variable.other.value',
        'keyword.operator.assignment',
        'keyword.other.instruction.memory',
        'variable.other.register',
        'entity.name.label',
        'keyword.control.branch',
        'entity.name.label',
      ],
    );
    assert.deepEqual(scopes('addx add.x xadd'), []);
  });

  it('marks characters outside ASCII, in comments only their words', () =>
    assert.ok(scopes('%a = add %b, \u22121').includes('\u2212 invalid.illegal.non-ascii')));
});

describe('gpir language configuration', () => {
  const configuration = JSON.parse(
    readFileSync(join(syntaxes, 'gpir.language-configuration.json'), 'utf8'),
  ) as {
    readonly wordPattern: string;
    readonly onEnterRules: readonly { readonly beforeText: string }[];
    readonly indentationRules: { readonly decreaseIndentPattern: string };
  };

  it('has a word pattern that takes values, registers, locations and directives whole', () => {
    const words = '  %x.0 = mul -%y, $3.x ; .program a0.x @acc 2.5'.match(
      new RegExp(configuration.wordPattern, 'g'),
    );
    assert.deepEqual(words, ['%x.0', 'mul', '%y', '$3.x', '.program', 'a0.x', '@acc', '2.5']);
    assert.ok(!new RegExp(`^(?:${configuration.wordPattern})$`).test(''));
  });

  it('puts labels at the margin and indents what follows; comments go on', () => {
    const { decreaseIndentPattern } = configuration.indentationRules;
    assert.ok(new RegExp(decreaseIndentPattern).test('  loop: ; again'));
    assert.ok(!new RegExp(decreaseIndentPattern).test('  %x = add %a, %b ; loop:'));
    const rules = configuration.onEnterRules.map((rule) => new RegExp(rule.beforeText));
    assert.ok(rules[0].test('loop:') && rules[1].test('; story') && rules[2].test('// story'));
    assert.ok(!rules.some((rule) => rule.test('  %x = add %a, %b ; story')));
  });
});
