// `npm run e2e [vscode|playground|neovim|emacs]`: the server in real editors. What an editor needs is installed into a cache folder
// (SPILLWAY_CACHE, else ~/.cache/spillway) or from Debian's packages; what this machine cannot have is skipped, with
// a message. Ends with mocha-like counts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { prepare, root } from './prepare.mjs';

const cache = process.env.SPILLWAY_CACHE ?? join(homedir(), '.cache', 'spillway');
/** VS Code 1.99.3, packaged for npm. */
const codeServer = 'code-server@4.99.4';

const found = (command) => spawnSync('which', [command], { encoding: 'utf8' }).stdout.trim() || undefined;

/** The path of a program, installed from Debian packages where that is possible, or undefined. */
function program(command, ...debianPackages) {
  const path = found(command);
  if (path !== undefined) return path;
  if (found('apt-get') === undefined || process.getuid?.() !== 0) return undefined;
  console.log(`installing ${debianPackages.join(', ')} ...`);
  const quiet = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  spawnSync('apt-get', ['update', '-qq'], quiet);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...debianPackages], quiet);
  return found(command);
}

/** The entry of VS Code's own server, installed from npm without any build step, or undefined. */
function vscodeServer() {
  const folder = join(cache, 'vscode');
  const vscode = join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
  const entry = join(vscode, 'out', 'server-main.js');
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return entry;
  console.log(`installing ${codeServer} ...`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'package.json')))
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const npm = (args, cwd) =>
    spawnSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, stdio: 'inherit' })
      .status === 0;
  if (!npm(['install', '--ignore-scripts', '--no-save', codeServer], folder)) return undefined;
  if (!npm(['install', '--ignore-scripts', '--omit=dev'], vscode)) return undefined;
  if (!existsSync(join(vscode, 'node_modules.asar')))
    symlinkSync('node_modules', join(vscode, 'node_modules.asar'));
  writeFileSync(complete, codeServer);
  return entry;
}

const suites = {
  async neovim() {
    const nvim = program('nvim', 'neovim');
    if (nvim === undefined) return { skipped: 'Neovim is not installed and cannot be installed here' };
    const { runNeovim } = await import('../test/e2e/neovim.mjs');
    return runNeovim(nvim);
  },
  async emacs() {
    const emacs = program('emacs', 'emacs-nox', 'elpa-eglot');
    if (emacs === undefined) return { skipped: 'Emacs is not installed and cannot be installed here' };
    const { runEmacs } = await import('../test/e2e/emacs.mjs');
    return runEmacs(emacs);
  },
  async vscode() {
    const chromium = program('chromium', 'chromium');
    if (chromium === undefined) return { skipped: 'Chromium is not installed and cannot be installed here' };
    const server = vscodeServer();
    if (server === undefined) return { skipped: `${codeServer} cannot be installed here` };
    const { runVscode } = await import('../test/e2e/vscode.mjs');
    return runVscode(server, chromium);
  },
  async playground() {
    const chromium = program('chromium', 'chromium');
    if (chromium === undefined) return { skipped: 'Chromium is not installed and cannot be installed here' };
    const { runPlayground } = await import('../test/e2e/playground.mjs');
    return runPlayground(chromium);
  },
};

prepare();
await bundle();
const wanted = process.argv.slice(2).filter((word) => word in suites);
let passed = 0;
let failed = 0;
for (const name of wanted.length > 0 ? wanted : Object.keys(suites)) {
  console.log(`\n${name}`);
  const result = await suites[name]();
  if (result.skipped !== undefined) console.log(`  skipped: ${result.skipped}`);
  passed += result.passed ?? 0;
  failed += result.failed ?? 0;
}
console.log(`\n  ${passed} passing`);
if (failed > 0) console.log(`  ${failed} failing`);
process.exit(failed > 0 ? 1 : 0);
