import type { Connection, WorkDoneProgressServerReporter } from 'vscode-languageserver';
import type { Document } from '../workspace/document.js';
import { pathOf } from './synchronisation.js';

/** Work shorter than this many milliseconds shows no progress. */
const PATIENCE = 300;

interface Running {
  readonly document: Document;
  readonly since: number;
  reporter: Promise<WorkDoneProgressServerReporter> | undefined;
}

/** Shows how far the compilation of a large document is, once it has taken a while. */
export class Progress {
  private running: Running | undefined;

  constructor(
    private readonly connection: Pick<Connection, 'window'>,
    private readonly isEnabled: boolean,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  report(document: Document, done: number, total: number): void {
    if (!this.isEnabled) return;
    if (this.running?.document !== document) {
      this.end();
      this.running = { document, since: this.clock(), reporter: undefined };
    }
    const { running } = this;
    if (this.clock() - running.since < PATIENCE) return;
    const percentage = Math.min(100, Math.round((100 * done) / total));
    if (running.reporter === undefined) {
      running.reporter = this.connection.window.createWorkDoneProgress();
      const name = pathOf(document.uri).split('/').at(-1) ?? document.uri;
      running.reporter
        .then((reporter) => reporter.begin(`Compiling ${name}`, percentage))
        .catch(() => undefined);
    } else
      running.reporter
        .then((reporter) => reporter.report(percentage, `${done} of ${total} instructions`))
        .catch(() => undefined);
  }

  end(): void {
    this.running?.reporter?.then((reporter) => reporter.done()).catch(() => undefined);
    this.running = undefined;
  }
}
