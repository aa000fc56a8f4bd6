import * as vscode from 'vscode';
import { type LanguageClient } from 'vscode-languageclient/node';
import { registerCommands } from './commands.js';
import { createClient } from './server-process.js';
import { createStatusItem } from './status.js';

let client: LanguageClient | undefined;

/** Starts the server and registers what only an editor can offer. No analysis happens here, and nothing but the server is executed. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('Spillway', { log: true });
  context.subscriptions.push(output);
  const languageIds = languagesOf(context);
  client = createClient(context, output, languageIds);
  const status = createStatusItem(client, languageIds);
  context.subscriptions.push(status, ...registerCommands(context, client, output, status));
  const running = client;
  context.subscriptions.push(
    vscode.workspace.onDidGrantWorkspaceTrust(
      () => void running.sendNotification('spillway/trust', { isTrusted: true }),
    ),
  );
  await client.start();
  await status.refresh();
}

/** Languages that the server knows: those that the manifest contributes, for which alone the extension wakes up. */
function languagesOf(context: vscode.ExtensionContext): string[] {
  const manifest = context.extension.packageJSON as {
    readonly contributes: { readonly languages: readonly { readonly id: string }[] };
  };
  return manifest.contributes.languages.map(({ id }) => id);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
