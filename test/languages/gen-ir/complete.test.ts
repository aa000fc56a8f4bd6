import assert from 'node:assert/strict';
import { complete, resolveCompletion } from '../../../server/src/languages/gen-ir/complete/index.js';
import { complete as completeBeignet } from '../../../server/src/languages/gen-ir/beignet/complete.js';
import { snippets } from '../../../server/src/languages/gen-ir/complete/snippets.js';
import { operations } from '../../../server/src/languages/gen-ir/reference/operations.js';
import {
  attributes,
  conditions,
  directives,
  types,
} from '../../../server/src/languages/gen-ir/reference/words.js';
import type { CompletionItem } from '../../../server/src/languages/language.js';
import { saxpyIr, saxpySelection } from './beignet/kernels.js';
import { bound as boundBeignet } from './beignet/support.js';
import { fixture } from '../../support/fixture.js';
import { bound, problemsOf } from './support.js';

const program = `.gen 1
.mode simd4x2
.uniforms 2
mov(8) vgrf1.xyz:F, attr0.xyzz:F
`;

function items(line: string): CompletionItem[] {
  const { text, cursor } = fixture(program + line);
  return [...complete(bound(text), cursor).items];
}

const labels = (line: string): string[] => items(line).map((item) => item.label);

/** An item's text with its tab stops filled in. */
const filled = ({ insert, label }: CompletionItem): string =>
  (insert ?? label)
    .replace(/\$\{\d+\|([^,|]*)[^}]*\}/g, '$1')
    .replace(/\$\{\d+:([^}]*)\}/g, '$1')
    .replaceAll(/\$\d/g, '');

describe('gen-ir completion', () => {
  it('offers operations, snippets, directives and predicates where a line begins', () => {
    const offered = labels('$0');
    for (const name of [...operations().keys(), ...directives.keys(), 'transform', '(+f0.0.any4h)'])
      assert.ok(offered.includes(name), name);
    assert.ok(labels('  12: $0').includes('add'));
    assert.ok(labels('(+f0.0) $0').includes('sel') && !labels('(+f0.0) $0').includes('.gen'));
    assert.deepEqual(labels('.$0').sort(), [...directives.keys()].sort());
  });

  it('leaves SIMD4x2 operations out of scalar code', () => {
    const { text, cursor } = fixture('.gen 1\n.mode simd8\n$0');
    const offered = complete(bound(text), cursor).items;
    assert.ok(!offered.some((item) => item.label === 'dp4'));
    assert.equal(offered.find((item) => item.label === 'mov')?.insert, 'mov(8) ${1:vgrf1}:F, ${2:a}:F');
  });

  it('offers what fits the place in a line', () => {
    const cases: [line: string, labels: string[]][] = [
      ['.target $0', ['snb', 'ivb', 'byt', 'hsw', 'bdw']],
      ['.target ivb $0', []],
      ['.phase v$0', ['virtual']],
      ['(+$0', ['f0.0', 'f0.1', 'f1.0', 'f1.1']],
      ['add(8).$0', ['sat', ...conditions.keys()]],
      ['cmp(8).l.$0', ['f0.0', 'f0.1', 'f1.0', 'f1.1']],
      ['add(8) vgrf2:$0', [...types.keys()]],
      ['add(8) vgrf2:F, u0.xxxx:F {$0', [...attributes.keys()]],
      ['add(8) vgrf2:F, u0.xxxx:F {mlen 2, $0', [...attributes.keys()]],
      ['add(8) vgrf2:F, u0.xxxx:F $0', ['NoMask', 'group', '{ }']],
      ['; add(8) $0', []],
      ['mov(8) vgrf1.xyz:F, vgrf1.xyzz:F ; vgrf$0', []],
    ];
    for (const [line, expected] of cases) assert.deepEqual(labels(line).sort(), expected.sort(), line);
  });

  it('offers registers of the program, and a new one for a destination', () => {
    const destination = labels('add(8) $0');
    for (const name of ['vgrf1', 'vgrf2', 'null', 'm1', 'attr0']) assert.ok(destination.includes(name), name);
    const source = labels('add(8) vgrf2:F, -$0');
    assert.ok(source.includes('vgrf1') && !source.includes('vgrf3') && !source.includes('null'));
    assert.ok(labels('add(8) vgrf2.$0').includes('xyz'), 'a mask');
    assert.ok(labels('add(8) vgrf2:F, vgrf1.$0').includes('xxxx'), 'a swizzle');
  });

  it('inserts what parses', () => {
    const whole = items('$0').filter(({ kind }) => kind === 'instruction' || kind === 'directive');
    assert.ok(whole.length > 100);
    for (const item of whole) {
      const text = filled(item)
        .replace(/\b(?!vgrf|simd|size)([a-z]+\d?):F/gi, 'vgrf9:F')
        .replace('0-g', 'g0-g');
      const faults = problemsOf(text).filter(
        ({ code }) => code.startsWith('syntax/') && code !== 'syntax/control-flow',
      );
      if (item.kind === 'instruction') assert.deepEqual(faults, [], text);
    }
    for (const item of snippets)
      assert.deepEqual(
        problemsOf(`.gen 1\n.mode simd4x2\n${filled(item).replace('.gen 1\n', '')}`)
          .filter(({ code, severity }) => severity === 'error' && code.startsWith('syntax/'))
          .map(({ message }) => message),
        [],
        item.label,
      );
  });

  it('documents every item that has a key', () => {
    for (const { key } of [...items('$0'), ...items('add(8) vgrf2:F, u0.xxxx:F {$0')])
      if (key !== undefined) assert.ok((resolveCompletion(key) ?? '').length > 20, key);
    assert.equal(resolveCompletion('mesa frobnicate'), undefined);
  });
});

describe('Beignet completion', () => {
  const at = (text: string, marker: string, typed: string): CompletionItem[] => {
    const offset = text.indexOf(marker);
    assert.ok(offset >= 0);
    const whole = text.slice(0, offset) + typed + text.slice(offset);
    return [...completeBeignet(boundBeignet(whole), offset + typed.length).items];
  };

  it('offers opcodes, suffixes, registers with their regions, types', () => {
    const before = "\nsaxpy's SELECTION IR end.";
    const of = (typed: string): CompletionItem[] => at(saxpySelection, before, typed);
    const add = of('[28]    \t').find(({ label }) => label === 'ADD');
    assert.equal(add?.insert, 'ADD(16)             ');
    assert.ok(resolveCompletion(add.key ?? '')?.includes('a + b'));
    assert.ok(of('[28]    \tCMP.').some(({ label }) => label === 'neq'));
    assert.ok(of('[28]    \tMATH.').some(({ label }) => label === 'rsq'));
    assert.equal(of('[28]    \tADD(16)             ').find((i) => i.label === '%46')?.insert, '%46<1>:');
    const sources = of('[28]    \tADD(16)             %46<1>:D\t:\t');
    assert.equal(sources.find((i) => i.label === '%9')?.insert, '%9<0,1,0>:');
    assert.equal(sources.find((i) => i.label === '%0')?.insert, '%0<8,8,1>:');
    assert.ok(of('[28]    \tADD(16)             %46<1>:').some(({ label }) => label === 'UD'));
  });

  it('offers instructions, types, registers and labels of GEN IR', () => {
    const of = (typed: string): string[] => at(saxpyIr, '\nLABEL $1', typed).map(({ label }) => label);
    assert.ok(of('').includes('LOADI'));
    assert.ok(of('LOAD.').includes('float') && of('LOAD.').includes('global'));
    assert.ok(!of('ADD.').includes('global'));
    assert.ok(of('ADD.float ').includes('%53'));
    assert.ok(of('BRA -> label$').includes('$1'));
    assert.ok(of('BRA -> la').includes('label$1'));
    assert.ok(of('BRA<').includes('%45'));
  });
});
