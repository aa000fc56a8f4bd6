// `npm test`: set-up, then every test. Further arguments go to mocha: `npm test -- --grep liveness`.
import { join } from 'node:path';
import { prepare, root, run } from './prepare.mjs';

prepare();
run(process.execPath, [
  '--enable-source-maps',
  join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
  '--reporter',
  process.env.CI ? 'dot' : 'dot',
  '--timeout',
  '60000',
  'out/test/**/*.test.js',
  ...process.argv.slice(2),
]);
