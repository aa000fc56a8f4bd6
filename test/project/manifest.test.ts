import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { registry } from '../../server/src/workspace/registry.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly bin: Readonly<Record<string, string>>;
  readonly main: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly supported: string;
      readonly restrictedConfigurations: readonly string[];
    };
  };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly languages: readonly {
      readonly id: string;
      readonly extensions: readonly string[];
      readonly configuration: string;
    }[];
    readonly grammars: readonly { readonly language: string; readonly path: string }[];
  };
};

const sources = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

describe('manifest', () => {
  it('can start a program from one module alone, never as an untrusted workspace says, threads of itself from the command alone, and evaluates nothing', () => {
    assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, [
      'spillway.ptx.ptxas',
    ]);
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
    const starting: string[] = [];
    const threading: string[] = [];
    for (const path of [...sources('server/src'), ...sources('client/src')]) {
      const text = readFileSync(join(root, path), 'utf8');
      assert.doesNotMatch(text, /node:vm|\beval\(|new Function\(/, path);
      if (text.includes('worker_threads')) threading.push(path);
      if (text.includes('child_process')) starting.push(path);
    }
    assert.deepEqual(starting, [join('server', 'src', 'lsp', 'ptxas', 'run.ts')]);
    assert.deepEqual(
      threading.sort(),
      ['back-end.ts', 'command.ts', 'main.ts', 'threads/halves.ts', 'threads/threads.ts'].map((name) =>
        join('server', 'src', 'cli', name),
      ),
    );
  });

  it('depends on the protocol alone', () =>
    assert.deepEqual(Object.keys(manifest.dependencies).sort(), [
      'vscode-languageclient',
      'vscode-languageserver',
      'vscode-languageserver-textdocument',
    ]));

  it('names the command and the extension that the bundles write', () => {
    assert.deepEqual(manifest.bin, { spillway: 'dist/spillway.js' });
    assert.equal(manifest.main, './dist/client.cjs');
    const bundles = readFileSync(join(root, 'scripts', 'bundle.mjs'), 'utf8');
    for (const file of ['spillway.js', 'client.cjs', 'server.cjs']) assert.ok(bundles.includes(file), file);
  });

  it('contributes each language with its endings, a grammar and a configuration', () => {
    const { languages, grammars } = manifest.contributes;
    for (const { language } of registry) {
      const contributed = languages.find(({ id }) => id === language.id);
      assert.deepEqual(contributed?.extensions, language.extensions, language.id);
    }
    for (const { id, configuration } of languages) {
      const grammar = grammars.find(({ language }) => language === id);
      for (const path of [configuration, grammar?.path ?? ''])
        JSON.parse(readFileSync(join(root, path), 'utf8'));
    }
  });
});
