/**
 * The server, on any connection. It keeps the open documents, hands each request to its feature and each analysis
 * to the scheduler; what the features know stands elsewhere.
 */
import {
  CodeLensRefreshRequest,
  DiagnosticRefreshRequest,
  DidChangeConfigurationNotification,
  InlayHintRefreshRequest,
  MessageType,
  ShowMessageNotification,
  SemanticTokensRefreshRequest,
  ErrorCodes,
  ResponseError,
  type Connection,
  type InitializeError,
  type InitializeParams,
  type InitializeResult,
} from 'vscode-languageserver';
import { status } from '../features/status.js';
import { verdictStatus } from '../features/verdict.js';
import type { Document } from '../workspace/document.js';
import { registry, type Pair } from '../workspace/registry.js';
import { Store } from '../workspace/store.js';
import type { Settings } from '../workspace/settings.js';
import { capabilitiesFor } from './capabilities.js';
import { clientOf, type Client } from './client.js';
import { CompiledDocuments, registerCompiledCode, registerForCompiled } from './compiled-code.js';
import { Configuration } from './configuration.js';
import {
  pullDiagnostics,
  pushDiagnostics,
  type DiagnosticsPublisher,
  type DocumentationLink,
} from './diagnostics.js';
import { documentationAt } from './documentation-address.js';
import { registerCompare } from './handlers/compare.js';
import { registerDisplay } from './handlers/display.js';
import { registerEditing } from './handlers/editing.js';
import { registerNavigation } from './handlers/navigation.js';
import { registerPressure } from './handlers/pressure.js';
import { registerViews } from './handlers/views.js';
import { Improving } from './improving.js';
import { Progress } from './progress.js';
import { StatusRequest, TrustNotification } from './protocol.js';
import { PtxasRuns } from './ptxas/background.js';
import type { PtxasTool } from './ptxas/tool.js';
import { Analysis, MessageQueue } from './scheduling.js';
import { documentRequest, logFault, notification, type Session } from './session.js';
import { change, close, open } from './synchronisation.js';
import { Trust } from './trust.js';

export interface ServerOptions {
  readonly version?: string;
  readonly pairs?: readonly Pair[];
  /** Where a page of docs/ can be read. */
  readonly documentation?: DocumentationLink;
  /** Milliseconds without a message after which better programs are searched for. */
  readonly silence?: number;
  /** How ptxas is run; not given where no program can be started. */
  readonly ptxas?: PtxasTool;
  /** Milliseconds without a new version after which ptxas is asked. */
  readonly ptxasPause?: number;
}

/** Starts to serve; returns at once. */
export function startServer(connection: Connection, options: ServerOptions = {}): void {
  let isInitialized = false;
  connection.onRequest((method) =>
    isInitialized
      ? new ResponseError(ErrorCodes.MethodNotFound, `unknown request '${method}'`)
      : new ResponseError(ErrorCodes.ServerNotInitialized, `'${method}' before 'initialize'`),
  );
  connection.onInitialize((params): InitializeResult | ResponseError<InitializeError> => {
    if (isInitialized) return new ResponseError(ErrorCodes.InvalidRequest, 'initialized already');
    isInitialized = true;
    const client = clientOf(params);
    serve(connection, client, params, options);
    return {
      capabilities: capabilitiesFor(client),
      serverInfo: {
        name: 'spillway',
        ...(options.version === undefined ? {} : { version: options.version }),
      },
    };
  });
  connection.listen();
}

function serve(
  connection: Connection,
  client: Client,
  params: InitializeParams,
  options: ServerOptions,
): void {
  const initialOptions: unknown = params.initializationOptions;
  const pairs = options.pairs ?? registry;
  const store = new Store((error, doing) => logFault(connection, doing, error));
  const queue = new MessageQueue();
  const progress = new Progress(connection, client.workDoneProgress);
  const analysis = new Analysis(queue, {
    current: (uri) => store.get(uri),
    partly: (document) => publisher.partly(document),
    complete: (document) => {
      progress.end();
      publisher.complete(document);
      compiledDocuments.changed(document.uri);
      improving.schedule(document);
      ptxas.analysed(document);
    },
    progress: (document, done, total) => progress.report(document, done, total),
    left: () => progress.end(),
    failed: (document, error) => logFault(connection, `analysis of ${document.uri}`, error),
  });
  const improving = new Improving(
    queue,
    analysis,
    {
      current: (uri) => store.get(uri),
      improved: (document) => {
        publisher.improved(document);
        compiledDocuments.changed(document.uri);
        refreshFigures(connection, client);
      },
    },
    options.silence,
  );
  const trust = new Trust(params);
  const ptxas = new PtxasRuns(
    {
      current: (uri) => store.get(uri),
      settled: (document) => analysis.settled(document),
      isTrusted: (uri) => trust.includes(uri),
      verdict: (document) => {
        publisher.improved(document);
        refreshFigures(connection, client);
      },
      failed: (why) =>
        void connection.sendNotification(ShowMessageNotification.type, {
          type: MessageType.Warning,
          message: `Spillway does not ask ptxas: ${why}. It is tried again when a file is saved or 'spillway.ptx.ptxas' changes`,
        }),
    },
    options.ptxas,
    options.ptxasPause,
  );
  const configuration = new Configuration(connection, pairs, client, initialOptions, (uri, settings) => {
    if (!applySettings(store, uri, settings)) return;
    const document = store.get(uri);
    if (document !== undefined) ptxas.changed(document);
    analysis.schedule(uri);
  });
  const compiledDocuments = new CompiledDocuments(
    connection,
    client,
    (uri) => store.get(uri),
    (document) => analysis.settled(document),
  );
  const session: Session = {
    connection,
    client,
    pairs,
    store,
    queue,
    analysis,
    compiledDocuments,
    settingsReady: (uri) => configuration.ready(uri),
    verdictOf: (document) => ptxas.verdictOf(document),
    isShutDown: () => analysis.isStopped,
  };
  const link = documentationAt(initialOptions) ?? options.documentation ?? (() => undefined);
  const publisher: DiagnosticsPublisher = client.pullsDiagnostics
    ? pullDiagnostics(session, link)
    : pushDiagnostics(session, link);

  registerNavigation(session);
  registerDisplay(session);
  registerEditing(session);
  registerViews(session);
  registerPressure(session);
  registerCompiledCode(session);
  registerCompare(session);
  connection.onRequest(
    StatusRequest,
    documentRequest(session, 'status', ({ document, encoder, params }) => {
      const position = encoder.fromClient(params.position ?? { line: 0, character: 0 });
      const verdict = ptxas.verdictOf(document);
      const theirs = verdict === undefined ? undefined : verdictStatus(document, position, verdict);
      return { ...status(document, position), ...(theirs !== undefined && { ptxas: theirs }) };
    }),
  );

  connection.onDidOpenTextDocument(
    notification(session, 'didOpen', (params) => {
      const document = open(session, params, configuration.initial);
      if (document === undefined) return;
      if (client.configuration)
        void configuration.fetch([document.uri]).then(() => analysis.schedule(document.uri));
      else analysis.schedule(document.uri);
    }),
  );
  connection.onDidChangeTextDocument(
    notification(session, 'didChange', (params) => {
      const document = change(session, params);
      if (document === undefined) return;
      ptxas.changed(document);
      void configuration.ready(document.uri).then(() => analysis.schedule(document.uri));
    }),
  );
  connection.onDidCloseTextDocument(
    notification(session, 'didClose', (params) => {
      const uri = close(session, params);
      ptxas.closed(uri);
      analysis.schedule(uri);
      compiledDocuments.changed(uri);
      publisher.closed(uri);
    }),
  );
  connection.onDidSaveTextDocument(
    notification(session, 'didSave', (params) => {
      const document = store.get(params.textDocument.uri);
      if (document !== undefined) ptxas.saved(document);
    }),
  );
  connection.onNotification(
    TrustNotification,
    notification(session, 'trust', (params) => {
      trust.set(params?.isTrusted === true);
      ptxas.retry(store.all());
    }),
  );
  connection.onDidChangeConfiguration(
    notification(session, 'didChangeConfiguration', (params) => {
      const uris = store.all().map(({ uri }) => uri);
      void configuration.changed(params?.settings as unknown, uris).then(() => {
        ptxas.retry(store.all());
        refresh(connection, client);
      });
    }),
  );
  connection.onInitialized(() => {
    queue.noteMessage();
    if (params.capabilities?.workspace?.workspaceFolders === true)
      connection.workspace.onDidChangeWorkspaceFolders((event) => trust.changed(event));
    registerForCompiled(session).catch((error: unknown) => logFault(connection, 'registration', error));
    if (client.configuration && client.registersConfiguration)
      connection.client
        .register(DidChangeConfigurationNotification.type, { section: 'spillway' })
        .catch((error: unknown) => logFault(connection, 'registration', error));
  });
  connection.onShutdown(() => {
    analysis.stop();
    improving.stop();
    compiledDocuments.stop();
    ptxas.stop();
    progress.end();
  });
}

/** False when the document is closed, or has these settings already. */
function applySettings(store: Store, uri: string, settings: Settings): boolean {
  const document: Document | undefined = store.get(uri);
  if (document === undefined || JSON.stringify(document.settings) === JSON.stringify(settings)) return false;
  store.setSettings(uri, settings);
  return true;
}

/** After new settings: what the client shows is out of date though no text has changed. */
function refresh(connection: Connection, client: Client): void {
  refreshFigures(connection, client);
  ask(connection, client.refresh.semanticTokens, SemanticTokensRefreshRequest.type);
  ask(connection, client.refresh.diagnostics, DiagnosticRefreshRequest.type);
}

/** After a compilation was exchanged for a better one. */
function refreshFigures(connection: Connection, client: Client): void {
  ask(connection, client.refresh.codeLenses, CodeLensRefreshRequest.type);
  ask(connection, client.refresh.inlayHints, InlayHintRefreshRequest.type);
}

function ask(connection: Connection, isSupported: boolean, type: typeof CodeLensRefreshRequest.type): void {
  if (isSupported) void connection.sendRequest(type).catch(() => undefined);
}
