/** The one document of the page: its editor, kept in step with the server. */
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import type { ProtocolConnection } from 'vscode-languageserver-protocol';
import { toChange } from './convert.js';
import type { Place } from './panes/pane.js';
import { uriOf } from './providers/ask.js';

export type Editor = monaco.editor.IStandaloneCodeEditor;

export const placeIn = (editor: Editor): Place => {
  const { lineNumber, column } = editor.getPosition() ?? { lineNumber: 1, column: 1 };
  const uri = editor.getModel()?.uri.toString() ?? '';
  return { uri, line: lineNumber - 1, character: column - 1 };
};

/** Line and column count from 1; without a column the cursor goes to the first word. */
export function goTo(editor: Editor, lineNumber: number, column?: number): void {
  const first = editor.getModel()?.getLineFirstNonWhitespaceColumn(lineNumber) ?? 1;
  editor.setPosition({ lineNumber, column: column ?? Math.max(1, first) });
  editor.revealLineInCenterIfOutsideViewport(lineNumber);
  editor.focus();
}

export interface Text {
  /** Name of a file, which the server writes above what it makes of the text. */
  readonly name: string;
  readonly language: string;
  readonly text: string;
}

let documents = 0;

/** Takes the place of what was open. */
export function open(
  editor: Editor,
  connection: ProtocolConnection,
  { name, language, text }: Text,
  changed: () => void,
): void {
  const old = editor.getModel();
  const model = monaco.editor.createModel(text, language, uriOf(`playground:/${++documents}/${name}`));
  const textDocument = { uri: model.uri.toString() };
  void connection.sendNotification('textDocument/didOpen', {
    textDocument: {
      ...textDocument,
      languageId: language,
      version: model.getVersionId(),
      text: model.getValue(),
    },
  });
  model.onDidChangeContent(({ changes, versionId }) => {
    void connection.sendNotification('textDocument/didChange', {
      textDocument: { ...textDocument, version: versionId },
      contentChanges: changes.map(toChange),
    });
    changed();
  });
  model.onWillDispose(() => void connection.sendNotification('textDocument/didClose', { textDocument }));
  editor.setModel(model);
  old?.dispose();
  goTo(editor, firstInstruction(text));
  changed();
}

/** Where the cursor stands at first: at an instruction of the first function, whatever the language. */
function firstInstruction(text: string): number {
  const lines = text.split('\n');
  return lines.findIndex((line) => /^\s*([^.\s/#;].*[=,;]|\(?\d+)/.test(line)) + 1 || 1;
}
