/**
 * Open, change, close. A change that makes no sense (no text, a range that is no range) is logged and left out;
 * positions outside the text are clamped. A client that has lost its way gets its next full text right.
 */
import type {
  DidChangeTextDocumentParams,
  DidCloseTextDocumentParams,
  DidOpenTextDocumentParams,
} from 'vscode-languageserver';
import type { TextEdit } from '../text/span.js';
import type { Document } from '../workspace/document.js';
import { languageForId, languageForPath } from '../workspace/registry.js';
import type { Settings } from '../workspace/settings.js';
import { Draft } from '../workspace/store.js';
import { encoderFor } from './encoding.js';
import { isRange, type Session } from './session.js';

export function open(
  session: Session,
  params: DidOpenTextDocumentParams,
  settings: Settings,
): Document | undefined {
  const { uri, languageId, version, text } = params.textDocument;
  if (typeof uri !== 'string' || typeof text !== 'string')
    throw new TypeError('textDocument.uri and textDocument.text must be strings');
  const pair = languageForId(languageId, session.pairs) ?? languageForPath(pathOf(uri), session.pairs);
  if (pair === undefined) {
    session.connection.console.warn(`no language for '${languageId}' (${uri}); the document is ignored`);
    return undefined;
  }
  return session.store.open(uri, pair, version, text, settings);
}

/** The path of a URI, without query and fragment; a text that is no URI is its own path. */
export function pathOf(uri: string): string {
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    return uri;
  }
}

/** More changes than this in one message are looked at together. */
const MANY = 8;

export function change(session: Session, params: DidChangeTextDocumentParams): Document | undefined {
  const { uri, version } = params.textDocument;
  const document = session.store.get(uri);
  if (document === undefined) return undefined;
  const draft = new Draft(document);
  const changes = Array.isArray(params.contentChanges) ? params.contentChanges : [];
  const together = changes.length > MANY ? backwards(session, draft, changes) : undefined;
  if (together !== undefined) draft.applyTogether(together);
  else for (const one of changes) applyOne(session, draft, one, uri);
  return session.store.commit(draft, version ?? document.version + 1);
}

function applyOne(session: Session, draft: Draft, one: unknown, uri: string): void {
  const { range, text } = (one ?? {}) as { range?: unknown; text?: unknown };
  if (typeof text !== 'string' || (range !== undefined && !isRange(range))) {
    session.connection.console.error(
      `didChange of ${uri}: a change without text or with a broken range is left out`,
    );
    return;
  }
  if (range === undefined) draft.replace(text);
  else draft.apply(editFor(session, draft, range, text));
}

interface ClientRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

function editFor(session: Session, draft: Draft, range: ClientRange, newText: string): TextEdit {
  const encoder = encoderFor(session.client.encoding, draft.lines);
  const a = encoder.offset(range.start);
  const b = encoder.offset(range.end);
  return { span: { start: Math.min(a, b), end: Math.max(a, b) }, newText };
}

/**
 * Editors report many cursors or a formatted file as changes from the end of the text to its start. Then all
 * positions refer to the text as it is, and the text is rebuilt once instead of once a change. Undefined when the
 * changes are in another order.
 */
function backwards(session: Session, draft: Draft, changes: readonly unknown[]): TextEdit[] | undefined {
  const encoder = encoderFor(session.client.encoding, draft.lines);
  const edits: TextEdit[] = [];
  let before = Infinity;
  for (const one of changes) {
    const { range, text } = (one ?? {}) as { range?: unknown; text?: unknown };
    if (typeof text !== 'string' || !isRange(range)) return undefined;
    const start = encoder.offset(range.start);
    const end = encoder.offset(range.end);
    if (start > end || end > before || (end === before && start === end)) return undefined;
    edits.push({ span: { start, end }, newText: text });
    before = start;
  }
  return edits;
}

export function close(session: Session, params: DidCloseTextDocumentParams): string {
  const { uri } = params.textDocument;
  session.store.close(uri);
  return uri;
}
