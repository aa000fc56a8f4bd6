// `npm test`: set-up, then every test. Further arguments go to mocha: `npm test -- --grep liveness`.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { bundlePrograms } from './bundle.mjs';
import { prepare, root, run } from './prepare.mjs';

prepare();
/** The command and the server as tests start them: as they are shipped. */
const programs = join(root, 'out', 'programs');
await bundlePrograms(programs);
/** Random Gen programs of each width that the whole test run tries; mocha alone tries a few. */
const env = { SPILLWAY_GEN_PROGRAMS: '10000', SPILLWAY_PROGRAMS: programs, ...process.env };
const mocha = [
  '--enable-source-maps',
  join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
  '--reporter',
  'dot',
  '--parallel',
  '--jobs',
  String(Math.min(4, availableParallelism())),
  '--timeout',
  '60000',
  'out/test/**/*.test.js',
  ...process.argv.slice(2),
];
run(process.execPath, mocha, { env });
