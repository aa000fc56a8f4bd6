// Bundles what is shipped: the command line and its threads, the server and the VS Code client, each a file in dist/; and the pictures,
// which run in a browser, in dist/views/. npm runs this (`prepare`) when the package is installed from git or from a folder.
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './prepare.mjs';

const bundles = [
  { entry: 'server/src/cli/main.ts', file: 'spillway.js', format: 'esm', executable: true },
  { entry: 'server/src/cli/command.ts', file: 'command.js', format: 'esm' },
  { entry: 'server/src/main.ts', file: 'server.cjs', format: 'cjs' },
  { entry: 'client/src/extension.ts', file: 'client.cjs', format: 'cjs' },
];

/** Packages written as CommonJS call `require`, which an ES module has to make for itself. */
const requireForModules =
  "import { createRequire as spillwayCreateRequire } from 'node:module'; const require = spillwayCreateRequire(import.meta.url);";

/** What the command loads when it knows what is asked for: bundles of their own, beside it. */
const loadedLater = { '../main.js': './server.cjs', './command.js': './command.js' };

const bundlesBeside = {
  name: 'bundles-beside',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.?\// }, ({ kind, path }) =>
      kind === 'dynamic-import' && path in loadedLater
        ? { path: loadedLater[path], external: true }
        : undefined,
    ),
};

/** Options of esbuild. */
const forNode = ({ entry, file, format, executable }, folder, minify) => ({
  absWorkingDir: root,
  entryPoints: [entry],
  outfile: join(folder, file),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format,
  minify,
  sourcemap: minify ? false : 'linked',
  external: ['vscode'],
  plugins: executable ? [bundlesBeside] : [],
  logLevel: 'warning',
  banner: format === 'esm' ? { js: `${executable ? '#!/usr/bin/env node\n' : ''}${requireForModules}` } : {},
});

/** The thread that compiles reads the machine that it needs and no other. */
const backEnd = {
  'back-end': 'server/src/cli/back-end.ts',
  'machines/nvidia': 'server/src/targets/nvidia/index.ts',
  'machines/mali-gp': 'server/src/targets/mali-gp/index.ts',
  'machines/gen': 'server/src/targets/gen/index.ts',
};

async function bundleBackEnd(build, folder, minify) {
  rmSync(resolve(root, folder, 'machines'), { recursive: true, force: true });
  const { outfile: _, ...common } = forNode({ entry: '', file: '', format: 'esm' }, folder, minify);
  await build({
    ...common,
    entryPoints: backEnd,
    outdir: folder,
    splitting: true,
    chunkNames: 'machines/[hash]',
    sourcemap: false,
    banner: {},
  });
}

export async function bundle({ minify = false } = {}) {
  const { build } = await import('esbuild');
  for (const program of bundles)
    if (existsSync(join(root, program.entry))) await build(forNode(program, 'dist', minify));
  await bundleBackEnd(build, 'dist', minify);
  await bundleForBrowser(build, minify);
  await bundleViews(build, minify);
}

/** The command line and the server alone: one file loads in a third of the time of its modules. */
export async function bundlePrograms(folder) {
  const { build } = await import('esbuild');
  for (const program of bundles.filter(({ entry }) => entry.startsWith('server/')))
    await build({ ...forNode(program, folder, false), sourcemap: false });
  await bundleBackEnd(build, folder, false);
}

/** What runs in web workers: the server, and the client in VS Code's host for web extensions. */
const workers = [
  { entry: 'server/src/browser.ts', file: 'server-web.js', format: 'iife' },
  { entry: 'client/src/browser.ts', file: 'client-web.js', format: 'cjs' },
];

async function bundleForBrowser(build, minify) {
  for (const { entry, file, format } of workers) await build(forBrowser(entry, file, format, minify));
}

/** Options of esbuild; a module of Node fails the build. */
export const forBrowser = (entry, file, format, minify) => ({
  absWorkingDir: root,
  entryPoints: [entry],
  outfile: join('dist', file),
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  format,
  minify,
  sourcemap: minify ? false : 'linked',
  external: ['vscode'],
  logLevel: 'warning',
});

/** The text of the worker that lays out graphs. */
export async function layoutWorker(build) {
  const options = forBrowser(
    'client/src/views/control-flow/layout-worker.ts',
    'layout-worker.js',
    'iife',
    true,
  );
  const { outputFiles } = await build({ ...options, write: false });
  return outputFiles[0].text;
}

const views = ['live-ranges', 'control-flow', 'compare'];

/** Each picture with its style; the layout of graphs runs in a worker, whose text is a part of the bundle. */
async function bundleViews(build, minify) {
  const common = {
    absWorkingDir: root,
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    minify,
    logLevel: 'warning',
  };
  const layout = await layoutWorker(build);
  await build({
    ...common,
    entryPoints: views.map((name) => ({ in: `client/src/views/vscode/${name}.ts`, out: name })),
    outdir: join('dist', 'views'),
    sourcemap: minify ? false : 'linked',
    define: { LAYOUT_WORKER: JSON.stringify(layout) },
  });
  await build({ ...common, entryPoints: ['client/src/views/views.css'], outdir: join('dist', 'views') });
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await bundle({ minify: process.argv.includes('--minify') });
