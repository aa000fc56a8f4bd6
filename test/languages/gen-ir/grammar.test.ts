import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IGrammar } from 'vscode-textmate';
import { irOpcodeNames } from '../../../server/src/languages/gen-ir/beignet/ir-opcodes.js';
import { selectionOpcodeNames } from '../../../server/src/languages/gen-ir/beignet/opcodes.js';
import { directiveNames } from '../../../server/src/languages/gen-ir/parser/directive.js';
import { operations } from '../../../server/src/languages/gen-ir/reference/operations.js';
import { attributes, types } from '../../../server/src/languages/gen-ir/reference/words.js';
import { colour, loadGrammar, syntaxes } from '../../support/grammar.js';
import { corpusOrSkip, filesOf } from '../../support/corpus.js';
import { mixed, saxpyAllocation, saxpyIr, saxpySelection, sumFork } from './beignet/kernels.js';

describe('gen-ir grammar', () => {
  let grammar: IGrammar;
  before(async () => {
    grammar = await loadGrammar('gen-ir');
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
          '.gen 1 ; c',
          '.program blur.2',
          '.target hsw',
          '.payload g0-g3',
          '.vgrf 12 size 2 type F position // d',
          '.option no8=yes',
        ].join('\n'),
      ),
      [
        '.gen storage.modifier',
        '1 constant.numeric',
        'c comment.line',
        '.program storage.type.function',
        'blur.2 entity.name.function',
        '.target storage.modifier',
        'hsw constant.language',
        '.payload storage.modifier',
        'g0 variable.language.register',
        '- keyword.operator',
        'g3 variable.language.register',
        '.vgrf storage.modifier',
        '12 variable.other.register',
        'size keyword.other',
        '2 constant.numeric',
        'type keyword.other',
        'F storage.type',
        'position entity.name.variable',
        'd comment.line',
        '.option storage.modifier',
        'no8 variable.parameter',
        '= keyword.operator.assignment',
        'yes constant.language',
      ],
    );
    for (const name of directiveNames) assert.match(scopes(`.${name}`).at(0) ?? '', /^\.\w+ storage\./, name);
  });

  it("colours Mesa's lines, both orders of a head", () => {
    assert.deepEqual(
      scopes('   3: (+f0.0.x) sel(8).sat vgrf6.xy:F, -|vgrf3+1.0.xyzz|:F, 0.500000F NoMask group8'),
      [
        '3: constant.numeric.position',
        '+ keyword.operator.predicate',
        'f0.0 variable.language.flag',
        '.x storage.modifier.predicate',
        'sel keyword.other.instruction',
        '(8) constant.numeric.width',
        'sat storage.modifier.head',
        'vgrf6 variable.other.register',
        '.xy variable.other.member',
        'F storage.type',
        '- keyword.operator',
        '| keyword.operator',
        'vgrf3 variable.other.register',
        '+1.0 constant.numeric.offset',
        '.xyzz variable.other.member',
        '| keyword.operator',
        'F storage.type',
        '0.500000 constant.numeric',
        'F storage.type.suffix',
        'NoMask storage.modifier.flag',
        'group8 storage.modifier.flag',
      ],
    );
  });

  it('colours what only scalar code prints', () => {
    assert.deepEqual(scopes('{ 13}   11: cmp.l.f0.1(16) (mlen: 2) (EOT) null:F, |u3+0.4|<0>:F, 0.5f '), [
      '{ 13} constant.numeric.pressure',
      '11: constant.numeric.position',
      'cmp keyword.other.instruction',
      'l storage.modifier.head',
      'f0.1 variable.language.flag',
      '(16) constant.numeric.width',
      'mlen keyword.other.message',
      '2 constant.numeric',
      'EOT keyword.other.message',
      'null variable.language.register',
      'F storage.type',
      '| keyword.operator',
      'u3 variable.parameter.location',
      '+0.4 constant.numeric.offset',
      '| keyword.operator',
      '0 constant.numeric',
      'F storage.type',
      '0.5 constant.numeric',
      'f storage.type.suffix',
    ]);
  });

  it('knows every operation of the three vocabularies', () => {
    for (const name of operations().keys())
      assert.match(scopes(`${name}(8) vgrf1:F`).at(0) ?? '', /^\S+ keyword\./, name);
    for (const name of selectionOpcodeNames())
      assert.match(scopes(`[4]    \t${name}(16)    %1<1>:F`).at(1) ?? '', /^\S+ keyword\./, name);
    for (const name of irOpcodeNames())
      assert.match(scopes(`${name}.float %1`).at(0) ?? '', /^\S+ keyword\./, name);
  });

  it('knows every type and every attribute', () => {
    for (const name of types.keys())
      assert.ok(scopes(`mov(8) vgrf1:${name}, 0D`).includes(`${name} storage.type`), name);
    for (const name of attributes.keys())
      assert.ok(scopes(`mov(8) vgrf1:F, 0D {${name}}`).includes(`${name} storage.modifier.attribute`), name);
  });

  it("colours Beignet's sections to the last word", () => {
    for (const text of [saxpyIr, saxpySelection, saxpyAllocation, mixed, sumFork]) {
      const plain = colour(grammar, text).filter(
        ({ text: word, scope }) => scope === 'source' && /[A-Za-z%]/.test(word),
      );
      const words = new Set(plain.map(({ text: word }) => word.trim()));
      for (const word of words)
        assert.match(
          word,
          /^[<>(){}[\]\s]*(bti|@|[bBWDQOHR]|\d+B|use count|aligned|\s)*[<>(){}[\]\s]*$/,
          word,
        );
    }
  });

  it('leaves no word of a dump of the reference without a colour', function () {
    const root = corpusOrSkip(this, 'gen');
    const dumps = ['ivb', 'hsw'].flatMap((folder) => filesOf(join(root, folder), '.txt'));
    for (const path of dumps.filter((_, k) => k % 40 === 0)) {
      const dump = readFileSync(path, 'utf8').split('\n').slice(0, 150).join('\n');
      const plain = colour(grammar, dump).filter(({ text, scope }) => scope === 'source' && /\w/.test(text));
      assert.deepEqual(plain, [], path);
    }
  });
});

describe('gen-ir language configuration', () => {
  const configuration = JSON.parse(
    readFileSync(join(syntaxes, 'gen-ir.language-configuration.json'), 'utf8'),
  ) as {
    readonly wordPattern: string;
    readonly indentationRules: {
      readonly increaseIndentPattern: string;
      readonly decreaseIndentPattern: string;
    };
  };

  it('has a word pattern that takes registers, directives and numbers whole', () => {
    const words = '(+f0.0) add(8).sat vgrf6.xy:F, 0.5F ; .program %12 $3'.match(
      new RegExp(configuration.wordPattern, 'g'),
    );
    assert.ok(words?.includes('vgrf6') && words.includes('0.5F') && words.includes('.program'));
    assert.ok(words?.includes('%12') && words.includes('$3'));
    assert.ok(!new RegExp(`^(?:${configuration.wordPattern})$`).test(''));
  });

  it('indents behind if, else and do, with a predicate too', () => {
    const { increaseIndentPattern, decreaseIndentPattern } = configuration.indentationRules;
    for (const line of ['(+f0.0.any4h) if(8) (null):UD', '  else(8) (null):UD', 'do(8) (null):UD'])
      assert.ok(new RegExp(increaseIndentPattern).test(line), line);
    for (const line of ['else(8) (null):UD', 'endif(8) (null):UD', '(-f0.0) while(8) (null):UD'])
      assert.ok(new RegExp(decreaseIndentPattern).test(line), line);
    assert.ok(!new RegExp(increaseIndentPattern).test('dot(8) vgrf1:F'));
  });
});

describe('gen-ir in the manifest', () => {
  const manifest = JSON.parse(readFileSync(join(syntaxes, '..', 'package.json'), 'utf8')) as {
    readonly contributes: {
      readonly languages: readonly { readonly id: string; readonly firstLine: string }[];
    };
  };
  const firstLine = new RegExp(
    manifest.contributes.languages.find(({ id }) => id === 'gen-ir')?.firstLine ?? '$^',
  );

  it('recognises captured dumps by their first line, and no other text', () => {
    for (const line of [
      '.gen 1',
      '   0: mov(8) vgrf3.xyz:F, attr0.xyzz:F',
      '{ 12}    0: mul(8) vgrf6:F, vgrf4:F, vgrf5+0.0<0>:F ',
      '   0: (+f0.0) sel(8) vgrf8:D, vgrf9:D, -3d ',
      '.decl_function saxpy',
      "saxpy's SELECTION IR begin:",
    ])
      assert.ok(firstLine.test(line), line);
    for (const line of [
      '.version 8.0',
      '.program lit',
      '0: 12',
      '12:30 (8) connected',
      'label: mov(8)',
      '.generation 2',
      '# Readme',
    ])
      assert.ok(!firstLine.test(line), line);
  });
});
