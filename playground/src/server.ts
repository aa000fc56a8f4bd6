/** The language server in a worker of the page, and the one document that the page has open there. */
import {
  BrowserMessageReader,
  BrowserMessageWriter,
  createProtocolConnection,
  type InitializeParams,
  type InitializeResult,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/browser';

export interface Server {
  readonly connection: ProtocolConnection;
  readonly initialized: InitializeResult;
}

const capabilities: InitializeParams['capabilities'] = {
  general: { positionEncodings: ['utf-16'] },
  workspace: {
    codeLens: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    semanticTokens: { refreshSupport: true },
  },
  textDocument: {
    hover: { contentFormat: ['markdown'] },
    completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } },
    publishDiagnostics: { relatedInformation: true, versionSupport: true, tagSupport: { valueSet: [1, 2] } },
  },
};

export async function startServer(script: string): Promise<Server> {
  const worker = new Worker(script);
  const connection = createProtocolConnection(
    new BrowserMessageReader(worker),
    new BrowserMessageWriter(worker),
  );
  connection.listen();
  const initialized = await connection.sendRequest<InitializeResult>('initialize', {
    processId: null,
    rootUri: null,
    capabilities,
  } satisfies InitializeParams);
  await connection.sendNotification('initialized', {});
  return { connection, initialized };
}
