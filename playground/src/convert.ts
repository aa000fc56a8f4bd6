/** From the protocol's shapes to those of the editor: lines and columns count from 1 there. */
import type * as monaco from 'monaco-editor';
import type * as lsp from 'vscode-languageserver-protocol';

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
  { range, severity, code, message, tags, relatedInformation }: lsp.Diagnostic,
  resource: monaco.Uri,
): monaco.editor.IMarkerData {
  return {
    ...toRange(range),
    severity: severities[severity ?? 1],
    message: typeof message === 'string' ? message : toMarkdown(message).value,
    source: 'spillway',
    ...(code !== undefined && { code: String(code) }),
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
