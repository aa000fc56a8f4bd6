import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import type { Span } from '../../../text/span.js';
import type { PtxBound } from '../bind/index.js';
import { EntityKind } from '../bind/entities.js';
import { byteSize } from '../declarations.js';
import { lower } from '../lower.js';
import { typeBytes } from '../types.js';

/**
 * Where the automatic data of a PTX function lives. Two models:
 *
 *   local   variables in `.local`: memory of one thread. LLVM and NVVM put all of a function's into one array, the
 *           depot, with a register that holds its address in the local window and one that holds the generic address
 *   soft    GCC's `-msoft-stack`: ordinary memory below a pointer that each warp keeps in its slot of
 *           `.extern .shared .u64 __nvptx_stacks[32]`, at `%tid.y`. The function loads the slot, subtracts its frame,
 *           and, when it calls others, stores the lower pointer into the slot and the loaded one back before it returns
 *
 * A frame is recognised by where values come from and go to, never by the names of registers: the array alone has a
 * name that is part of the ABI. Instructions, operands and registers are numbered as in `Frame.function`; spans are
 * relative to the unit.
 */
export interface Frame {
  readonly function: Function;
  readonly kind: FrameKind;
  /** Fixed size: the soft frame and the `.local` variables together; dynamic allocation comes on top. */
  readonly bytes: number;
  readonly localBytes: number;
  readonly softBytes: number;
  /** The largest alignment that the frame keeps; 1 for none. */
  readonly alignment: number;
  /** `.local` variables in text order, then the areas of the soft frame by ascending offset. */
  readonly objects: readonly FrameObject[];
  /** Set where the function reads a slot of `__nvptx_stacks`. */
  readonly soft: SoftFrame | undefined;
  /** Registers that hold the start of a `.local` variable: `%SPL` (window), `%SP` (generic). */
  readonly localPointers: readonly FrameRegister[];
  readonly dynamic: readonly DynamicAllocation[];
  /** Every instruction that reads, writes or takes the address of frame memory, ascending. */
  readonly touches: readonly FrameTouch[];
  /** Addresses of the frame that others can get hold of, ascending by instruction. */
  readonly escapes: readonly FrameEscape[];
  readonly calls: readonly FrameCall[];
  readonly isLeaf: boolean;
  /** What the value of an operand is known to be, by operand number: an index in `origins`, or -1. */
  readonly originOf: Int32Array;
  readonly origins: readonly Origin[];
}

export type FrameKind = 'none' | 'local' | 'soft' | 'mixed';

export interface FrameObject {
  /** The variable's; an area of a soft frame has the name of the frame's register and its offset: `%frame+16`. */
  readonly name: string;
  readonly space: 'local' | 'soft';
  /** From the frame's lowest address; a `.local` variable's from the first one's start, in text order. */
  readonly offset: number;
  readonly bytes: number;
  readonly alignment: number;
  /** Of a `.local` variable: its name and its whole declaration. */
  readonly span: Span | undefined;
  readonly extent: Span | undefined;
}

/** A register that holds a pointer of the frame from `instruction` on. */
export interface FrameRegister {
  readonly name: string;
  readonly register: number;
  readonly instruction: number;
  readonly span: Span;
  readonly isGeneric: boolean;
}

export interface SoftFrame {
  /** The loads of the slot; the first one saves the caller's pointer. */
  readonly loads: readonly number[];
  /** Holds the slot's address (`%sspslot`), the caller's pointer (`%sspprev`), the frame's lowest address, the stack pointer. */
  readonly slot: FrameRegister | undefined;
  readonly saved: FrameRegister | undefined;
  readonly frame: FrameRegister | undefined;
  readonly stack: FrameRegister | undefined;
  /** Bytes between the caller's pointer and the lowest pointer of fixed size. */
  readonly bytes: number;
  /** From an `and` that clears the low bits; 1 without. */
  readonly alignment: number;
  /** Compute the slot's address, load it and subtract; ascending. */
  readonly prologue: readonly number[];
  /** Stores of a pointer of this function's own into the slot. */
  readonly publishes: readonly number[];
  /** Stores of the saved pointer into the slot. */
  readonly restores: readonly number[];
  /** Other stores into the slot: set-up by a kernel, a pointer read from memory. */
  readonly otherStores: readonly number[];
}

/** `sub %stack, %stack, n` with a size that is only known at run time, or `alloca`. */
export interface DynamicAllocation {
  readonly instruction: number;
  readonly span: Span;
  readonly space: 'local' | 'soft';
  /** Stores of the new pointer into the slot; a leaf needs none. */
  readonly publishes: readonly number[];
}

export type TouchKind = 'load' | 'store' | 'atomic' | 'address' | 'convert';

export interface FrameTouch {
  readonly instruction: number;
  readonly span: Span;
  readonly kind: TouchKind;
  readonly space: 'local' | 'soft';
  /** Index in `objects`, or -1 where the address may be in several. */
  readonly object: number;
  /** From the frame's lowest address, or undefined where it is computed at run time. */
  readonly offset: number | undefined;
  readonly bytes: number;
}

export type EscapeKind = 'stored' | 'passed' | 'converted' | 'returned';

export interface FrameEscape {
  readonly kind: EscapeKind;
  readonly instruction: number;
  readonly span: Span;
  readonly space: 'local' | 'soft';
  readonly object: number;
  readonly offset: number | undefined;
  /** The callee that gets it, or the state space that it is stored to; '' where unknown. */
  readonly target: string;
  /** Every path gives an address of this frame, not only some. */
  readonly isCertain: boolean;
}

export interface FrameCall {
  readonly instruction: number;
  readonly span: Span;
  /** Undefined for a call through a register, unless `candidates` says all. */
  readonly callee: string | undefined;
  /** Of a `.calltargets` list. */
  readonly candidates: readonly string[];
}

/** What is known of a value. `isCertain` is false where another path brings something else. */
export type Origin =
  | { readonly kind: 'constant'; readonly value: number }
  /** `register * scale + offset` of a special register. */
  | {
      readonly kind: 'index';
      readonly register: string;
      readonly scale: number;
      readonly offset: number;
    }
  /** An address in `__nvptx_stacks` or `__nvptx_uni`; `index` is the special register, '' for none, undefined for another value. */
  | {
      readonly kind: 'slot';
      readonly array: 'stacks' | 'uni';
      readonly index: string | undefined;
      readonly scale: number;
      readonly offset: number;
      readonly isGeneric: boolean;
    }
  /** The pointer that load `load` read from the slot, plus `offset`. `allocation` is the dynamic adjustment below it, or -1. */
  | {
      readonly kind: 'soft';
      readonly load: number;
      readonly offset: number | undefined;
      readonly allocation: number;
      readonly isCertain: boolean;
    }
  | {
      readonly kind: 'local';
      /** Index in `Frame.objects`, or -1 for memory of `alloca` or of several objects. */
      readonly object: number;
      /** From the object's start. */
      readonly offset: number | undefined;
      readonly isGeneric: boolean;
      readonly isCertain: boolean;
    };

const known = new WeakMap<PtxBound, Frame | undefined>();

/** The frame of the function that a unit holds; undefined when it has none with a body. Pure; made once for a bound unit. */
export function frameOf(bound: PtxBound): Frame | undefined {
  if (known.has(bound)) return known.get(bound);
  const frame = analyse(bound);
  known.set(bound, frame);
  return frame;
}

function analyse(bound: PtxBound): Frame | undefined {
  const f = lower(bound);
  if (f === undefined) return undefined;
  const objects = localObjects(bound);
  const calls = callsOf(f);
  const last = objects.at(-1);
  const localBytes = last === undefined ? 0 : last.offset + last.bytes;
  return {
    function: f,
    kind: objects.length > 0 ? 'local' : 'none',
    bytes: localBytes,
    localBytes,
    softBytes: 0,
    alignment: objects.reduce((most, object) => Math.max(most, object.alignment), 1),
    objects,
    soft: undefined,
    localPointers: [],
    dynamic: [],
    touches: [],
    escapes: [],
    calls,
    isLeaf: calls.length === 0,
    originOf: new Int32Array(f.operandStart[f.instructionCount]).fill(-1),
    origins: [],
  };
}

/** The `.local` variables of the function, each at its alignment, in text order. */
function localObjects(bound: PtxBound): FrameObject[] {
  const objects: FrameObject[] = [];
  let end = 0;
  for (const { kind, fact, name, declaration, extent } of bound.functions.at(0)?.declared ?? []) {
    if (kind !== EntityKind.Variable || fact?.kind !== 'variable' || fact.space !== '.local') continue;
    const alignment = fact.alignment > 0 ? fact.alignment : Math.max(1, typeBytes(fact.type) * fact.vector);
    const offset = Math.ceil(end / alignment) * alignment;
    const bytes = byteSize(fact);
    objects.push({ name, space: 'local', offset, bytes, alignment, span: declaration, extent });
    end = offset + bytes;
  }
  return objects;
}

/** The calls in text order. Results are definitions and come first, so that the callee is the first operand that is none. */
function callsOf(f: Function): FrameCall[] {
  const calls: FrameCall[] = [];
  for (let i = 0; i < f.instructionCount; i++) {
    if ((f.instructionFlags[i] & InstructionFlag.Call) === 0) continue;
    let callee: string | undefined;
    for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
      if ((f.operandFlags[k] & OperandFlag.Definition) !== 0) continue;
      if (f.operandPlace[k] === (NoRegister.Symbol as number))
        callee = f.operandTexts?.text(f.operandPayload?.[k] ?? 0);
      break;
    }
    const span = { start: f.spanStart[i], end: f.spanEnd[i] };
    calls.push({ instruction: i, span, callee, candidates: [] });
  }
  return calls;
}
