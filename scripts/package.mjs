// `npm run package`: spillway-VERSION.vsix, the VS Code extension with everything that it needs inside.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { prepare, root, run } from './prepare.mjs';

/** Packs what is compiled; the path of the package. */
export async function makePackage() {
  await bundle({ minify: true });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const file = join(root, `spillway-${version}.vsix`);
  const vsce = join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  const flags = ['--no-dependencies', '--skip-license', '--allow-missing-repository'];
  run(process.execPath, [vsce, 'package', ...flags, '--no-rewrite-relative-links', '--out', file], {
    stdio: ['ignore', 2, 2],
  });
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  prepare();
  await makePackage();
}
