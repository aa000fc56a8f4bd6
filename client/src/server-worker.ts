import * as vscode from 'vscode';
import {
  BrowserMessageReader,
  BrowserMessageWriter,
  LanguageClient,
  type MessageTransports,
} from 'vscode-languageclient/browser';
import { clientOptions, pushedDiagnostics } from './client-options.js';

/** What is used here of the page's classes; the other parts of the client run where there are none. */
declare const Worker: new (url: string) => { terminate(): void };

/**
 * A client whose server is a web worker. The script is read through VS Code: an extension that comes from a remote has
 * an address from which no worker may be started.
 */
export function createClient(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
  languages: readonly string[],
): LanguageClient {
  const script = vscode.Uri.joinPath(context.extensionUri, 'dist', 'server-web.js');
  let running: InstanceType<typeof Worker> | undefined;
  const stop = (): void => {
    running?.terminate();
    running = undefined;
  };
  const start = async (): Promise<MessageTransports> => {
    // nothing else ends a worker whose server has been shut down
    stop();
    const text = await vscode.workspace.fs.readFile(script);
    const url = URL.createObjectURL(new Blob([new Uint8Array(text)], { type: 'text/javascript' }));
    running = new Worker(url);
    // not the worker itself: in the host of VS Code it is no instance of the class by which the client would know it
    return { reader: new BrowserMessageReader(running), writer: new BrowserMessageWriter(running) };
  };
  context.subscriptions.push({ dispose: stop });
  // a worker reads no files: the client tells where the pages that findings link to are
  const documentation = `${vscode.Uri.joinPath(context.extensionUri, 'docs').toString()}/{page}.md`;
  const options = clientOptions(output, languages, { documentation });
  const client = new LanguageClient('spillway', 'Spillway', start, options);
  client.registerFeature(pushedDiagnostics);
  return client;
}
