// The playground: one document in an editor, the language server in a worker, and the pictures of the function at the cursor.
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import { showControlFlow } from '../../client/src/views/control-flow/view.js';
import type { Theme } from '../../client/src/views/host.js';
import { showLiveRanges } from '../../client/src/views/live-ranges/view.js';
import type { ControlFlowView, LiveRangesView } from '../../server/src/features/views/data.js';
import { fromFragment, toFragment, type Kept } from './address.js';
import { configurationOf, languages, type Example } from './contents.js';
import { toChange } from './convert.js';
import { Picture, type Place } from './picture.js';
import { registerProviders } from './providers.js';
import { startServer } from './server.js';
import { showSettings } from './settings.js';
import { defineThemes, themeOf } from './theme.js';

const byId = (id: string): HTMLElement => document.getElementById(id)!;

self.MonacoEnvironment = { getWorker: () => new Worker('editor.worker.js') };

for (const { id, extension, configuration } of languages) {
  monaco.languages.register({ id, extensions: [extension] });
  monaco.languages.setLanguageConfiguration(id, configurationOf(configuration));
}
defineThemes();
// the pictures take the editor's colours, which its style sheet gives to this class
document.documentElement.classList.add('monaco-component');

const examples = (await (await fetch('examples.json')).json()) as readonly Example[];
const start: Kept = (await fromFragment(location.hash)) ?? examples[0];
const editor = monaco.editor.create(byId('editor'), {
  automaticLayout: true,
  minimap: { enabled: false },
  'semanticHighlighting.enabled': true,
  renderWhitespace: 'none',
  fixedOverflowWidgets: true,
  theme: themeOf(),
});

const server = await startServer('server-web.js');
const { connection } = server;
registerProviders(
  server,
  languages.map(({ id }) => id),
);

const place = (): Place => {
  const { lineNumber, column } = editor.getPosition() ?? { lineNumber: 1, column: 1 };
  return { uri: editor.getModel()!.uri.toString(), line: lineNumber - 1, character: column - 1 };
};
const goTo = (lineNumber: number, column?: number): void => {
  const first = editor.getModel()?.getLineFirstNonWhitespaceColumn(lineNumber) ?? 1;
  editor.setPosition({ lineNumber, column: column ?? Math.max(1, first) });
  editor.revealLineInCenterIfOutsideViewport(lineNumber);
  editor.focus();
};
monaco.editor.registerCommand(
  'spillway.showPeak',
  (_accessor, _uri: string, line: number, character: number) => goTo(line + 1, character + 1),
);

const themeListeners: (() => void)[] = [];
const theme: Theme = { kind: () => kindOf(), onChange: (handler) => void themeListeners.push(handler) };
let chosenTheme = themeOf();
const kindOf = (): ReturnType<Theme['kind']> => (chosenTheme === 'spillway-dark' ? 'dark' : 'light');
const applyTheme = (): void => {
  monaco.editor.setTheme(chosenTheme);
  document.documentElement.style.colorScheme = kindOf();
  // the style sheet of the new colours is there after the next frame
  requestAnimationFrame(() => themeListeners.forEach((listener) => listener()));
};
byId('theme').addEventListener('click', () => {
  chosenTheme = chosenTheme === 'spillway-dark' ? 'spillway-light' : 'spillway-dark';
  applyTheme();
});
applyTheme();

const toLine = (line: number): void => goTo(line + 1);
const liveRanges = new Picture<LiveRangesView>(connection, 'spillway/liveRanges', place, toLine, theme);
const controlFlow = new Picture<ControlFlowView>(connection, 'spillway/controlFlow', place, toLine, theme);
const pictures = [liveRanges, controlFlow];
addTab('Live ranges', liveRanges, (pane) => showLiveRanges(pane, liveRanges.host()));
addTab('Control flow', controlFlow, (pane) => showControlFlow(pane, controlFlow.host()));

/** A tab is drawn when it is first seen. */
function addTab(
  title: string,
  picture: { see(isSeen: boolean): void },
  draw: (pane: HTMLElement) => void,
): void {
  const pane = document.createElement('div');
  pane.hidden = true;
  pane.setAttribute('role', 'tabpanel');
  pane.setAttribute('aria-label', title);
  byId('pictures').append(pane);
  const tab = document.createElement('button');
  tab.type = 'button';
  tab.textContent = title;
  tab.setAttribute('role', 'tab');
  tab.setAttribute('aria-selected', 'false');
  byId('tabs').append(tab);
  let isDrawn = false;
  tab.addEventListener('click', () => {
    for (const other of byId('pictures').children) (other as HTMLElement).hidden = other !== pane;
    for (const other of byId('tabs').children) other.setAttribute('aria-selected', String(other === tab));
    for (const other of pictures) other.see(other === picture);
    if (!isDrawn) draw(pane);
    isDrawn = true;
  });
}

interface Status {
  readonly model: string;
  readonly settings: readonly string[];
  readonly function?: string;
  readonly summary?: string;
}

const settings = showSettings(byId('settings'), (values) => {
  void connection.sendNotification('workspace/didChangeConfiguration', { settings: { spillway: values } });
  soon();
});

/** The line at the bottom, and the settings that matter for the document. */
async function refreshStatus(): Promise<void> {
  const { uri, ...position } = place();
  const status = await connection
    .sendRequest<Status | null>('spillway/status', { textDocument: { uri }, position })
    .catch(() => null);
  if (status === null) return;
  settings.offer(status.settings);
  const count = monaco.editor.getModelMarkers({ owner: 'spillway' }).length;
  const findings = count === 1 ? '1 finding' : `${count} findings`;
  byId('status').textContent = [
    status.model,
    ...(status.function === undefined ? [] : [figuresOf(status.function, status.summary ?? '')]),
    findings,
  ].join(' · ');
}

/** Some figures begin with the name already. */
const figuresOf = (name: string, summary: string): string =>
  summary.startsWith(`${name}:`) ? summary : `${name}: ${summary}`;

let pending: ReturnType<typeof setTimeout> | undefined;
function soon(): void {
  clearTimeout(pending);
  pending = setTimeout(() => void refreshStatus(), 150);
  for (const picture of pictures) picture.soon();
}

let keeping: ReturnType<typeof setTimeout> | undefined;
function keepSoon(): void {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    const model = editor.getModel()!;
    void toFragment({ language: model.getLanguageId(), text: model.getValue() }).then((fragment) =>
      history.replaceState(null, '', fragment),
    );
  }, 500);
}

let documents = 0;
function open({ language, text }: Kept): void {
  const old = editor.getModel();
  const model = monaco.editor.createModel(text, language, monaco.Uri.parse(`untitled:${++documents}`));
  const textDocument = { uri: model.uri.toString() };
  void connection.sendNotification('textDocument/didOpen', {
    textDocument: { ...textDocument, languageId: language, version: model.getVersionId(), text },
  });
  model.onDidChangeContent(({ changes, versionId }) => {
    void connection.sendNotification('textDocument/didChange', {
      textDocument: { ...textDocument, version: versionId },
      contentChanges: changes.map(toChange),
    });
    soon();
    keepSoon();
  });
  model.onWillDispose(() => void connection.sendNotification('textDocument/didClose', { textDocument }));
  editor.setModel(model);
  if (old !== null) old.dispose();
  goTo(firstInstruction(text));
  soon();
}

/** Where the cursor stands at first: in the first function, whatever the language. */
function firstInstruction(text: string): number {
  const lines = text.split('\n');
  const body = lines.findIndex((line) => /^\s*(\{|[^.\s/#;].*[=,;]|\(?\d+)/.test(line));
  return body < 0 ? 1 : Math.min(body + 2, lines.length);
}

const list = byId('examples') as HTMLSelectElement;
for (const { name } of examples) list.add(new Option(name, name));
list.addEventListener('change', () => {
  const example = examples.find(({ name }) => name === list.value);
  if (example === undefined) return;
  history.replaceState(null, '', '#');
  open(example);
});
if (!examples.some(({ text }) => text === start.text)) list.selectedIndex = -1;

editor.onDidChangeCursorPosition(() => {
  clearTimeout(pending);
  pending = setTimeout(() => void refreshStatus(), 150);
  for (const picture of pictures) picture.cursorMoved();
});
monaco.editor.onDidChangeMarkers(() => soon());
open(start);
(byId('tabs').firstElementChild as HTMLButtonElement).click();
editor.focus();
