/**
 * Documents of compiled code (`spillway-compiled:`): their text by `workspace/textDocumentContent`, what is drawn on
 * it by `spillway/compiledCode`, and word to the client when either is out of date. Nobody says when such a document
 * is closed, so the ones that were asked for last are kept.
 */
import {
  DeclarationRequest,
  DefinitionRequest,
  DocumentHighlightRequest,
  HoverRequest,
  TextDocumentContentRefreshRequest,
  TextDocumentContentRequest,
  type CancellationToken,
  type Connection,
  type Location,
  type ResponseError,
} from 'vscode-languageserver';
import {
  compiledCode,
  compiledNameAt,
  compiledUnit,
  extentOf,
  NOT_OPEN,
  notOpen,
  uriOf,
  type CompiledCode,
} from '../features/compiled-code.js';
import { COMPILED_SCHEME, compiledName, type CompiledName } from '../features/compiled-uri.js';
import type * as data from '../features/data.js';
import { LineIndex } from '../text/line-index.js';
import type { Position } from '../text/span.js';
import type { Document } from '../workspace/document.js';
import type { Client } from './client.js';
import { encoderFor, type Encoder } from './encoding.js';
import { CompiledCodeChanged, CompiledCodeRequest, type CompiledCodeAnswer } from './protocol.js';
import { encoderOf, isPosition, plainRequest, uriIn, type Session } from './session.js';

/** Documents whose text is kept; an editor shows one or two. */
const KEPT = 6;
/** Milliseconds without a newer version of the source after which documents of compiled code follow. */
const PAUSE = 120;

/** A document that the client was given, with its last text. */
export interface ShownCode {
  /** As the client writes it. */
  readonly uri: string;
  readonly code: CompiledCode;
  readonly encoder: Encoder;
  /** Made since, with a text that the client has not asked for yet; else `code`. */
  newest: CompiledCode;
}

export class CompiledDocuments {
  /** By name, the one that was asked for last at the end. */
  private readonly shown = new Map<string, ShownCode>();
  private readonly waiting = new Map<string, NodeJS.Timeout>();
  /** The client has asked for more than the text, so that it also hears of changes that leave the text alone. */
  private wantsChanges = false;

  constructor(
    private readonly connection: Connection,
    private readonly client: Client,
    private readonly current: (uri: string) => Document | undefined,
    private readonly settled: (document: Document) => Promise<unknown>,
    private readonly pause = PAUSE,
  ) {}

  /** What the client shows under this URI; undefined when it has not asked for it. */
  at(uri: string): ShownCode | undefined {
    const name = compiledName(uri);
    return name === undefined ? undefined : this.shown.get(keyOf(name));
  }

  /** The document's newest content, once its source is compiled. */
  async content(uri: string, name: CompiledName): Promise<ShownCode> {
    const document = await this.compiled(name.source);
    const older = this.shown.get(keyOf(name))?.newest;
    return this.keep(uri, document === undefined ? notOpen(name) : compiledCode(document, name, older));
  }

  /** What is to be drawn on the text that the client has: the newest, unless that is of another text. */
  async drawn(uri: string, name: CompiledName): Promise<ShownCode> {
    const shown = this.shown.get(keyOf(name));
    if (shown === undefined) return this.content(uri, name);
    const document = await this.compiled(name.source);
    const newest = document === undefined ? notOpen(name) : compiledCode(document, name, shown.newest);
    if (isSameText(newest, shown.code)) return this.keep(uri, newest);
    shown.newest = newest;
    return shown;
  }

  /** The newest version of a source, compiled; undefined where it is not open. */
  async compiled(uri: string): Promise<Document | undefined> {
    for (;;) {
      const document = this.current(uri);
      if (document === undefined) return undefined;
      await this.settled(document);
      if (this.current(uri) === document) return document;
    }
  }

  keep(uri: string, code: CompiledCode): ShownCode {
    const key = keyOf(code.name);
    const lines = this.client.encoding === 'utf-16' ? LineIndex.of('') : LineIndex.of(textOf(code));
    const shown: ShownCode = { uri, code, newest: code, encoder: encoderFor(this.client.encoding, lines) };
    this.shown.delete(key);
    this.shown.set(key, shown);
    for (const oldest of this.shown.keys()) {
      if (this.shown.size <= KEPT) break;
      this.shown.delete(oldest);
    }
    return shown;
  }

  listen(): void {
    this.wantsChanges = true;
  }

  /** A version, a better program or the end of a source: its documents follow after a pause. */
  changed(source: string): void {
    if (![...this.shown.values()].some(({ code }) => code.name.source === source)) return;
    clearTimeout(this.waiting.get(source));
    this.waiting.set(
      source,
      setTimeout(() => this.tell(source), this.pause),
    );
  }

  stop(): void {
    for (const timer of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
    this.shown.clear();
  }

  private tell(source: string): void {
    this.waiting.delete(source);
    const document = this.current(source);
    for (const { uri, code } of this.shown.values()) {
      if (code.name.source !== source || !isOutdated(document, code)) continue;
      if (this.client.textDocumentContent)
        void this.connection
          .sendRequest(TextDocumentContentRefreshRequest.type, { uri })
          .catch(() => undefined);
      if (this.wantsChanges) void this.connection.sendNotification(CompiledCodeChanged, { uri });
    }
  }
}

const keyOf = ({ source, function: name, ordinal }: CompiledName): string =>
  JSON.stringify([source, name, ordinal]);

export const textOf = ({ lines }: CompiledCode): string => `${lines.join('\n')}\n`;

const isSameText = ({ lines: a }: CompiledCode, { lines: b }: CompiledCode): boolean =>
  a === b || (a.length === b.length && a.every((line, k) => line === b[k]));

/** Whether the same request would be answered with something else. */
function isOutdated(document: Document | undefined, code: CompiledCode): boolean {
  if (document === undefined) return code.version !== NOT_OPEN;
  if (document.version === code.version && code.made === undefined) return false;
  const unit = compiledUnit(document, code.name);
  if (unit === undefined || unit.compilation !== code.made?.compilation) return true;
  return extentOf(document, unit).start !== code.extent?.start;
}

export function registerCompiledCode(session: Session): void {
  const { connection, client, compiledDocuments } = session;
  connection.onRequest(
    TextDocumentContentRequest.type,
    plainRequest(
      session,
      'textDocumentContent',
      async ({ uri }) => {
        const name = compiledName(uri);
        if (name === undefined) return { text: `// ${uri} names no function\n` };
        return { text: textOf((await compiledDocuments.content(uri, name)).code) };
      },
      ({ uri }) => (typeof uri === 'string' ? undefined : 'uri must be a string'),
    ),
  );
  connection.onRequest(
    CompiledCodeRequest,
    plainRequest(
      session,
      'compiledCode',
      async ({ textDocument, position, text }) => {
        const { uri } = textDocument;
        compiledDocuments.listen();
        const named = compiledName(uri);
        if (named !== undefined) {
          // what is drawn belongs to the text that the client has, which may be older than the source
          const shown =
            text === true
              ? await compiledDocuments.content(uri, named)
              : await compiledDocuments.drawn(uri, named);
          return answerOf(shown, text === true);
        }
        await session.settingsReady(uri);
        const document = await compiledDocuments.compiled(uri);
        if (document === undefined) return null;
        const at = encoderOf(session, document).fromClient(position ?? { line: 0, character: 0 });
        const name = compiledNameAt(document, at);
        if (name === undefined) return null;
        const code = compiledCode(document, name, compiledDocuments.at(uriOf(document, name))?.code);
        return answerOf(
          compiledDocuments.keep(uriOf(document, name), code),
          text === true || !client.textDocumentContent,
        );
      },
      (params) => (uriIn(params) === undefined ? 'textDocument.uri must be a string' : undefined),
    ),
  );
}

/** A request about a document of compiled code. */
export interface AskedOfCompiled {
  readonly shown: ShownCode;
  /** The newest version of its source. */
  readonly document: Document;
  readonly position: Position;
  /** Ranges in either of the two, as the client counts. */
  readonly locate: (location: data.Location) => Location;
}

interface PositionParams {
  readonly textDocument: { readonly uri: string };
  readonly position: Position;
}

/** Makes a handler for positions in documents of compiled code from one for those in sources. */
export function alsoCompiled<P extends PositionParams, R>(
  session: Session,
  feature: string,
  ofSource: (params: P, token: CancellationToken) => Promise<R | null | ResponseError<void>>,
  ofCompiled: (asked: AskedOfCompiled) => R | null,
): (params: P, token: CancellationToken) => Promise<R | null | ResponseError<void>> {
  const answer = plainRequest(session, feature, ({ textDocument: { uri }, position }: P): R | null => {
    const shown = session.compiledDocuments.at(uri);
    const document = shown === undefined ? undefined : session.store.get(shown.code.name.source);
    if (shown === undefined || document === undefined || !isPosition(position)) return null;
    const locate = (location: data.Location): Location => {
      const isSource = location.uri === document.uri;
      const encoder = isSource ? encoderOf(session, document) : shown.encoder;
      return { uri: isSource ? document.uri : uri, range: encoder.rangeToClient(location.range) };
    };
    return ofCompiled({ shown, document, position: shown.encoder.fromClient(position), locate });
  });
  return (params, token) => (isCompiledUri(params) ? answer(params, token) : ofSource(params, token));
}

const isCompiledUri = (params: unknown): boolean => {
  const uri = uriIn(params);
  return uri !== undefined && compiledName(uri) !== undefined;
};

/** Asks the client to send requests about documents of compiled code, which are in none of its languages. */
export async function registerForCompiled({ connection, client }: Session): Promise<void> {
  if (!client.registersNavigation) return;
  const documentSelector = [{ scheme: COMPILED_SCHEME }];
  for (const type of [
    DefinitionRequest.type,
    DeclarationRequest.type,
    HoverRequest.type,
    DocumentHighlightRequest.type,
  ])
    await connection.client.register(type as typeof DefinitionRequest.type, { documentSelector });
}

function answerOf({ uri, code, encoder }: ShownCode, withText: boolean): CompiledCodeAnswer {
  return {
    uri,
    source: code.name.source,
    function: code.name.function,
    version: code.version,
    lineCount: code.lines.length,
    ...(code.extent !== undefined && { extent: code.extent }),
    links: [...code.links],
    marks: code.marks.map(({ line, start, end, kind, title }) => ({
      line,
      start: encoder.toClient({ line, character: start }).character,
      end: encoder.toClient({ line, character: end }).character,
      kind,
      title,
    })),
    ...(withText && { text: textOf(code) }),
  };
}
