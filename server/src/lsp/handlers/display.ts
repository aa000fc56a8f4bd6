import {
  CodeLensRequest,
  FoldingRangeKind,
  FoldingRangeRequest,
  HoverRequest,
  InlayHintKind,
  InlayHintRequest,
  SelectionRangeRequest,
  SemanticTokensDeltaRequest,
  SemanticTokensRangeRequest,
  SemanticTokensRequest,
  SignatureHelpRequest,
  type SelectionRange,
  type SemanticTokens,
} from 'vscode-languageserver';
import { codeLenses } from '../../features/code-lens.js';
import { compiledLenses } from '../../features/compiled-code.js';
import { compiledHover } from '../../features/compiled-places.js';
import { signatureHelp } from '../../features/completion.js';
import { hover } from '../../features/hover.js';
import { inlayHints } from '../../features/inlay-hints.js';
import { semanticTokens, tokenDelta } from '../../features/semantic-tokens.js';
import { foldingRanges, selectionRanges } from '../../features/structure.js';
import { verdictLenses, verdictText } from '../../features/verdict.js';
import type { Document } from '../../workspace/document.js';
import type { Encoder } from '../encoding.js';
import { alsoCompiled } from '../compiled-code.js';
import { documentRequest, isPosition, type Asked, type Session } from '../session.js';
import { markup } from './convert.js';
import { resultIds } from '../result-ids.js';

/** What is shown on the text and beside it. */
export function registerDisplay(session: Session): void {
  const { connection, client } = session;
  connection.onRequest(
    HoverRequest.type,
    alsoCompiled(
      session,
      'hover',
      documentRequest(session, 'hover', ({ document, encoder, params }) => {
        const position = encoder.fromClient(params.position);
        const found = hover(document, position);
        if (found === undefined) return null;
        const verdict = session.verdictOf(document);
        const theirs = verdict === undefined ? undefined : verdictText(document, position, verdict);
        const contents = theirs === undefined ? found.contents : `${found.contents}\n\n${theirs}`;
        return {
          contents: markup(contents, client.hoverMarkdown),
          range: encoder.rangeToClient(found.range),
        };
      }),
      ({ document, shown, position }) => {
        const found = compiledHover(document, shown.code, position);
        if (found === undefined) return null;
        return {
          contents: markup(found.contents, client.hoverMarkdown),
          range: shown.encoder.rangeToClient(found.range),
        };
      },
    ),
  );
  connection.onRequest(
    SignatureHelpRequest.type,
    documentRequest(session, 'signatureHelp', ({ document, encoder, params }) => {
      const found = signatureHelp(document, encoder.fromClient(params.position));
      if (found === undefined) return null;
      return {
        signatures: found.items.map(({ label, documentation, parameters }) => ({
          label,
          ...documented(documentation, client.signatureMarkdown),
          parameters: parameters.map((parameter) => ({
            label: parameter.label,
            ...documented(parameter.documentation, client.signatureMarkdown),
          })),
        })),
        activeSignature: found.activeItem,
        activeParameter: found.activeParameter,
      };
    }),
  );
  connection.onRequest(
    InlayHintRequest.type,
    documentRequest(session, 'inlayHint', async ({ document, encoder, params }) => {
      // where compiling takes long it goes on in slices, and nobody else waits for these hints
      const isSlow = document.target.compileInSteps !== undefined;
      if (isSlow && (await session.analysis.settled(document)) === 'stale') return null;
      return inlayHints(document, encoder.rangeFromClient(params.range)).map(
        ({ position, label, tooltip }) => ({
          position: encoder.toClient(position),
          label,
          kind: InlayHintKind.Type,
          tooltip: markup(tooltip, client.hoverMarkdown),
          paddingLeft: true,
        }),
      );
    }),
  );
  connection.onRequest(
    CodeLensRequest.type,
    documentRequest(session, 'codeLens', async (asked) => {
      const { document, encoder } = asked;
      if ((await session.analysis.settled(document)) === 'stale') return null;
      const verdict = session.verdictOf(document);
      const theirs = verdict === undefined ? [] : verdictLenses(document, verdict);
      const offered = compiledLenses(document).filter(({ command }) =>
        client.commands.has(command?.id ?? ''),
      );
      return [...codeLenses(document), ...offered, ...theirs].map(({ range, title, command }) => ({
        range: encoder.rangeToClient(range),
        command: { title, command: command?.id ?? '', arguments: [...(command?.arguments ?? [])] },
      }));
    }),
  );
  connection.onRequest(
    FoldingRangeRequest.type,
    documentRequest(session, 'foldingRange', ({ document }) =>
      foldingRanges(document).map(({ startLine, endLine, kind }) => ({
        startLine,
        endLine,
        kind: kind === 'comment' ? FoldingRangeKind.Comment : FoldingRangeKind.Region,
      })),
    ),
  );
  connection.onRequest(
    SelectionRangeRequest.type,
    documentRequest(session, 'selectionRange', ({ document, encoder, params }) => {
      const positions = Array.isArray(params.positions) ? params.positions.filter(isPosition) : [];
      return selectionRanges(
        document,
        positions.map((position) => encoder.fromClient(position)),
      ).map((ranges, i) => nested(encoder, ranges, positions[i]));
    }),
  );
  registerSemanticTokens(session);
}

const documented = (
  text: string | undefined,
  isMarkdown: boolean,
): { documentation?: ReturnType<typeof markup> } =>
  text === undefined ? {} : { documentation: markup(text, isMarkdown) };

/** The protocol wants the innermost range with its parents. */
function nested(
  encoder: Encoder,
  innermostFirst: ReturnType<typeof selectionRanges>[number],
  position: { line: number; character: number },
): SelectionRange {
  let result: SelectionRange | undefined;
  for (const range of [...innermostFirst].reverse())
    result = { range: encoder.rangeToClient(range), ...(result === undefined ? {} : { parent: result }) };
  return result ?? { range: { start: position, end: position } };
}

/** The last full answer of each document, which the next request may refer to. */
interface KnownTokens {
  readonly id: string;
  readonly data: Uint32Array;
}

function registerSemanticTokens(session: Session): void {
  const { connection, client } = session;
  const known = new Map<string, KnownTokens>();
  const nextId = resultIds();

  const remember = (uri: string, data: Uint32Array): string => {
    const id = nextId();
    known.delete(uri);
    known.set(uri, { id, data });
    for (const old of known.keys()) if (session.store.get(old) === undefined) known.delete(old);
    return id;
  };
  const tokensOf = (
    document: Document,
    encoder: Encoder,
    range?: Parameters<typeof semanticTokens>[1],
  ): Uint32Array =>
    semanticTokens(
      document,
      range,
      client.encoding === 'utf-16'
        ? undefined
        : (line, character) => encoder.toClient({ line, character }).character,
    );
  const full = ({ document, encoder }: Asked<unknown>): SemanticTokens => {
    const data = tokensOf(document, encoder);
    return { resultId: remember(document.uri, data), data: Array.from(data) };
  };

  connection.onRequest(SemanticTokensRequest.type, documentRequest(session, 'semanticTokens/full', full));
  connection.onRequest(
    SemanticTokensDeltaRequest.type,
    documentRequest(session, 'semanticTokens/delta', (asked) => {
      const { document, encoder, params } = asked;
      const previous = known.get(document.uri);
      if (previous?.id !== params.previousResultId) return full(asked);
      const data = tokensOf(document, encoder);
      return {
        resultId: remember(document.uri, data),
        edits: tokenDelta(previous.data, data).map((edit) => ({
          start: edit.start,
          deleteCount: edit.deleteCount,
          data: Array.from(edit.data),
        })),
      };
    }),
  );
  connection.onRequest(
    SemanticTokensRangeRequest.type,
    documentRequest(session, 'semanticTokens/range', ({ document, encoder, params }) => ({
      data: Array.from(tokensOf(document, encoder, encoder.rangeFromClient(params.range))),
    })),
  );
}
