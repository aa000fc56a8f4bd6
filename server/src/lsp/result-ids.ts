import { randomUUID } from 'node:crypto';

/** Makes ids for results, none of which an earlier server has given: a client may still hold those after a crash. */
export function resultIds(): () => string {
  const server = randomUUID();
  let results = 0;
  return () => `${server}-${++results}`;
}
