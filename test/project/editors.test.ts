import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { registry } from '../../server/src/workspace/registry.js';
import { resolveSettings } from '../../server/src/workspace/settings.js';
import { parseToml } from '../support/toml.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const languages = registry.map(({ language }) => language);
const start = ['spillway', 'serve', '--stdio'];

/** Blocks of a page in one language. */
const blocks = (page: string, name: string): string[] =>
  [...read('docs', page).matchAll(new RegExp(`^\`\`\`${name}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, text]) => text,
  );

/** JSON with comments and commas at the ends, as VS Code and Sublime Text read it. */
const parseJsonc = (text: string): unknown =>
  JSON.parse(text.replace(/^\s*\/\/.*$/gm, '').replace(/,(\s*[}\]])/g, '$1'));

/** The section `spillway` is one that the server takes. */
function assertSettings(section: unknown): void {
  assert.ok(section !== undefined);
  assert.deepEqual(resolveSettings(section, registry).problems, []);
}

interface HelixServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly config: { readonly spillway: unknown };
}
interface Helix {
  readonly 'language-server': { readonly spillway: HelixServer };
  readonly language: readonly { readonly [key: string]: unknown }[];
}
interface Sublime {
  readonly clients: {
    readonly spillway: {
      readonly enabled: boolean;
      readonly command: readonly string[];
      readonly selector: string;
      readonly settings: unknown;
    };
  };
}
interface KakouneServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly settings: { readonly spillway: unknown };
}

describe('set-up for editors', () => {
  it('Helix: each language with its endings, the server, settings that there are', () => {
    const file = parseToml(read('editors', 'helix', 'languages.toml')) as unknown as Helix;
    const server = file['language-server'].spillway;
    assert.deepEqual([server.command, ...server.args], start);
    assertSettings(server.config.spillway);
    const known = ['name', 'scope', 'file-types', 'comment-token', 'indent', 'language-servers'];
    for (const { id, extensions } of languages) {
      const language = file.language.find(({ name }) => name === id);
      assert.ok(language, id);
      assert.deepEqual(Object.keys(language), known);
      assert.deepEqual(
        language['file-types'],
        extensions.map((one) => one.slice(1)),
      );
      assert.deepEqual(language['language-servers'], ['spillway']);
      const configuration = JSON.parse(read('syntaxes', `${id}.language-configuration.json`)) as {
        comments: { lineComment: string };
      };
      assert.equal(language['comment-token'], configuration.comments.lineComment);
    }
    const config = parseToml(read('editors', 'helix', 'config.toml')) as { editor: { lsp: unknown } };
    assert.deepEqual(config.editor.lsp, { 'display-inlay-hints': true });
  });

  it('Sublime Text: a scope for each language, which a syntax file has', () => {
    for (const text of [
      read('editors', 'sublime', 'LSP.sublime-settings'),
      ...blocks('editors.md', 'jsonc'),
    ]) {
      const { spillway } = (parseJsonc(text) as Sublime).clients;
      assert.deepEqual([spillway.enabled, ...spillway.command], [true, ...start]);
      assert.deepEqual(
        spillway.selector.split(' | '),
        languages.map(({ id }) => `source.${id}`),
      );
      assertSettings(spillway.settings);
    }
    const syntaxes = readdirSync(join(root, 'editors', 'sublime')).filter((name) =>
      name.endsWith('.sublime-syntax'),
    );
    assert.equal(syntaxes.length, languages.length);
    const texts = syntaxes.map((name) => read('editors', 'sublime', name));
    for (const { id, extensions } of languages) {
      const text = texts.find((one) => one.includes(`\nscope: source.${id}\n`)) ?? '';
      assert.ok(text.startsWith('%YAML 1.2\n---\n'), id);
      assert.ok(text.includes(`file_extensions: [${extensions.map((one) => one.slice(1)).join(', ')}]`), id);
      // expressions of Oniguruma that JavaScript reads too
      for (const [, pattern] of text.matchAll(/match: '([^']*)'/g))
        assert.doesNotThrow(() => new RegExp(pattern));
    }
  });

  it('Kakoune: file types and a server for them, in the old form and the new', () => {
    const script = read('editors', 'kakoune', 'spillway.kak');
    for (const { id, extensions } of languages)
      for (const extension of extensions)
        assert.ok(
          script.includes(`BufCreate .*[.]${extension.slice(1)} %{ set-option buffer filetype ${id} }`),
          id,
        );
    const filetypes = `filetype=(?:${languages.map(({ id }) => id).join('|')})`;
    assert.equal(script.split(filetypes).length, 3);
    assert.equal(script.split('{').length, script.split('}').length, 'braces are balanced');
    const [, inner] = /lsp_servers %\{([^]*?)\n {4}\}/.exec(script) ?? [];
    const now = (parseToml(inner) as { spillway: KakouneServer }).spillway;
    const old = parseToml(read('editors', 'kakoune', 'kak-lsp.toml')) as {
      language_server: { spillway: KakouneServer & { filetypes: readonly string[] } };
    };
    for (const server of [now, old.language_server.spillway]) {
      assert.deepEqual([server.command, ...server.args], start);
      assertSettings(server.settings.spillway);
    }
    assert.deepEqual(
      old.language_server.spillway.filetypes,
      languages.map(({ id }) => id),
    );
  });

  it('Neovim and Emacs: the endings and identities of all languages', () => {
    const lua = read('editors', 'neovim', 'lua', 'spillway.lua');
    const lisp = read('editors', 'emacs', 'spillway.el');
    const ofLua = /local extensions = \{(.*)\}/.exec(lua)?.[1] ?? '';
    for (const { id, extensions } of languages)
      for (const extension of extensions) {
        assert.match(ofLua, new RegExp(`\\b${extension.slice(1)} = '${id}'`));
        assert.ok(lisp.includes(`("\\\\${extension}\\\\'" . ${id}-mode)`), id);
        assert.ok(lisp.includes(`(define-derived-mode ${id}-mode `), id);
      }
  });

  it('the page has snippets that are right, and names files that there are', () => {
    for (const text of blocks('editors.md', 'toml')) parseToml(text);
    const page = read('docs', 'editors.md');
    const named = [...page.matchAll(/`(editors\/[\w./-]+)`/g)].map(([, path]) => path);
    assert.ok(named.length >= 6);
    for (const path of named) assert.ok(existsSync(join(root, path)), path);
    for (const { id, extensions } of languages)
      assert.ok(page.includes(`\`${id}\` for \`${extensions.join('`, `')}\``), id);
    for (const text of blocks('editors.md', 'lua').concat(blocks('editors.md', 'elisp')))
      assert.equal(text.split(/[({]/).length, text.split(/[)}]/).length);
  });

  it('the reader of TOML refuses what is none', () => {
    assert.deepEqual(parseToml('a.b = [1, "x"] # c\n[[t]]\nk = { l = true }\n[[t]]\n[t.u]\nv = \'w\'\n'), {
      a: { b: [1, 'x'] },
      t: [{ k: { l: true } }, { u: { v: 'w' } }],
    });
    for (const text of ['a', 'a = ', 'a = [1', 'a = 1 2', '[a', '[[a]', 'a = 1\na = 2', 'a = {b}', 'a b = 1'])
      assert.throws(() => parseToml(text), text);
  });
});
