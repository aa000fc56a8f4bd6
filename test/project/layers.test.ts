import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const source = join(root, 'server', 'src');

/** Top to bottom; a folder imports from itself and from folders above it. */
const layers = ['text', 'ir', 'passes', 'targets', 'languages', 'workspace', 'features', 'lsp', 'cli'];
/** Only these may know Node or the protocol. */
const outer = new Set(['lsp', 'cli']);

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : path.endsWith('.ts') ? [path] : [];
  });
}

function imports(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [
    ...text.matchAll(
      /^\s*(?:import|export)\b[^'"]*?from\s*['"]([^'"]+)['"]|import\s*\(?\s*['"]([^'"]+)['"]/gm,
    ),
  ].map((match) => match[1] ?? match[2]);
}

/** `targets/nvidia`, `languages/ptx`: folders side by side that do not know each other. */
const sibling = (path: string): string | undefined => /^(?:targets|languages)\/([^/]+)\//.exec(path)?.[1];

function faults(path: string, specifier: string): string | undefined {
  const from = relative(source, path).replaceAll('\\', '/');
  const layer = from.includes('/') ? from.split('/')[0] : undefined;
  if (layer === undefined) return undefined; // main.ts and browser.ts put everything together
  if (!specifier.startsWith('.')) {
    return outer.has(layer)
      ? undefined
      : `${from} imports the package '${specifier}'; only lsp/ and cli/ may`;
  }
  const to = relative(source, resolve(dirname(path), specifier)).replaceAll('\\', '/');
  if (from === 'cli/main.ts' && to === 'main.js') return undefined; // the command starts the server, another program
  const toLayer = to.split('/')[0];
  if (layers.indexOf(toLayer) < 0) return `${from} imports ${to}, which is in no layer`;
  if (layers.indexOf(toLayer) > layers.indexOf(layer)) return `${from} imports ${to}, a layer below it`;
  if (layer === 'languages' && toLayer === 'targets')
    return `${from} imports ${to}: languages do not know targets`;
  const a = sibling(from);
  const b = sibling(to);
  if (layer === toLayer && b !== undefined && a !== b)
    return `${from} imports ${to}: neighbours do not know each other`;
  return undefined;
}

describe('layers', () => {
  it('imports go up only, and only the outer folders know packages', () => {
    const found = files(source).flatMap((path) => imports(path).flatMap((s) => faults(path, s) ?? []));
    assert.deepEqual(found, []);
  });

  it('the rule sees what it must see', () => {
    const at = (p: string): string => join(source, p);
    assert.match(faults(at('passes/x.ts'), '../features/y.js') ?? '', /layer below/);
    assert.match(faults(at('text/x.ts'), 'node:fs') ?? '', /only lsp/);
    assert.match(faults(at('languages/ptx/x.ts'), '../../targets/target.js') ?? '', /do not know/);
    assert.match(faults(at('languages/ptx/x.ts'), '../gpir/x.js') ?? '', /neighbours/);
    assert.match(faults(at('languages/language.ts'), './ptx/x.js') ?? '', /neighbours/);
    assert.match(faults(at('features/x.ts'), '../main.js') ?? '', /no layer/);
    assert.equal(faults(at('features/x.ts'), '../workspace/y.js'), undefined);
    assert.equal(faults(at('cli/main.ts'), '../main.js'), undefined);
  });
});
