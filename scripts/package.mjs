// `npm run package`: spillway-VERSION.vsix, the VS Code extension with everything that it needs inside.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { prepare, root, run } from './prepare.mjs';

prepare();
await bundle({ minify: true });
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
run(process.execPath, [
  join(root, 'node_modules', '@vscode', 'vsce', 'vsce'),
  'package',
  '--no-dependencies',
  '--skip-license',
  '--allow-missing-repository',
  '--no-rewrite-relative-links',
  '--out',
  `spillway-${version}.vsix`,
]);
