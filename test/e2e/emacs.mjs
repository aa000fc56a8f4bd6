// Emacs with eglot over stdio, as editors/emacs sets it up: each language with its diagnostics, hover, definition and
// an edit that changes them.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');

export function runEmacs(emacs) {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-emacs-'));
  const copied = (name) => {
    const file = join(folder, name);
    copyFileSync(join(root, 'examples', name), file);
    return file;
  };
  const run = (args) =>
    spawnSync(emacs, ['-Q', '--batch', ...args], {
      encoding: 'utf8',
      timeout: 120_000,
      env: {
        ...process.env,
        HOME: folder,
        SPILLWAY_EMACS: join(root, 'editors', 'emacs'),
        SPILLWAY_FILE: copied('spill.ptx'),
        SPILLWAY_GPIR_FILE: copied('lit_cube.gpir'),
        SPILLWAY_GEN_FILE: copied('rain.gen'),
        SPILLWAY_COMMAND: JSON.stringify([
          process.execPath,
          join(root, 'dist', 'spillway.js'),
          'serve',
          '--stdio',
        ]),
      },
    });
  const packages = ['-l', join(here, 'emacs-packages.el')];
  if (run([...packages, '--eval', "(unless (require 'eglot nil t) (kill-emacs 3))"]).status === 3)
    return { skipped: 'this Emacs has no eglot, which is a part of it from 29 on (Debian: elpa-eglot)' };
  const result = run([...packages, '-l', join(here, 'emacs.el')]);
  rmSync(folder, { recursive: true, force: true });
  const output = `${result.stdout}${result.stderr}`;
  const lines = output.split(/\r?\n/).filter((line) => /^(ok|FAIL) /.test(line));
  for (const line of lines) console.log(`  ${line.slice(0, 240)}`);
  const passed = lines.filter((line) => line.startsWith('ok ')).length;
  const failed = lines.length - passed;
  if (result.status !== 0 && failed === 0) {
    console.log(`  FAIL Emacs ended with ${result.status ?? result.signal}\n${output.slice(-2000)}`);
    return { passed, failed: 1 };
  }
  return { passed, failed };
}
