/** A value that was never written is read. Caught in `PtxThread.execute`. */
export class Poison extends Error {}

/** Something that the interpreter does not execute. Caught in `PtxThread.execute`, which names it. */
export class Unsupported extends Error {}
