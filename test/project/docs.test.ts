import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  const families = 'syntax|name|type|isa|module|hw|pressure|spill|stall';

  it('has an entry for every diagnostic code, and none for a code that nothing reports', () => {
    const used = new Set<string>();
    for (const path of sources(join(root, 'server', 'src'))) {
      for (const [, code] of readFileSync(path, 'utf8').matchAll(
        new RegExp(`['"\`]((?:${families})/[a-z][a-z0-9-]*)['"\`]`, 'g'),
      )) {
        used.add(code);
      }
    }
    const documented = existsSync(join(root, 'docs', 'diagnostics.md'))
      ? [...read('docs', 'diagnostics.md').matchAll(/^## (\S+)$/gm)].map((match) => match[1])
      : [];
    assert.deepEqual(
      [...used].filter((code) => !documented.includes(code)).sort(),
      [],
      'codes without an entry',
    );
    assert.deepEqual(documented.filter((code) => !used.has(code)).sort(), [], 'entries without a code');
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
    const client = read('client', 'src', 'commands.ts');
    for (const { command } of manifest.contributes.commands) {
      assert.ok(
        client.includes(`register('${command.replace('spillway.', '')}'`),
        `${command} is not registered`,
      );
    }
  });
});
