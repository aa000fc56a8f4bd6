/** What the page offers beside the editor's own commands: in the list at F1, and where a lens asks for it. */
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import type { Site } from '../../server/src/features/pressure-sites.js';
import { parametersOf, type Pane, type Surroundings } from './panes/pane.js';
import { SHOW_COMPILED } from './server.js';
import { goTo, type Editor } from './source.js';

const sites = [
  { id: 'nextPeak', label: 'Go to Next Pressure Peak', kind: 'peak', direction: 'next' },
  { id: 'previousPeak', label: 'Go to Previous Pressure Peak', kind: 'peak', direction: 'previous' },
  { id: 'nextSpill', label: 'Go to Next Spill', kind: 'spill', direction: 'next' },
  { id: 'previousSpill', label: 'Go to Previous Spill', kind: 'spill', direction: 'previous' },
] as const;

export function registerCommands(
  editor: Editor,
  { connection, place, tell }: Surroundings,
  panes: readonly Pane[],
  show: (pane: string) => void,
): void {
  for (const { id, label, kind, direction } of sites)
    editor.addAction({
      id: `spillway.${id}`,
      label,
      contextMenuGroupId: 'navigation',
      async run() {
        const asked = { ...parametersOf(place()), kind, direction };
        const site = await connection
          .sendRequest<Site | null>('spillway/nextSite', asked)
          // the text has changed meanwhile
          .catch(() => undefined);
        if (site === undefined) return;
        if (site === null) {
          tell(`There is no ${kind === 'peak' ? 'pressure peak' : 'spill'} in this text.`);
          return;
        }
        const { line, character } = site.range.start;
        goTo(editor, line + 1, character + 1);
        tell(site.isWrapped ? `${site.label}, from the other end of the text` : site.label);
      },
    });
  for (const { id, title } of panes)
    editor.addAction({ id: `spillway.show.${id}`, label: `Show ${title}`, run: () => show(id) });
  const register = (name: string, run: () => void): void =>
    void monaco.editor.registerCommand(name, (_accessor, _uri, line: number, character: number) => {
      goTo(editor, line + 1, character + 1);
      run();
    });
  register('spillway.showPeak', () => undefined);
  register(SHOW_COMPILED, () => show('compiled'));
  // from compiled code to what it was made from
  monaco.editor.registerEditorOpener({
    openCodeEditor(_from, resource, at) {
      if (resource.toString() !== editor.getModel()?.uri.toString()) return false;
      if (at !== undefined)
        goTo(
          editor,
          'lineNumber' in at ? at.lineNumber : at.startLineNumber,
          'column' in at ? at.column : at.startColumn,
        );
      return true;
    },
  });
}
