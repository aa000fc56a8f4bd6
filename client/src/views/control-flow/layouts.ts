import type { Graph } from './graph.js';
import { MOST_LAYERED, layered, type Layout, type LayoutTask } from './layout.js';
import type { LayoutAnswer } from './layout-worker.js';

/** The text of the worker, put here by the bundler. */
declare const LAYOUT_WORKER: string;

/** Milliseconds that a layout may take. */
const PATIENCE = 30_000;
/** Graphs of so many blocks are laid out at once where there is no worker. */
const FEW = 120;

export interface PendingLayout {
  cancel(): void;
}

/** Lays a graph out in layers, off the thread that draws. One of the two is called, later. */
export function layoutLater(
  graph: Graph,
  done: (layout: Layout) => void,
  failed: (why: string) => void,
): PendingLayout {
  const task: LayoutTask = { sizes: graph.sizes, edges: graph.edges };
  if (graph.blocks.length > MOST_LAYERED) {
    const timer = setTimeout(() => failed(`more than ${MOST_LAYERED} blocks`));
    return { cancel: () => clearTimeout(timer) };
  }
  const worker = startWorker();
  if (worker === undefined) {
    const timer = setTimeout(() => {
      if (graph.blocks.length > FEW) failed('no worker can be started here');
      else done(layered(task));
    });
    return { cancel: () => clearTimeout(timer) };
  }
  const end = (): void => {
    clearTimeout(timer);
    worker.terminate();
  };
  const timer = setTimeout(() => {
    end();
    failed('the layout takes too long');
  }, PATIENCE);
  worker.onmessage = (event: MessageEvent<LayoutAnswer>) => {
    end();
    if ('layout' in event.data) done(event.data.layout);
    else failed('the layout is too deep');
  };
  worker.onerror = () => {
    end();
    failed('the layout failed');
  };
  worker.postMessage(task);
  return { cancel: end };
}

function startWorker(): Worker | undefined {
  try {
    const url = URL.createObjectURL(new Blob([LAYOUT_WORKER], { type: 'text/javascript' }));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    return worker;
  } catch {
    return undefined;
  }
}
