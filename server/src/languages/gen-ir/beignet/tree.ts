import type { Span } from '../../../text/span.js';
import type { ParsedUnit } from '../../language.js';

/**
 * The tree of one captured section of Beignet's output: GEN IR (a function), selection IR (a kernel, with the
 * register allocation that was printed behind it) or a register allocation alone. A line of the text is a line of
 * the tree, or trivia: a capture of the standard output holds much that is not ours. Lines keep their spans, so that
 * no byte is lost, and stand in text order.
 */
export interface BeignetUnit extends ParsedUnit {
  readonly form: 'beignet';
  readonly section: Section;
  readonly lines: readonly Line[];
  /** Kernel or function; undefined for a register allocation that stands alone. */
  readonly name: Name | undefined;
}

export type Section = 'genIr' | 'selection' | 'allocation';

export interface Name extends Span {
  readonly text: string;
}

/** `%12`, or the `44` of the flag `(f44)`. */
export interface RegisterName extends Span {
  readonly number: number;
}

export type Line =
  HeaderLine | FooterLine | LabelLine | SelectionLine | IrLine | DeclarationLine | AllocationLine | ErrorLine;

/** `saxpy's SELECTION IR begin:`, `.decl_function saxpy`, `## register allocation ##`, `## spilled registers: 2` */
export interface HeaderLine extends Span {
  readonly kind: 'header';
  readonly section: Section | 'spilled';
  readonly name: Name | undefined;
}

/** `saxpy's SELECTION IR end.`, `.end_function` */
export interface FooterLine extends Span {
  readonly kind: 'footer';
  readonly name: Name | undefined;
}

/** `[0]      L0:` or `LABEL $0`; the name is `L0`, `$0`. */
export interface LabelLine extends Span {
  readonly kind: 'label';
  readonly name: Name;
  readonly number: number;
}

/** `[4](f44)	ADD(16)             %50<1>:F	:	%45<8,8,1>:F	%46<8,8,1>:F	` */
export interface SelectionLine extends Span {
  readonly kind: 'selection';
  /** The number in brackets. */
  readonly id: number;
  readonly predicate: Predicate | undefined;
  /** `CMP`, `MATH`, `ADD` */
  readonly opcode: Name;
  /** `l` of `CMP.l`, `rsq` of `MATH.rsq`. */
  readonly suffix: Name | undefined;
  readonly saturates: boolean;
  /** Lanes; 0 where they are not given. */
  readonly width: number;
  /** `[f44]` behind the width, which only forks of Beignet print. */
  readonly flag: FlagName | undefined;
  readonly destinations: readonly Operand[];
  readonly sources: readonly Operand[];
  /** `jip=L3`, which only forks print. */
  readonly jip: LabelName | undefined;
  readonly uip: LabelName | undefined;
  readonly noMask: boolean;
  /** First lane, from `Q2`. */
  readonly group: number;
  readonly writesAccumulator: boolean;
  readonly isFaulty: boolean;
}

export interface Predicate extends Span {
  readonly flag: FlagName;
  readonly isInverse: boolean;
  /** `any8h`, which only forks print. */
  readonly mode: string;
}

/** `f44`: a bool register that has no flag yet; `f0.1`: a flag; the plain `f` of some forks: not told which. */
export type FlagName =
  | { readonly kind: 'virtual'; readonly register: RegisterName }
  | { readonly kind: 'physical'; readonly number: number; readonly span: Span }
  | { readonly kind: 'unknown' };

export interface LabelName extends Name {
  readonly number: number;
}

export type Operand = RegisterOperand | PhysicalOperand | FileOperand | ImmediateOperand | BadOperand;

interface Region {
  readonly negate: boolean;
  readonly absolute: boolean;
  /** Bytes behind the register's start, -1 where none are given. */
  readonly byte: number;
  /** `[1]` of a destination, `[8, 8, 1]` of a source, empty where it is missing. */
  readonly region: readonly number[];
  /** As written: `UD`; `V` means DF here, and nothing means HF. */
  readonly type: string;
  /** The type reaches from here to the operand's end. */
  readonly typeStart: number;
}

/** `%50.4<8,8,1>:F` */
export interface RegisterOperand extends Span, Region {
  readonly kind: 'register';
  readonly register: RegisterName;
}

/** `g12.4<8,8,1>:F`: Beignet never prints one; texts written by hand have them. */
export interface PhysicalOperand extends Span, Region {
  readonly kind: 'physical';
  readonly grf: number;
}

/** `arf`; forks print `null`, `acc.0`, `arf.3`. */
export interface FileOperand extends Span {
  readonly kind: 'file';
  readonly file: 'arf' | 'null' | 'acc';
  /** The number behind the dot, -1 where there is none. */
  readonly number: number;
  readonly type: string;
}

export interface ImmediateOperand extends Span {
  readonly kind: 'immediate';
  /** Empty: the dump has lost the value (DF). */
  readonly text: string;
  readonly type: string;
}

export interface BadOperand extends Span {
  readonly kind: 'bad';
}

/** `LOAD.float.global.aligned {%45 %46} %41 bti:2` */
export interface IrLine extends Span {
  readonly kind: 'ir';
  readonly opcode: Name;
  /** What stands behind it after dots: types, address spaces. */
  readonly suffixes: readonly Name[];
  /** Results first, then what is read; a predicate is not among them. */
  readonly registers: readonly IrRegister[];
  readonly predicate: IrRegister | undefined;
  readonly isInverse: boolean;
  readonly target: LabelName | undefined;
  /** `4`, `half(1.5)`, `0.001` of LOADI. */
  readonly immediate: Name | undefined;
  /** Numbers behind `bti:`, `offset:` and the like. */
  readonly numbers: readonly Name[];
  readonly isFaulty: boolean;
}

export interface IrRegister extends RegisterName {
  readonly isResult: boolean;
}

/** `.decl.dword %0 local_id_0`, `decl_input.global %41 dst`, `decl_pushed %43 @{1,4}` */
export interface DeclarationLine extends Span {
  readonly kind: 'declaration';
  readonly directive: Name;
  readonly sort: 'register' | 'input' | 'output' | 'pushed';
  /** Family of a register, kind of an input: `dword`, `global`, `structure.16`. */
  readonly what: Name | undefined;
  readonly register: RegisterName;
  readonly name: Name | undefined;
}

/** `%45      g10 .0  D  64B	[  4        -> 30      ]use count: 12` */
export interface AllocationLine extends Span {
  readonly kind: 'allocation';
  readonly register: RegisterName;
  /** -1 for a spilled register. */
  readonly grf: number;
  /** In units of the register's own size; 0 for a spilled one. */
  readonly subregister: number;
  /** Byte offset in scratch; -1 for a temporary without memory; undefined for a register that was not spilled. */
  readonly slot: number | undefined;
  /** `b`, `B`, `W`, `D`, `Q`, `O`, `H`, `R` */
  readonly family: string;
  readonly bytes: number;
  /** Instruction numbers of the selection IR; first > last: no interval. */
  readonly first: number;
  readonly last: number;
  /** Loop-weighted. */
  readonly useCount: number;
}

/** A line of the section that could not be read. */
export interface ErrorLine extends Span {
  readonly kind: 'error';
}
