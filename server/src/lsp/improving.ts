/**
 * Better programs while nobody waits. `Target.compile` is quick; what a longer search finds (`Target.improve`) takes
 * its place when the client has been silent for a while. Any message stops the search until the next silence, so that
 * an edit never waits for more than the slice that is running.
 */
import type { Document } from '../workspace/document.js';
import { SLICE, type Analysis, type MessageQueue } from './scheduling.js';

/** Milliseconds without a message after which the search goes on: longer than between two keys of a fast typist. */
const SILENCE = 250;
/** While a file of many units is searched, what was found is shown at most this often, in milliseconds. */
const NEWS = 1000;

export interface ImprovingEvents {
  /** The newest version of a document, or undefined when it is closed. */
  current(uri: string): Document | undefined;
  /** Some units of the document have better programs than before. */
  improved(document: Document): void;
}

export class Improving {
  /** Documents with something to search, the one that changed last at the end. */
  private readonly pending = new Map<string, undefined>();
  private running = false;
  private stopped = false;

  constructor(
    private readonly queue: MessageQueue,
    private readonly analysis: Analysis,
    private readonly events: ImprovingEvents,
    private readonly silence = SILENCE,
  ) {}

  /** To be called when a version's analysis is complete. */
  schedule(document: Document): void {
    if (document.target.improve === undefined || this.stopped) return;
    this.pending.delete(document.uri);
    this.pending.set(document.uri, undefined);
    if (!this.running) void this.run();
  }

  stop(): void {
    this.stopped = true;
    this.pending.clear();
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.pending.size > 0) {
      await this.silent();
      const uri = [...this.pending.keys()].at(-1);
      if (uri === undefined) break;
      const document = this.events.current(uri);
      if (document === undefined || (await this.search(document))) this.pending.delete(uri);
    }
    this.running = false;
  }

  /** Resolves when no message has come for a while and nothing is left to analyse. */
  private async silent(): Promise<void> {
    for (;;) {
      const before = this.queue.messages;
      await new Promise((resolve) => setTimeout(resolve, this.silence));
      if (this.stopped || (this.queue.messages === before && !this.analysis.isRunning)) return;
    }
  }

  /** False when a message came in between and there is more to search. */
  private async search(document: Document): Promise<boolean> {
    const began = this.queue.messages;
    let until = performance.now() + SLICE;
    let toldAt = performance.now();
    let hasNews = false;
    const tell = (): void => {
      if (hasNews && !this.stopped) this.events.improved(document);
      hasNews = false;
      toldAt = performance.now();
    };
    for (let i = 0; i < document.unitCount; i++) {
      for (let step = document.improveAt(i); step !== 'ended'; step = document.improveAt(i)) {
        if (step === 'improved') hasNews = true;
        if (performance.now() <= until) continue;
        await this.queue.drained();
        if (this.queue.messages !== began || this.stopped) {
          if (this.events.current(document.uri) === document) tell();
          return false;
        }
        if (performance.now() - toldAt > NEWS) tell();
        until = performance.now() + SLICE;
      }
    }
    tell();
    return true;
  }
}
