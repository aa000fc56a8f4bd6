// The playground: one document in an editor, the language server in a worker, and what it knows of the function at the cursor.
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import { showControlFlow } from '../../client/src/views/control-flow/view.js';
import { showLiveRanges } from '../../client/src/views/live-ranges/view.js';
import type { Status } from '../../server/src/features/data.js';
import type { ControlFlowView, LiveRangesView } from '../../server/src/features/views/data.js';
import { fromFragment, toFragment, type Kept } from './address.js';
import { registerCommands } from './commands.js';
import { COMPILED_LANGUAGE, compiledTokens } from './compiled-language.js';
import { configurationOf, knownSettings, languages, type Example } from './contents.js';
import { makeKeys, walkParts } from './keys.js';
import { comparisonPane } from './panes/comparison.js';
import { compiledPane } from './panes/compiled.js';
import { later, parametersOf, type Surroundings } from './panes/pane.js';
import { picturePane } from './panes/picture.js';
import { showPressure } from './pressure.js';
import { uriOf } from './providers/ask.js';
import { registerProviders } from './providers/index.js';
import { startServer } from './server.js';
import { fromTexts, nested, toTexts } from './setting-values.js';
import { showSettings } from './settings.js';
import { goTo, open, placeIn, type Text } from './source.js';
import { makeSplitter } from './splitter.js';
import { showTabs } from './tabs.js';
import { pageTheme } from './theme.js';

const byId = (id: string): HTMLElement => document.getElementById(id)!;

// the editor drops what it has begun for a text that is replaced, and says so to nobody who listens
addEventListener('unhandledrejection', (event) => {
  if (event.reason instanceof Error && event.reason.name === 'Canceled') event.preventDefault();
});

self.MonacoEnvironment = { getWorker: () => new Worker('editor.worker.js') };

for (const { id, extension, configuration } of languages) {
  monaco.languages.register({ id, extensions: [extension] });
  monaco.languages.setLanguageConfiguration(id, configurationOf(configuration));
}
monaco.languages.register({ id: COMPILED_LANGUAGE });
monaco.languages.setMonarchTokensProvider(COMPILED_LANGUAGE, compiledTokens);
const theme = pageTheme();
// the views take the editor's colours, which its style sheet gives to this class
document.documentElement.classList.add('monaco-component');

const examples = (await (await fetch('examples.json')).json()) as readonly Example[];
const kept = await fromFragment(location.hash);
const editorOptions: monaco.editor.IStandaloneEditorConstructionOptions = {
  automaticLayout: true,
  minimap: { enabled: false },
  'semanticHighlighting.enabled': true,
  renderWhitespace: 'none',
  fixedOverflowWidgets: true,
  scrollBeyondLastLine: false,
  lineNumbersMinChars: 4,
  // no grammar tells brackets of the program from those of a comment
  bracketPairColorization: { enabled: false },
};
const editor = monaco.editor.create(byId('editor'), {
  ...editorOptions,
  ariaLabel: 'Source',
  glyphMargin: true,
  lightbulb: { enabled: monaco.editor.ShowLightbulbIconMode.On },
});

const settings = showSettings(byId('settings'), fromTexts(knownSettings, kept?.settings ?? new Map()), () => {
  void connection.sendNotification('workspace/didChangeConfiguration', {
    settings: { spillway: nested(settings.values()) },
  });
  changed();
});
const server = await startServer('server-web.js', nested(settings.values()));
const { connection } = server;
registerProviders(
  server,
  languages.map(({ id }) => id),
);

const silence = later(() => (byId('notice').textContent = ''));
const surroundings: Surroundings = {
  connection,
  theme,
  place: () => placeIn(editor),
  goTo: (line) => goTo(editor, line + 1),
  tell(message) {
    byId('notice').textContent = message;
    silence(8000);
  },
};
const { place, tell } = surroundings;
const panes = [
  picturePane<LiveRangesView>(surroundings, {
    id: 'live-ranges',
    title: 'Live ranges',
    request: 'spillway/liveRanges',
    draw: showLiveRanges,
  }),
  picturePane<ControlFlowView>(surroundings, {
    id: 'control-flow',
    title: 'Control flow',
    request: 'spillway/controlFlow',
    draw: showControlFlow,
  }),
  compiledPane(surroundings, editor, editorOptions),
  comparisonPane(surroundings, (values) => settings.set(values as Record<string, string | number | null>)),
];
const tabs = showTabs(byId('tabs'), byId('panels'), panes);
registerCommands(editor, surroundings, panes, tabs.show);
const pressureChanged = showPressure(connection, editor);

/** The line at the bottom, and the settings that matter for the document. */
const statusSoon = later(() => void refreshStatus());
async function refreshStatus(): Promise<void> {
  const status = await connection
    .sendRequest<Status | null>('spillway/status', parametersOf(place()))
    .catch(() => null);
  if (status === null) return;
  settings.offer(status.settings);
  const { function: name, summary = '', model } = status;
  const figures = summary.startsWith(`${name}:`) ? summary : `${name}: ${summary}`;
  byId('status').textContent = name === undefined ? model : `${model} · ${figures}`;
  const count = monaco.editor.getModelMarkers({ resource: uriOf(place().uri) }).length;
  byId('findings').textContent = count === 1 ? '1 finding' : `${count} findings`;
}

const list = byId('examples') as HTMLSelectElement;
for (const { name } of examples) list.add(new Option(name, name));

/** What the address says: an example by its name while it is as it was. */
function keptNow(): Kept {
  const model = editor.getModel()!;
  const example = examples.find(({ text }) => text === model.getValue());
  return {
    source:
      example === undefined
        ? { language: model.getLanguageId(), text: model.getValue() }
        : { example: example.name },
    settings: toTexts(knownSettings, settings.values()),
  };
}

const keepSoon = later(() => {
  const now = keptNow();
  list.value = 'example' in now.source ? now.source.example : '';
  void toFragment(now).then((fragment) => history.replaceState(null, '', fragment));
});

/** The text, a setting, or what the server has found. */
function changed(): void {
  statusSoon(150);
  keepSoon(500);
  pressureChanged();
  for (const pane of panes) pane.changed();
}

const show = (text: Text): void => open(editor, connection, text, changed);

/** What an address keeps, or undefined where it names no example and no language that is known here. */
function textOf(source: Kept['source'] | undefined): Text | undefined {
  if (source === undefined) return undefined;
  if ('example' in source) return examples.find(({ name }) => name === source.example);
  const language = languages.find(({ id }) => id === source.language);
  return language === undefined ? undefined : { ...source, name: `text${language.extension}` };
}

list.addEventListener('change', () => {
  const example = textOf({ example: list.value });
  if (example !== undefined) show(example);
});
addEventListener('hashchange', ({ newURL }) => {
  // the page may write its own address meanwhile
  void fromFragment(new URL(newURL).hash).then((given) => {
    const text = textOf(given?.source);
    if (given === undefined || text === undefined) tell('The address holds no text that can be read.');
    else {
      const values = fromTexts(knownSettings, given.settings);
      settings.set(Object.fromEntries(knownSettings.map(({ key }) => [key, values.get(key) ?? null])));
      show(text);
    }
  });
});
editor.onDidChangeCursorPosition(() => {
  statusSoon(150);
  for (const pane of panes) pane.cursorMoved();
});
monaco.editor.onDidChangeMarkers(() => {
  statusSoon(150);
  pressureChanged();
  for (const pane of panes) pane.changed();
});

byId('theme').addEventListener('click', () => theme.change());
byId('findings').addEventListener('click', () => {
  editor.focus();
  editor.trigger('page', 'editor.action.marker.next', undefined);
});
byId('link').addEventListener('click', () => {
  void toFragment(keptNow())
    .then((fragment) => navigator.clipboard.writeText(new URL(fragment, location.href).href))
    .then(
      () => tell('The link is in the clipboard; it holds the text.'),
      () => tell('This page may not write to the clipboard: copy its address.'),
    );
});
makeKeys(byId('keys'));
makeSplitter(byId('splitter'), byId('room'));
walkParts(
  ['body > header', '#editor', '#side', 'body > footer'].map((part) => () => document.querySelector(part)),
);

const first = textOf(kept?.source);
show(first ?? examples[0]);
if (first === undefined && location.hash.length > 1)
  tell('The address holds no text that can be read: this is an example.');
tabs.show('live-ranges');
editor.focus();
