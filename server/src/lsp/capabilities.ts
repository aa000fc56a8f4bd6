import { TextDocumentSyncKind, type ServerCapabilities } from 'vscode-languageserver';
import { COMPILED_SCHEME } from '../features/compiled-uri.js';
import { tokenModifiers, tokenTypes } from '../features/semantic-tokens.js';
import type { Client } from './client.js';

/** What the server offers to this client. */
export function capabilitiesFor(client: Client): ServerCapabilities {
  return {
    positionEncoding: client.encoding,
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
    hoverProvider: true,
    definitionProvider: true,
    declarationProvider: true,
    referencesProvider: true,
    documentHighlightProvider: true,
    documentSymbolProvider: true,
    workspaceSymbolProvider: true,
    renameProvider: { prepareProvider: true },
    completionProvider: { resolveProvider: true, triggerCharacters: ['.', '%', '@', '[', '{', ':'] },
    signatureHelpProvider: { triggerCharacters: [' ', ',', '('], retriggerCharacters: [','] },
    semanticTokensProvider: {
      legend: { tokenTypes: [...tokenTypes], tokenModifiers: [...tokenModifiers] },
      full: { delta: true },
      range: true,
    },
    inlayHintProvider: true,
    codeLensProvider: { resolveProvider: false },
    foldingRangeProvider: true,
    selectionRangeProvider: true,
    documentFormattingProvider: true,
    documentRangeFormattingProvider: true,
    codeActionProvider: {
      codeActionKinds: ['quickfix', 'refactor.rewrite', 'refactor.rewrite.pressure', 'source.fixAll'],
    },
    callHierarchyProvider: true,
    documentLinkProvider: { resolveProvider: false },
    ...(client.pullsDiagnostics
      ? {
          diagnosticProvider: {
            identifier: 'spillway',
            interFileDependencies: false,
            workspaceDiagnostics: false,
          },
        }
      : {}),
    workspace: {
      workspaceFolders: { supported: true, changeNotifications: true },
      ...(client.textDocumentContent && { textDocumentContent: { schemes: [COMPILED_SCHEME] } }),
    },
  };
}
