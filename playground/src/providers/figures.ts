/** What is drawn into the text of what the server has found: findings, lenses, hints, colours. */
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import type * as lsp from 'vscode-languageserver-protocol';
import { fromRange, toInlayHint, toMarker, toRange } from '../convert.js';
import { uriOf, type Asking } from './ask.js';

/** Clears what the page shows when the server says that it knows better. */
class News {
  private readonly emitter = new monaco.Emitter<void>();
  readonly event = (handler: () => void): monaco.IDisposable => this.emitter.event(handler);
  readonly tell = (): null => {
    this.emitter.fire();
    return null;
  };
}

export function registerFigures(
  { connection, ask, languages }: Asking,
  legend: lsp.SemanticTokensLegend,
): void {
  const lenses = new News();
  const hints = new News();
  const tokens = new News();
  connection.onRequest('workspace/codeLens/refresh', lenses.tell);
  connection.onRequest('workspace/inlayHint/refresh', hints.tell);
  connection.onRequest('workspace/semanticTokens/refresh', tokens.tell);
  connection.onNotification(
    'textDocument/publishDiagnostics',
    ({ uri, version, diagnostics }: lsp.PublishDiagnosticsParams) => {
      const model = monaco.editor.getModel(uriOf(uri));
      if (model === null || (version !== undefined && version !== model.getVersionId())) return;
      const markers = diagnostics.map((diagnostic) => toMarker(diagnostic, model.uri, uriOf));
      monaco.editor.setModelMarkers(model, 'spillway', markers);
      // figures of a complete analysis have come with it
      lenses.tell();
      hints.tell();
    },
  );

  const selector = [...languages];
  monaco.languages.registerInlayHintsProvider(selector, {
    onDidChangeInlayHints: hints.event,
    async provideInlayHints(model, range, token) {
      const asked = { range: fromRange(range) };
      const found = await ask<lsp.InlayHint[]>('textDocument/inlayHint', model, asked, token);
      return { hints: (found ?? []).map(toInlayHint), dispose: () => undefined };
    },
  });
  monaco.languages.registerCodeLensProvider(selector, {
    onDidChange: (handler) =>
      lenses.event(() => {
        handler(undefined as never);
      }),
    async provideCodeLenses(model, token) {
      const found = await ask<lsp.CodeLens[]>('textDocument/codeLens', model, {}, token);
      return {
        lenses: (found ?? []).map(({ range, command }) => ({
          range: toRange(range),
          ...(command !== undefined && {
            command: {
              id: command.command,
              title: command.title,
              ...(command.arguments !== undefined && { arguments: command.arguments as unknown[] }),
            },
          }),
        })),
        dispose: () => undefined,
      };
    },
  });
  monaco.languages.registerDocumentSemanticTokensProvider(selector, {
    onDidChange: tokens.event,
    getLegend: () => legend,
    async provideDocumentSemanticTokens(model, _last, token) {
      const found = await ask<lsp.SemanticTokens>('textDocument/semanticTokens/full', model, {}, token);
      return found === null ? null : { data: Uint32Array.from(found.data) };
    },
    releaseDocumentSemanticTokens: () => undefined,
  });
}
