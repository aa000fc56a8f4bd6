import * as vscode from 'vscode';
import { State, type BaseLanguageClient } from 'vscode-languageclient';
import type { PressureLines } from '../../server/src/features/pressure-lines.js';
import type { SameView } from '../../server/src/features/views/data.js';
import {
  barStyles,
  barsOf,
  barSvg,
  marksOf,
  merged,
  SHADES,
  styleOf,
  LEVELS,
  type LineRange,
  type Mode,
  type Scale,
  type StyleKey,
  type Theme,
} from './views/pressure/bars.js';

/**
 * Pressure on the lines of the visible editors: a bar or a background by the share of the peak or of the limit, and
 * marks in the overview ruler. The figures are the server's; which line gets which style is said in views/pressure/.
 */

/** Milliseconds after an edit or new findings, and after a scroll. */
const EDIT_PAUSE = 150;
const SCROLL_PAUSE = 40;
/** Lines above and below the visible ones that are drawn too, so that a short scroll shows no gap. */
const MARGIN = 60;

type Key = StyleKey | 'peak' | 'spill';

const colour = (name: string): vscode.ThemeColor => new vscode.ThemeColor(`spillway.${name}`);

function picture(level: number, isOver: boolean, theme: Theme): vscode.ThemableDecorationRenderOptions {
  const svg = encodeURIComponent(barSvg(level, isOver, theme));
  return {
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;utf8,${svg}`, true),
    gutterIconSize: '100% 100%',
  };
}

const ruler = (name: string, lane: vscode.OverviewRulerLane): vscode.DecorationRenderOptions => ({
  overviewRulerColor: colour(name),
  overviewRulerLane: lane,
});

const background = (name: string): vscode.DecorationRenderOptions => ({
  isWholeLine: true,
  backgroundColor: colour(name),
});

/** All that there are. */
const styles: readonly (readonly [Key, vscode.DecorationRenderOptions])[] = [
  ...barStyles.map(({ key, level, isOver }) => {
    const [light, dark] = [picture(level, isOver, 'light'), picture(level, isOver, 'dark')];
    return [key, { light, dark }] as const;
  }),
  ...Array.from({ length: SHADES }, (_, k) => {
    const key = styleOf('background', ((k + 1) * LEVELS) / SHADES, false);
    return [key, background(`pressure${k + 1}Background`)] as const;
  }),
  ['shadeOver', background('pressureOverBackground')],
  ['peak', ruler('peakForeground', vscode.OverviewRulerLane.Left)],
  ['spill', ruler('spillForeground', vscode.OverviewRulerLane.Center)],
];

export class PressureBars implements vscode.Disposable {
  private readonly types = new Map<Key, vscode.TextEditorDecorationType>();
  private readonly known = new Map<string, readonly PressureLines[]>();
  /** Styles that an editor has something of: the others need not be taken away. */
  private readonly drawn = new WeakMap<vscode.TextEditor, ReadonlySet<Key>>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly client: BaseLanguageClient,
    private readonly languages: readonly string[],
  ) {
    for (const [key, style] of styles)
      this.types.set(key, vscode.window.createTextEditorDecorationType(style));
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.askSoon(document);
      }),
      // another language for a document that is shown is another document in the same editor
      vscode.workspace.onDidOpenTextDocument((document) => {
        if (this.languages.includes(document.languageId)) this.askSoon(document);
        else this.drawAll(document.uri.toString());
      }),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        // a better program may have been found meanwhile
        const changed = new Set(uris.map(String));
        for (const { document } of vscode.window.visibleTextEditors)
          if (changed.has(document.uri.toString())) this.askSoon(document);
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('spillway')) this.askForAll();
      }),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) {
          if (this.known.has(editor.document.uri.toString())) this.draw(editor);
          else this.askSoon(editor.document);
        }
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
        const uri = textEditor.document.uri.toString();
        if (this.known.has(uri)) this.later(`scroll ${uri}`, SCROLL_PAUSE, () => this.drawAll(uri));
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.known.delete(uri.toString())),
      client.onDidChangeState(({ newState }) => {
        this.known.clear();
        if (newState === State.Running) this.askForAll();
      }),
    ];
  }

  dispose(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    for (const one of [...this.listeners, ...this.types.values()]) one.dispose();
  }

  private later(key: string, pause: number, run: () => unknown): void {
    clearTimeout(this.timers.get(key));
    const timer = setTimeout(() => {
      this.timers.delete(key);
      run();
    }, pause);
    this.timers.set(key, timer);
  }

  private askForAll(): void {
    for (const { document } of vscode.window.visibleTextEditors) this.askSoon(document);
  }

  private askSoon(document: vscode.TextDocument): void {
    if (!this.languages.includes(document.languageId)) return;
    this.later(`ask ${document.uri.toString()}`, EDIT_PAUSE, () => this.ask(document));
  }

  private async ask(document: vscode.TextDocument): Promise<void> {
    const uri = document.uri.toString();
    const isVisible = vscode.window.visibleTextEditors.some((editor) => editor.document === document);
    if (!isVisible || this.client.state !== State.Running) return;
    if (modeOf(document) === 'off') {
      this.drawAll(uri);
      return;
    }
    const { version } = document;
    const known = this.known.get(uri) ?? [];
    const answer = await this.client
      .sendRequest<{ readonly functions: readonly (PressureLines | SameView)[] } | null>(
        'spillway/pressure',
        { textDocument: { uri }, known: known.map(({ id }) => id) },
      )
      .catch(() => null);
    // an edit has come between: it asks again
    if (answer === null || document.isClosed || document.version !== version) return;
    this.known.set(uri, merged(known, answer.functions));
    this.drawAll(uri);
  }

  private drawAll(uri: string): void {
    for (const editor of vscode.window.visibleTextEditors)
      if (editor.document.uri.toString() === uri) this.draw(editor);
  }

  private draw(editor: vscode.TextEditor): void {
    const { document } = editor;
    const functions = this.known.get(document.uri.toString()) ?? [];
    const mode = modeOf(document);
    const ranges = new Map<Key, readonly LineRange[]>();
    if (mode !== 'off') {
      const visible = editor.visibleRanges.map(({ start, end }) => ({
        first: start.line - MARGIN,
        last: end.line + MARGIN,
      }));
      for (const [key, lines] of barsOf(functions, mode, scaleOf(document), visible)) ranges.set(key, lines);
      const { peaks, spills } = marksOf(functions);
      ranges.set('peak', peaks.map(oneLine));
      ranges.set('spill', spills.map(oneLine));
    }
    const before = this.drawn.get(editor);
    if (before === undefined && functions.length === 0) return;
    for (const [key, type] of this.types) {
      const lines = ranges.get(key);
      if (lines === undefined && before?.has(key) !== true) continue;
      const drawn = (lines ?? []).map(({ first, last }) => new vscode.Range(first, 0, last, 0));
      editor.setDecorations(type, drawn);
    }
    this.drawn.set(editor, new Set(ranges.keys()));
  }
}

const oneLine = (line: number): LineRange => ({ first: line, last: line });

const settingOf = <T>(document: vscode.TextDocument, name: string, otherwise: T): T =>
  vscode.workspace.getConfiguration('spillway', document).get<T>(name) ?? otherwise;

const modeOf = (document: vscode.TextDocument): Mode =>
  settingOf<Mode>(document, 'pressureDecoration', 'gutter');

const scaleOf = (document: vscode.TextDocument): Scale => settingOf<Scale>(document, 'pressureScale', 'peak');
