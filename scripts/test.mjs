// `npm test`: set-up, then every test. Further arguments go to mocha: `npm test -- --grep liveness`.
import { readdirSync } from 'node:fs';
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
const { settingsForManyFiles } = await import('../out/server/src/cli/engine.js');
/** Files that take longest, which begin first: one that begins last would leave all processors but one idle. */
const longest = ['random-simd16', 'random-simd4x2', 'random-simd8', 'random-programs'];
const rank = (path) => longest.findIndex((name) => path.endsWith(`${name}.test.js`)) + 1 || Infinity;
const files = readdirSync(join(root, 'out', 'test'), { recursive: true })
  .filter((path) => path.endsWith('.test.js'))
  .sort()
  .sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))
  .map((path) => join('out', 'test', path));
const mocha = [
  '--enable-source-maps',
  // much code that runs once or a few times, as in a command over many files: a fifth less processor time
  ...settingsForManyFiles(),
  join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
  '--reporter',
  'dot',
  '--parallel',
  '--jobs',
  String(Math.min(4, availableParallelism())),
  '--timeout',
  '60000',
  ...files,
  ...process.argv.slice(2),
];
run(process.execPath, mocha, { env });
