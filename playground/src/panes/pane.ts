import type { ProtocolConnection } from 'vscode-languageserver-protocol';
import type { Theme } from '../../../client/src/views/host.js';

/** A tab beside the source, about the function at the cursor; it asks the server only while it is seen. */
export interface Pane {
  readonly id: string;
  readonly title: string;
  /** Called once, when it is first seen. */
  draw(parent: HTMLElement): void;
  see(isSeen: boolean): void;
  /** The text, a setting or what the server found has changed. */
  changed(): void;
  cursorMoved(): void;
}

/** What panes know of the page. */
export interface Surroundings {
  readonly connection: ProtocolConnection;
  readonly theme: Theme;
  place(): Place;
  /** Shows a line of the source, zero-based. */
  goTo(line: number): void;
  /** A short message for the person at the page. */
  tell(message: string): void;
}

export interface Place {
  readonly uri: string;
  readonly line: number;
  readonly character: number;
}

export const parametersOf = ({ uri, line, character }: Place): object => ({
  textDocument: { uri },
  position: { line, character },
});

/** Runs `action` after a pause, however often it is asked for meanwhile. */
export function later(action: () => void): (milliseconds: number) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (milliseconds) => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
