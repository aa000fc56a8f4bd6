import assert from 'node:assert/strict';
import type { Io } from '../../server/src/cli/io.js';
import { Progress } from '../../server/src/cli/progress.js';

/** What is written to standard error while the clock goes on by 60 milliseconds a report. */
function shown(errorIsTerminal: boolean, reports: number): string[] {
  const written: string[] = [];
  let now = 0;
  const io = { errorIsTerminal, error: (text: string) => void written.push(text) } as unknown as Io;
  const progress = new Progress(io, () => now);
  for (let k = 1; k <= reports; k++) {
    now += 60;
    progress.report('big.ptx', k, reports);
  }
  progress.end();
  return written;
}

describe('progress of the command line', () => {
  it('shows nothing for short work, and nothing where nobody looks', () => {
    assert.deepEqual(shown(true, 8), []);
    assert.deepEqual(shown(false, 100), []);
  });

  it('goes up on a terminal, and leaves nothing behind', () => {
    const written = shown(true, 20);
    const percent = written.flatMap((text) => /big\.ptx: (\d+) %/.exec(text)?.[1] ?? []).map(Number);
    // half a second is over at the ninth of 20 reports; from then on every second one, for the 100 ms between two
    assert.deepEqual(percent, [45, 55, 65, 75, 85, 95]);
    assert.equal(written.at(-1), '\r\x1b[K');
  });
});
