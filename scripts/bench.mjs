// `npm run bench [-- NAME...]`: latency, throughput, memory, accuracy, gpir; all without a name.
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
