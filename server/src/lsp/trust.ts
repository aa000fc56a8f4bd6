/**
 * For which texts the server may start a program without being asked. A client says that it trusts its workspace with
 * `isTrusted: true` in the initialisation options, or later with the notification `spillway/trust`; silence means no.
 * Even then only files count that lie in a folder of the workspace, if it has any, and no text that comes from
 * somewhere else (an old version, an archive, the network).
 */
import type { InitializeParams, WorkspaceFoldersChangeEvent } from 'vscode-languageserver';

export class Trust {
  private isGiven: boolean;
  private readonly folders: Set<string>;

  constructor({ initializationOptions, workspaceFolders, rootUri }: InitializeParams) {
    this.isGiven = isTrusted(initializationOptions);
    const folders = workspaceFolders?.map(({ uri }) => uri) ?? [rootUri];
    this.folders = new Set(folders.filter((uri) => typeof uri === 'string').map(asFolder));
  }

  set(isGiven: boolean): void {
    this.isGiven = isGiven;
  }

  changed({ added, removed }: WorkspaceFoldersChangeEvent): void {
    for (const { uri } of removed) this.folders.delete(asFolder(uri));
    for (const { uri } of added) this.folders.add(asFolder(uri));
  }

  includes(uri: string): boolean {
    if (!this.isGiven) return false;
    if (uri.startsWith('untitled:')) return true;
    if (!uri.startsWith('file:') || /(?:^|\/)\.\.(?:\/|$)/.test(decoded(uri))) return false;
    return this.folders.size === 0 || [...this.folders].some((folder) => decoded(uri).startsWith(folder));
  }
}

const isTrusted = (options: unknown): boolean =>
  typeof options === 'object' && options !== null && 'isTrusted' in options && options.isTrusted === true;

const asFolder = (uri: string): string => decoded(uri.endsWith('/') ? uri : `${uri}/`);

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
