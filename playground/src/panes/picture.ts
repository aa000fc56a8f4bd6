/** A picture of the function at the cursor. */
import type { FunctionView, SameView } from '../../../server/src/features/views/data.js';
import type { FromView, Host, ToView } from '../../../client/src/views/host.js';
import { later, parametersOf, type Pane, type Surroundings } from './pane.js';

export interface Described<Content> {
  /** Of the pane, and of what is remembered of it. */
  readonly id: string;
  readonly title: string;
  readonly request: string;
  readonly draw: (parent: HTMLElement, host: Host<Content>) => void;
}

/** Milliseconds after an edit, and after a movement of the cursor into another function. */
const EDIT_PAUSE = 120;
const CURSOR_PAUSE = 30;

export function picturePane<Content extends FunctionView>(
  { connection, theme, place, goTo }: Surroundings,
  { id, title, request, draw }: Described<Content>,
): Pane {
  let handler: ((message: ToView<Content>) => void) | undefined;
  let shown: { readonly id: string; line: number; readonly lineCount: number } | undefined;
  let asked = 0;
  let isSeen = false;
  const soon = later(() => void (isSeen && ask()));

  const host: Host<Content> = {
    post: (message: FromView) => {
      if (message.type === 'goTo') goTo(message.line);
    },
    onMessage: (given) => (handler = given),
    theme,
    memory: {
      load: () => remembered(id),
      save: (state) => localStorage.setItem(id, JSON.stringify(state)),
    },
  };

  async function ask(): Promise<void> {
    const question = ++asked;
    const answer = await connection
      .sendRequest<Content | SameView | null>(request, {
        ...parametersOf(place()),
        ...(shown !== undefined && { known: shown.id }),
      })
      .catch(() => undefined);
    // the text has changed meanwhile: the next question is on its way
    if (answer === undefined || question !== asked) return;
    const cursor = place().line;
    if (answer === null) {
      shown = undefined;
      handler?.({ type: 'empty', message: 'There is no function here.' });
    } else if ('same' in answer) {
      if (shown !== undefined) shown.line = answer.line;
      handler?.({ type: 'moved', line: answer.line, cursor });
    } else {
      shown = { id: answer.id, line: answer.line, lineCount: answer.lineCount };
      handler?.({ type: 'content', content: answer, cursor });
    }
  }

  return {
    id,
    title,
    draw: (parent) => draw(parent, host),
    see(seen) {
      isSeen = seen;
      soon(0);
    },
    changed: () => soon(EDIT_PAUSE),
    cursorMoved() {
      const { line } = place();
      if (shown !== undefined && line >= shown.line && line < shown.line + shown.lineCount)
        handler?.({ type: 'cursor', line });
      else soon(CURSOR_PAUSE);
    },
  };
}

function remembered(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as unknown;
  } catch {
    return undefined;
  }
}
