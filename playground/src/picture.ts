/** A picture of the function at the cursor, in a pane of the page: asked for again after edits, and only while it is seen. */
import type { ProtocolConnection } from 'vscode-languageserver-protocol';
import type { FunctionView, SameView } from '../../server/src/features/views/data.js';
import type { FromView, Host, ToView } from '../../client/src/views/host.js';
import type { Theme } from '../../client/src/views/host.js';

export interface Place {
  readonly uri: string;
  readonly line: number;
  readonly character: number;
}

export class Picture<Content extends FunctionView> {
  private handler: ((message: ToView<Content>) => void) | undefined;
  private shown: { readonly id: string; line: number; readonly lineCount: number } | undefined;
  private asked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isSeen = false;

  constructor(
    private readonly connection: ProtocolConnection,
    private readonly request: string,
    private readonly place: () => Place,
    private readonly goTo: (line: number) => void,
    private readonly theme: Theme,
  ) {}

  /** What the drawing code knows of the page. Keys of `localStorage` are named after the request. */
  host(): Host<Content> {
    return {
      post: (message: FromView) => {
        if (message.type === 'goTo') this.goTo(message.line);
      },
      onMessage: (handler) => (this.handler = handler),
      theme: this.theme,
      memory: {
        load: () => remembered(this.request),
        save: (state) => localStorage.setItem(this.request, JSON.stringify(state)),
      },
    };
  }

  see(isSeen: boolean): void {
    this.isSeen = isSeen;
    if (isSeen) this.soon(0);
  }

  soon(milliseconds = 120): void {
    clearTimeout(this.timer);
    if (this.isSeen) this.timer = setTimeout(() => void this.ask(), milliseconds);
  }

  cursorMoved(): void {
    const { line } = this.place();
    const { shown } = this;
    if (shown !== undefined && line >= shown.line && line < shown.line + shown.lineCount)
      this.handler?.({ type: 'cursor', line });
    else this.soon(30);
  }

  private async ask(): Promise<void> {
    const question = ++this.asked;
    const { uri, ...position } = this.place();
    const answer = await this.connection
      .sendRequest<Content | SameView | null>(this.request, {
        textDocument: { uri },
        position,
        ...(this.shown !== undefined && { known: this.shown.id }),
      })
      .catch(() => undefined);
    // the text has changed meanwhile: the next question is on its way
    if (answer === undefined || question !== this.asked) return;
    const cursor = this.place().line;
    if (answer === null) {
      this.shown = undefined;
      this.handler?.({ type: 'empty', message: 'Put the cursor into a function.' });
    } else if ('same' in answer) {
      if (this.shown !== undefined) this.shown.line = answer.line;
      this.handler?.({ type: 'moved', line: answer.line, cursor });
    } else {
      this.shown = { id: answer.id, line: answer.line, lineCount: answer.lineCount };
      this.handler?.({ type: 'content', content: answer, cursor });
    }
  }
}

function remembered(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as unknown;
  } catch {
    return undefined;
  }
}
