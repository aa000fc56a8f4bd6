// `npm run playground`: dist/playground/, a page that any file server can give away; it asks nobody else for anything.
// With `--serve [PORT]` it is served on this machine as well.
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forBrowser, layoutWorker } from './bundle.mjs';
import { writeDocsPages } from './docs-pages.mjs';
import { compile, install, root } from './prepare.mjs';
import { serveFolder } from './serve-folder.mjs';

const { contributes } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const readLanguages = contributes.languages.filter(({ id }) => !id.startsWith('spillway-'));

const languages = readLanguages.map(({ id, extensions, configuration }) => ({
  id,
  extension: extensions[0],
  configuration: JSON.parse(readFileSync(join(root, configuration), 'utf8')),
}));

const settings = Object.entries(contributes.configuration.properties)
  .filter(([key]) => key.startsWith('spillway.targets.'))
  .map(([key, property]) => ({
    key: key.slice('spillway.'.length),
    choices: property.enum,
    minimum: property.minimum,
    maximum: property.maximum,
    initial: property.default,
    description: property.markdownDescription,
  }));

/** `spill.ptx` first: what it shows is what the program is for. */
function examples() {
  const folder = join(root, 'examples');
  const names = readdirSync(folder).filter((name) =>
    languages.some(({ extension }) => extension === extname(name)),
  );
  names.sort((a, b) => Number(b === 'spill.ptx') - Number(a === 'spill.ptx') || (a < b ? -1 : 1));
  return names.map((name) => ({
    name,
    language: languages.find(({ extension }) => extension === extname(name)).id,
    text: readFileSync(join(folder, name), 'utf8'),
  }));
}

export async function buildPlayground() {
  const { build } = await import('esbuild');
  const folder = join('dist', 'playground');
  const target = join(root, folder);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const options = (entry, file, format = 'iife') => ({
    ...forBrowser(entry, join('playground', file), format, true),
    loader: { '.ttf': 'dataurl' },
  });
  await build(options('server/src/browser.ts', 'server-web.js'));
  await build(options('node_modules/monaco-editor/esm/vs/editor/editor.worker.js', 'editor.worker.js'));
  await build({
    ...options('playground/src/main.ts', 'playground.js', 'esm'),
    define: {
      LAYOUT_WORKER: JSON.stringify(await layoutWorker(build)),
      PLAYGROUND_LANGUAGES: JSON.stringify(languages),
      PLAYGROUND_SETTINGS: JSON.stringify(settings),
    },
  });
  await build({
    ...options('playground/src/styles.css', 'styles.css'),
  });
  writeFileSync(join(target, 'examples.json'), JSON.stringify(examples()));
  cpSync(join(root, 'playground', 'index.html'), join(target, 'index.html'));
  await writeDocsPages(join(target, 'docs'));
  return target;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  install();
  compile();
  const target = await buildPlayground();
  console.log(`built ${target}`);
  const serve = process.argv.indexOf('--serve');
  if (serve > 0)
    console.log(`serving ${(await serveFolder(target, Number(process.argv[serve + 1] ?? 8080))).url}`);
}
