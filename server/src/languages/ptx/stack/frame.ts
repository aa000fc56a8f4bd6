import type { Function } from '../../../ir/function.js';
import type { Cfg } from '../../../passes/cfg.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';
import type { Span } from '../../../text/span.js';
import type { BoundFunction } from '../bind/body.js';
import type { PtxBound } from '../bind/index.js';
import { lower } from '../lower.js';
import { callsOf } from './calls.js';
import { escapesOf } from './escapes.js';
import { flowOf } from './flow.js';
import { isLocalVariable, localPointersOf, localVariables } from './local.js';
import { arrayNames, type Origins } from './origins.js';
import type { SlotFlow } from './slot-flow.js';
import { dynamicOf, softFrameOf } from './soft.js';
import { touchedBy } from './touches.js';

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
  /** For the rules; undefined where nothing of a frame is in sight. */
  readonly flow: FrameFlow | undefined;
}

/** What the analysis rests on. */
export interface FrameFlow {
  readonly cfg: Cfg;
  readonly reaching: ReachingDefinitions;
  readonly origins: Origins;
  readonly slot: SlotFlow;
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
  /** Offsets from the object's start at which addresses are taken or words are read and written, with their sizes as far as they show. */
  readonly areas: readonly FrameArea[];
  /** Of a `.local` variable: its name and its whole declaration. */
  readonly span: Span | undefined;
  readonly extent: Span | undefined;
}

export interface FrameArea {
  readonly offset: number;
  readonly bytes: number;
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
  /** The array that its slot lies in. */
  readonly array: keyof typeof arrayNames;
  /** The loads of the slot, in text order; the first one saves the caller's pointer. */
  readonly loads: readonly number[];
  /** Holds the slot's address (`%sspslot`), the caller's pointer (`%sspprev`), the frame's lowest address, the stack pointer. */
  readonly slot: FrameRegister | undefined;
  readonly saved: FrameRegister | undefined;
  readonly frame: FrameRegister | undefined;
  readonly stack: FrameRegister | undefined;
  /** Bytes between the caller's pointer and the lowest pointer of fixed size. */
  readonly bytes: number;
  /** Of them, for arguments of variadic calls: between the stack pointer and the address that variables are counted from. */
  readonly outgoing: number;
  /** From an `and` that clears the low bits, or from the frame's size, up to 16; 1 for no frame. */
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
  /** An address in one of the arrays that all functions share (`arrayNames`); `index` is the special register, '' for none, undefined for another value. */
  | {
      readonly kind: 'slot';
      readonly array: keyof typeof arrayNames;
      readonly index: string | undefined;
      readonly scale: number;
      readonly offset: number;
      readonly isGeneric: boolean;
    }
  /** The pointer that stood in the slot on entry, plus `offset`. `allocation` is the last dynamic adjustment, or -1. */
  | {
      readonly kind: 'soft';
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

/** By function: one that stands in several files, each for another machine, has the same frame in all of them (`bind/again.ts`). */
const known = new WeakMap<BoundFunction, Frame | undefined>();

/**
 * The frame of the function that a unit holds; undefined when it has none with a body. Pure; made once for a function.
 * `lowered` gives the unit's function where the caller has it.
 */
export function frameOf(
  bound: PtxBound,
  lowered: () => Function | undefined = () => lower(bound),
): Frame | undefined {
  const source = bound.functions.at(0);
  if (source === undefined) return undefined;
  if (known.has(source)) return known.get(source);
  const f = lowered();
  const frame = f === undefined ? undefined : analyse(bound, f);
  known.set(source, frame);
  return frame;
}

const mentionsArrays = ({ moduleNames }: PtxBound): boolean =>
  Object.values(arrayNames).some((name) => moduleNames.has(name));

/** True when the function has anything that `frameOf` would look into; costs one walk over its declarations and opcodes. */
export function mayHaveFrame(bound: PtxBound): boolean {
  const source = bound.functions.at(0);
  if (source === undefined) return false;
  let may = interesting.get(source);
  if (may === undefined) {
    may =
      mentionsArrays(bound) ||
      source.declared.some(isLocalVariable) ||
      source.code.opcodes.some((opcode) => opcode.startsWith('alloca'));
    interesting.set(source, may);
  }
  return may;
}

const interesting = new WeakMap<BoundFunction, boolean>();

function analyse(bound: PtxBound, f: Function): Frame {
  const calls = callsOf(bound, f);
  const flow = mayHaveFrame(bound) ? flowOf(bound, f) : undefined;
  if (flow === undefined)
    return {
      function: f,
      kind: 'none',
      bytes: 0,
      localBytes: 0,
      softBytes: 0,
      alignment: 1,
      objects: [],
      soft: undefined,
      localPointers: [],
      dynamic: [],
      touches: [],
      escapes: [],
      calls,
      isLeaf: calls.length === 0,
      originOf: noOperands,
      origins: [],
      flow,
    };
  const { origins } = flow;
  const soft = softFrameOf(f, flow);
  const locals = localVariables(bound);
  const last = locals.at(-1);
  const localBytes = last === undefined ? 0 : last.offset + last.bytes;
  const softBytes = soft?.bytes ?? 0;
  const dynamic = dynamicOf(f, flow, flow.allocations);
  const { touches, objects } = touchedBy(f, flow, soft, locals);
  const isLocal = locals.length > 0 || dynamic.some(({ space }) => space === 'local');
  const isSoft =
    softBytes > 0 || (soft?.publishes.length ?? 0) > 0 || dynamic.some(({ space }) => space === 'soft');
  return {
    function: f,
    kind: isLocal ? (isSoft ? 'mixed' : 'local') : isSoft ? 'soft' : 'none',
    bytes: localBytes + softBytes,
    localBytes,
    softBytes,
    alignment: locals.reduce((most, object) => Math.max(most, object.alignment), soft?.alignment ?? 1),
    objects,
    soft,
    localPointers: localPointersOf(f, origins),
    dynamic,
    touches,
    escapes: escapesOf(bound, f, flow, soft, objects),
    calls,
    isLeaf: calls.length === 0,
    originOf: origins.ofOperand,
    origins: origins.table.origins,
    flow,
  };
}

const noOperands = new Int32Array(0);
