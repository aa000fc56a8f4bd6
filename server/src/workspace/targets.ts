import type { Target } from '../targets/target.js';

/** Every machine by its id, for who compiles functions and knows no language: each is loaded when it is needed. */
export const targets: ReadonlyMap<string, () => Promise<Target>> = new Map([
  ['nvidia', async (): Promise<Target> => (await import('../targets/nvidia/index.js')).nvidia],
  ['mali-gp', async (): Promise<Target> => (await import('../targets/mali-gp/index.js')).maliGp],
  ['gen', async (): Promise<Target> => (await import('../targets/gen/index.js')).gen],
]);
