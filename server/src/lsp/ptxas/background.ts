/**
 * Runs of ptxas while nobody waits for them: after a pause, or when the document is saved, one at a time, the document
 * that changed last first. What comes back belongs to one version of one document and one request; a newer version
 * ends the run or drops its result. A program that fails is told of once and left alone until the document is saved or
 * the settings change.
 */
import type { Verdict } from '../../features/verdict.js';
import { requestFor, type PtxasRequest } from '../../targets/nvidia/ptxas/request.js';
import type { Document } from '../../workspace/document.js';
import { defaultLimits, type PtxasRun, type PtxasTool } from './tool.js';

/** Milliseconds without a new version after which a run begins. */
const PAUSE = 1000;

export interface PtxasEvents {
  /** The newest version of a document, or undefined when it is closed. */
  current(uri: string): Document | undefined;
  /** Resolves when the analysis of a document is complete, or a newer version has taken its place. */
  settled(document: Document): Promise<'complete' | 'stale'>;
  /** Whether programs may be run on the text without being asked. */
  isTrusted(uri: string): boolean;
  /** What is known of a document has changed. */
  verdict(document: Document): void;
  /** A program cannot be used; a sentence for people. */
  failed(why: string): void;
}

interface Known {
  readonly key: string;
  readonly verdict: Verdict;
}

export class PtxasRuns {
  private readonly known = new Map<string, Known>();
  /** Documents about which ptxas has been asked, or was about to be, since they were opened. */
  private readonly opened = new Set<string>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  /** Documents that wait for their run, the one that changed last at the end. */
  private readonly waiting = new Map<string, undefined>();
  private isWorking = false;
  private active: { readonly uri: string; readonly key: string; readonly run: PtxasRun } | undefined;
  private readonly versions = new Map<string, Promise<string | undefined>>();
  /** Programs that failed, with what was said of them. */
  private readonly failures = new Map<string, string>();
  private stopped = false;

  /** Without a tool nothing is ever asked. */
  constructor(
    private readonly events: PtxasEvents,
    private readonly tool: PtxasTool | undefined,
    private readonly pause = PAUSE,
  ) {}

  /** What ptxas said of exactly this version under these settings. */
  verdictOf(document: Document): Verdict | undefined {
    const known = this.known.get(document.uri);
    return known === undefined || known.key !== keyOf(document) ? undefined : known.verdict;
  }

  /** To be called when a new version or new settings have come: what runs for an older one is in vain. */
  changed(document: Document): void {
    this.forget(document.uri);
    if (this.active?.uri === document.uri && this.active.key !== keyOf(document)) this.active.run.cancel();
  }

  /** To be called when a version's analysis is complete. */
  analysed(document: Document): void {
    const { ptxas, ptxasRuns } = document.settings.ptx;
    if (ptxas === '') this.known.delete(document.uri);
    else if (ptxasRuns === 'pause' || !this.opened.has(document.uri)) this.schedule(document, this.pause);
  }

  saved(document: Document): void {
    this.failures.delete(document.settings.ptx.ptxas);
    this.schedule(document, 0);
  }

  closed(uri: string): void {
    this.forget(uri);
    this.known.delete(uri);
    this.opened.delete(uri);
    if (this.active?.uri === uri) this.active.run.cancel();
  }

  /** New settings, or a workspace that is trusted now: what could not be done may be possible. */
  retry(documents: readonly Document[]): void {
    this.failures.clear();
    this.opened.clear();
    for (const document of documents) this.analysed(document);
  }

  stop(): void {
    this.stopped = true;
    for (const uri of [...this.timers.keys()]) this.forget(uri);
    this.active?.run.cancel();
  }

  private forget(uri: string): void {
    clearTimeout(this.timers.get(uri));
    this.timers.delete(uri);
    this.waiting.delete(uri);
  }

  private schedule(document: Document, pause: number): void {
    const { uri } = document;
    if (this.stopped || !this.isWanted(document)) return;
    this.forget(uri);
    this.opened.add(uri);
    this.timers.set(
      uri,
      setTimeout(() => {
        this.timers.delete(uri);
        this.waiting.set(uri, undefined);
        if (!this.isWorking) void this.work();
      }, pause),
    );
  }

  private isWanted(document: Document): boolean {
    const { ptxas } = document.settings.ptx;
    return (
      this.tool !== undefined &&
      ptxas !== '' &&
      document.target.id === 'nvidia' &&
      this.events.isTrusted(document.uri) &&
      !this.failures.has(ptxas) &&
      this.verdictOf(document) === undefined &&
      !(this.active?.uri === document.uri && this.active.key === keyOf(document))
    );
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    for (let uri = lastOf(this.waiting); uri !== undefined && !this.stopped; uri = lastOf(this.waiting)) {
      this.waiting.delete(uri);
      const document = this.events.current(uri);
      if (this.tool !== undefined && document !== undefined && this.isWanted(document))
        await this.ask(this.tool, document);
    }
    this.isWorking = false;
  }

  private async ask(ptxas: PtxasTool, document: Document): Promise<void> {
    if ((await this.events.settled(document)) === 'stale') return;
    const request = requestOf(document);
    if (request === undefined || this.stopped || isForAnotherReader(document)) return;
    const { ptxas: program, ptxasTimeLimit } = document.settings.ptx;
    const key = keyOf(document);
    const limits = { ...defaultLimits, time: ptxasTimeLimit * 1000 };
    const run = ptxas.start(program, request, document.text, limits);
    this.active = { uri: document.uri, key, run };
    const outcome = await run.outcome;
    const tool = outcome.kind === 'report' ? await this.toolOf(ptxas, program) : '';
    this.active = undefined;
    const current = this.events.current(document.uri);
    if (outcome.kind === 'failed') this.fail(program, outcome.why);
    if (this.stopped || outcome.kind !== 'report' || current === undefined || keyOf(current) !== key) return;
    this.known.set(document.uri, { key, verdict: { tool, request, report: outcome.report } });
    this.events.verdict(current);
  }

  private fail(program: string, why: string): void {
    if (this.stopped || this.failures.has(program)) return;
    this.failures.set(program, why);
    this.events.failed(why);
  }

  private async toolOf(ptxas: PtxasTool, program: string): Promise<string> {
    let version = this.versions.get(program);
    if (version === undefined) this.versions.set(program, (version = ptxas.version(program)));
    const known = await version;
    return known === undefined ? 'ptxas' : `ptxas ${known}`;
  }
}

const lastOf = (map: ReadonlyMap<string, undefined>): string | undefined => [...map.keys()].at(-1);

/** What a result depends on: the text, by its version, the program, and what it is asked. */
const keyOf = ({ version, settings, target }: Document): string =>
  JSON.stringify([version, settings.ptx.ptxas, settings.targets[target.id]]);

/** The request for the document's first function; undefined where it has none. */
function requestOf(document: Document): PtxasRequest | undefined {
  for (const unit of document.units)
    if (unit.function !== undefined && unit.compilation !== undefined) return requestFor(unit.compilation);
  return undefined;
}

/**
 * OptiX programs and GCC's raw output are read by something else than ptxas, which would only list what it does not
 * know of them.
 */
function isForAnotherReader({ settings, language, units }: Document): boolean {
  const dialect = settings.languages[language.id]?.dialect ?? 'auto';
  if (dialect !== 'auto') return dialect !== 'ptxas';
  return units.some(({ bound }) =>
    bound.problems.some(({ code }) => code === 'name/optix-intrinsic' || code === 'name/declared-later'),
  );
}
