import * as vscode from 'vscode';
import { ProgressType, State, type BaseLanguageClient } from 'vscode-languageclient';
import { change } from './commands.js';
import { randomName } from './random-name.js';
import type { Comparison, ComparisonRow } from '../../server/src/features/compare-data.js';
import { comparisonMarkdown, comparisonText } from '../../server/src/features/compare-text.js';
import type { FromTable, ToTable } from './views/compare/data.js';
import { pageOf, webviewOptions } from './webview-page.js';

/** Milliseconds after an edit or another setting until the table is made again. */
const pause = 400;
const described = { viewType: 'spillway.compareTargets', title: 'Compare Targets', script: 'compare.js' };
const rowsOf = new ProgressType<{ readonly rows: readonly ComparisonRow[] }>();

/** What the page of the panel keeps, and gets back from. */
interface PanelState {
  readonly type: 'panel';
  readonly state: { readonly uri: string; readonly line: number; readonly character: number };
}

interface Kept {
  readonly panel?: Partial<PanelState['state']>;
}

/** A panel with the figures of a function under other targets and limits; a row that is chosen becomes the setting. */
export class ComparisonPanel implements vscode.Disposable, vscode.WebviewPanelSerializer<Kept> {
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
      vscode.window.registerWebviewPanelSerializer(described.viewType, this),
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
    const { viewType, title } = described;
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.adopt(vscode.window.createWebviewPanel(viewType, title, column, webviewOptions(this.context)));
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel = panel;
    this.isReady = false;
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.place = undefined;
      this.running?.cancel();
    });
    panel.webview.onDidReceiveMessage((message: FromTable) => this.receive(message));
    panel.webview.html = pageOf(this.context, panel.webview, described);
  }

  /** A panel that was open when the window was closed; its page has kept what it was about. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: Kept | undefined): Promise<void> {
    const { uri, line, character } = state?.panel ?? {};
    if (uri === undefined || this.panel !== undefined) {
      panel.dispose();
      return;
    }
    panel.webview.options = webviewOptions(this.context);
    this.place = { uri: vscode.Uri.parse(uri), position: new vscode.Position(line ?? 0, character ?? 0) };
    this.adopt(panel);
    // a file whose tab is not to be seen is not open yet, and the server knows open files alone
    await vscode.workspace.openTextDocument(this.place.uri).then(undefined, () => undefined);
    this.soon();
  }

  private async receive(message: FromTable): Promise<void> {
    if (message.type === 'ready') {
      this.isReady = true;
      this.keepPlace();
      if (this.shown !== undefined) this.post({ type: 'comparison', content: this.shown });
      else this.soon();
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

  /** Told to the page, which has it again when the window is loaded the next time. */
  private keepPlace(): void {
    if (this.place === undefined || !this.isReady) return;
    const { uri, position } = this.place;
    const state = { uri: uri.toString(), line: position.line, character: position.character };
    void this.panel?.webview.postMessage({ type: 'panel', state } satisfies PanelState);
  }

  private soon(): void {
    if (this.panel === undefined) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.compare(), pause);
  }

  private async compare(): Promise<void> {
    const { place } = this;
    if (place === undefined || this.panel === undefined || this.client.state !== State.Running) return;
    this.keepPlace();
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
