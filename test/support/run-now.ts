import { run } from '../../server/src/cli/run.js';

/** The exit status of a command that waits for no other program. */
export function runNow(...given: Parameters<typeof run>): number {
  const status = run(...given);
  if (typeof status !== 'number') throw new Error(`${given[0].join(' ')} waits for a program`);
  return status;
}
