import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import type { ProtocolConnection } from 'vscode-languageserver-protocol';

/** What providers ask the server with. */
export interface Asking {
  readonly connection: ProtocolConnection;
  readonly languages: readonly string[];
  /** An answer that is out of date, or wanted no more, is no answer. */
  ask<R>(method: string, model: Model, params: object, token: monaco.CancellationToken): Promise<R | null>;
  /** As `ask`, but what the server refuses to do is an error that says why. */
  demand<R>(method: string, model: Model, params: object, token: monaco.CancellationToken): Promise<R | null>;
}

type Model = monaco.editor.ITextModel;

export function asking(connection: ProtocolConnection, languages: readonly string[]): Asking {
  const demand: Asking['demand'] = (method, model, params, token) =>
    connection.sendRequest(method, { textDocument: { uri: model.uri.toString() }, ...params }, token);
  return {
    connection,
    languages,
    demand,
    ask: (method, model, params, token) => demand<never>(method, model, params, token).catch(() => null),
  };
}

export const uriOf = (uri: string): monaco.Uri => monaco.Uri.parse(uri);
