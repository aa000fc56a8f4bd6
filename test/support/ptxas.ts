import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The real ptxas, where it is installed. */

let isThere: boolean | undefined;

/** The calling test is skipped, with one message a run, where there is no ptxas. */
export function ptxasOrSkip(test: Mocha.Context): void {
  if (isThere === undefined) {
    isThere = spawnSync('ptxas', ['--version']).status === 0;
    if (!isThere) console.log('    (ptxas is not installed: tests that assemble with it are skipped)');
  }
  if (!isThere) test.skip();
}

const OLDEST = 75;

/** What ptxas says against each text, for separate compilation; '' where it takes it. Machines older than it knows become its oldest. */
export function assemble(texts: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-ptxas-'));
  try {
    const path = join(folder, 'case.ptx');
    return texts.map((text) => {
      writeFileSync(path, text, 'latin1');
      const sm = Number(/\.target\s+sm_(\d+)/.exec(text)?.[1] ?? OLDEST);
      const arch = sm < OLDEST ? `sm_${OLDEST}` : /\.target\s+(\w+)/.exec(text)![1];
      const ran = spawnSync('ptxas', [`-arch=${arch}`, '-c', path, '-o', join(folder, 'out')], {
        encoding: 'utf8',
      });
      return ran.status === 0 ? '' : ran.stderr;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
