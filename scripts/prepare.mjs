// Brings a fresh clone to a state in which everything runs: packages installed, TypeScript compiled.
// Usable alone (`npm run build`) and imported by the other scripts. Needs Node and npm only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Installs the packages of the lock file, once for each state of it. */
export function install() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`spillway needs Node 20.19 or newer; this is ${process.versions.node}`);
    process.exit(2);
  }
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules', '.spillway-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('installing packages ...');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  writeFileSync(stamp, lock);
}

export function compile() {
  const tsc = join(root, 'node_modules', 'ts7', 'bin', 'tsc');
  const compileProject = (folder, name) =>
    run(process.execPath, [tsc, '-p', folder, '--incremental', '--tsBuildInfoFile', join(root, 'out', name)]);
  compileProject(root, '.tsbuildinfo');
  // what runs in a browser has its own library; the pure parts of it are compiled above with their tests
  compileProject(join(root, 'client', 'src', 'views'), '.views.tsbuildinfo');
  compileProject(join(root, 'playground'), '.playground.tsbuildinfo');
}

export function prepare() {
  install();
  compile();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) prepare();
