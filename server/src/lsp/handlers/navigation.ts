import {
  CallHierarchyIncomingCallsRequest,
  CallHierarchyOutgoingCallsRequest,
  CallHierarchyPrepareRequest,
  DeclarationRequest,
  DefinitionRequest,
  DocumentHighlightKind,
  DocumentHighlightRequest,
  DocumentLinkRequest,
  DocumentSymbolRequest,
  ReferencesRequest,
  WorkspaceSymbolRequest,
  type CallHierarchyItem,
  type DocumentSymbol,
  type Location,
  type SymbolInformation,
} from 'vscode-languageserver';
import { incomingCalls, outgoingCalls, prepareCallHierarchy } from '../../features/call-hierarchy.js';
import type * as data from '../../features/data.js';
import {
  compiledDeclaration,
  compiledDefinition,
  compiledHighlights,
} from '../../features/compiled-places.js';
import { declaration, definition } from '../../features/definition.js';
import { highlights, references } from '../../features/references.js';
import { documentLinks } from '../../features/structure.js';
import { documentSymbols, workspaceSymbols } from '../../features/symbols.js';
import { alsoCompiled } from '../compiled-code.js';
import type { Encoder } from '../encoding.js';
import { documentRequest, encoderOf, plainRequest, type Session } from '../session.js';
import { symbolKinds } from './convert.js';

/** From a name to its other places. */
export function registerNavigation(session: Session): void {
  const { connection } = session;
  connection.onRequest(
    DefinitionRequest.type,
    alsoCompiled(
      session,
      'definition',
      documentRequest(session, 'definition', ({ document, encoder, params }) =>
        locations(encoder, definition(document, encoder.fromClient(params.position))),
      ),
      ({ document, shown, position, locate }) =>
        compiledDefinition(document, shown.code, position).map(locate),
    ),
  );
  connection.onRequest(
    DeclarationRequest.type,
    alsoCompiled(
      session,
      'declaration',
      documentRequest(session, 'declaration', ({ document, encoder, params }) =>
        locations(encoder, declaration(document, encoder.fromClient(params.position))),
      ),
      ({ document, shown, position, locate }) =>
        compiledDeclaration(document, shown.code, position).map(locate),
    ),
  );
  connection.onRequest(
    ReferencesRequest.type,
    documentRequest(session, 'references', ({ document, encoder, params }) =>
      locations(
        encoder,
        references(document, encoder.fromClient(params.position), params.context?.includeDeclaration ?? true),
      ),
    ),
  );
  connection.onRequest(
    DocumentHighlightRequest.type,
    alsoCompiled(
      session,
      'documentHighlight',
      documentRequest(session, 'documentHighlight', ({ document, encoder, params }) =>
        highlights(document, encoder.fromClient(params.position)).map(({ range, kind }) => ({
          range: encoder.rangeToClient(range),
          kind: highlightKinds[kind],
        })),
      ),
      ({ shown, position }) =>
        compiledHighlights(shown.code, position).map(({ range, kind }) => ({
          range: shown.encoder.rangeToClient(range),
          kind: highlightKinds[kind],
        })),
    ),
  );
  connection.onRequest(
    DocumentSymbolRequest.type,
    documentRequest(session, 'documentSymbol', ({ document, encoder }) => {
      const symbols = documentSymbols(document);
      return session.client.hierarchicalSymbols
        ? symbols.map((symbol) => hierarchical(encoder, symbol))
        : symbols.flatMap((symbol) => flat(encoder, document.uri, symbol));
    }),
  );
  connection.onRequest(
    WorkspaceSymbolRequest.type,
    plainRequest(session, 'workspaceSymbol', (params) =>
      workspaceSymbols(session.store.all(), params.query ?? '').map(({ name, kind, location }) => ({
        name,
        kind: symbolKinds[kind],
        location: foreignLocation(session, location),
      })),
    ),
  );
  connection.onRequest(
    DocumentLinkRequest.type,
    documentRequest(session, 'documentLink', ({ document, encoder }) =>
      documentLinks(document).flatMap(({ range, path, line }) => {
        const target = resolvePath(document.uri, path);
        if (target === undefined) return [];
        return [
          {
            range: encoder.rangeToClient(range),
            target: line === undefined ? target : `${target}#L${line}`,
            tooltip: path,
          },
        ];
      }),
    ),
  );
  connection.onRequest(
    CallHierarchyPrepareRequest.type,
    documentRequest(session, 'prepareCallHierarchy', ({ document, encoder, params }) => {
      const item = prepareCallHierarchy(document, encoder.fromClient(params.position));
      return item === undefined ? null : [hierarchyItem(encoder, item)];
    }),
  );
  connection.onRequest(
    CallHierarchyIncomingCallsRequest.type,
    documentRequest(session, 'incomingCalls', ({ document, encoder, params }) =>
      incomingCalls(document, params.item.name).map(({ item, places }) => ({
        from: hierarchyItem(encoder, item),
        fromRanges: places.map((place) => encoder.rangeToClient(place)),
      })),
    ),
  );
  connection.onRequest(
    CallHierarchyOutgoingCallsRequest.type,
    documentRequest(session, 'outgoingCalls', ({ document, encoder, params }) =>
      outgoingCalls(document, params.item.name).map(({ item, places }) => ({
        to: hierarchyItem(encoder, item),
        fromRanges: places.map((place) => encoder.rangeToClient(place)),
      })),
    ),
  );
}

const highlightKinds: Readonly<Record<data.Highlight['kind'], DocumentHighlightKind>> = {
  text: DocumentHighlightKind.Text,
  read: DocumentHighlightKind.Read,
  write: DocumentHighlightKind.Write,
};

const locations = (encoder: Encoder, found: readonly data.Location[]): Location[] =>
  found.map(({ uri, range }) => ({ uri, range: encoder.rangeToClient(range) }));

/** A location in any open document; each has its own encoder. */
function foreignLocation(session: Session, { uri, range }: data.Location): Location {
  const document = session.store.get(uri);
  if (document === undefined) return { uri, range };
  return { uri, range: encoderOf(session, document).rangeToClient(range) };
}

function hierarchical(encoder: Encoder, symbol: data.DocumentSymbol): DocumentSymbol {
  return {
    name: symbol.name || '(no name)',
    detail: symbol.detail,
    kind: symbolKinds[symbol.kind],
    range: encoder.rangeToClient(symbol.range),
    selectionRange: encoder.rangeToClient(symbol.selectionRange),
    children: symbol.children.map((child) => hierarchical(encoder, child)),
  };
}

function flat(
  encoder: Encoder,
  uri: string,
  symbol: data.DocumentSymbol,
  container?: string,
): SymbolInformation[] {
  const own: SymbolInformation = {
    name: symbol.name,
    kind: symbolKinds[symbol.kind],
    location: { uri, range: encoder.rangeToClient(symbol.range) },
    ...(container === undefined ? {} : { containerName: container }),
  };
  return [own, ...symbol.children.flatMap((child) => flat(encoder, uri, child, symbol.name))];
}

function hierarchyItem(encoder: Encoder, item: data.CallHierarchyItem): CallHierarchyItem {
  return {
    name: item.name,
    kind: symbolKinds[item.kind],
    detail: item.detail,
    uri: item.uri,
    range: encoder.rangeToClient(item.range),
    selectionRange: encoder.rangeToClient(item.selectionRange),
  };
}

/** The URI of a path that a text mentions, relative to the text's own; undefined where the document has no place. */
export function resolvePath(documentUri: string, path: string): string | undefined {
  if (path === '' || path.includes('\0')) return undefined;
  const slashed = path.replaceAll('\\', '/');
  const isDrive = /^[a-z]:\//i.test(slashed);
  const encoded = slashed.split('/').map(encodeURIComponent).join('/');
  try {
    if (isDrive) return new URL(`file:///${slashed[0]}:${encoded.slice(encoded.indexOf('/'))}`).href;
    return new URL(encoded, documentUri).href;
  } catch {
    return undefined;
  }
}
