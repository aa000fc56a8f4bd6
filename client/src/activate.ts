import * as vscode from 'vscode';
import { type BaseLanguageClient } from 'vscode-languageclient';
import { registerCommands } from './commands.js';
import { ComparisonPanel } from './compare.js';
import { CompiledCodeView } from './compiled-code.js';
import { registerPictures } from './pictures.js';
import { PressureBars } from './pressure.js';
import { createStatusItem } from './status.js';

/** How the server is started; in a process or in a worker. */
export type ClientFactory = (
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
  languages: readonly string[],
) => BaseLanguageClient;

let client: BaseLanguageClient | undefined;

/** Starts the server and registers what only an editor can offer. No analysis happens here, and nothing but the server is executed. */
export async function activateWith(
  createClient: ClientFactory,
  context: vscode.ExtensionContext,
): Promise<void> {
  const output = vscode.window.createOutputChannel('Spillway', { log: true });
  context.subscriptions.push(output);
  const languageIds = languagesOf(context);
  client = createClient(context, output, languageIds);
  const status = createStatusItem(client, languageIds);
  const compiled = new CompiledCodeView(client, languageIds);
  const comparison = new ComparisonPanel(context, client, languageIds);
  context.subscriptions.push(
    status,
    compiled,
    comparison,
    ...registerCommands(context, client, output, status, compiled, comparison, languageIds),
    new PressureBars(client, languageIds),
  );
  context.subscriptions.push(...registerPictures(context, client, languageIds));
  const running = client;
  context.subscriptions.push(
    vscode.workspace.onDidGrantWorkspaceTrust(
      () => void running.sendNotification('spillway/trust', { isTrusted: true }),
    ),
  );
  await client.start();
  await status.refresh();
}

/** Languages that the server reads, among those that the manifest contributes: all but those that it writes. */
function languagesOf(context: vscode.ExtensionContext): string[] {
  const manifest = context.extension.packageJSON as {
    readonly contributes: { readonly languages: readonly { readonly id: string }[] };
  };
  return manifest.contributes.languages.map(({ id }) => id).filter((id) => !id.startsWith('spillway-'));
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
