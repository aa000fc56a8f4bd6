import type { Span } from '../../text/span.js';
import type { ParsedUnit } from '../language.js';

/**
 * The tree of one PTX unit. Tokens keep every byte (blanks are the gaps between them); nodes hold spans relative
 * to the unit. Half-typed text gives `ErrorItem`/`ErrorStatement` nodes and operands of kind `missing`: a feature
 * must expect both anywhere.
 */
export interface PtxUnit extends ParsedUnit {
  readonly tokens: Tokens;
  /** Usually one; more only where a broken declaration left something over. */
  readonly items: readonly ModuleItem[];
}

export const enum TokenKind {
  /** `[A-Za-z_$%][\w$]*` */
  Identifier,
  /** `.name`, with the dot; sub-spaces (`.shared::cta`) are one token. */
  Dotted,
  Integer,
  Float,
  String,
  Punctuation,
  LineComment,
  BlockComment,
  /** `#...` to the end of the line. */
  Preprocessor,
  /** A character that PTX does not have. */
  Unknown,
}

export interface Tokens {
  readonly count: number;
  readonly kind: Uint8Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
}

export interface Name extends Span {
  readonly text: string;
}

export type ModuleItem =
  | HeaderDirective
  | FileDirective
  | LocDirective
  | SectionDirective
  | PragmaDirective
  | AliasDirective
  | VariableDeclaration
  | FunctionItem
  | ErrorItem;

/** `.version M.m`, `.target a, b`, `.address_size N`. `values` are the words after it. */
export interface HeaderDirective extends Span {
  readonly kind: 'header';
  readonly directive: '.version' | '.target' | '.address_size';
  readonly values: readonly Name[];
}

/** `.file N "name"[, timestamp, size]` */
export interface FileDirective extends Span {
  readonly kind: 'file';
  readonly index: number;
  readonly path: string;
  readonly pathSpan: Span;
}

/** `.loc file line column[, function_name sym[+n], inlined_at f l c]` */
export interface LocDirective extends Span {
  readonly kind: 'loc';
  readonly file: number;
  readonly line: number;
  readonly column: number;
}

export interface SectionDirective extends Span {
  readonly kind: 'section';
  readonly name: Name | undefined;
}

export interface PragmaDirective extends Span {
  readonly kind: 'pragma';
  readonly values: readonly Name[];
}

/** `.alias name, target;` */
export interface AliasDirective extends Span {
  readonly kind: 'alias';
  readonly name: Name;
  readonly target: Name | undefined;
}

/** `.reg .b32 %r<10>, %x;`, `.global .align 4 .b8 t[4] = {1, 2};`, `.param .u64 p` inside a body. */
export interface VariableDeclaration extends Span {
  readonly kind: 'variable';
  /** `.extern`, `.visible`, `.weak`, `.common`, in text order. */
  readonly linkage: readonly Name[];
  readonly space: Name;
  readonly alignment: Constant | undefined;
  /** `.v2`, `.v4` */
  readonly vector: Name | undefined;
  /** `.b32`, ... or undefined when it is missing. */
  readonly type: Name | undefined;
  readonly attributes: readonly Name[];
  readonly declarators: readonly Declarator[];
  /** A syntax problem lies inside, so that it may declare more than it says. */
  readonly isFaulty: boolean;
}

export interface Declarator extends Span {
  readonly name: Name;
  /** N of `%r<N>`. */
  readonly range: Constant | undefined;
  /** Array dimensions; an element without expression is `[]`. */
  readonly dimensions: readonly (Constant | undefined)[];
  readonly initializer: Initializer | undefined;
}

export type Initializer =
  | (Span & { readonly kind: 'list'; readonly elements: readonly Initializer[] })
  | (Span & { readonly kind: 'string'; readonly text: string })
  | (Span & { readonly kind: 'constant'; readonly value: Constant })
  /** `sym`, `sym+4`, `generic(sym)+4`, `mask(sym)` */
  | (Span & {
      readonly kind: 'symbol';
      readonly operator: string | undefined;
      readonly name: Name;
      readonly offset: Constant | undefined;
    });

export interface Parameter extends Span {
  /** `.param` or `.reg`. */
  readonly space: Name;
  readonly alignment: Constant | undefined;
  readonly vector: Name | undefined;
  readonly type: Name | undefined;
  /** `.ptr`, `.global`, `.align 16`, as words. */
  readonly pointer: readonly Name[];
  readonly name: Name | undefined;
  readonly dimensions: readonly (Constant | undefined)[];
}

/** `.maxntid 128, 1, 1`, `.noreturn`, `.pragma "nounroll";` between a function's head and its body. */
export interface PerformanceDirective extends Span {
  readonly name: Name;
  readonly values: readonly Constant[];
  /** What `.pragma` says, without the quotes. */
  readonly strings: readonly Name[];
}

export interface FunctionItem extends Span {
  readonly kind: 'function';
  readonly linkage: readonly Name[];
  readonly isEntry: boolean;
  readonly attributes: readonly Name[];
  readonly name: Name | undefined;
  readonly returns: readonly Parameter[];
  readonly parameters: readonly Parameter[];
  readonly directives: readonly PerformanceDirective[];
  /** `.pragma` between head and body, and `.noreturn`, are in `directives`. */
  readonly body: Block | undefined;
}

export interface ErrorItem extends Span {
  readonly kind: 'error';
}

export interface Block extends Span {
  readonly kind: 'block';
  readonly statements: readonly Statement[];
  readonly isClosed: boolean;
}

export type Statement =
  | Instruction
  | Label
  | VariableDeclaration
  | Block
  | PragmaDirective
  | LocDirective
  | TargetList
  | CallPrototype
  | SectionDirective
  /** A prototype, which is declared for the whole module. */
  | FunctionItem
  | ErrorStatement;

export interface ErrorStatement extends Span {
  readonly kind: 'error';
  /** Names of a declaration that could not be read: they are taken as declared, each also as a prefix. */
  readonly declares?: readonly Name[];
}

export interface Label extends Span {
  readonly kind: 'label';
  readonly name: Name;
}

/** `T: .branchtargets a, b;` or `T: .calltargets f, g;`; the label is part of the node. */
export interface TargetList extends Span {
  readonly kind: 'targets';
  readonly label: Name;
  readonly directive: Name;
  readonly targets: readonly ListedTarget[];
}

/** `name`, or `name<N>` for `name0` to `name(N-1)`; see `listedNames`. */
export interface ListedTarget extends Name {
  readonly range: Constant | undefined;
}

/** `P: .callprototype (returns) _ (parameters) [.noreturn];` */
export interface CallPrototype extends Span {
  readonly kind: 'prototype';
  readonly label: Name;
  readonly returns: readonly Parameter[];
  readonly parameters: readonly Parameter[];
}

export interface Instruction extends Span {
  readonly kind: 'instruction';
  readonly guard: Guard | undefined;
  /** The dotted opcode, whole: `ld.global.v4.f32`. */
  readonly opcode: Name;
  readonly operands: readonly Operand[];
  /** False when the semicolon is missing. */
  readonly isTerminated: boolean;
  /** A syntax problem lies inside, so that operands may be other than they were meant. */
  readonly isFaulty: boolean;
}

export interface Guard extends Span {
  readonly isNegated: boolean;
  readonly name: Name;
}

export type Operand =
  | NameOperand
  | ConstantOperand
  | AddressOperand
  | VectorOperand
  | ListOperand
  | PairOperand
  | NotOperand
  | (Span & { readonly kind: 'sink' })
  | (Span & { readonly kind: 'missing' });

/** A register, symbol, label or special register; `component` of `v.x` or `%tid.x`; `index` of `gv[2]`. `name` excludes the component. */
export interface NameOperand extends Span {
  readonly kind: 'name';
  readonly name: Name;
  readonly component: Name | undefined;
  readonly index: Constant | undefined;
  /** `sym+8` as an operand of mov, or undefined. */
  readonly offset: Constant | undefined;
}

export interface ConstantOperand extends Span {
  readonly kind: 'constant';
  readonly value: Constant;
}

/** `[base + offset]`; textures and tensors have more elements: `[tex, sampler, {x, y}]`. */
export interface AddressOperand extends Span {
  readonly kind: 'address';
  readonly base: NameOperand | ConstantOperand | undefined;
  readonly offset: Constant | undefined;
  readonly more: readonly Operand[];
}

export interface VectorOperand extends Span {
  readonly kind: 'vector';
  readonly elements: readonly Operand[];
}

/** `(a, b)` of a call. */
export interface ListOperand extends Span {
  readonly kind: 'list';
  readonly elements: readonly Operand[];
}

/** `d|p`. */
export interface PairOperand extends Span {
  readonly kind: 'pair';
  readonly first: Operand;
  readonly second: Operand;
}

/** `!p`, or the `-x` of video instructions. */
export interface NotOperand extends Span {
  readonly kind: 'not';
  readonly operator: '!' | '-';
  readonly operand: Operand;
}

/** A constant expression, evaluated as ptxas does (64-bit integers, or doubles). */
export interface Constant extends Span {
  readonly isFloat: boolean;
  /** Integers as bigint in two's complement of 64 bits (`BigInt.asIntN(64, ...)`); undefined when it cannot be evaluated. */
  readonly integer: bigint | undefined;
  /** For floats: the value; `floatWidth` 32 for `0f...`, 64 for `0d...` and decimal ones. */
  readonly float: number | undefined;
  readonly floatWidth: 0 | 32 | 64;
  /** Names in it (`WARP_SZ`, symbols). */
  readonly names: readonly Name[];
}
