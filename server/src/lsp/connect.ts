/** Connections for Node: standard streams, and the IPC channel of a parent that forked the server. */
import {
  createConnection,
  IPCMessageReader,
  IPCMessageWriter,
  type Connection,
} from 'vscode-languageserver/node';
import { connectionOptions as options } from './connection-options.js';

/**
 * Serves on standard input and output. Nothing else may write to standard output from now on; what a library
 * prints goes to standard error.
 */
export function connectToStandardStreams(): Connection {
  console.log = console.info = console.debug = console.error;
  return createConnection(process.stdin, process.stdout, options);
}

export const connectToParent = (): Connection =>
  createConnection(new IPCMessageReader(process), new IPCMessageWriter(process), options);
