import { PassThrough } from 'node:stream';
import {
  createConnection,
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type Diagnostic,
  type InitializeParams,
  type InitializeResult,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
} from 'vscode-languageserver/node';
import { startServer, type ServerOptions } from '../../server/src/lsp/server.js';
import { toyLanguage } from '../support/toy/language.js';
import { toyTarget } from '../support/toy/target.js';

export const toyPairs = [{ language: toyLanguage, target: toyTarget }];

/** A client at the other end of a server in the same process. */
export interface TestClient {
  readonly connection: ProtocolConnection;
  readonly initialized: InitializeResult;
  readonly published: PublishDiagnosticsParams[];
  /** Everything logged with window/logMessage, and shown with window/showMessage. */
  readonly log: string[];
  open(uri: string, text: string, languageId?: string): Promise<void>;
  change(uri: string, version: number, ...contentChanges: unknown[]): Promise<void>;
  close(uri: string): Promise<void>;
  /** The diagnostics of a version, when they come. */
  diagnostics(uri: string, version: number, accept?: (found: Diagnostic[]) => boolean): Promise<Diagnostic[]>;
  dispose(): void;
}

export interface ClientOptions {
  readonly capabilities?: InitializeParams['capabilities'];
  readonly initializationOptions?: unknown;
  /** Answers workspace/configuration, by scope URI. */
  readonly configuration?: (uri: string) => unknown;
  readonly server?: ServerOptions;
}

export async function startClient(options: ClientOptions = {}): Promise<TestClient> {
  const up = new PassThrough();
  const down = new PassThrough();
  const server = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  startServer(server, { pairs: toyPairs, ...options.server });
  const connection = createProtocolConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  const published: PublishDiagnosticsParams[] = [];
  const log: string[] = [];
  const waiting = new Set<() => void>();
  connection.onNotification('textDocument/publishDiagnostics', (params: PublishDiagnosticsParams) => {
    published.push(params);
    for (const look of [...waiting]) look();
  });
  connection.onNotification(
    'window/logMessage',
    ({ message }: { message: string }) => void log.push(message),
  );
  connection.onNotification(
    'window/showMessage',
    ({ message }: { message: string }) => void log.push(message),
  );
  connection.onRequest('workspace/configuration', ({ items }: { items: { scopeUri: string }[] }) =>
    items.map(({ scopeUri }) => options.configuration?.(scopeUri) ?? null),
  );
  connection.onRequest('client/registerCapability', () => null);
  connection.listen();
  const initialized = await connection.sendRequest<InitializeResult>('initialize', {
    processId: null,
    rootUri: null,
    capabilities: options.capabilities ?? {},
    initializationOptions: options.initializationOptions,
  });
  await connection.sendNotification('initialized', {});
  return {
    connection,
    initialized,
    published,
    log,
    open: (uri, text, languageId = 'toy') =>
      connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId, version: 1, text },
      }),
    change: (uri, version, ...contentChanges) =>
      connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges,
      }),
    close: (uri) => connection.sendNotification('textDocument/didClose', { textDocument: { uri } }),
    diagnostics: (uri, version, accept = () => true) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = published.findLast((p) => p.uri === uri && p.version === version);
          if (found === undefined || !accept(found.diagnostics)) return;
          waiting.delete(look);
          resolve(found.diagnostics);
        };
        waiting.add(look);
        look();
      }),
    dispose: () => {
      connection.dispose();
      server.dispose();
    },
  };
}

export const at = (line: number, character: number): { line: number; character: number } => ({
  line,
  character,
});
export const between = (
  startLine: number,
  startCharacter: number,
  endLine: number,
  endCharacter: number,
): { start: ReturnType<typeof at>; end: ReturnType<typeof at> } => ({
  start: at(startLine, startCharacter),
  end: at(endLine, endCharacter),
});
