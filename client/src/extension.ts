// The extension where VS Code runs on a machine: the server is a process.
import type { ExtensionContext } from 'vscode';
import { activateWith } from './activate.js';
import { createClient } from './server-process.js';

export const activate = (context: ExtensionContext): Promise<void> => activateWith(createClient, context);
export { deactivate } from './activate.js';
