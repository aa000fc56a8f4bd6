import {
  CodeActionRequest,
  CompletionRequest,
  CompletionResolveRequest,
  DocumentFormattingRequest,
  DocumentRangeFormattingRequest,
  ErrorCodes,
  LSPErrorCodes,
  PrepareRenameRequest,
  RenameRequest,
  ResponseError,
  type CodeAction,
  type CompletionItem,
  type Diagnostic,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import { codeActionSteps } from '../../features/code-actions.js';
import { completion } from '../../features/completion.js';
import type * as data from '../../features/data.js';
import { formatting } from '../../features/formatting.js';
import { prepareRename, rename } from '../../features/rename.js';
import type { Document } from '../../workspace/document.js';
import { languageForId } from '../../workspace/registry.js';
import type { Encoder } from '../encoding.js';
import { SLICE } from '../scheduling.js';
import { documentRequest, plainRequest, type Asked, type Session } from '../session.js';
import { completionKinds, insertFormat, markup, withoutTabStops } from './convert.js';

/** Milliseconds after which a menu of actions is shown without rewrites that were not tried yet. */
const PATIENCE = 200;

/** What changes the text. */
export function registerEditing(session: Session): void {
  registerCompletion(session);
  registerRename(session);
  const { connection } = session;
  connection.onRequest(
    DocumentFormattingRequest.type,
    documentRequest(session, 'formatting', ({ document, encoder, params }) =>
      textEdits(encoder, formatting(document, formatOptions(params.options))),
    ),
  );
  connection.onRequest(
    DocumentRangeFormattingRequest.type,
    documentRequest(session, 'rangeFormatting', ({ document, encoder, params }) =>
      textEdits(
        encoder,
        formatting(document, formatOptions(params.options), encoder.rangeFromClient(params.range)),
      ),
    ),
  );
  connection.onRequest(
    CodeActionRequest.type,
    documentRequest(session, 'codeAction', async (asked) => {
      const { document, encoder, params, isStale } = asked;
      const { only, diagnostics } = params.context ?? {};
      const range = encoder.rangeFromClient(params.range);
      const until = performance.now() + PATIENCE;
      const isEnough = (): boolean => performance.now() > until;
      const steps = codeActionSteps(document, range, { isEnough, ...(only === undefined ? {} : { only }) });
      let slice = performance.now() + SLICE;
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) {
        if (performance.now() < slice) continue;
        await session.queue.drained();
        if (isStale()) return [];
        slice = performance.now() + SLICE;
      }
      return step.value
        .filter(({ refused }) => refused === undefined || session.client.disabledCodeActions)
        .map((action) => protocolAction(asked, action, diagnostics ?? []));
    }),
  );
}

const formatOptions = (options: {
  tabSize?: number;
  insertSpaces?: boolean;
}): { tabSize: number; insertSpaces: boolean } => ({
  tabSize: Math.max(1, Math.min(options?.tabSize ?? 8, 16)),
  insertSpaces: options?.insertSpaces ?? false,
});

const textEdits = (encoder: Encoder, edits: readonly data.Edit[]): TextEdit[] =>
  edits.map(({ range, newText }) => ({ range: encoder.rangeToClient(range), newText }));

/** Edits of one document, tied to its version where the client can do that. */
function workspaceEdit(session: Session, document: Document, edits: TextEdit[]): WorkspaceEdit {
  if (!session.client.versionedEdits) return { changes: { [document.uri]: edits } };
  return {
    documentChanges: [{ textDocument: { uri: document.uri, version: document.version }, edits }],
  };
}

function protocolAction(
  { session, document, encoder }: Asked<unknown>,
  action: data.CodeAction,
  shown: readonly Diagnostic[],
): CodeAction {
  const repaired =
    action.repairs === undefined ? [] : shown.filter((diagnostic) => isShown(encoder, action, diagnostic));
  const { title, kind, refused } = action;
  if (refused !== undefined) return { title, kind, disabled: { reason: refused } };
  return {
    title,
    kind,
    isPreferred: action.isPreferred,
    edit: workspaceEdit(session, document, textEdits(encoder, action.edits)),
    ...(repaired.length === 0 ? {} : { diagnostics: repaired }),
  };
}

/** Whether `diagnostic`, as the client has it, is the problem that the action repairs. */
function isShown(encoder: Encoder, { repairs }: data.CodeAction, { code, range }: Diagnostic): boolean {
  if (repairs === undefined || repairs.code !== code) return false;
  const { start, end } = encoder.rangeToClient(repairs.range);
  return (
    start.line === range.start.line &&
    start.character === range.start.character &&
    end.line === range.end.line &&
    end.character === range.end.character
  );
}

function registerCompletion(session: Session): void {
  const { connection, client } = session;
  connection.onRequest(
    CompletionRequest.type,
    documentRequest(session, 'completion', ({ document, encoder, params }) => {
      const found = completion(document, encoder.fromClient(params.position));
      const range = encoder.rangeToClient(found.range);
      return {
        isIncomplete: found.isIncomplete,
        items: found.items.map((item): CompletionItem => {
          const isSnippet = item.isSnippet === true && client.snippets;
          const text = item.insert ?? item.label;
          return {
            label: item.label,
            kind: completionKinds[item.kind],
            insertTextFormat: insertFormat(isSnippet),
            textEdit: {
              range,
              newText: item.isSnippet === true && !isSnippet ? withoutTabStops(text) : text,
            },
            ...(item.detail === undefined ? {} : { detail: item.detail }),
            ...(item.sort === undefined ? {} : { sortText: item.sort }),
            ...(item.key === undefined ? {} : { data: { language: document.language.id, key: item.key } }),
          };
        }),
      };
    }),
  );
  connection.onRequest(
    CompletionResolveRequest.type,
    plainRequest(session, 'completion/resolve', (item) => {
      const { language, key } = (item.data ?? {}) as { language?: unknown; key?: unknown };
      if (typeof language !== 'string' || typeof key !== 'string') return item;
      const text = languageForId(language, session.pairs)?.language.resolveCompletion(key);
      return text === undefined ? item : { ...item, documentation: markup(text, client.completionMarkdown) };
    }),
  );
}

const refusal = (reason: string): ResponseError<void> =>
  new ResponseError(LSPErrorCodes.RequestFailed, reason);

function registerRename(session: Session): void {
  const { connection } = session;
  connection.onRequest(
    PrepareRenameRequest.type,
    documentRequest(session, 'prepareRename', ({ document, encoder, params }) => {
      const found = prepareRename(document, encoder.fromClient(params.position));
      if ('refused' in found) throw refusal(found.refused);
      return { range: encoder.rangeToClient(found.range), placeholder: found.placeholder };
    }),
  );
  connection.onRequest(
    RenameRequest.type,
    documentRequest(session, 'rename', ({ document, encoder, params }) => {
      if (typeof params.newName !== 'string')
        throw new ResponseError(ErrorCodes.InvalidParams, 'rename: newName must be a string');
      const found = rename(document, encoder.fromClient(params.position), params.newName);
      if ('refused' in found) throw refusal(found.refused);
      return workspaceEdit(session, document, textEdits(encoder, found.edits));
    }),
  );
}
