/**
 * Problems on their way to the client: pushed after each change, or pulled by clients that ask. In a large file
 * syntax and names go out first and the machine's findings follow.
 */
import {
  DiagnosticTag,
  DocumentDiagnosticRequest,
  DiagnosticRefreshRequest,
  LSPErrorCodes,
  ResponseError,
  type Diagnostic,
  type DocumentDiagnosticReport,
} from 'vscode-languageserver';
import type * as data from '../features/data.js';
import { diagnostics } from '../features/diagnostics.js';
import { verdictDiagnostics } from '../features/verdict.js';
import type { Document } from '../workspace/document.js';
import { resultIds } from './result-ids.js';
import { encoderOf, logFault, documentRequest, type Session } from './session.js';
import { severities } from './handlers/convert.js';

/** Where documentation lies for readers of a released version. */
export type DocumentationLink = (path: string) => string | undefined;

export interface DiagnosticsPublisher {
  /** Called when names and syntax of a large document are known. */
  partly(document: Document): void;
  complete(document: Document): void;
  /** Called when units of a complete document have better programs than before, or ptxas has told its verdict. */
  improved(document: Document): void;
  closed(uri: string): void;
}

/** Pushes; for clients that do not pull. */
export function pushDiagnostics(session: Session, link: DocumentationLink): DiagnosticsPublisher {
  const diagnosticsOf = conversion(session, link);
  const publish = (document: Document, compiledOnly: boolean): void =>
    void session.connection
      .sendDiagnostics({
        uri: document.uri,
        version: document.version,
        diagnostics: diagnosticsOf(document, compiledOnly),
      })
      .catch((error: unknown) => logFault(session.connection, 'publishDiagnostics', error));
  return {
    partly: (document) => publish(document, true),
    complete: (document) => publish(document, false),
    improved: (document) => publish(document, false),
    closed: (uri) =>
      void session.connection
        .sendDiagnostics({ uri, diagnostics: [] })
        .catch((error: unknown) => logFault(session.connection, 'publishDiagnostics', error)),
  };
}

/**
 * Answers pulls. The answer waits for the analysis; when that takes long, what is known goes out and the client is
 * asked to come again. One that cannot be asked waits for everything, since it would never learn the rest.
 */
export function pullDiagnostics(session: Session, link: DocumentationLink): DiagnosticsPublisher {
  const diagnosticsOf = conversion(session, link);
  const partial = new Map<Document, () => void>();
  const answered = new WeakSet<Document>();
  const isLarge = new WeakSet<Document>();
  const ids = idsOfDocuments();
  /** Asked about before they were opened, as a client does that has just started the server again. */
  const early = new Set<string>();
  const knownPart = (document: Document): Promise<'partly'> =>
    new Promise((resolve) => {
      if (isLarge.has(document)) resolve('partly');
      else partial.set(document, () => resolve('partly'));
    });
  const report = documentRequest(
    session,
    'diagnostic',
    async (asked: {
      document: Document;
      params: { previousResultId?: string };
    }): Promise<DocumentDiagnosticReport> => {
      const { document, params } = asked;
      const state = await (session.client.refresh.diagnostics
        ? Promise.race([session.analysis.settled(document), knownPart(document)])
        : session.analysis.settled(document));
      partial.delete(document);
      if (state === 'partly') answered.add(document);
      if (state === 'stale' && !session.isShutDown())
        throw new ResponseError(LSPErrorCodes.ContentModified, 'the document or its settings have changed');
      const resultId = `${ids.of(document)}${state === 'partly' ? '-partly' : ''}`;
      if (params.previousResultId === resultId) return { kind: 'unchanged', resultId };
      return { kind: 'full', resultId, items: diagnosticsOf(document, state === 'partly') };
    },
  );
  session.connection.onRequest(DocumentDiagnosticRequest.type, async (params, token) => {
    const answer = await report(params, token);
    if (answer instanceof ResponseError) return again(answer);
    if (answer !== null) return answer;
    early.add(params.textDocument.uri);
    return { kind: 'full', items: [] };
  });
  return {
    partly: (document) => {
      isLarge.add(document);
      partial.get(document)?.();
    },
    complete: (document) => {
      isLarge.delete(document);
      const wasEarly = early.delete(document.uri);
      if ((wasEarly || answered.has(document)) && session.client.refresh.diagnostics)
        void session.connection.sendRequest(DiagnosticRefreshRequest.type).catch(() => undefined);
    },
    improved: (document) => {
      ids.renew(document);
      if (session.client.refresh.diagnostics)
        void session.connection.sendRequest(DiagnosticRefreshRequest.type).catch(() => undefined);
    },
    closed: (uri) => void early.delete(uri),
  };
}

/** A client takes "content modified" for "no problems"; this makes it ask again. */
function again(error: ResponseError<void>): ResponseError<{ retriggerRequest: boolean }> {
  const isOutdated = error.code === LSPErrorCodes.ContentModified;
  return new ResponseError(isOutdated ? LSPErrorCodes.ServerCancelled : error.code, error.message, {
    retriggerRequest: isOutdated,
  });
}

/** One id for each version under each settings (a document object is one of both) and each state of its programs. */
function idsOfDocuments(): { of(document: Document): string; renew(document: Document): void } {
  const next = resultIds();
  const known = new WeakMap<Document, string>();
  return {
    of: (document) => {
      let id = known.get(document);
      if (id === undefined) known.set(document, (id = next()));
      return id;
    },
    renew: (document) => void known.delete(document),
  };
}

/**
 * Makes a document's diagnostics as the protocol has them. The feature gives the same objects again for what has not
 * moved, and so does this. In UTF-8 and UTF-32 a place also depends on what else stands on its line.
 */
function conversion(
  session: Session,
  link: DocumentationLink,
): (document: Document, compiledOnly: boolean) => Diagnostic[] {
  const known = new WeakMap<data.Diagnostic, Diagnostic>();
  const isKept = session.client.encoding === 'utf-16';
  return (document, compiledOnly) => {
    const { items, omitted } = diagnostics(document, { compiledOnly });
    const encoder = encoderOf(session, document);
    const converted = items.map((item) => {
      const before = known.get(item);
      if (before !== undefined) return before;
      const made = protocolDiagnostic(session, encoder, item, link);
      if (isKept) known.set(item, made);
      return made;
    });
    const verdict = compiledOnly ? undefined : session.verdictOf(document);
    if (verdict !== undefined)
      for (const item of verdictDiagnostics(document, verdict))
        converted.push(protocolDiagnostic(session, encoder, item, link));
    if (omitted > 0)
      converted.push({
        range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
        severity: severities.information,
        source: 'spillway',
        message: `${omitted} more problems are not shown; 'spillway.diagnostics.maximum' sets how many are`,
      });
    return converted;
  };
}

function protocolDiagnostic(
  { client }: Session,
  encoder: ReturnType<typeof encoderOf>,
  item: data.Diagnostic,
  link: DocumentationLink,
): Diagnostic {
  const href = client.codeDescription ? link(item.documentation) : undefined;
  return {
    range: encoder.rangeToClient(item.range),
    severity: severities[item.severity],
    code: item.code,
    source: item.source ?? 'spillway',
    message: item.message,
    ...(href === undefined ? {} : { codeDescription: { href } }),
    ...(item.tags.length === 0 || !client.diagnosticTags
      ? {}
      : {
          tags: item.tags.map((tag) =>
            tag === 'unnecessary' ? DiagnosticTag.Unnecessary : DiagnosticTag.Deprecated,
          ),
        }),
    ...(item.related.length === 0 || !client.relatedInformation
      ? {}
      : {
          relatedInformation: item.related.map(({ location, message }) => ({
            location: { uri: location.uri, range: encoder.rangeToClient(location.range) },
            message,
          })),
        }),
  };
}
