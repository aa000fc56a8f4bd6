import type { Io } from './io.js';

/** Nothing is shown for work shorter than this many milliseconds. */
const PATIENCE = 500;
/** Milliseconds between two updates. */
const INTERVAL = 100;

/** One line on a terminal's standard error that says how far long work is. It is gone when the work is done. */
export class Progress {
  private readonly since: number;
  private shown = 0;
  private isShown = false;

  constructor(
    private readonly io: Io,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.since = clock();
  }

  report(name: string, done: number, total: number): void {
    if (!this.io.errorIsTerminal) return;
    const now = this.clock();
    if (now - this.since < PATIENCE || now - this.shown < INTERVAL) return;
    this.shown = now;
    this.isShown = true;
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    this.io.error(`\r\x1b[K${name}: ${percent} %`);
  }

  end(): void {
    if (this.isShown) this.io.error('\r\x1b[K');
    this.isShown = false;
  }
}
