import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What ptxas says against a module that another may be linked to; empty when it assembles. */
export function complaints(text: string, arch: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-assemble-'));
  try {
    const path = join(folder, 'module.ptx');
    writeFileSync(path, text);
    const { status, stderr } = spawnSync(
      'ptxas',
      ['-c', `-arch=${arch}`, path, '-o', join(folder, 'module.o')],
      {
        encoding: 'utf8',
      },
    );
    return status === 0 ? '' : stderr.trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
