/** A value that was never written is read. Caught by whoever executes the instruction. */
export class Poison extends Error {}

/** Thrown often: an error of its own each time would cost a walk of the stack. */
export const poison = new Poison('a value that was never written');

/** Something that the interpreter does not execute. Caught in `PtxThread.execute`, which names it. */
export class Unsupported extends Error {}
