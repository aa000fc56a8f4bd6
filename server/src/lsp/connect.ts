/** Connections for Node: standard streams, and the IPC channel of a parent that forked the server. */
import {
  createConnection,
  IPCMessageReader,
  IPCMessageWriter,
  LSPErrorCodes,
  ResponseError,
  type Connection,
  type ConnectionOptions,
  type Message,
  type ResponseMessage,
} from 'vscode-languageserver/node';

/** A request that is cancelled before its turn is answered at once and never dispatched. */
const options: ConnectionOptions = {
  connectionStrategy: {
    cancelUndispatched: (message: Message): ResponseMessage | undefined =>
      'id' in message
        ? {
            jsonrpc: '2.0',
            id: message.id as number | string,
            error: new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled').toJson(),
          }
        : undefined,
  },
};

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
