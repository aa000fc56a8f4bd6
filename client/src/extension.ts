import * as vscode from 'vscode';
import { type LanguageClient } from 'vscode-languageclient/node';
import { registerCommands } from './commands.js';
import { createClient } from './server-process.js';
import { createStatusItem } from './status.js';

/** Languages that the server knows; the extension wakes up for these alone. */
const languageIds = ['ptx'];

let client: LanguageClient | undefined;

/** Starts the server and registers what only an editor can offer. No analysis happens here, and nothing is executed. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('Spillway', { log: true });
  context.subscriptions.push(output);
  client = createClient(context, output, languageIds);
  const status = createStatusItem(client, languageIds);
  context.subscriptions.push(status, ...registerCommands(context, client, output, status));
  await client.start();
  await status.refresh();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
