import type { Space } from '../../ir/payload.js';
import type { Span } from '../../text/span.js';
import type { ParsedUnit } from '../language.js';
import type { NameTable } from './names.js';

/**
 * The tree of one gpir unit: a program from its `.program` (or the text's start) to the next one. Tokens keep every
 * byte (blanks and line ends are the gaps between them); statements stand in text order, at most one label and one
 * instruction a line. Half-typed text gives `ErrorStatement`s, operands of kind `missing` and instructions that
 * are `isFaulty`: a feature must expect them anywhere.
 */
export interface GpirUnit extends ParsedUnit {
  readonly tokens: Tokens;
  readonly statements: readonly Statement[];
  readonly names: NameTable;
  /** The directive that names the program. */
  readonly program: ProgramDirective | undefined;
}

export const enum TokenKind {
  /** Letters, digits, `_` and `.`: opcodes, labels, locations, names. */
  Word,
  /** A number with its sign where it has one: `-2.5e-3`, `0x40200000`, `inf`. */
  Number,
  /** `.program` at the start of a line. */
  Directive,
  /** `%name` */
  Value,
  /** `@name` */
  Register,
  /** `$3.x` */
  Physical,
  /** `,`, `=`, `:`, `-`, `+` */
  Punctuation,
  /** `;` or `//` to the end of the line. */
  Comment,
  /** A character that gpir does not have. */
  Unknown,
}

export interface Tokens {
  readonly count: number;
  readonly kind: Uint8Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** 1 for the first token of its line. */
  readonly startsLine: Uint8Array;
}

export interface Name extends Span {
  readonly text: string;
}

/** The name of a value or register, with its number in `GpirUnit.names`. */
export interface NumberedName extends Name {
  readonly number: number;
}

export type Statement = Directive | Label | Instruction | ErrorStatement;

export type Directive = ProgramDirective | DeclareDirective | LiveOutDirective;

/** `.program NAME` */
export interface ProgramDirective extends Span {
  readonly kind: 'program';
  readonly directive: Name;
  readonly name: Name | undefined;
}

/** `.attribute a0 in_position`, `.uniform u3 light`, `.varying v0 gl_Position position` */
export interface DeclareDirective extends Span {
  readonly kind: 'declare';
  readonly directive: Name;
  readonly space: Space.Attribute | Space.Uniform | Space.Varying;
  /** `a0`; undefined where it is missing or no location of this space. */
  readonly location: Name | undefined;
  /** Number of the vector, or -1. */
  readonly index: number;
  readonly name: Name | undefined;
  /** `position` or `point_size` of a varying. */
  readonly role: Name | undefined;
}

/** `.live_out @a, $3.x` */
export interface LiveOutDirective extends Span {
  readonly kind: 'liveOut';
  readonly directive: Name;
  readonly registers: readonly (RegisterOperand | PhysicalOperand)[];
}

/** `name:`; the span includes the colon. */
export interface Label extends Span {
  readonly kind: 'label';
  readonly name: Name;
}

export interface Instruction extends Span {
  readonly kind: 'instruction';
  /** `%x` of `%x = add ...`. */
  readonly result: NumberedName | undefined;
  readonly opcode: Name;
  readonly operands: readonly Operand[];
  /** A syntax problem lies inside, so that it may mean something else than it says. */
  readonly isFaulty: boolean;
  /** Its line has a syntax problem, be it one that leaves no doubt about what is meant. */
  readonly hasProblem: boolean;
}

/** A line, or what is left of one, that is nothing of the above. */
export interface ErrorStatement extends Span {
  readonly kind: 'error';
}

/** Spans of operands include the sign; `name` does not. */
export type Operand =
  | ValueOperand
  | RegisterOperand
  | PhysicalOperand
  | LocationOperand
  | NumberOperand
  | WordOperand
  | MissingOperand;

/** `%x`, `-%x` */
export interface ValueOperand extends Span {
  readonly kind: 'value';
  readonly isNegated: boolean;
  readonly name: NumberedName;
}

/** `@acc` */
export interface RegisterOperand extends Span {
  readonly kind: 'register';
  readonly isNegated: boolean;
  readonly name: NumberedName;
}

/** `$3.x`; `index` may be one that the machine does not have. */
export interface PhysicalOperand extends Span {
  readonly kind: 'physical';
  readonly isNegated: boolean;
  readonly name: NumberedName;
  readonly index: number;
  readonly component: number;
}

/** `a0.x`; `vectorEnd` is where its part `a0` ends. `index` may be one that the machine does not have. */
export interface LocationOperand extends Span {
  readonly kind: 'location';
  readonly isNegated: boolean;
  readonly name: Name;
  readonly vectorEnd: number;
  readonly space: Space;
  readonly index: number;
  readonly component: number;
}

export interface NumberOperand extends Span {
  readonly kind: 'number';
  /** The float32 as bits, the sign included. */
  readonly bits: number;
}

/** A word that is none of the above: the label of a branch, or a mistake. */
export interface WordOperand extends Span {
  readonly kind: 'word';
  readonly isNegated: boolean;
  readonly name: Name;
}

export interface MissingOperand extends Span {
  readonly kind: 'missing';
}
