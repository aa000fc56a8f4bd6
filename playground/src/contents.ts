/** What the page takes over from the extension's manifest when it is built, so that neither is written twice. */
import type * as monaco from 'monaco-editor';

export interface Example {
  /** File name. */
  readonly name: string;
  readonly language: string;
  readonly text: string;
}

export interface Language {
  readonly id: string;
  /** With its dot. */
  readonly extension: string;
  readonly configuration: Configuration;
}

/** A language configuration of VS Code, as far as it is used here. */
interface Configuration {
  readonly comments?: { readonly lineComment?: string; readonly blockComment?: readonly [string, string] };
  readonly brackets?: readonly (readonly [string, string])[];
  readonly autoClosingPairs?: readonly (ClosingPair | readonly [string, string])[];
  readonly wordPattern?: string | { readonly pattern: string; readonly flags?: string };
}

interface ClosingPair {
  readonly open: string;
  readonly close: string;
  readonly notIn?: readonly string[];
}

/** A setting of the manifest, without its prefix `spillway.`. */
export interface Setting {
  readonly key: string;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly initial: string | number | null;
  readonly description: string;
}

declare const PLAYGROUND_LANGUAGES: readonly Language[];
declare const PLAYGROUND_SETTINGS: readonly Setting[];

export const languages = PLAYGROUND_LANGUAGES;
export const knownSettings = PLAYGROUND_SETTINGS;

export function configurationOf({
  comments,
  brackets,
  autoClosingPairs,
  wordPattern,
}: Configuration): monaco.languages.LanguageConfiguration {
  return {
    ...(comments !== undefined && {
      comments: {
        ...(comments.lineComment !== undefined && { lineComment: comments.lineComment }),
        ...(comments.blockComment !== undefined && {
          blockComment: [...comments.blockComment] as [string, string],
        }),
      },
    }),
    ...(brackets !== undefined && { brackets: brackets.map((pair) => [...pair] as [string, string]) }),
    ...(autoClosingPairs !== undefined && {
      autoClosingPairs: autoClosingPairs.map((pair) =>
        'open' in pair
          ? {
              open: pair.open,
              close: pair.close,
              ...(pair.notIn !== undefined && { notIn: [...pair.notIn] }),
            }
          : { open: pair[0], close: pair[1] },
      ),
    }),
    ...(wordPattern !== undefined && {
      wordPattern:
        typeof wordPattern === 'string'
          ? new RegExp(wordPattern, 'g')
          : new RegExp(wordPattern.pattern, wordPattern.flags ?? 'g'),
    }),
  };
}
