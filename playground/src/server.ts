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

/** The page's command for the lens of compiled code. */
export const SHOW_COMPILED = 'spillway.showCompiledCode';

const capabilities: InitializeParams['capabilities'] = {
  general: { positionEncodings: ['utf-16'] },
  workspace: {
    codeLens: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    semanticTokens: { refreshSupport: true },
    workspaceEdit: { documentChanges: true },
  },
  textDocument: {
    hover: { contentFormat: ['markdown'] },
    completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } },
    signatureHelp: { signatureInformation: { documentationFormat: ['markdown'] } },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor', 'source'] } },
      isPreferredSupport: true,
      disabledSupport: true,
    },
    publishDiagnostics: {
      relatedInformation: true,
      versionSupport: true,
      codeDescriptionSupport: true,
      tagSupport: { valueSet: [1, 2] },
    },
  },
};

/** `settings` are those of the page's address: what is modelled from the first answer on. */
export async function startServer(script: string, settings: object): Promise<Server> {
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
    initializationOptions: {
      spillway: settings,
      commands: [SHOW_COMPILED],
      documentation: `${new URL('docs/', document.baseURI).href}{page}.html`,
    },
  } satisfies InitializeParams);
  await connection.sendNotification('initialized', {});
  return { connection, initialized };
}
