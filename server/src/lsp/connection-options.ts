import {
  LSPErrorCodes,
  ResponseError,
  type ConnectionOptions,
  type Message,
  type ResponseMessage,
} from 'vscode-languageserver';

/** A request that is cancelled before its turn is answered at once and never dispatched. */
export const connectionOptions: ConnectionOptions = {
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
