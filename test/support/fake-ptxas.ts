import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Programs that stand for ptxas: shell scripts in a folder of their own. `$text` is the path of the text that they
 * are given. Absent (undefined) where there is no POSIX shell.
 */
export class FakePtxas {
  readonly folder = mkdtempSync(join(tmpdir(), 'spillway-fake-'));

  /** The path of a program with this body. */
  program(name: string, body: string): string {
    const path = join(this.folder, name);
    const text = 'for a; do case $a in *.ptx) text=$a;; esac; done';
    writeFileSync(path, `#!/bin/sh\n${text}\n${body}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const hasShell = process.platform !== 'win32';

/** A shell command that prints lines to standard error, as ptxas does. */
export const prints = (...lines: readonly string[]): string => `cat >&2 <<'END'\n${lines.join('\n')}\nEND`;

/** What ptxas prints of one entry. */
export const entryLines = (name: string, registers: number, spillBytes = 0, arch = 'sm_90'): string[] => [
  `ptxas info    : Compiling entry function '${name}' for '${arch}'`,
  `ptxas info    : Function properties for ${name}`,
  `    ${spillBytes} bytes stack frame, ${spillBytes} bytes spill stores, ${spillBytes} bytes spill loads`,
  `ptxas info    : Used ${registers} registers, used 0 barriers, 360 bytes cmem[0]`,
];
