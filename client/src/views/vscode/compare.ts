import type { FromTable, ToTable } from '../compare/data.js';
import { showComparison } from '../compare/view.js';

declare function acquireVsCodeApi(): { postMessage(message: FromTable): void };

const api = acquireVsCodeApi();
showComparison(document.body, {
  post: (message) => api.postMessage(message),
  onMessage: (handler) =>
    window.addEventListener('message', (event: MessageEvent<ToTable>) => handler(event.data)),
});
