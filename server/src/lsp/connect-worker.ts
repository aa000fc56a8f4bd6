/** The connection of a server that runs in a web worker: to the page that started the worker. */
import {
  BrowserMessageReader,
  BrowserMessageWriter,
  createConnection,
  type Connection,
} from 'vscode-languageserver/browser';
import { connectionOptions } from './connection-options.js';

type Port = ConstructorParameters<typeof BrowserMessageReader>[0];

export const connectToPage = (scope: Port): Connection =>
  createConnection(new BrowserMessageReader(scope), new BrowserMessageWriter(scope), connectionOptions);
