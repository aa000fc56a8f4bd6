import type { ClientCapabilities, InitializeParams } from 'vscode-languageserver';
import { chooseEncoding, type PositionEncoding } from './encoding.js';

/** What the client said that it can do, as far as the server acts on it. */
export interface Client {
  readonly encoding: PositionEncoding;
  readonly name: string;
  readonly pullsDiagnostics: boolean;
  readonly configuration: boolean;
  readonly registersConfiguration: boolean;
  readonly workDoneProgress: boolean;
  readonly relatedInformation: boolean;
  readonly diagnosticVersion: boolean;
  readonly codeDescription: boolean;
  readonly diagnosticTags: boolean;
  readonly hierarchicalSymbols: boolean;
  readonly snippets: boolean;
  readonly labelDetails: boolean;
  readonly hoverMarkdown: boolean;
  readonly completionMarkdown: boolean;
  readonly signatureMarkdown: boolean;
  readonly codeActionLiterals: boolean;
  readonly disabledCodeActions: boolean;
  readonly versionedEdits: boolean;
  readonly lineFoldingOnly: boolean;
  /** Shows documents whose text the server makes (LSP 3.18). */
  readonly textDocumentContent: boolean;
  /** Takes definition, declaration, hover and highlight for further documents. */
  readonly registersNavigation: boolean;
  /** Commands that the client has and lenses may name, as it said in `initializationOptions.commands`. */
  readonly commands: ReadonlySet<string>;
  readonly refresh: {
    readonly diagnostics: boolean;
    readonly inlayHints: boolean;
    readonly codeLenses: boolean;
    readonly semanticTokens: boolean;
  };
}

export function clientOf(params: InitializeParams): Client {
  const can: ClientCapabilities = params.capabilities ?? {};
  const { textDocument, workspace, window, general } = can;
  const offersMarkdown = (formats: readonly string[] | undefined): boolean =>
    formats?.includes('markdown') ?? false;
  return {
    encoding: chooseEncoding(general?.positionEncodings),
    name: params.clientInfo?.name ?? 'unknown client',
    pullsDiagnostics: textDocument?.diagnostic !== undefined,
    configuration: workspace?.configuration ?? false,
    registersConfiguration: workspace?.didChangeConfiguration?.dynamicRegistration ?? false,
    workDoneProgress: window?.workDoneProgress ?? false,
    relatedInformation: textDocument?.publishDiagnostics?.relatedInformation ?? false,
    diagnosticVersion: textDocument?.publishDiagnostics?.versionSupport ?? false,
    codeDescription: textDocument?.publishDiagnostics?.codeDescriptionSupport ?? false,
    diagnosticTags: textDocument?.publishDiagnostics?.tagSupport !== undefined,
    hierarchicalSymbols: textDocument?.documentSymbol?.hierarchicalDocumentSymbolSupport ?? false,
    snippets: textDocument?.completion?.completionItem?.snippetSupport ?? false,
    labelDetails: textDocument?.completion?.completionItem?.labelDetailsSupport ?? false,
    hoverMarkdown: offersMarkdown(textDocument?.hover?.contentFormat),
    completionMarkdown: offersMarkdown(textDocument?.completion?.completionItem?.documentationFormat),
    signatureMarkdown: offersMarkdown(textDocument?.signatureHelp?.signatureInformation?.documentationFormat),
    codeActionLiterals: textDocument?.codeAction?.codeActionLiteralSupport !== undefined,
    disabledCodeActions: textDocument?.codeAction?.disabledSupport ?? false,
    versionedEdits: workspace?.workspaceEdit?.documentChanges ?? false,
    lineFoldingOnly: textDocument?.foldingRange?.lineFoldingOnly ?? false,
    textDocumentContent: workspace?.textDocumentContent !== undefined,
    registersNavigation: [
      textDocument?.definition,
      textDocument?.declaration,
      textDocument?.hover,
      textDocument?.documentHighlight,
    ].every((request) => request?.dynamicRegistration === true),
    commands: commandsOf(params.initializationOptions),
    refresh: {
      diagnostics: workspace?.diagnostics?.refreshSupport ?? false,
      inlayHints: workspace?.inlayHint?.refreshSupport ?? false,
      codeLenses: workspace?.codeLens?.refreshSupport ?? false,
      semanticTokens: workspace?.semanticTokens?.refreshSupport ?? false,
    },
  };
}

function commandsOf(options: unknown): ReadonlySet<string> {
  const commands =
    typeof options === 'object' && options !== null && 'commands' in options ? options.commands : [];
  return new Set(Array.isArray(commands) ? commands.filter((name) => typeof name === 'string') : []);
}
