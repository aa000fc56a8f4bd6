import type * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import { registerPicture, type FunctionPicture } from './function-view.js';

const pictures: readonly FunctionPicture[] = [
  {
    id: 'spillway.showLiveRanges',
    title: 'Live Ranges',
    request: 'spillway/liveRanges',
    script: 'live-ranges.js',
  },
  {
    id: 'spillway.showControlFlow',
    title: 'Control Flow',
    request: 'spillway/controlFlow',
    script: 'control-flow.js',
  },
];

/** The pictures of the function at the cursor. */
export const registerPictures = (
  context: vscode.ExtensionContext,
  client: BaseLanguageClient,
  languages: readonly string[],
): vscode.Disposable[] => pictures.map((picture) => registerPicture(context, client, languages, picture));
