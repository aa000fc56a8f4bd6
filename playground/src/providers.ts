/** What the editor shows of what the server knows, one provider a request. */
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import type * as lsp from 'vscode-languageserver-protocol';
import {
  fromPosition,
  fromRange,
  toCompletion,
  toInlayHint,
  toMarkdown,
  toMarker,
  toRange,
} from './convert.js';
import type { Server } from './server.js';

/** Clears what the page shows when the server says that it knows better. */
class News {
  private readonly emitter = new monaco.Emitter<void>();
  readonly event = (handler: () => void): monaco.IDisposable => this.emitter.event(handler);
  readonly tell = (): null => {
    this.emitter.fire();
    return null;
  };
}

export function registerProviders({ connection, initialized }: Server, languages: readonly string[]): void {
  /** An answer that is out of date, or wanted no more, is no answer. */
  const ask = <R>(
    method: string,
    model: monaco.editor.ITextModel,
    params: object,
    token: monaco.CancellationToken,
  ): Promise<R | null> =>
    connection
      .sendRequest<R | null>(method, { textDocument: { uri: model.uri.toString() }, ...params }, token)
      .catch(() => null);

  const lenses = new News();
  const hints = new News();
  const tokens = new News();
  connection.onRequest('workspace/codeLens/refresh', lenses.tell);
  connection.onRequest('workspace/inlayHint/refresh', hints.tell);
  connection.onRequest('workspace/semanticTokens/refresh', tokens.tell);
  connection.onNotification(
    'textDocument/publishDiagnostics',
    ({ uri, version, diagnostics }: lsp.PublishDiagnosticsParams) => {
      const model = monaco.editor.getModel(monaco.Uri.parse(uri));
      if (model === null || (version !== undefined && version !== model.getVersionId())) return;
      const markers = diagnostics.map((diagnostic) => toMarker(diagnostic, model.uri));
      monaco.editor.setModelMarkers(model, 'spillway', markers);
      // figures of a complete analysis have come with it
      lenses.tell();
      hints.tell();
    },
  );

  const selector = [...languages];
  monaco.languages.registerHoverProvider(selector, {
    async provideHover(model, position, token) {
      const hover = await ask<lsp.Hover>(
        'textDocument/hover',
        model,
        { position: fromPosition(position) },
        token,
      );
      if (hover === null) return null;
      return {
        contents: [toMarkdown(hover.contents)],
        ...(hover.range !== undefined && { range: toRange(hover.range) }),
      };
    },
  });
  monaco.languages.registerDefinitionProvider(selector, {
    async provideDefinition(model, position, token) {
      const found = await ask<lsp.Location | lsp.Location[]>(
        'textDocument/definition',
        model,
        { position: fromPosition(position) },
        token,
      );
      if (found === null) return null;
      return (Array.isArray(found) ? found : [found]).map(({ range }) => ({
        uri: model.uri,
        range: toRange(range),
      }));
    },
  });
  const source = new WeakMap<monaco.languages.CompletionItem, lsp.CompletionItem>();
  monaco.languages.registerCompletionItemProvider(selector, {
    triggerCharacters: initialized.capabilities.completionProvider?.triggerCharacters ?? [],
    async provideCompletionItems(model, position, context, token) {
      const found = await ask<lsp.CompletionList | lsp.CompletionItem[]>(
        'textDocument/completion',
        model,
        {
          position: fromPosition(position),
          context: {
            triggerKind: context.triggerKind + 1,
            ...(context.triggerCharacter !== undefined && { triggerCharacter: context.triggerCharacter }),
          },
        },
        token,
      );
      if (found === null) return null;
      const word = model.getWordUntilPosition(position);
      const otherwise = new monaco.Range(
        position.lineNumber,
        word.startColumn,
        position.lineNumber,
        word.endColumn,
      );
      const list = Array.isArray(found) ? { items: found, isIncomplete: false } : found;
      return {
        incomplete: list.isIncomplete,
        suggestions: list.items.map((item) => {
          const suggestion = toCompletion(item, otherwise);
          source.set(suggestion, item);
          return suggestion;
        }),
      };
    },
    async resolveCompletionItem(suggestion, token) {
      const item = source.get(suggestion);
      if (item === undefined) return suggestion;
      const whole = await connection
        .sendRequest<lsp.CompletionItem>('completionItem/resolve', item, token)
        .catch(() => item);
      return whole.documentation === undefined
        ? suggestion
        : { ...suggestion, documentation: toMarkdown(whole.documentation) };
    },
  });
  monaco.languages.registerInlayHintsProvider(selector, {
    onDidChangeInlayHints: hints.event,
    async provideInlayHints(model, range, token) {
      const found = await ask<lsp.InlayHint[]>(
        'textDocument/inlayHint',
        model,
        { range: fromRange(range) },
        token,
      );
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
  const { legend } = initialized.capabilities.semanticTokensProvider!;
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
