/**
 * Where a view is shown: a panel of an editor, or a page. A view knows nothing else of its surroundings, so that the
 * same code runs in both.
 */
export interface Page<From, To> {
  post(message: From): void;
  /** Called once, before `post({ type: 'ready' })`. */
  onMessage(handler: (message: To) => void): void;
  readonly theme: Theme;
  /** What a view was left like, for the next time that the same page is opened. */
  readonly memory: Memory;
}

/** Of a picture. */
export type Host<Content> = Page<FromView, ToView<Content>>;

export interface Theme {
  /** Colours are CSS variables (`--vscode-...`) of the document's root; this says which kind they are. */
  kind(): ThemeKind;
  onChange(handler: () => void): void;
}

export type ThemeKind = 'light' | 'dark' | 'highContrast' | 'highContrastLight';

export interface Memory {
  load(): unknown;
  save(state: unknown): void;
}

export type ToView<Content> =
  /** New content; the place of the scroll bars and the zoom stay where it is the same function. */
  | { readonly type: 'content'; readonly content: Content; readonly cursor?: number | undefined }
  /** The content is what it was, its first line is another. */
  | { readonly type: 'moved'; readonly line: number; readonly cursor?: number | undefined }
  /** The editor's cursor is in this line (zero-based, of the document). */
  | { readonly type: 'cursor'; readonly line: number }
  /** There is nothing to show, and why. */
  | { readonly type: 'empty'; readonly message: string };

export type FromView =
  /** The picture listens. */
  | { readonly type: 'ready' }
  /** Somebody wants to see this line (zero-based, of the document). */
  | { readonly type: 'goTo'; readonly line: number }
  /** A first picture was painted, so many milliseconds after its content came. */
  | { readonly type: 'painted'; readonly milliseconds: number };
