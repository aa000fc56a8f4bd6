// The extension where VS Code runs in a browser alone: the server is a web worker.
import type { ExtensionContext } from 'vscode';
import { activateWith } from './activate.js';
import { createClient } from './server-worker.js';

export const activate = (context: ExtensionContext): Promise<void> => activateWith(createClient, context);
export { deactivate } from './activate.js';
