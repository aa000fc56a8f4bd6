/**
 * The open documents. An edit goes through a draft: any number of changes, each applied to the text as the ones
 * before it left it, then one new version.
 */
import { applyEdits, changeOf, smallestEdit, thenEdit, type Change } from '../text/edit.js';
import type { LineIndex } from '../text/line-index.js';
import { shift, type TextEdit } from '../text/span.js';
import { Document, type FaultListener } from './document.js';
import type { Pair } from './registry.js';
import type { Settings } from './settings.js';

export class Store {
  private readonly documents = new Map<string, Document>();

  /** By default a fault in one unit's lowering or compilation is thrown; a server reports it and goes on. */
  constructor(
    private readonly onFault: FaultListener = (error) => {
      throw error;
    },
  ) {}

  open(uri: string, pair: Pair, version: number, text: string, settings: Settings): Document {
    const document = Document.open(uri, pair, version, text, settings, this.onFault);
    this.documents.set(uri, document);
    return document;
  }

  close(uri: string): void {
    this.documents.delete(uri);
  }

  get(uri: string): Document | undefined {
    return this.documents.get(uri);
  }

  all(): readonly Document[] {
    return [...this.documents.values()];
  }

  commit(draft: Draft, version: number): Document {
    const document = draft.finish(version);
    this.documents.set(document.uri, document);
    return document;
  }

  setSettings(uri: string, settings: Settings): Document | undefined {
    const document = this.documents.get(uri)?.withSettings(settings);
    if (document !== undefined) this.documents.set(uri, document);
    return document;
  }
}

/** A document's text on its way to the next version. */
export class Draft {
  private change: Change | undefined;
  lines: LineIndex;

  constructor(private readonly document: Document) {
    this.lines = document.lines;
  }

  apply(edit: TextEdit): void {
    this.lines = this.lines.edited(edit);
    this.change = this.change === undefined ? changeOf(edit) : thenEdit(this.change, edit);
  }

  /** Edits that all refer to the text as it is now and do not overlap: one pass over the text for all of them. */
  applyTogether(edits: readonly TextEdit[]): void {
    if (edits.length === 0) return;
    const start = edits.reduce((least, { span }) => Math.min(least, span.start), Infinity);
    const end = edits.reduce((most, { span }) => Math.max(most, span.end), 0);
    const moved = edits.map(({ span, newText }) => ({ span: shift(span, -start), newText }));
    this.apply({ span: { start, end }, newText: applyEdits(this.lines.slice(start, end), moved) });
  }

  /** A whole new text, of which only the span that differs counts as changed. */
  replace(text: string): void {
    const edit = smallestEdit(this.lines.text, text);
    if (edit !== undefined) this.apply(edit);
  }

  finish(version: number): Document {
    const nothing = { start: 0, end: 0 };
    return this.document.edited(version, this.lines, this.change ?? { old: nothing, fresh: nothing });
  }
}
