import * as vscode from 'vscode';
import { State, type BaseLanguageClient } from 'vscode-languageclient';
import { follow, lineLinks, type Direction, type LineLinks, type LineRange } from './views/compiled/links.js';

/**
 * The compiled code of a function beside its source. The server makes the text, says which lines belong together and
 * what is to be marked; here it is opened, drawn, and both cursors are kept at the same place.
 */

const scheme = 'spillway-compiled';
/** Milliseconds after a change or a movement of the cursor. */
const pause = 60;

/** Answer of the request `spillway/compiledCode` (docs/protocol.md). */
interface CompiledCode {
  readonly uri: string;
  readonly source: string;
  readonly lineCount: number;
  readonly extent?: { readonly start: number; readonly end: number };
  readonly links: readonly number[];
  readonly marks: readonly {
    readonly line: number;
    readonly start: number;
    readonly end: number;
    readonly kind: string;
  }[];
}

interface Drawn {
  readonly code: CompiledCode;
  readonly links: LineLinks;
}

const colour = (name: string): vscode.ThemeColor => new vscode.ThemeColor(`spillway.${name}`);

function underlined(name: string, background?: string): vscode.DecorationRenderOptions {
  return {
    borderColor: colour(name),
    borderStyle: 'solid',
    borderWidth: '0 0 1px 0',
    overviewRulerColor: colour(name),
    overviewRulerLane: vscode.OverviewRulerLane.Right,
    ...(background !== undefined && { backgroundColor: colour(background) }),
  };
}

/** By kind of mark. */
const styles: Readonly<Record<string, vscode.DecorationRenderOptions>> = {
  store: underlined('storeForeground', 'storeBackground'),
  reload: underlined('reloadForeground', 'reloadBackground'),
  move: underlined('moveForeground'),
  recomputed: underlined('recomputedForeground'),
  wait: {
    color: colour('waitForeground'),
    overviewRulerColor: colour('waitForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  },
  empty: { backgroundColor: colour('emptySlotBackground') },
  elided: { opacity: '0.7', fontStyle: 'italic' },
};

/** Lines that belong to those under the other cursor. */
const linkedStyle: vscode.DecorationRenderOptions = {
  isWholeLine: true,
  backgroundColor: colour('linkedLineBackground'),
  borderColor: new vscode.ThemeColor('contrastActiveBorder'),
  overviewRulerColor: colour('linkedLineBackground'),
  overviewRulerLane: vscode.OverviewRulerLane.Center,
};

export class CompiledCodeView implements vscode.Disposable {
  private readonly drawn = new Map<string, Drawn>();
  private readonly types = new Map(
    Object.entries(styles).map(([kind, style]) => [
      kind,
      vscode.window.createTextEditorDecorationType(style),
    ]),
  );
  private readonly linked = vscode.window.createTextEditorDecorationType(linkedStyle);
  private following: Promise<void> = Promise.resolve();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly client: BaseLanguageClient,
    private readonly languages: readonly string[],
  ) {
    this.listeners = [
      client.onNotification('spillway/compiledCodeChanged', ({ uri }: { uri: string }) => this.drawSoon(uri)),
      client.onDidChangeState(({ newState }) => {
        if (newState === State.Running) for (const editor of compiledEditors()) this.drawSoon(uriOf(editor));
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === scheme) this.drawSoon(document.uri.toString());
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        for (const editor of compiledEditors()) {
          const known = this.drawn.get(uriOf(editor));
          if (known === undefined) this.drawSoon(uriOf(editor));
          else this.decorate(editor, known);
        }
        this.forgetClosed();
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
      // only the editor that a person works in moves the other one
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) this.follow(textEditor);
      }),
    ];
  }

  dispose(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    for (const one of [...this.listeners, ...this.types.values(), this.linked]) one.dispose();
  }

  /** Opens the code of the function at a place: of a code lens, or of the cursor. */
  async show(uri: unknown, line: unknown, character: unknown): Promise<void> {
    const active = vscode.window.activeTextEditor;
    const given = typeof uri === 'string' && typeof line === 'number' && typeof character === 'number';
    const source = given ? vscode.Uri.parse(uri) : active?.document.uri;
    if (source === undefined || (!given && !this.isSource(active))) {
      if (source?.scheme !== scheme)
        void vscode.window.showInformationMessage(
          'Open a file with shader IR to see what it is compiled to.',
        );
      return;
    }
    const at = given ? new vscode.Position(line, character) : active?.selection.active;
    const found = await this.ask(source.toString(), at);
    if (found === undefined) {
      void vscode.window.showInformationMessage('There is no function here that could be compiled.');
      return;
    }
    const shown = compiledEditors().find(({ viewColumn }) => viewColumn !== active?.viewColumn);
    await this.open(found, shown?.viewColumn ?? vscode.ViewColumn.Beside);
    this.follow(vscode.window.activeTextEditor);
  }

  private async open(code: CompiledCode, viewColumn: vscode.ViewColumn): Promise<void> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(code.uri));
    // not as a preview, which the next definition in another file would take the place of
    const options = { viewColumn, preserveFocus: true, preview: false };
    const editor = await vscode.window.showTextDocument(document, options);
    await this.draw(uriOf(editor));
  }

  private isSource(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
    return editor !== undefined && this.languages.includes(editor.document.languageId);
  }

  private async ask(uri: string, position?: vscode.Position): Promise<CompiledCode | undefined> {
    if (this.client.state !== State.Running) return undefined;
    const params = {
      textDocument: { uri },
      ...(position !== undefined && { position: { line: position.line, character: position.character } }),
    };
    const answer = await this.client
      .sendRequest<CompiledCode | null>('spillway/compiledCode', params)
      .catch(() => null);
    return answer ?? undefined;
  }

  private later(key: string, run: () => unknown): void {
    clearTimeout(this.timers.get(key));
    this.timers.set(
      key,
      setTimeout(() => {
        this.timers.delete(key);
        run();
      }, pause),
    );
  }

  private drawSoon(uri: string): void {
    this.later(uri, () => this.draw(vscode.Uri.parse(uri).toString()));
  }

  private async draw(uri: string): Promise<void> {
    const code = await this.ask(uri);
    if (code === undefined) return;
    const drawn = { code, links: lineLinks(code.links) };
    this.drawn.set(uri, drawn);
    for (const editor of compiledEditors()) if (uriOf(editor) === uri) this.decorate(editor, drawn);
    this.follow(vscode.window.activeTextEditor);
  }

  private decorate(editor: vscode.TextEditor, { code }: Drawn): void {
    // the text belongs to another version: word of that one is on its way
    if (editor.document.lineCount !== code.lineCount + 1) return;
    const byKind = new Map<string, vscode.Range[]>();
    for (const { kind, line, start, end } of code.marks) {
      const ranges = byKind.get(kind);
      const range = new vscode.Range(line, start, line, end);
      if (ranges === undefined) byKind.set(kind, [range]);
      else ranges.push(range);
    }
    for (const [kind, type] of this.types) editor.setDecorations(type, byKind.get(kind) ?? []);
  }

  private forgetClosed(): void {
    const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
    for (const uri of this.drawn.keys()) if (!open.has(uri)) this.drawn.delete(uri);
  }

  /** Shows on the other side what belongs to the selection of the editor in which a person works. */
  private follow(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined) return;
    if (editor.document.uri.scheme === scheme) {
      const drawn = this.drawn.get(uriOf(editor));
      if (drawn === undefined) return;
      const source = vscode.Uri.parse(drawn.code.source).toString();
      for (const other of vscode.window.visibleTextEditors)
        if (uriOf(other) === source) this.lead(editor, other, drawn.links, 'toSource');
      editor.setDecorations(this.linked, []);
      return;
    }
    if (!this.isSource(editor)) return;
    editor.setDecorations(this.linked, []);
    for (const other of compiledEditors()) {
      const drawn = this.drawn.get(uriOf(other));
      if (drawn === undefined || vscode.Uri.parse(drawn.code.source).toString() !== uriOf(editor)) continue;
      const { extent } = drawn.code;
      const { line } = editor.selection.active;
      if (extent !== undefined && extent.start <= line && line <= extent.end)
        this.lead(editor, other, drawn.links, 'toCode');
      else this.later('function', () => this.followFunction(editor));
    }
  }

  private lead(from: vscode.TextEditor, to: vscode.TextEditor, links: LineLinks, direction: Direction): void {
    const selected = from.selections.map(linesOf);
    const { highlighted, goTo } = follow(links, direction, selected, to.selection.active.line);
    const last = to.document.lineCount - 1;
    to.setDecorations(
      this.linked,
      highlighted
        .filter((lines) => lines.last <= last)
        .map((lines) => new vscode.Range(lines.first, 0, lines.last, 0)),
    );
    if (goTo === undefined || goTo.last > last) return;
    const start = new vscode.Position(
      goTo.first,
      to.document.lineAt(goTo.first).firstNonWhitespaceCharacterIndex,
    );
    const end = goTo.last > goTo.first ? to.document.lineAt(goTo.last).range.end : start;
    to.selection = new vscode.Selection(start, end);
    to.revealRange(new vscode.Range(start, end), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** One after the other: of two at once, neither would know which tabs the other opens and closes. */
  private followFunction(editor: vscode.TextEditor): void {
    this.following = this.following.then(() => this.showFunctionAt(editor)).catch(() => undefined);
  }

  /**
   * The cursor has left the function that is shown, or its name was edited: the tab shows the one where the cursor is
   * now. Of one source there is one tab; those that are pinned stay beside it.
   */
  private async showFunctionAt(editor: vscode.TextEditor): Promise<void> {
    if (editor !== vscode.window.activeTextEditor) return;
    const code = await this.ask(uriOf(editor), editor.selection.active);
    if (code === undefined || editor !== vscode.window.activeTextEditor) return;
    const uri = vscode.Uri.parse(code.uri).toString();
    // behind another tab it stays as it is
    const visible = this.tabsOf(uriOf(editor)).filter(({ isActive }) => isActive);
    if (visible.length === 0) return;
    if (!visible.some((tab) => uriOfTab(tab) === uri)) await this.open(code, visible[0].group.viewColumn);
    const left = this.tabsOf(uriOf(editor)).filter((tab) => uriOfTab(tab) !== uri);
    await vscode.window.tabGroups.close(left, true);
  }

  /** Tabs with compiled code of a source that may be closed. */
  private tabsOf(source: string): vscode.Tab[] {
    return vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter((tab) => {
        const drawn = this.drawn.get(uriOfTab(tab) ?? '');
        return (
          drawn !== undefined && !tab.isPinned && vscode.Uri.parse(drawn.code.source).toString() === source
        );
      });
  }
}

const uriOf = ({ document }: vscode.TextEditor): string => document.uri.toString();

const compiledEditors = (): vscode.TextEditor[] =>
  vscode.window.visibleTextEditors.filter(({ document }) => document.uri.scheme === scheme);

const uriOfTab = ({ input }: vscode.Tab): string | undefined =>
  input instanceof vscode.TabInputText ? input.uri.toString() : undefined;

/** A selection that ends at the start of a line does not reach into it. */
function linesOf({ start, end, isEmpty }: vscode.Selection): LineRange {
  const last = !isEmpty && end.character === 0 ? end.line - 1 : end.line;
  return { first: start.line, last: Math.max(start.line, last) };
}
