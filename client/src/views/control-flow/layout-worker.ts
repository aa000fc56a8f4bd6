import { layered, type Layout, type LayoutTask } from './layout.js';

/** The layout of a graph, off the thread that draws. */
export type LayoutAnswer = { readonly layout: Layout } | { readonly failed: string };

const post = (answer: LayoutAnswer): void =>
  (self as unknown as { postMessage(m: LayoutAnswer): void }).postMessage(answer);

self.addEventListener('message', (event: MessageEvent<LayoutTask>) => {
  try {
    post({ layout: layered(event.data) });
  } catch (error) {
    // the library recurses: very long chains of blocks end its stack
    post({ failed: error instanceof Error ? error.message : String(error) });
  }
});
