/**
 * From the protocol's shapes to those of the editor and back: lines and columns count from 1 there, and addresses are
 * objects, which `uriOf` makes. Nothing here needs the editor itself.
 */
import type * as monaco from 'monaco-editor';
import type * as lsp from 'vscode-languageserver-protocol';

export type UriOf = (uri: string) => monaco.Uri;

export const toRange = ({ start, end }: lsp.Range): monaco.IRange => ({
  startLineNumber: start.line + 1,
  startColumn: start.character + 1,
  endLineNumber: end.line + 1,
  endColumn: end.character + 1,
});

export const fromPosition = ({ lineNumber, column }: monaco.IPosition): lsp.Position => ({
  line: lineNumber - 1,
  character: column - 1,
});

export const fromRange = (range: monaco.IRange): lsp.Range => ({
  start: { line: range.startLineNumber - 1, character: range.startColumn - 1 },
  end: { line: range.endLineNumber - 1, character: range.endColumn - 1 },
});

export function toMarkdown(text: lsp.Hover['contents'] | string | undefined): monaco.IMarkdownString {
  if (text === undefined) return { value: '' };
  if (typeof text === 'string') return { value: text };
  if (Array.isArray(text))
    return { value: text.map((part) => (typeof part === 'string' ? part : part.value)).join('\n\n') };
  return { value: text.value };
}

/** `MarkerSeverity` of the editor, by `DiagnosticSeverity`. */
const severities = [8, 8, 4, 2, 1] as const;

export function toMarker(
  { range, severity, code, codeDescription, message, tags, relatedInformation }: lsp.Diagnostic,
  resource: monaco.Uri,
  uriOf: UriOf,
): monaco.editor.IMarkerData {
  const target = codeDescription === undefined ? undefined : uriOf(codeDescription.href);
  return {
    ...toRange(range),
    severity: severities[severity ?? 1],
    message: typeof message === 'string' ? message : toMarkdown(message).value,
    source: 'spillway',
    ...(code !== undefined && {
      code: target === undefined ? String(code) : { value: String(code), target },
    }),
    ...(tags !== undefined && { tags: [...tags] }),
    ...(relatedInformation !== undefined && {
      relatedInformation: relatedInformation.map((related) => ({
        ...toRange(related.location.range),
        resource,
        message: related.message,
      })),
    }),
  };
}

/** As much of a finding as tells the server which one is meant. */
export function fromMarker({ code, message, ...range }: monaco.editor.IMarkerData): lsp.Diagnostic {
  const value = typeof code === 'object' ? code.value : code;
  return {
    range: fromRange(range),
    message,
    source: 'spillway',
    ...(value !== undefined && { code: value }),
  };
}

export const toLocations = (
  found: lsp.Location | readonly lsp.Location[] | null,
  uriOf: UriOf,
): monaco.languages.Location[] =>
  (found === null
    ? []
    : Array.isArray(found)
      ? (found as readonly lsp.Location[])
      : [found as lsp.Location]
  ).map(({ uri, range }) => ({ uri: uriOf(uri), range: toRange(range) }));

/** Tied to the versions that the server saw, where it says which. */
export function toWorkspaceEdit(
  { changes, documentChanges }: lsp.WorkspaceEdit,
  uriOf: UriOf,
): monaco.languages.WorkspaceEdit {
  const edits: monaco.languages.IWorkspaceTextEdit[] = [];
  const add = (uri: string, version: number | undefined, all: readonly lsp.TextEdit[]): void => {
    const resource = uriOf(uri);
    for (const edit of all) edits.push({ resource, versionId: version, textEdit: toTextEdit(edit) });
  };
  for (const [uri, all] of Object.entries(changes ?? {})) add(uri, undefined, all);
  for (const change of documentChanges ?? [])
    if ('textDocument' in change)
      add(change.textDocument.uri, change.textDocument.version ?? undefined, change.edits as lsp.TextEdit[]);
  return { edits };
}

export const toTextEdit = ({ range, newText }: lsp.TextEdit): monaco.languages.TextEdit => ({
  range: toRange(range),
  text: newText,
});

export function toCodeAction(
  { title, kind, isPreferred, disabled, edit, diagnostics }: lsp.CodeAction,
  markers: readonly monaco.editor.IMarkerData[],
  uriOf: UriOf,
): monaco.languages.CodeAction {
  const repaired = (diagnostics ?? []).flatMap((diagnostic) =>
    markers.filter((marker) => isSame(fromMarker(marker), diagnostic)),
  );
  return {
    title,
    ...(kind !== undefined && { kind }),
    ...(isPreferred !== undefined && { isPreferred }),
    ...(disabled !== undefined && { disabled: disabled.reason }),
    ...(edit !== undefined && { edit: toWorkspaceEdit(edit, uriOf) }),
    ...(repaired.length > 0 && { diagnostics: repaired }),
  };
}

const isSame = (a: lsp.Diagnostic, b: lsp.Diagnostic): boolean =>
  a.code === b.code &&
  a.range.start.line === b.range.start.line &&
  a.range.start.character === b.range.start.character &&
  a.range.end.line === b.range.end.line &&
  a.range.end.character === b.range.end.character;

export const toFoldingRange = ({
  startLine,
  endLine,
  kind,
}: lsp.FoldingRange): Omit<monaco.languages.FoldingRange, 'kind'> & {
  readonly kind?: { value: string };
} => ({
  start: startLine + 1,
  end: endLine + 1,
  ...(kind !== undefined && { kind: { value: kind } }),
});

/** Kinds of highlights and symbols count from 1 in the protocol, from 0 in the editor. */
export const toHighlight = ({ range, kind }: lsp.DocumentHighlight): monaco.languages.DocumentHighlight => ({
  range: toRange(range),
  kind: (kind ?? 1) - 1,
});

export const toSymbol = ({
  name,
  detail,
  kind,
  range,
  selectionRange,
  children,
}: lsp.DocumentSymbol): monaco.languages.DocumentSymbol => ({
  name,
  detail: detail ?? '',
  kind: kind - 1,
  tags: [],
  range: toRange(range),
  selectionRange: toRange(selectionRange),
  ...(children !== undefined && { children: children.map(toSymbol) }),
});

/** From the inside to the outside. */
export function toSelectionRanges(innermost: lsp.SelectionRange): monaco.languages.SelectionRange[] {
  const ranges: monaco.languages.SelectionRange[] = [];
  for (let at: lsp.SelectionRange | undefined = innermost; at !== undefined; at = at.parent)
    ranges.push({ range: toRange(at.range) });
  return ranges;
}

export const toSignatureHelp = ({
  signatures,
  activeSignature,
  activeParameter,
}: lsp.SignatureHelp): monaco.languages.SignatureHelp => ({
  activeSignature: activeSignature ?? 0,
  activeParameter: activeParameter ?? 0,
  signatures: signatures.map(({ label, documentation, parameters }) => ({
    label,
    ...(documentation !== undefined && { documentation: toMarkdown(documentation) }),
    parameters: (parameters ?? []).map((parameter) => ({
      label: typeof parameter.label === 'string' ? parameter.label : [...parameter.label],
      ...(parameter.documentation !== undefined && { documentation: toMarkdown(parameter.documentation) }),
    })),
  })),
});

/** The editor's kinds of completions count from 0 in an order of their own; by `CompletionItemKind`. */
const completionKinds: readonly number[] = [
  18, 18, 0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 17, 27, 19, 20, 21, 23, 16, 14, 6, 10, 11, 24,
];

export function toCompletion(
  item: lsp.CompletionItem,
  otherwise: monaco.IRange,
): monaco.languages.CompletionItem {
  const { textEdit } = item;
  const range =
    textEdit === undefined
      ? otherwise
      : 'range' in textEdit
        ? toRange(textEdit.range)
        : { insert: toRange(textEdit.insert), replace: toRange(textEdit.replace) };
  return {
    label: item.label,
    kind: completionKinds[item.kind ?? 1],
    insertText: textEdit?.newText ?? item.insertText ?? item.label,
    range,
    ...(item.detail !== undefined && { detail: item.detail }),
    ...(item.sortText !== undefined && { sortText: item.sortText }),
    ...(item.filterText !== undefined && { filterText: item.filterText }),
    ...(item.documentation !== undefined && { documentation: toMarkdown(item.documentation) }),
    // InsertAsSnippet
    ...(item.insertTextFormat === 2 && { insertTextRules: 4 }),
    ...(item.commitCharacters !== undefined && { commitCharacters: item.commitCharacters }),
  };
}

/** Kinds of the editor's hints are the protocol's. */
export function toInlayHint({
  position,
  label,
  kind,
  tooltip,
  paddingLeft,
  paddingRight,
}: lsp.InlayHint): monaco.languages.InlayHint {
  return {
    position: { lineNumber: position.line + 1, column: position.character + 1 },
    label: typeof label === 'string' ? label : label.map(({ value }) => ({ label: value })),
    ...(kind !== undefined && { kind }),
    ...(tooltip !== undefined && { tooltip: toMarkdown(tooltip) }),
    ...(paddingLeft !== undefined && { paddingLeft }),
    ...(paddingRight !== undefined && { paddingRight }),
  };
}

/** Changes of the editor are made from the end of the text to its beginning: the protocol's order is the same. */
export const toChange = ({
  range,
  text,
}: monaco.editor.IModelContentChange): lsp.TextDocumentContentChangeEvent => ({
  range: fromRange(range),
  text,
});
