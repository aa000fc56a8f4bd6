// `npm run fuzz [-- NAME...] [--seed N] [--times N]`: long random searches, all of them without a name.
//   isa           the instruction tables against ptxas, where it is installed
//   properties    every property test, 20 times as long as `npm test`
//   incremental   random edit scripts: incremental equals from scratch
//   allocation    random and reference kernels at random limits: the checker, and execution before and after
//   gen           random Gen programs through every strategy: allocations proved, source and code side by side
//   soft-stack    random modules before and after their frames move to soft stacks, with warps interleaved at random
//   gp            random programs for the geometry processor: rules, bound, source and code side by side (1 000 000)
// The seed is printed first; with `--seed` what was found is found again. Ends with 1 where something was found.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

const programs = {
  isa: 'isa.js',
  incremental: 'incremental.js',
  allocation: 'allocation.js',
  gen: 'gen.js',
  gp: 'gp.js',
  'soft-stack': 'soft-stack.js',
};
const names = ['isa', 'properties', 'incremental', 'allocation', 'gen', 'soft-stack', 'gp'];

const wanted = [];
const options = new Map();
for (let rest = process.argv.slice(2); rest.length > 0;) {
  const word = rest.shift();
  if (word.startsWith('--') && rest.length > 0) options.set(word, rest.shift());
  else if (names.includes(word)) wanted.push(word);
  else {
    console.error(
      `usage: npm run fuzz -- [NAME...] [--seed N] [--times N]; NAME is one of ${names.join(', ')}`,
    );
    process.exit(2);
  }
}
const seed = options.get('--seed') ?? String(Date.now() % 1_000_000_000);
options.set('--seed', seed);
const times = Number(options.get('--times') ?? 1);

/** Test files with a property in them, or with inputs of which `npm test` takes a part. */
function propertyTests() {
  const folder = join(root, 'out', 'test');
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join(folder, name))
    .filter((path) => /from 'fast-check'|\bspread\(/.test(readFileSync(path, 'utf8')));
}

function search(name) {
  const node = (args, env = {}) =>
    spawnSync(process.execPath, ['--enable-source-maps', ...args], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    }).status ?? 1;
  if (name !== 'properties')
    return node([join(root, 'out', 'test', 'search', programs[name]), ...[...options].flat()]);
  console.log(`seed ${seed}\nevery property test, ${20 * times} times as long as usual`);
  const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  return node([mocha, '--reporter', 'dot', '--timeout', '0', ...propertyTests()], {
    SPILLWAY_FUZZ_RUNS: String(20 * times),
    SPILLWAY_FUZZ_SEED: seed,
  });
}

prepare();
const found = [];
for (const name of wanted.length > 0 ? wanted : names) {
  console.log(`\n== ${name}`);
  if (search(name) !== 0) found.push(name);
}
console.log(found.length === 0 ? '\nnothing found' : `\nfound by: ${found.join(', ')} (--seed ${seed})`);
process.exitCode = found.length === 0 ? 0 : 1;
