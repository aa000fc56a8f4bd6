/** Makes ids for results, none of which an earlier server has given: a client may still hold those after a crash. */
export function resultIds(): () => string {
  // not randomUUID: a page that is not served securely has none
  const server = crypto.getRandomValues(new Uint32Array(4)).join('-');
  let results = 0;
  return () => `${server}-${++results}`;
}
