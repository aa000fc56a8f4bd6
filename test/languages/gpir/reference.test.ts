import assert from 'node:assert/strict';
import { directives } from '../../../server/src/languages/gpir/isa/directives.js';
import { latencies, slots } from '../../../server/src/languages/gpir/isa/machine.js';
import { operations } from '../../../server/src/languages/gpir/isa/operations.js';
import { references } from '../../../server/src/languages/gpir/isa/reference.js';
import { operationSyntax, operationText } from '../../../server/src/languages/gpir/operation-text.js';
import { parse } from '../../../server/src/languages/gpir/parser/parse.js';
import { problemsOf } from './support.js';

describe('gpir reference text', () => {
  it('is there for every operation, and for nothing else', () =>
    assert.deepEqual([...references.keys()].sort(), [...operations.keys()].sort()));

  it('says of each result how it reaches its readers, and of nothing else', () => {
    for (const [name, { latency }] of references)
      assert.equal(latency !== undefined, operations.get(name)?.result, name);
  });

  it('says of each operation where it is executed or what it becomes', () => {
    for (const [name, { slots: places, becomes }] of references) {
      assert.ok(places.length > 0 || becomes !== undefined, name);
      assert.ok(
        places.every((place) => slots.some((slot) => slot.name === place)),
        name,
      );
    }
  });

  it('names operations that there are where it says what one becomes', () => {
    for (const [name, { becomes = '' }] of references)
      for (const [, word] of becomes.matchAll(/\b([a-z]\w*)\(/g))
        assert.ok(operations.has(word), `${name}: ${word}`);
  });

  it('gives distances that do not cross, and stores in the word that makes the value', () => {
    for (const [producer, { read, store }] of Object.entries(latencies)) {
      assert.ok(read.minimum <= read.maximum, producer);
      // A sequence counts from its first word: what it makes in word n is read from word n + 1 on.
      if (store !== undefined) assert.ok(store < read.minimum, producer);
    }
  });

  it('shows the syntax that the parser takes', () => {
    const sample: Readonly<Record<string, string>> = {
      attribute: 'a0.x',
      uniform: 'u0.x',
      varying: 'v0.x',
      temporary: 't0.x',
      register: '@r',
      number: '2.5',
      label: 'here',
      source: '1',
    };
    for (const operation of operations.values()) {
      const operands = operation.operands.map((form) => sample[form]);
      const text = `here:\n${operation.result ? '%x = ' : ''}${operation.name} ${operands.join(', ')}\n`;
      assert.deepEqual(parse(text).problems, [], text);
      assert.equal(operationSyntax(operation).split(',').length, Math.max(1, operands.length));
      assert.match(operationText(operation.name) ?? '', /Mali-400 GP/);
    }
    assert.equal(operationText('toString'), undefined);
  });

  it('shows the syntax of directives that the parser takes', () => {
    const samples = [
      '.program p',
      '.attribute a0 n',
      '.uniform u0 n',
      '.varying v0 n position',
      '.live_out @a, $0.x',
    ];
    assert.deepEqual(
      samples.map((text) => text.split(' ')[0]),
      [...directives.keys()],
    );
    for (const text of samples)
      assert.deepEqual(
        problemsOf(`${text}\n  st_reg @a, 1\n  st_reg $0.x, 1\n`).filter((p) => p.severity === 'error'),
        [],
      );
  });
});
