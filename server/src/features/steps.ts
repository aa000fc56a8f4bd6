/** Runs steps to their end inside other steps, and returns their result; undefined where there are none. */
export function* driven<C>(steps: Iterator<undefined, C> | undefined): Generator<undefined, C | undefined> {
  if (steps === undefined) return undefined;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield undefined;
  }
}
