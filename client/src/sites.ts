import * as vscode from 'vscode';
import { State, type BaseLanguageClient } from 'vscode-languageclient';
import type { Direction, Site, SiteKind } from '../../server/src/features/pressure-sites.js';

const names: Readonly<Record<SiteKind, string>> = { peak: 'pressure peak', spill: 'spill' };

/** Milliseconds for which the status bar says what was found. */
const SHOWN = 8000;

/** Moves the cursor to the nearest place that the server knows, and says what is there. */
export async function goToSite(
  client: BaseLanguageClient,
  languages: readonly string[],
  kind: SiteKind,
  direction: Direction,
): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !languages.includes(editor.document.languageId)) {
    void vscode.window.showInformationMessage(`Open a file with shader IR to go to a ${names[kind]}.`);
    return;
  }
  if (client.state !== State.Running) return;
  const { line, character } = editor.selection.active;
  const site = await client
    .sendRequest<Site | null>('spillway/nextSite', {
      textDocument: { uri: editor.document.uri.toString() },
      position: { line, character },
      kind,
      direction,
    })
    .catch(() => undefined);
  // the text has changed meanwhile: what was found stands elsewhere now
  if (site === undefined) return;
  if (site === null) {
    void vscode.window.showInformationMessage(`There is no ${names[kind]} in this file.`);
    return;
  }
  const start = new vscode.Position(site.range.start.line, site.range.start.character);
  editor.selection = new vscode.Selection(start, start);
  editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  const from = direction === 'next' ? 'the start' : 'the end';
  vscode.window.setStatusBarMessage(
    site.isWrapped ? `${site.label}, from ${from} of the file` : site.label,
    SHOWN,
  );
}
