import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledCode, compiledNameAt } from '../../server/src/features/compiled-code.js';
import { Document } from '../../server/src/workspace/document.js';
import { languageForPath } from '../../server/src/workspace/registry.js';
import { defaultSettings } from '../../server/src/workspace/settings.js';
import { colour, loadGrammar } from '../support/grammar.js';

const examples = join(import.meta.dirname, '..', '..', '..', 'examples');

/** The words of an example's compiled code with their scopes, by line. */
async function coloured(file: string): Promise<{ text: string; words: Map<string, string> }[]> {
  const pair = languageForPath(file)!;
  const text = readFileSync(join(examples, file), 'utf8');
  const s = Document.open('file:///x', pair, 1, text, defaultSettings, (error) => {
    throw error;
  });
  const { lines } = compiledCode(s, compiledNameAt(s, { line: 0, character: 0 })!);
  const words = colour(await loadGrammar(`spillway-compiled-${pair.language.id}`), lines.join('\n'));
  return lines.map((content, line) => ({
    text: content,
    words: new Map(words.filter((word) => word.line === line).map((word) => [word.text.trim(), word.scope])),
  }));
}

describe('grammars of compiled code', () => {
  it('ptx: spill code, registers, waits, labels, comments', async () => {
    const lines = await coloured('spill.ptx');
    const store = lines.find(({ text }) => text.includes('STL '))!;
    assert.equal(store.words.get('STL'), 'keyword.other.spill');
    assert.equal(store.words.get(/, (R\d+)/.exec(store.text)![1]), 'variable.other.register');
    assert.match(store.words.get(/\/\/.*/.exec(store.text)![0]) ?? '', /^comment/);
    const wait = lines.find(({ text }) => /^ *\[\d+\]/.test(text))!;
    assert.equal(wait.words.get(/\[\d+\]/.exec(wait.text)![0]), 'constant.numeric.wait');
    assert.match(lines[0].words.get(lines[0].text) ?? '', /^comment/);
    const loop = await coloured('reduce.ptx');
    const branch = loop.find(({ text }) => /@P\d/.test(text))!;
    assert.match(branch.words.get(/P\d/.exec(branch.text)![0]) ?? '', /predicate/);
  });

  it('gpir: units, what they do, the network, comments', async () => {
    const lines = await coloured('fog.gpir');
    const word = lines.find(({ text }) => /mul0 mul \^/.test(text))!;
    assert.equal(word.words.get('mul0'), 'storage.type.unit');
    assert.equal(word.words.get('mul'), 'keyword.operator.instruction');
    assert.equal(word.words.get(/\^+\w+/.exec(word.text)![0]), 'variable.other.network');
    assert.match(word.words.get(/;.*/.exec(word.text)![0]) ?? '', /^comment/);
  });

  it('gen-ir: scratch messages, and the rest as its own language', async () => {
    const lines = await coloured('rain.gen');
    const write = lines.find(({ text }) => text.includes('scratch_write'))!;
    assert.equal(write.words.get('gfx4_scratch_write'), 'keyword.other.spill');
    assert.match(lines[0].words.get(lines[0].text) ?? '', /^comment/);
  });
});
