import * as vscode from 'vscode';
import { State, type BaseLanguageClient } from 'vscode-languageclient';

/** Answer of the request `spillway/status` (docs/protocol.md). */
interface Status {
  readonly language: string;
  readonly target: string;
  /** The model in words: architecture and register limit in force. */
  readonly model: string;
  /** Settings that change it, such as `targets.nvidia.arch`. */
  readonly settings: readonly string[];
  /** The function under the cursor and its figures in words. */
  readonly function?: string;
  readonly summary?: string;
  /** What ptxas itself says of that function, where it was asked. */
  readonly ptxas?: string;
}

export interface StatusItem extends vscode.Disposable {
  refresh(): Promise<void>;
  /** Settings that change what is modelled for the document that was shown last. */
  settings(): readonly string[];
}

/** The item in the status bar: language, target and limit of the active document; a click changes them. */
export function createStatusItem(client: BaseLanguageClient, languages: readonly string[]): StatusItem {
  const item = vscode.window.createStatusBarItem('spillway.status', vscode.StatusBarAlignment.Right, 90);
  item.name = 'Spillway';
  let pending: NodeJS.Timeout | undefined;
  let settings: readonly string[] = [];

  const refresh = async (): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !languages.includes(editor.document.languageId)) {
      item.hide();
      return;
    }
    if (client.state !== State.Running) {
      const starting = client.state === State.Starting;
      item.text = starting ? '$(sync~spin) Spillway' : '$(error) Spillway';
      item.tooltip = starting ? 'The server is starting' : 'The server is not running';
      item.show();
      return;
    }
    const status = await client
      .sendRequest<Status | null>('spillway/status', {
        textDocument: { uri: editor.document.uri.toString() },
        position: { line: editor.selection.active.line, character: editor.selection.active.character },
      })
      .catch(() => null);
    if (status === null || editor !== vscode.window.activeTextEditor) return;
    item.text = `$(circuit-board) ${status.model}`;
    const lines = [`**${status.language}** on **${status.target}**: ${status.model}`];
    if (status.function !== undefined) lines.push(`\`${status.function}\`: ${status.summary ?? ''}`);
    if (status.ptxas !== undefined) lines.push(status.ptxas);
    settings = status.settings;
    if (settings.length > 0) lines.push('Click to change what is modelled');
    item.command = settings.length > 0 ? 'spillway.selectTarget' : undefined;
    item.tooltip = new vscode.MarkdownString(lines.join('\n\n'));
    item.show();
  };

  const soon = (): void => {
    clearTimeout(pending);
    pending = setTimeout(() => void refresh(), 150);
  };
  const listeners = [
    vscode.window.onDidChangeActiveTextEditor(soon),
    vscode.window.onDidChangeTextEditorSelection(soon),
    vscode.languages.onDidChangeDiagnostics(soon),
    client.onDidChangeState(soon),
  ];
  return {
    refresh,
    settings: () => settings,
    dispose: () => {
      clearTimeout(pending);
      for (const listener of listeners) listener.dispose();
      item.dispose();
    },
  };
}
