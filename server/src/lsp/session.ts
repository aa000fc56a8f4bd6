import {
  ErrorCodes,
  LSPErrorCodes,
  ResponseError,
  type CancellationToken,
  type Connection,
} from 'vscode-languageserver';
import type { Verdict } from '../features/verdict.js';
import type { Document } from '../workspace/document.js';
import type { Pair } from '../workspace/registry.js';
import type { Store } from '../workspace/store.js';
import type { Client } from './client.js';
import type { CompiledDocuments } from './compiled-code.js';
import { encoderFor, type Encoder } from './encoding.js';
import type { Analysis, MessageQueue } from './scheduling.js';

/** What every handler works with. `client` is known once `initialize` has been answered. */
export interface Session {
  readonly connection: Connection;
  readonly pairs: readonly Pair[];
  readonly store: Store;
  readonly queue: MessageQueue;
  readonly analysis: Analysis;
  readonly client: Client;
  /** Resolves when the settings of a document have arrived. */
  settingsReady(uri: string): Promise<void>;
  readonly compiledDocuments: CompiledDocuments;
  /** What ptxas said of this version, if it was asked. */
  verdictOf(document: Document): Verdict | undefined;
  /** After `shutdown` every request is refused. */
  isShutDown(): boolean;
}

/** A request about one open document, in the client's position encoding. */
export interface Asked<P> {
  readonly session: Session;
  readonly document: Document;
  readonly encoder: Encoder;
  readonly params: P;
  /** True when the answer is not wanted any more: cancelled, or the document has changed. */
  isStale(): boolean;
}

const encoders = new WeakMap<Document, Encoder>();

export function encoderOf(session: Session, document: Document): Encoder {
  let encoder = encoders.get(document);
  if (encoder === undefined)
    encoders.set(document, (encoder = encoderFor(session.client.encoding, document.lines)));
  return encoder;
}

/**
 * Makes a handler for a request about one document. Messages that have arrived before work begins are read first,
 * so that a cancelled request costs nothing and one whose document has changed meanwhile is answered with
 * `ContentModified`. A request about an unknown document is answered with null. An exception is logged with the
 * feature's name and answered with an error.
 */
export function documentRequest<P, R>(
  session: Session,
  feature: string,
  answer: (asked: Asked<P>) => R | Promise<R>,
): (params: P, token: CancellationToken) => Promise<R | null | ResponseError<void>> {
  return async (params, token) => {
    session.queue.noteMessage();
    if (session.isShutDown()) return refused;
    const uri = uriIn(params);
    if (uri === undefined) return invalid(feature, 'textDocument.uri must be a string');
    const placed = positionFault(params);
    if (placed !== undefined) return invalid(feature, placed);
    await session.settingsReady(uri);
    const document = session.store.get(uri);
    if (document === undefined) return null;
    await session.queue.drained();
    const isStale = (): boolean =>
      token.isCancellationRequested || session.store.get(uri)?.version !== document.version;
    if (isStale()) return staleness(token);
    try {
      const current = session.store.get(uri) ?? document;
      const encoder = encoderOf(session, current);
      const result = await answer({ session, document: current, encoder, params, isStale });
      return isStale() ? staleness(token) : result;
    } catch (error) {
      return failure(session, feature, error, uri);
    }
  };
}

/**
 * Makes a handler for a request that is not about one document. `faultOf`: what is wrong with the parameters, beyond
 * that they must be an object and that a position in them must be one.
 */
export function plainRequest<P, R>(
  session: Session,
  feature: string,
  answer: (params: P) => R | Promise<R>,
  faultOf: (params: P) => string | undefined = () => undefined,
): (params: P, token: CancellationToken) => Promise<R | ResponseError<void>> {
  return async (params, token) => {
    session.queue.noteMessage();
    if (session.isShutDown()) return refused;
    const fault = isObject(params) ? (positionFault(params) ?? faultOf(params)) : 'params must be an object';
    if (fault !== undefined) return invalid(feature, fault);
    await session.queue.drained();
    if (token.isCancellationRequested) return staleness(token);
    try {
      return await answer(params);
    } catch (error) {
      return failure(session, feature, error);
    }
  };
}

/** Makes a handler for a notification; an exception is logged with its name. */
export function notification<P>(
  session: Session,
  name: string,
  handle: (params: P) => void,
): (params: P) => void {
  return (params) => {
    session.queue.noteMessage();
    try {
      handle(params);
    } catch (error) {
      logFault(session.connection, name, error);
    }
  };
}

export function logFault(connection: Connection, feature: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  connection.console.error(`${feature}: ${text}`);
}

function failure(session: Session, feature: string, error: unknown, uri?: string): ResponseError<void> {
  if (error instanceof ResponseError) return error as ResponseError<void>;
  logFault(session.connection, uri === undefined ? feature : `${feature} of ${uri}`, error);
  const message = error instanceof Error ? error.message : String(error);
  return new ResponseError(ErrorCodes.InternalError, `${feature} failed: ${message}`);
}

const staleness = (token: CancellationToken): ResponseError<void> =>
  token.isCancellationRequested
    ? new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled')
    : new ResponseError(LSPErrorCodes.ContentModified, 'the document has changed');

const refused = new ResponseError<void>(ErrorCodes.InvalidRequest, 'the server has been shut down');

const invalid = (feature: string, why: string): ResponseError<void> =>
  new ResponseError(ErrorCodes.InvalidParams, `${feature}: ${why}`);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export function uriIn(params: unknown): string | undefined {
  if (!isObject(params)) return undefined;
  const holder = params['textDocument'] ?? params['item'];
  const uri = isObject(holder) ? holder['uri'] : undefined;
  return typeof uri === 'string' ? uri : undefined;
}

/** What is wrong with the position or range of a request, if it has any. */
function positionFault(params: unknown): string | undefined {
  if (!isObject(params)) return undefined;
  const { position, range } = params;
  if (position !== undefined && !isPosition(position)) return 'position must have a line and a character';
  if (range !== undefined && !isRange(range)) return 'range must have a start and an end';
  return undefined;
}

export const isPosition = (value: unknown): value is { line: number; character: number } =>
  isObject(value) && Number.isInteger(value['line']) && Number.isInteger(value['character']);

export const isRange = (
  value: unknown,
): value is {
  start: { line: number; character: number };
  end: { line: number; character: number };
} => isObject(value) && isPosition(value['start']) && isPosition(value['end']);
