/**
 * Every operation of the three dialects as one table (the facts' B.4, A.5, C.1). Passes ask the row, never the name.
 * Names are lower case, as i965's dumps have them; a selection opcode that is the same instruction has the same row.
 */
export interface Opcode {
  readonly name: string;
  readonly kind: 'alu' | 'math' | 'flow' | 'message' | 'marker' | 'unknown';
  /** Sources that it takes, at least and at most. */
  readonly sources: readonly [least: number, most: number];
  /** What control flow it is, for the interpreter and the graph. */
  readonly flow?: Flow;
  /** The payload comes from general registers, not from message registers. */
  readonly sendsFromGrf: boolean;
  /** Scratch messages; `spill` and `unspill` of every dialect included. */
  readonly scratch?: 'read' | 'write';
  readonly memory?: 'read' | 'write' | 'both';
  readonly hasSideEffects: boolean;
  readonly isVolatile: boolean;
  /** False: a partial write mask is ignored or refused by the hardware. */
  readonly canWriteMask: boolean;
  /** A part of it writes the destination before another part has read the sources. */
  readonly hasHazard: boolean;
  readonly takesModifiers: boolean;
  readonly readsG0: boolean;
  readonly readsAccumulator: boolean;
  /** Becomes several hardware instructions: must carry neither a condition nor NoDDClr or NoDDChk. */
  readonly expands: boolean;
  /** Message registers that it writes by itself below `baseMrf + mlen` (only with mlen, not from general registers). */
  readonly impliedMrfWrites: number;
  /** Runs in align1 inside align16 code: its swizzles are ignored. */
  readonly isAlign1: boolean;
  /** Beignet: one hardware instruction, whose source may die where the result is born. */
  readonly isNative: boolean;
  /** Generations that have it. */
  readonly generations: readonly [first: number, last: number];
}

export type Flow =
  | 'if'
  | 'else'
  | 'endif'
  | 'do'
  | 'while'
  | 'break'
  | 'continue'
  | 'halt'
  | 'haltTarget'
  | 'jump'
  | 'label'
  | 'end';
