/**
 * Settings of each open document. A client with `workspace/configuration` is asked for the `spillway` section of
 * each document (so that each workspace folder has its own); any other one sends all of them with
 * `workspace/didChangeConfiguration` or with its initialisation options.
 */
import { MessageType, ShowMessageNotification, type Connection } from 'vscode-languageserver';
import type { Pair } from '../workspace/registry.js';
import { resolveSettings, type Settings } from '../workspace/settings.js';
import type { Client } from './client.js';

/** A client that does not answer within this many milliseconds gets the defaults. */
const PATIENCE = 2000;

export class Configuration {
  private readonly pending = new Map<string, Promise<void>>();
  private readonly told = new Set<string>();
  private shared: Settings;

  constructor(
    private readonly connection: Connection,
    private readonly pairs: readonly Pair[],
    private readonly client: Client,
    initial: unknown,
    private readonly apply: (uri: string, settings: Settings) => void,
  ) {
    this.shared = this.read(sectionOf(initial));
  }

  /** What a document starts with, until its own settings arrive. */
  get initial(): Settings {
    return this.shared;
  }

  /** Asks for the settings of documents and applies them. */
  fetch(uris: readonly string[]): Promise<void> {
    if (!this.client.configuration) {
      for (const uri of uris) this.apply(uri, this.shared);
      return Promise.resolve();
    }
    if (uris.length === 0) return Promise.resolve();
    const asked = this.ask(uris);
    for (const uri of uris) this.pending.set(uri, asked);
    return asked.finally(() => {
      for (const uri of uris) if (this.pending.get(uri) === asked) this.pending.delete(uri);
    });
  }

  ready(uri: string): Promise<void> {
    return this.pending.get(uri) ?? Promise.resolve();
  }

  /** `workspace/didChangeConfiguration`: with the settings themselves, or only the news that they changed. */
  changed(settings: unknown, uris: readonly string[]): Promise<void> {
    if (!this.client.configuration) this.shared = this.read(sectionOf(settings));
    return this.fetch(uris);
  }

  private async ask(uris: readonly string[]): Promise<void> {
    const items = uris.map((uri) => ({ scopeUri: uri, section: 'spillway' }));
    const answer = await withinPatience(this.connection.workspace.getConfiguration(items), (error) =>
      this.connection.console.warn(`no settings from the client (${error}); the defaults hold`),
    );
    uris.forEach((uri, i) => {
      const section: unknown = Array.isArray(answer) ? answer[i] : undefined;
      this.apply(uri, section === undefined ? this.shared : this.read(section));
    });
  }

  /** A wrong value is told once. */
  private read(section: unknown): Settings {
    const { settings, problems } = resolveSettings(section, this.pairs);
    const news = problems.filter((problem) => !this.told.has(problem));
    for (const problem of news) this.told.add(problem);
    if (news.length > 0)
      void this.connection.sendNotification(ShowMessageNotification.type, {
        type: MessageType.Warning,
        message: `Spillway settings: ${news.join('; ')}`,
      });
    return settings;
  }
}

/** Of `initializationOptions`. */
const noSettings: readonly string[] = ['isTrusted', 'commands', 'documentation'];

/** `{ spillway: {...} }` or the section itself; what else the server is told there is no setting. */
function sectionOf(settings: unknown): unknown {
  if (typeof settings !== 'object' || settings === null) return undefined;
  if ('spillway' in settings) return settings.spillway;
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !noSettings.includes(name)));
}

function withinPatience(work: Promise<unknown>, failed: (reason: string) => void): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      failed(`it did not answer within ${PATIENCE} ms`);
      resolve(undefined);
    }, PATIENCE);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        failed(error instanceof Error ? error.message : String(error));
        resolve(undefined);
      },
    );
  });
}
