// Neovim with its built-in client over stdio, as editors/neovim sets it up: diagnostics, hover, definition, an edit that removes a spill; the same
// server answers for gpir and Gen IR.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');

export function runNeovim(nvim) {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-neovim-'));
  const copied = (name) => {
    const file = join(folder, name);
    copyFileSync(join(root, 'examples', name), file);
    return file;
  };
  const result = spawnSync(
    nvim,
    ['--headless', '-u', 'NONE', '-i', 'NONE', '-n', '-S', join(here, 'neovim.lua')],
    {
      encoding: 'utf8',
      timeout: 60_000,
      env: {
        ...process.env,
        HOME: folder,
        SPILLWAY_NEOVIM: join(root, 'editors', 'neovim'),
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
    },
  );
  rmSync(folder, { recursive: true, force: true });
  const output = `${result.stdout}${result.stderr}`;
  const lines = output.split(/\r?\n/).filter((line) => /^(ok|FAIL) /.test(line));
  for (const line of lines) console.log(`  ${line.slice(0, 240)}`);
  const passed = lines.filter((line) => line.startsWith('ok ')).length;
  const failed = lines.length - passed;
  if (result.status !== 0 && failed === 0) {
    console.log(`  FAIL Neovim ended with ${result.status ?? result.signal}\n${output.slice(-2000)}`);
    return { passed, failed: 1 };
  }
  return { passed, failed };
}
