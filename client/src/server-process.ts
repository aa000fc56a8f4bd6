import type * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { clientOptions, pushedDiagnostics } from './client-options.js';

/** A young generation of 16 MB from the start: fewer scavenges, and so fewer pauses, while a person types. */
const execArgv = ['--min-semi-space-size=16'];

/** A client whose server is a process of its own. */
export function createClient(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
  languages: readonly string[],
): LanguageClient {
  const module = context.asAbsolutePath('dist/server.cjs');
  const client = new LanguageClient(
    'spillway',
    'Spillway',
    {
      run: { module, transport: TransportKind.ipc, options: { execArgv } },
      debug: {
        module,
        transport: TransportKind.ipc,
        options: { execArgv: [...execArgv, '--inspect=6019', '--enable-source-maps'] },
      },
    },
    clientOptions(output, languages),
  );
  client.registerFeature(pushedDiagnostics);
  return client;
}
