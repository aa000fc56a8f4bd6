/** What is said of a name, and where else it stands; in sources and in compiled code. */
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import type * as lsp from 'vscode-languageserver-protocol';
import {
  fromPosition,
  toFoldingRange,
  toHighlight,
  toLocations,
  toMarkdown,
  toRange,
  toSelectionRanges,
  toSignatureHelp,
  toSymbol,
} from '../convert.js';
import { COMPILED_LANGUAGE } from '../compiled-language.js';
import { uriOf, type Asking } from './ask.js';

type Locations = lsp.Location | lsp.Location[];

export function registerNavigation({ ask, languages }: Asking, signatureTriggers: readonly string[]): void {
  const sources = [...languages];
  const all = [...languages, COMPILED_LANGUAGE];
  const at = (position: monaco.Position): { position: lsp.Position } => ({
    position: fromPosition(position),
  });

  monaco.languages.registerHoverProvider(all, {
    async provideHover(model, position, token) {
      const hover = await ask<lsp.Hover>('textDocument/hover', model, at(position), token);
      if (hover === null) return null;
      return {
        contents: [toMarkdown(hover.contents)],
        ...(hover.range !== undefined && { range: toRange(hover.range) }),
      };
    },
  });
  monaco.languages.registerDefinitionProvider(all, {
    provideDefinition: async (model, position, token) =>
      toLocations(await ask<Locations>('textDocument/definition', model, at(position), token), uriOf),
  });
  monaco.languages.registerDeclarationProvider(all, {
    provideDeclaration: async (model, position, token) =>
      toLocations(await ask<Locations>('textDocument/declaration', model, at(position), token), uriOf),
  });
  monaco.languages.registerReferenceProvider(sources, {
    provideReferences: async (model, position, context, token) =>
      toLocations(
        await ask<Locations>('textDocument/references', model, { ...at(position), context }, token),
        uriOf,
      ),
  });
  monaco.languages.registerDocumentHighlightProvider(all, {
    provideDocumentHighlights: async (model, position, token) =>
      (
        (await ask<lsp.DocumentHighlight[]>('textDocument/documentHighlight', model, at(position), token)) ??
        []
      ).map(toHighlight),
  });
  monaco.languages.registerDocumentSymbolProvider(sources, {
    provideDocumentSymbols: async (model, token) =>
      ((await ask<lsp.DocumentSymbol[]>('textDocument/documentSymbol', model, {}, token)) ?? []).map(
        toSymbol,
      ),
  });
  monaco.languages.registerFoldingRangeProvider(sources, {
    provideFoldingRanges: async (model, _context, token) =>
      ((await ask<lsp.FoldingRange[]>('textDocument/foldingRange', model, {}, token)) ?? []).map(
        toFoldingRange,
      ),
  });
  monaco.languages.registerSelectionRangeProvider(sources, {
    async provideSelectionRanges(model, positions, token) {
      const asked = { positions: positions.map(fromPosition) };
      const found = await ask<lsp.SelectionRange[]>('textDocument/selectionRange', model, asked, token);
      return (found ?? []).map(toSelectionRanges);
    },
  });
  monaco.languages.registerSignatureHelpProvider(sources, {
    signatureHelpTriggerCharacters: signatureTriggers,
    async provideSignatureHelp(model, position, token) {
      const help = await ask<lsp.SignatureHelp>('textDocument/signatureHelp', model, at(position), token);
      return help === null ? null : { value: toSignatureHelp(help), dispose: () => undefined };
    },
  });
}
