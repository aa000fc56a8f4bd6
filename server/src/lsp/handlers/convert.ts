import {
  CompletionItemKind,
  DiagnosticSeverity,
  InsertTextFormat,
  MarkupKind,
  SymbolKind as ProtocolSymbolKind,
  type MarkupContent,
} from 'vscode-languageserver';
import type { CompletionKind } from '../../languages/language.js';
import type { SymbolKind } from '../../languages/symbols.js';
import type { Severity } from '../../text/problem.js';
import { plainText } from '../plain-text.js';

export const symbolKinds: Readonly<Record<SymbolKind, ProtocolSymbolKind>> = {
  register: ProtocolSymbolKind.Variable,
  predicate: ProtocolSymbolKind.Boolean,
  label: ProtocolSymbolKind.Key,
  function: ProtocolSymbolKind.Function,
  kernel: ProtocolSymbolKind.Function,
  variable: ProtocolSymbolKind.Variable,
  parameter: ProtocolSymbolKind.Field,
  prototype: ProtocolSymbolKind.Interface,
  value: ProtocolSymbolKind.Constant,
  block: ProtocolSymbolKind.Namespace,
};

export const completionKinds: Readonly<Record<CompletionKind, CompletionItemKind>> = {
  instruction: CompletionItemKind.Keyword,
  modifier: CompletionItemKind.EnumMember,
  type: CompletionItemKind.TypeParameter,
  directive: CompletionItemKind.Property,
  register: CompletionItemKind.Variable,
  specialRegister: CompletionItemKind.Constant,
  label: CompletionItemKind.Reference,
  function: CompletionItemKind.Function,
  variable: CompletionItemKind.Variable,
  parameter: CompletionItemKind.Field,
  value: CompletionItemKind.Value,
  snippet: CompletionItemKind.Snippet,
};

export const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};

/** Markdown for clients that show it, and the same in plain text for others. */
export const markup = (markdown: string, isShown: boolean): MarkupContent =>
  isShown
    ? { kind: MarkupKind.Markdown, value: markdown }
    : { kind: MarkupKind.PlainText, value: plainText(markdown) };

/** A snippet's text without its tab stops, for clients that have none: `${1:name}` becomes `name`. */
export const withoutTabStops = (snippet: string): string =>
  snippet.replace(/\$\{\d+:([^}]*)\}|\$\{?\d+\}?/g, '$1').replaceAll('\\$', '$');

export const insertFormat = (isSnippet: boolean): InsertTextFormat =>
  isSnippet ? InsertTextFormat.Snippet : InsertTextFormat.PlainText;
