import { floatHandlers } from './handle-float.js';
import { integerHandlers } from './handle-integer.js';
import { memoryHandlers } from './handle-memory.js';
import { moveHandlers } from './handle-move.js';
import { videoHandlers } from './handle-video.js';
import type { Handler } from './handler.js';

/**
 * What executes each mnemonic that computes or touches memory; `handle-control.ts` has those that steer. Where
 * integers and floating point share a name, the types decide.
 */
export const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ...Object.entries(memoryHandlers),
  ...Object.entries(moveHandlers),
  ...Object.entries(videoHandlers),
  ...Object.entries(floatHandlers),
  ...Object.entries(integerHandlers).map(([name, integer]): [string, Handler] => {
    const float = floatHandlers[name] as Handler | undefined;
    if (float === undefined) return [name, integer];
    return [name, (t, d) => (d.types.some((type) => FLOAT.test(type)) ? float(t, d) : integer(t, d))];
  }),
]);

const FLOAT = /^b?f(?:16|32|64)/;
