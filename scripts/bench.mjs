// `npm run bench [-- NAME...]`: the names stand in bench/main.ts; without one all but the longer `kernels` and `ablation`.
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { prepare, root, run } from './prepare.mjs';

prepare();
await bundle();
run(process.execPath, [
  '--enable-source-maps',
  '--expose-gc',
  '--max-old-space-size=8192',
  join(root, 'out', 'bench', 'main.js'),
  ...process.argv.slice(2),
]);
