/** What changes the text: completion, rename, formatting, and actions with their figures. */
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import type * as lsp from 'vscode-languageserver-protocol';
import {
  fromMarker,
  fromPosition,
  fromRange,
  toCodeAction,
  toCompletion,
  toMarkdown,
  toRange,
  toTextEdit,
  toWorkspaceEdit,
} from '../convert.js';
import { uriOf, type Asking } from './ask.js';

export function registerEditing(asking: Asking, completionTriggers: readonly string[]): void {
  registerCompletion(asking, completionTriggers);
  registerRename(asking);
  const { ask, languages } = asking;
  const selector = [...languages];
  const edits = async (found: Promise<lsp.TextEdit[] | null>): Promise<monaco.languages.TextEdit[]> =>
    ((await found) ?? []).map(toTextEdit);
  monaco.languages.registerDocumentFormattingEditProvider(selector, {
    provideDocumentFormattingEdits: (model, options, token) =>
      edits(ask('textDocument/formatting', model, { options }, token)),
  });
  monaco.languages.registerDocumentRangeFormattingEditProvider(selector, {
    provideDocumentRangeFormattingEdits: (model, range, options, token) =>
      edits(ask('textDocument/rangeFormatting', model, { range: fromRange(range), options }, token)),
  });
  monaco.languages.registerCodeActionProvider(
    selector,
    {
      async provideCodeActions(model, range, { markers, only }, token) {
        const context = {
          diagnostics: markers.map(fromMarker),
          ...(only !== undefined && { only: [only] }),
        };
        const asked = { range: fromRange(range), context };
        const found = await ask<lsp.CodeAction[]>('textDocument/codeAction', model, asked, token);
        return {
          actions: (found ?? []).map((action) => toCodeAction(action, markers, uriOf)),
          dispose: () => undefined,
        };
      },
    },
    { providedCodeActionKinds: ['quickfix', 'refactor.rewrite', 'source.fixAll'] },
  );
}

function registerCompletion({ connection, ask, languages }: Asking, triggers: readonly string[]): void {
  const source = new WeakMap<monaco.languages.CompletionItem, lsp.CompletionItem>();
  monaco.languages.registerCompletionItemProvider([...languages], {
    triggerCharacters: [...triggers],
    async provideCompletionItems(model, position, context, token) {
      const { triggerKind, triggerCharacter } = context;
      const asked = {
        position: fromPosition(position),
        context: {
          triggerKind: triggerKind + 1,
          ...(triggerCharacter !== undefined && { triggerCharacter }),
        },
      };
      const found = await ask<lsp.CompletionList | lsp.CompletionItem[]>(
        'textDocument/completion',
        model,
        asked,
        token,
      );
      if (found === null) return null;
      const { startColumn, endColumn } = model.getWordUntilPosition(position);
      const { lineNumber } = position;
      const otherwise = new monaco.Range(lineNumber, startColumn, lineNumber, endColumn);
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
}

function registerRename({ demand, languages }: Asking): void {
  monaco.languages.registerRenameProvider([...languages], {
    async resolveRenameLocation(model, position, token) {
      const asked = { position: fromPosition(position) };
      const refuse = (
        rejectReason: string,
      ): monaco.languages.RenameLocation & monaco.languages.Rejection => ({
        range: monaco.Range.fromPositions(position),
        text: '',
        rejectReason,
      });
      try {
        const found = await demand<{ range: lsp.Range; placeholder: string }>(
          'textDocument/prepareRename',
          model,
          asked,
          token,
        );
        if (found === null) return refuse('There is nothing here that can be renamed');
        return { range: toRange(found.range), text: found.placeholder };
      } catch (error) {
        return refuse(wordsOf(error));
      }
    },
    async provideRenameEdits(model, position, newName, token) {
      const asked = { position: fromPosition(position), newName };
      try {
        const edit = await demand<lsp.WorkspaceEdit>('textDocument/rename', model, asked, token);
        return edit === null ? { edits: [] } : toWorkspaceEdit(edit, uriOf);
      } catch (error) {
        return { edits: [], rejectReason: wordsOf(error) };
      }
    },
  });
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
