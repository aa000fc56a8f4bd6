import * as vscode from 'vscode';
import { ProgressType, State, type BaseLanguageClient } from 'vscode-languageclient';
import { change } from './commands.js';
import { randomName } from './random-name.js';
import type { Comparison, ComparisonRow } from '../../server/src/features/compare-data.js';
import { comparisonMarkdown, comparisonText } from '../../server/src/features/compare-text.js';
import type { FromTable, ToTable } from './views/compare/data.js';
import { style } from './views/compare/style.js';

/** Milliseconds after an edit or another setting until the table is made again. */
const pause = 400;
const rowsOf = new ProgressType<{ readonly rows: readonly ComparisonRow[] }>();

/** A panel with the figures of a function under other targets and limits; a row that is chosen becomes the setting. */
export class ComparisonPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** What the panel is about. */
  private place: { readonly uri: vscode.Uri; readonly position: vscode.Position } | undefined;
  private shown: Comparison | undefined;
  private isReady = false;
  private timer: NodeJS.Timeout | undefined;
  private running: vscode.CancellationTokenSource | undefined;
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly client: BaseLanguageClient,
    private readonly languages: readonly string[],
  ) {
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document.uri.toString() === this.place?.uri.toString()) this.soon();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('spillway')) this.soon();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor.document.uri.toString() === this.place?.uri.toString())
          this.place = { uri: textEditor.document.uri, position: textEditor.selection.active };
      }),
      client.onDidChangeState(({ newState }) => {
        if (newState === State.Running) this.soon();
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.running?.cancel();
    this.panel?.dispose();
    for (const one of this.listeners) one.dispose();
  }

  /** Of the function at the cursor. */
  show(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !this.languages.includes(editor.document.languageId)) {
      void vscode.window.showInformationMessage('Open a file with shader IR to compare targets.');
      return;
    }
    this.place = { uri: editor.document.uri, position: editor.selection.active };
    if (this.panel === undefined) this.create();
    else this.panel.reveal(undefined, true);
    void this.compare();
  }

  private create(): void {
    const views = vscode.Uri.joinPath(this.context.extensionUri, 'dist', 'views');
    const panel = vscode.window.createWebviewPanel(
      'spillway.compareTargets',
      'Compare Targets',
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [views], retainContextWhenHidden: true },
    );
    this.panel = panel;
    this.isReady = false;
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.place = undefined;
      this.running?.cancel();
    });
    panel.webview.onDidReceiveMessage((message: FromTable) => this.receive(message));
    const script = panel.webview.asWebviewUri(vscode.Uri.joinPath(views, 'compare.js')).toString();
    panel.webview.html = page(script, randomName());
  }

  private async receive(message: FromTable): Promise<void> {
    if (message.type === 'ready') {
      this.isReady = true;
      if (this.shown !== undefined) this.post({ type: 'comparison', content: this.shown });
      return;
    }
    if (this.shown === undefined) return;
    if (message.type === 'copy') {
      const text = message.format === 'text' ? comparisonText(this.shown) : comparisonMarkdown(this.shown);
      await vscode.env.clipboard.writeText(text);
      vscode.window.setStatusBarMessage('The table is in the clipboard', 3000);
      return;
    }
    const row = this.shown.rows.at(message.row);
    for (const [key, value] of Object.entries(row?.settings ?? {}))
      await change(key, typeof value === 'boolean' ? String(value) : (value ?? undefined));
  }

  private post(message: ToTable): void {
    if (this.isReady) void this.panel?.webview.postMessage(message);
  }

  private soon(): void {
    if (this.panel === undefined) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.compare(), pause);
  }

  private async compare(): Promise<void> {
    const { place } = this;
    if (place === undefined || this.panel === undefined || this.client.state !== State.Running) return;
    this.running?.cancel();
    const running = (this.running = new vscode.CancellationTokenSource());
    const partialResultToken = randomName();
    let known = 0;
    const progress = this.client.onProgress(rowsOf, partialResultToken, ({ rows }) => {
      known += rows.length;
      this.post({ type: 'comparing', function: this.shown?.function ?? '', rows: known });
    });
    const answer = await this.client
      .sendRequest<Comparison | null>(
        'spillway/compareTargets',
        {
          textDocument: { uri: place.uri.toString() },
          position: { line: place.position.line, character: place.position.character },
          partialResultToken,
        },
        running.token,
      )
      // an edit has come between: it asks again
      .catch(() => undefined);
    progress.dispose();
    if (running.token.isCancellationRequested || answer === undefined) return;
    this.shown = answer ?? undefined;
    this.post(
      answer === null
        ? { type: 'empty', message: 'There is no function here whose targets could be compared.' }
        : { type: 'comparison', content: answer },
    );
  }
}

function page(script: string, nonce: string): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Compare Targets</title>
<style nonce="${nonce}">${style}</style>
</head>
<body><script nonce="${nonce}" src="${script}"></script></body>
</html>`;
}
