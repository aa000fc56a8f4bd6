/**
 * When work is done. The server has one thread: it answers quickly only if long work stops often and if messages
 * that have already arrived are read before work on their subject begins, since one of them may be a newer edit or
 * a cancellation.
 */
import type { Document } from '../workspace/document.js';
import { turn } from './turn.js';

/** Longest stretch of work, in milliseconds, after which waiting messages are read. */
export const SLICE = 4;
/** Messages are dispatched one a turn of the event loop; this many turns without one mean that none is waiting. */
const QUIET_TURNS = 2;

export class MessageQueue {
  private dispatched = 0;

  /** How many messages have been dispatched. */
  get messages(): number {
    return this.dispatched;
  }

  /** To be called by every handler. */
  noteMessage(): void {
    this.dispatched++;
  }

  /** Resolves when the messages that have arrived so far are dispatched. */
  async drained(): Promise<void> {
    let seen = -1;
    while (seen !== this.dispatched) {
      seen = this.dispatched;
      for (let i = 0; i < QUIET_TURNS; i++) await turn();
    }
  }
}

export interface AnalysisEvents {
  /** The newest version of a document, or undefined when it is closed. */
  current(uri: string): Document | undefined;
  /** Names and syntax are known and compiling will take a while. */
  partly(document: Document): void;
  complete(document: Document): void;
  /** Part of the work is done; called now and then when it takes long. */
  progress(document: Document, done: number, total: number): void;
  /** A newer version has taken the place of one that was being analysed. */
  left(document: Document): void;
  failed(document: Document, error: unknown): void;
}

/** More uncompiled instructions than this, and names and syntax are reported before the rest. */
const LARGE = 5000;

export type Outcome = 'complete' | 'stale';

/**
 * Analyses documents, the one that changed last first. A version that is no longer the newest is left at once; what
 * was computed for its unchanged units serves the next version.
 */
export class Analysis {
  private readonly pending = new Map<string, undefined>();
  private readonly waiting = new Map<Document, ((outcome: Outcome) => void)[]>();
  private readonly finished = new WeakSet<Document>();
  private running = false;
  private active: Document | undefined;
  private stopped = false;

  constructor(
    private readonly queue: MessageQueue,
    private readonly events: AnalysisEvents,
  ) {}

  schedule(uri: string): void {
    this.pending.delete(uri);
    this.pending.set(uri, undefined);
    for (const document of this.waiting.keys())
      if (document.uri === uri && !this.isCurrent(document)) this.settle(document, 'stale');
    if (!this.running && !this.stopped) void this.run();
  }

  /** Resolves when a document's analysis is complete, or a newer version has taken its place. */
  settled(document: Document): Promise<Outcome> {
    if (!this.isCurrent(document) || this.stopped) return Promise.resolve('stale');
    if (this.finished.has(document)) return Promise.resolve('complete');
    return new Promise((resolve) => {
      const waiting = this.waiting.get(document);
      if (waiting === undefined) this.waiting.set(document, [resolve]);
      else waiting.push(resolve);
      if (this.active !== document && !this.pending.has(document.uri)) this.schedule(document.uri);
    });
  }

  get isRunning(): boolean {
    return this.running;
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  stop(): void {
    this.stopped = true;
    this.pending.clear();
    for (const document of [...this.waiting.keys()]) this.settle(document, 'stale');
  }

  private isCurrent(document: Document): boolean {
    return this.events.current(document.uri) === document;
  }

  private settle(document: Document, outcome: Outcome): void {
    const waiting = this.waiting.get(document) ?? [];
    this.waiting.delete(document);
    for (const resolve of waiting) resolve(outcome);
  }

  private async run(): Promise<void> {
    this.running = true;
    await this.queue.drained();
    while (this.pending.size > 0) {
      const uri = [...this.pending.keys()].at(-1) as string;
      this.pending.delete(uri);
      const document = this.events.current(uri);
      if (document === undefined) continue;
      let outcome: Outcome = 'complete';
      this.active = document;
      try {
        if (!this.finished.has(document)) outcome = await this.analyseAndTell(document);
      } catch (error) {
        this.events.failed(document, error);
      }
      this.active = undefined;
      this.settle(document, outcome);
    }
    this.running = false;
  }

  private async analyseAndTell(document: Document): Promise<Outcome> {
    const outcome = await this.analyse(document);
    if (outcome === 'stale') {
      this.events.left(document);
      return outcome;
    }
    this.finished.add(document);
    this.events.complete(document);
    return outcome;
  }

  private async analyse(document: Document): Promise<Outcome> {
    let until = performance.now() + SLICE;
    const isStale = async (): Promise<boolean> => {
      await this.queue.drained();
      until = performance.now() + SLICE;
      return !this.isCurrent(document) || this.stopped;
    };
    const toCompile: number[] = [];
    let instructions = 0;
    for (let i = 0; i < document.unitCount; i++) {
      document.boundAt(i);
      const source = document.functionAt(i);
      if (source !== undefined && !document.isCompiledAt(i)) {
        toCompile.push(i);
        instructions += source.instructionCount;
      }
      if (performance.now() > until && (await isStale())) return 'stale';
    }
    if (instructions > LARGE) {
      this.events.partly(document);
      if (await isStale()) return 'stale';
    }
    let done = 0;
    for (const i of toCompile) {
      while (!document.compileStepAt(i)) if (performance.now() > until && (await isStale())) return 'stale';
      document.compilationAt(i);
      done += document.functionAt(i)?.instructionCount ?? 0;
      if (performance.now() <= until) continue;
      if (instructions > LARGE) this.events.progress(document, done, instructions);
      if (await isStale()) return 'stale';
    }
    return 'complete';
  }
}
