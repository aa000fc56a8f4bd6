import type { Span } from '../../text/span.js';
import type { ParsedUnit } from '../language.js';
import type { Operand } from './operand.js';

/**
 * The tree of a program in Mesa's dump format (vec4 or scalar) or in the standalone format, which is the same lines
 * with directives. Statements stand in text order, at most one label and one instruction a line; what lies between
 * them is blanks and comments. Half-typed text gives `ErrorStatement`s, operands of file `missing` and instructions
 * that are `isFaulty`: a feature must expect them anywhere. Spans are relative to the unit.
 */
export interface MesaUnit extends ParsedUnit {
  readonly form: 'mesa';
  readonly statements: readonly Statement[];
  /** Start and end of each comment, in text order. */
  readonly comments: readonly number[];
  /** SIMD4x2 with masks and swizzles, or one value a lane. */
  readonly dialect: 'vec4' | 'scalar';
  /** How `dialect` is known; `guessed` where nothing in the text tells the two apart. */
  readonly dialectBy: 'directive' | 'text' | 'guessed';
  /** True where the text begins with `.gen`, or has any directive: written for Spillway. */
  readonly isStandalone: boolean;
}

export type Statement = Directive | BlockMark | Label | Instruction | OtherLine | ErrorStatement;

/** A piece of text with its span. */
export interface Name extends Span {
  readonly text: string;
}

export interface NumberWord extends Span {
  readonly value: number;
}

export interface RegisterRange extends Span {
  readonly first: number;
  readonly last: number;
}

export type Directive =
  | GenDirective
  | WordDirective
  | CountDirective
  | PayloadDirective
  | VirtualDirective
  | ReservedDirective
  | ScratchDirective
  | OptionDirective
  | LiveOutDirective
  | UnknownDirective;

interface DirectiveBase extends Span {
  /** The directive's word with its dot. */
  readonly directive: Name;
}

/** `.gen 1` */
export interface GenDirective extends DirectiveBase {
  readonly kind: 'gen';
  readonly version: NumberWord | undefined;
}

/** `.program NAME`, `.target hsw`, `.stage vs`, `.mode simd16`, `.phase virtual` */
export interface WordDirective extends DirectiveBase {
  readonly kind: 'program' | 'target' | 'stage' | 'mode' | 'phase';
  readonly word: Name | undefined;
}

/** `.uniforms 3`, `.attrs 2 interleaved`, `.grf_limit 112` */
export interface CountDirective extends DirectiveBase {
  readonly kind: 'uniforms' | 'attrs' | 'grfLimit';
  readonly count: NumberWord | undefined;
  readonly isInterleaved: boolean;
}

/** `.payload g0-g3, g5` */
export interface PayloadDirective extends DirectiveBase {
  readonly kind: 'payload';
  readonly ranges: readonly RegisterRange[];
}

/** `.vgrf 12 size 2 type F position`; `number` may be written `vgrf12` too. */
export interface VirtualDirective extends DirectiveBase {
  readonly kind: 'vgrf';
  readonly number: NumberWord | undefined;
  readonly size: NumberWord | undefined;
  readonly type: Name | undefined;
  readonly name: Name | undefined;
}

/** `.reserved 8 @g120` */
export interface ReservedDirective extends DirectiveBase {
  readonly kind: 'reserved';
  readonly count: NumberWord | undefined;
  readonly at: NumberWord | undefined;
}

/** `.scratch 64 limit 12288` */
export interface ScratchDirective extends DirectiveBase {
  readonly kind: 'scratch';
  readonly bytes: NumberWord | undefined;
  readonly limit: NumberWord | undefined;
}

/** `.option name=word` */
export interface OptionDirective extends DirectiveBase {
  readonly kind: 'option';
  readonly name: Name | undefined;
  readonly value: Name | undefined;
}

/** `.live_out vgrf3, vgrf4.xyz` */
export interface LiveOutDirective extends DirectiveBase {
  readonly kind: 'liveOut';
  readonly operands: readonly Operand[];
  readonly isFaulty: boolean;
}

export interface UnknownDirective extends DirectiveBase {
  readonly kind: 'unknownDirective';
}

/** `START B3 <-B1 <~B2`, `END B3 ->B4`. */
export interface BlockMark extends Span {
  readonly kind: 'blockMark';
  readonly isStart: boolean;
  readonly block: number;
  /** Numbers behind `<-` or `->` (logical) and `<~` or `~>` (physical), in text order. */
  readonly edges: readonly { readonly block: number; readonly isPhysical: boolean }[];
}

/** `name:`; the span includes the colon. */
export interface Label extends Span {
  readonly kind: 'label';
  readonly name: Name;
}

/** A line of a captured dump that is no part of the program: `Maximum 13 registers live at once.` */
export interface OtherLine extends Span {
  readonly kind: 'other';
}

/** A line, or what is left of one, that is nothing of the above. */
export interface ErrorStatement extends Span {
  readonly kind: 'error';
}

export type ConditionName = 'z' | 'nz' | 'g' | 'ge' | 'l' | 'le' | 'r' | 'o' | 'u';

/** f0.0, f0.1, f1.0, f1.1 as 0 to 3. */
export type FlagNumber = 0 | 1 | 2 | 3;

export interface Predicate extends Span {
  readonly isInverse: boolean;
  readonly flag: FlagNumber;
  readonly flagStart: number;
  readonly flagEnd: number;
  /** `any4h`, `x` and so on; '' for none. */
  readonly mode: string;
}

/** `ge.f0.1`, without the dot in front. */
export interface Condition extends Span {
  readonly test: ConditionName;
  /** The flag that is named, or -1. */
  readonly flag: FlagNumber | -1;
  readonly flagStart: number;
}

export interface Instruction extends Span {
  readonly kind: 'instruction';
  /** `ip:` in front, or -1. */
  readonly ip: number;
  /** `{pressure}` in front, or -1. */
  readonly pressure: number;
  readonly predicate: Predicate | undefined;
  readonly opcode: Name;
  /** The number in parentheses, 1 to 32; 0 where it is missing. */
  readonly width: number;
  readonly widthStart: number;
  readonly widthEnd: number;
  readonly saturate: boolean;
  /** Modifiers stand in front of the width, as the scalar back-end prints them; undefined where there are none. */
  readonly modifiersFirst: boolean | undefined;
  readonly condition: Condition | undefined;
  readonly destination: Operand;
  readonly sources: readonly Operand[];
  readonly noMask: boolean;
  /** `group8`, or -1. */
  readonly group: number;
  /** What stands in parentheses behind the head or in braces at the end; undefined for none. */
  readonly attributes: Attributes | undefined;
  /** A syntax problem lies inside: it is not lowered. */
  readonly isFaulty: boolean;
}

/** Behind mnemonic, execution size and modifiers. */
export const headEnd = ({ opcode, widthEnd, condition }: Instruction): number =>
  Math.max(opcode.end, widthEnd, condition?.end ?? 0);

/** What the dump itself prints of a message (`mlen`, `exMlen`, `isEndOfThread`), and what only braces say. */
export interface Attributes {
  /** Of the braces; -1 where there are none. */
  start: number;
  end: number;
  mlen?: number;
  exMlen?: number;
  baseMrf?: number;
  header?: number;
  rlen?: number;
  isEndOfThread?: boolean;
  offset?: number;
  noDDClear?: boolean;
  noDDCheck?: boolean;
  writesAccumulator?: boolean;
  switchesThread?: boolean;
  sharedFunction?: string;
  descriptor?: number;
  align1?: boolean;
  align16?: boolean;
}

export type OperandFile =
  | 'virtual'
  | 'grf'
  | 'message'
  | 'uniform'
  | 'attribute'
  | 'flag'
  | 'accumulator'
  | 'address'
  | 'architecture'
  | 'null'
  /** `(null)`: no operand at all. */
  | 'none'
  /** `s4`, a scratch slot of 32 bytes. */
  | 'slot'
  /** A bare word: a label, a surface. */
  | 'word'
  | 'immediate'
  /** Half-typed. */
  | 'missing';

/** Channels of an operand that writes none: all of them. */
export const FULL_MASK = 15;
export const FULL_SWIZZLE = 0b11_10_01_00;

/** The mask of a destination. */
export const maskOf = (operand: Operand): number => (operand.channels < 0 ? FULL_MASK : operand.channels);

/** The swizzle of a source. */
export const swizzleOf = (operand: Operand): number =>
  operand.channels < 0 ? FULL_SWIZZLE : operand.channels;
