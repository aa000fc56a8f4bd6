import type { Span } from '../text/span.js';

/**
 * The stack frame of one function as editor features see it, whatever the language: where its automatic data lives,
 * what touches it and what gets out. Spans are relative to the unit.
 */
export interface UnitFrame {
  readonly name: string;
  /** The function's name where it is declared. */
  readonly span: Span;
  readonly isEntry: boolean;
  /** Where the frame lies, in the language's words: `.local`, `soft stack`; '' for no frame. */
  readonly place: string;
  /** Fixed size. */
  readonly bytes: number;
  readonly alignment: number;
  /** It also takes memory of a size that is known at run time only. */
  readonly isDynamic: boolean;
  readonly objects: readonly UnitFrameObject[];
  /** Registers that hold an address of the frame, with what it is. */
  readonly pointers: readonly UnitFramePointer[];
  readonly touches: readonly UnitFrameTouch[];
  readonly escapes: readonly UnitFrameEscape[];
  readonly calls: readonly UnitCall[];
  /** Where the frame is made: the first declaration, or the first instruction of the prologue. */
  readonly madeAt: Span | undefined;
}

export interface UnitFrameObject {
  readonly name: string;
  readonly place: string;
  /** From the frame's lowest address. */
  readonly offset: number;
  readonly bytes: number;
  readonly alignment: number;
  /** Its name where it is declared; undefined for an object that shows by its use alone. */
  readonly span: Span | undefined;
  /** Parts of it, by offset from its start. */
  readonly areas: readonly { readonly offset: number; readonly bytes: number }[];
}

export interface UnitFramePointer {
  /** Number of the virtual register in the lowered function. */
  readonly register: number;
  readonly name: string;
  /** `the slot of the warp's stack pointer`, ... */
  readonly role: string;
  readonly span: Span;
}

export interface UnitFrameTouch {
  readonly span: Span;
  readonly kind: 'load' | 'store' | 'atomic' | 'address' | 'convert';
  /** Index in `objects`, or -1 where it is not known which. */
  readonly object: number;
}

export interface UnitFrameEscape {
  readonly span: Span;
  readonly object: number;
  /** From the object's start, or undefined where it is computed. */
  readonly offset: number | undefined;
  /** `passed to 'use'`, `stored to shared memory`: what becomes of the address. */
  readonly how: string;
  /** Others can use it: it is more than another form of the address. */
  readonly leaves: boolean;
  readonly isCertain: boolean;
}

export interface UnitCall {
  readonly span: Span;
  /** Undefined for an indirect call. */
  readonly callee: string | undefined;
  /** All functions that an indirect call may go to, where the text says so; else empty. */
  readonly candidates: readonly string[];
}
