/** Pressure on the lines of the source: a bar beside each by its share of the peak, and marks in the overview ruler. */
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import type { ProtocolConnection } from 'vscode-languageserver-protocol';
import {
  barsOf,
  barStyles,
  barSvg,
  marksOf,
  merged,
  type Theme,
} from '../../client/src/views/pressure/bars.js';
import type { PressureLines } from '../../server/src/features/pressure-lines.js';
import type { SameView } from '../../server/src/features/views/data.js';
import { later } from './panes/pane.js';

/** Milliseconds after an edit or new findings, and after a scroll. */
const EDIT_PAUSE = 150;
const SCROLL_PAUSE = 40;
/** Lines around the visible ones that are drawn too, so that a short scroll shows no gap. */
const MARGIN = 60;

/** Returns what is to be called when the text, a setting or what the server found has changed. */
export function showPressure(
  connection: ProtocolConnection,
  editor: monaco.editor.IStandaloneCodeEditor,
): () => void {
  document.head.append(styleSheet());
  const decorations = editor.createDecorationsCollection();
  let known: { readonly uri: string; readonly functions: readonly PressureLines[] } | undefined;
  const askSoon = later(() => void ask());
  const drawSoon = later(draw);
  editor.onDidScrollChange(() => drawSoon(SCROLL_PAUSE));
  editor.onDidLayoutChange(() => drawSoon(SCROLL_PAUSE));

  async function ask(): Promise<void> {
    const model = editor.getModel();
    if (model === null) return;
    const uri = model.uri.toString();
    const version = model.getVersionId();
    const before = known?.uri === uri ? known.functions : [];
    const answer = await connection
      .sendRequest<{ readonly functions: readonly (PressureLines | SameView)[] } | null>(
        'spillway/pressure',
        { textDocument: { uri }, known: before.map(({ id }) => id) },
      )
      .catch(() => null);
    // an edit has come between: it asks again
    if (answer === null || model.isDisposed() || model.getVersionId() !== version) return;
    known = { uri, functions: merged(before, answer.functions) };
    draw();
  }

  function draw(): void {
    if (known === undefined || known.uri !== editor.getModel()?.uri.toString()) return;
    const visible = editor.getVisibleRanges().map(({ startLineNumber, endLineNumber }) => ({
      first: startLineNumber - 1 - MARGIN,
      last: endLineNumber - 1 + MARGIN,
    }));
    const bars = [...barsOf(known.functions, 'gutter', 'peak', visible)].flatMap(([key, ranges]) =>
      ranges.map(({ first, last }) => decoration(first, last, { glyphMarginClassName: `pressure-${key}` })),
    );
    const { peaks, spills } = marksOf(known.functions);
    const marks = [
      ...peaks.map((line) => decoration(line, line, rulerOf('charts.blue', 'Left'))),
      ...spills.map((line) => decoration(line, line, rulerOf('charts.red', 'Center'))),
    ];
    decorations.set([...bars, ...marks]);
  }

  return () => askSoon(EDIT_PAUSE);
}

const decoration = (
  first: number,
  last: number,
  options: monaco.editor.IModelDecorationOptions,
): monaco.editor.IModelDeltaDecoration => ({
  range: new monaco.Range(first + 1, 1, last + 1, 1),
  options,
});

const rulerOf = (
  id: string,
  lane: keyof typeof monaco.editor.OverviewRulerLane,
): monaco.editor.IModelDecorationOptions => ({
  overviewRuler: { color: { id }, position: monaco.editor.OverviewRulerLane[lane] },
});

function styleSheet(): HTMLStyleElement {
  const sheet = document.createElement('style');
  const rule = (theme: Theme, scope: string): string[] =>
    barStyles.map(({ key, level, isOver }) => {
      const svg = encodeURIComponent(barSvg(level, isOver, theme));
      return `${scope} .pressure-${key} { background: url("data:image/svg+xml,${svg}") 0 0 / 100% 100% no-repeat; }`;
    });
  sheet.textContent = [...rule('light', '.monaco-editor'), ...rule('dark', '.monaco-editor.vs-dark')].join(
    '\n',
  );
  return sheet;
}
