import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentationOf } from '../../server/src/features/diagnostics.js';
import { codes, isCode } from '../../server/src/text/codes.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : path.endsWith('.ts') ? [path] : [];
  });
}

interface Manifest {
  readonly contributes: {
    readonly configuration: {
      readonly properties: Readonly<Record<string, { markdownDescription?: string; description?: string }>>;
    };
    readonly commands: readonly { readonly command: string }[];
  };
}

describe('documentation', () => {
  const headings = [...read('docs', 'diagnostics.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);

  it('has an entry for every diagnostic code, sorted, and none for a code that there is not', () => {
    assert.deepEqual(headings, Object.keys(codes).sort());
  });

  it('has the anchors that diagnostics link to: those that GitHub makes of the headings', () => {
    // lower case, punctuation dropped but for hyphens and underscores, blanks as hyphens
    const anchors = headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    assert.equal(new Set(anchors).size, anchors.length);
    const links = headings.filter(isCode).map(documentationOf);
    assert.deepEqual(
      links,
      anchors.map((anchor) => `docs/diagnostics.md#${anchor}`),
    );
  });

  it('knows no code that nothing reports', () => {
    const written = sources(join(root, 'server', 'src'))
      .filter((path) => !path.endsWith('codes.ts'))
      .map((path) => readFileSync(path, 'utf8'))
      .join('');
    assert.deepEqual(
      Object.keys(codes).filter((code) => !written.includes(`'${code}'`)),
      [],
    );
  });

  it('has links that work in the repository and in the extension alike', () => {
    const packed = read('.vscodeignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => new RegExp(`^${line.slice(1).replaceAll('.', '\\.').replace(/\*+/, '[^/]+')}$`));
    const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
    for (const page of pages.filter((name) => name.endsWith('.md')))
      for (const [, link] of withoutCode(read(page)).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
        if (URL.canParse(link)) continue;
        const path = join(dirname(page), link);
        assert.ok(existsSync(join(root, path)), `${page}: ${link} does not exist`);
        assert.ok(
          packed.some((pattern) => pattern.test(path)),
          `${page}: ${link} is not in the extension`,
        );
      }
  });

  it('lists every setting of the manifest', () => {
    const manifest = JSON.parse(read('package.json')) as Manifest;
    const text = read('docs', 'settings.md');
    const missing = Object.keys(manifest.contributes.configuration.properties).filter(
      (name) => !text.includes(`\`${name}\``),
    );
    assert.deepEqual(missing, []);
    for (const [name, property] of Object.entries(manifest.contributes.configuration.properties)) {
      assert.ok(
        (property.markdownDescription ?? property.description ?? '').length > 20,
        `${name} needs a description`,
      );
    }
  });

  it('names only commands that the client registers', () => {
    const manifest = JSON.parse(read('package.json')) as Manifest;
    const client = read('client', 'src', 'commands.ts') + read('client', 'src', 'pictures.ts');
    for (const { command } of manifest.contributes.commands) {
      assert.ok(
        client.includes(`register('${command.replace('spillway.', '')}'`) ||
          client.includes(`id: '${command}'`),
        `${command} is not registered`,
      );
    }
  });
});

/** Brackets and parentheses of program text are no links. */
const withoutCode = (markdown: string): string => markdown.replace(/^```[^]*?^```$|`[^`\n]*`/gm, '');
