/** One turn of the event loop: what has arrived before it is dispatched when it ends. */
export const turn: () => Promise<void> =
  typeof setImmediate === 'function'
    ? () => new Promise((resolve) => setImmediate(resolve))
    : turnOfBrowser();

/**
 * Messages are dispatched by timers of no delay there, so a turn must be one too. Browsers hold timers that timers
 * have set back for 4 ms; one that a message of a channel has set comes at once.
 */
function turnOfBrowser(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.addEventListener('message', () => setTimeout(() => waiting.shift()?.(), 0));
  port1.start();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(undefined);
    });
}
