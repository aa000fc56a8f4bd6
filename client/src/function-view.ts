import * as vscode from 'vscode';
import { State, type BaseLanguageClient } from 'vscode-languageclient';
import type { FunctionView, SameView } from '../../server/src/features/views/data.js';
import type { FromView, ToView } from './views/host.js';
import { pageOf, webviewOptions } from './webview-page.js';

/**
 * A panel beside the editor with a picture of the function at the cursor. It follows the cursor, is asked for again
 * after edits (only what has changed is sent), and comes back after a reload of the window. What is drawn, and how, is
 * in views/; what is known, in the server.
 */
export interface FunctionPicture {
  /** Of the panel, and of the command that opens it. */
  readonly id: string;
  readonly title: string;
  /** Of the server; its answer is what the picture is drawn from. */
  readonly request: string;
  /** In dist/views/. */
  readonly script: string;
}

type Content = FunctionView;

/** After the last change of a text or cursor, milliseconds. */
const EDIT_PAUSE = 120;
const CURSOR_PAUSE = 30;

export function registerPicture(
  context: vscode.ExtensionContext,
  client: BaseLanguageClient,
  languages: readonly string[],
  picture: FunctionPicture,
): vscode.Disposable {
  let open: Panel | undefined;
  const show = (panel: vscode.WebviewPanel, uri: vscode.Uri): void => {
    const made = new Panel(context, client, languages, picture, panel, uri);
    open = made;
    panel.onDidDispose(() => {
      made.dispose();
      if (open === made) open = undefined;
    });
  };
  const command = vscode.commands.registerCommand(picture.id, () => {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !languages.includes(editor.document.languageId)) {
      void vscode.window.showInformationMessage(
        `${picture.title}: open a file of a language that Spillway knows, and put the cursor into a function.`,
      );
      return;
    }
    if (open !== undefined) {
      open.reveal(editor.document.uri);
      return;
    }
    const panel = vscode.window.createWebviewPanel(
      picture.id,
      picture.title,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      webviewOptions(context),
    );
    show(panel, editor.document.uri);
  });
  const serializer = vscode.window.registerWebviewPanelSerializer(picture.id, {
    deserializeWebviewPanel: (panel, state: { readonly panel?: { readonly uri?: string } } | undefined) => {
      const uri = state?.panel?.uri;
      if (uri === undefined) panel.dispose();
      else {
        panel.webview.options = webviewOptions(context);
        show(panel, vscode.Uri.parse(uri));
      }
      return Promise.resolve();
    },
  });
  return vscode.Disposable.from(command, serializer, { dispose: () => open?.dispose() });
}

class Panel {
  private readonly listeners: vscode.Disposable[];
  private pending: ReturnType<typeof setTimeout> | undefined;
  /** Number of the last question; answers to earlier ones are dropped. */
  private asked = 0;
  private isReady = false;
  private shown: { readonly id: string; readonly name: string; line: number; lineCount: number } | undefined;

  constructor(
    context: vscode.ExtensionContext,
    private readonly client: BaseLanguageClient,
    private readonly languages: readonly string[],
    private readonly picture: FunctionPicture,
    private readonly panel: vscode.WebviewPanel,
    private uri: vscode.Uri,
  ) {
    this.listeners = [
      panel.webview.onDidReceiveMessage((message: FromView) => this.receive(message)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === this.uri.toString()) this.soon(EDIT_PAUSE);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.toString() === this.uri.toString())
          this.post({ type: 'empty', message: 'The file is closed.' });
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('spillway')) this.soon(EDIT_PAUSE);
      }),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        // a better program may have been found meanwhile
        if (uris.some((uri) => uri.toString() === this.uri.toString())) this.soon(EDIT_PAUSE);
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
      client.onDidChangeState(({ newState }) => {
        if (newState === State.Running) this.soon(EDIT_PAUSE);
      }),
    ];
    panel.webview.html = pageOf(context, panel.webview, picture);
  }

  reveal(uri: vscode.Uri): void {
    this.panel.reveal(undefined, true);
    this.turnTo(uri);
    this.soon(0);
  }

  dispose(): void {
    clearTimeout(this.pending);
    for (const listener of this.listeners) listener.dispose();
  }

  private post(message: ToView<Content>): void {
    void this.panel.webview.postMessage(message);
  }

  private receive(message: FromView): void {
    if (message.type === 'ready') {
      this.isReady = true;
      this.shown = undefined;
      void this.panel.webview.postMessage({ type: 'panel', state: { uri: this.uri.toString() } });
      this.soon(0);
    } else if (message.type === 'goTo') void this.goTo(message.line);
  }

  /** Shows a line of the source, in the editor that shows the source already where there is one. */
  private async goTo(line: number): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.uri);
    const { firstNonWhitespaceCharacterIndex: character } = document.lineAt(
      Math.max(0, Math.min(line, document.lineCount - 1)),
    );
    const position = new vscode.Position(line, character);
    const shown = this.editor();
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One,
      selection: new vscode.Range(position, position),
    });
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  private editor(): vscode.TextEditor | undefined {
    const uri = this.uri.toString();
    return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri);
  }

  private turnTo(uri: vscode.Uri): void {
    if (uri.toString() === this.uri.toString()) return;
    this.uri = uri;
    this.shown = undefined;
    void this.panel.webview.postMessage({ type: 'panel', state: { uri: uri.toString() } });
  }

  private follow(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined || !this.languages.includes(editor.document.languageId)) return;
    this.turnTo(editor.document.uri);
    const { line } = editor.selection.active;
    const { shown } = this;
    if (shown !== undefined && line >= shown.line && line < shown.line + shown.lineCount)
      this.post({ type: 'cursor', line });
    else this.soon(CURSOR_PAUSE);
  }

  private soon(milliseconds: number): void {
    clearTimeout(this.pending);
    this.pending = setTimeout(() => void this.ask(), milliseconds);
  }

  private async ask(): Promise<void> {
    if (!this.isReady || this.client.state !== State.Running) return;
    const question = ++this.asked;
    const cursor = this.editor()?.selection.active;
    const answer = await this.client
      .sendRequest<Content | SameView | null>(this.picture.request, {
        textDocument: { uri: this.uri.toString() },
        ...(cursor !== undefined && { position: { line: cursor.line, character: cursor.character } }),
        ...(cursor === undefined && this.shown !== undefined && { function: this.shown.name }),
        ...(this.shown !== undefined && { known: this.shown.id }),
      })
      .catch(() => undefined);
    // the text has changed meanwhile: the next question is on its way
    if (answer === undefined || question !== this.asked) return;
    if (answer === null) {
      this.shown = undefined;
      this.post({ type: 'empty', message: 'There is no function here.' });
      this.panel.title = this.picture.title;
    } else if ('same' in answer) {
      if (this.shown !== undefined) this.shown.line = answer.line;
      this.post({ type: 'moved', line: answer.line, cursor: cursor?.line });
    } else {
      const { id, name, line, lineCount } = answer;
      this.shown = { id, name, line, lineCount };
      this.panel.title = `${this.picture.title}: ${name}`;
      this.post({ type: 'content', content: answer, cursor: cursor?.line });
    }
  }
}
