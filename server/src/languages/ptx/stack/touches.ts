import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import type { FrameArea, FrameFlow, FrameObject, FrameTouch, SoftFrame, TouchKind } from './frame.js';
import { opcodeFact, Transfer, type OpcodeFact } from './opcodes.js';
import { isAddress, type Address } from './origin.js';
import { definitionOf } from './soft.js';

/**
 * Which instructions read, write or point into the frame, and what that says of its parts. The soft frame has no
 * declarations: its objects are guessed from where addresses are taken and words are accessed, each up to the next.
 */
export interface Touched {
  readonly touches: readonly FrameTouch[];
  /** The objects of the frame: `.local` variables, then the areas of the soft frame. */
  readonly objects: readonly FrameObject[];
}

/** A touch before the objects of the soft frame are known: `object` counts `.local` variables only. */
type Touch = Omit<FrameTouch, 'object'> & {
  readonly object: number;
  readonly isDynamic: boolean;
};

export function touchedBy(
  f: Function,
  flow: FrameFlow,
  soft: SoftFrame | undefined,
  locals: readonly FrameObject[],
): Touched {
  const found = touchesOf(f, flow, soft);
  const parts = partsOf(f, flow, soft, found, locals.length);
  const localAreas = parts.local.map((part, n) => areasOf(part, locals[n].bytes));
  const softAreas = areasOf(parts.soft, soft?.bytes ?? 0);
  const objects = [
    ...locals.map((object, n) => ({ ...object, areas: localAreas[n] })),
    ...softAreas.map((area) => softObject(area, soft)),
  ];
  const touches = found.map((t): FrameTouch => {
    const object =
      t.space === 'local' || t.isDynamic || t.offset === undefined
        ? t.object
        : softAt(softAreas, locals.length, t.offset);
    const { instruction, span, kind, space, offset, bytes } = t;
    return { instruction, span, kind, space, object, offset, bytes };
  });
  return { touches, objects };
}

/** The object of the soft frame at an offset from its lowest address, as a number in `Touched.objects`, or -1. */
export function softAt(areas: readonly FrameArea[], first: number, offset: number): number {
  let low = 0;
  let high = areas.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (areas[middle].offset <= offset) low = middle + 1;
    else high = middle;
  }
  const at = low - 1;
  return at >= 0 && offset < areas[at].offset + areas[at].bytes ? first + at : -1;
}

function touchesOf(f: Function, { origins }: FrameFlow, soft: SoftFrame | undefined): Touch[] {
  const touches: Touch[] = [];
  const prologue = new Set(soft?.prologue);
  const { table } = origins;
  for (let i = 0; i < f.instructionCount; i++) {
    const fact = opcodeFact(f.opcodes, f.opcode[i]);
    const address = table.of(origins.ofAddress[i]);
    const span = { start: f.spanStart[i], end: f.spanEnd[i] };
    if (isAddress(address))
      touches.push(touch(i, span, accessKind(f, i, fact), address, accessBytes(f, i, fact), soft));
    else if (fact.isMemory && fact.space === '.local')
      touches.push({
        instruction: i,
        span,
        kind: accessKind(f, i, fact),
        space: 'local',
        object: -1,
        offset: undefined,
        bytes: accessBytes(f, i, fact),
        isDynamic: false,
      });
    if (fact.isMemory || prologue.has(i)) continue;
    const operand = definitionOf(f, i);
    const made = operand < 0 ? undefined : table.of(origins.ofOperand[operand]);
    if (!isAddress(made)) continue;
    const isConversion = fact.transfer === Transfer.ToGeneric || fact.transfer === Transfer.FromGeneric;
    touches.push(touch(i, span, isConversion ? 'convert' : 'address', made, 0, soft));
  }
  return touches;
}

function touch(
  instruction: number,
  span: FrameTouch['span'],
  kind: TouchKind,
  address: Address,
  bytes: number,
  soft: SoftFrame | undefined,
): Touch {
  return {
    instruction,
    span,
    kind,
    space: address.kind,
    object: address.kind === 'local' ? address.object : -1,
    offset: fromLowest(address, soft),
    bytes,
    isDynamic: address.kind === 'soft' && address.allocation >= 0,
  };
}

/** From the lowest address of the frame or of the variable; undefined where it is computed at run time. */
export const fromLowest = (address: Address, soft: SoftFrame | undefined): number | undefined => {
  if (address.offset === undefined) return undefined;
  return address.kind === 'local' ? address.offset : address.offset + (soft?.bytes ?? 0);
};

function accessKind(f: Function, i: number, fact: OpcodeFact): TouchKind {
  if (fact.isAtomic) return 'atomic';
  return (f.instructionFlags[i] & InstructionFlag.WritesMemory) !== 0 ? 'store' : 'load';
}

/** Bytes that a load or store moves: one element for each operand that is no address. */
export function accessBytes(f: Function, i: number, fact: OpcodeFact): number {
  if (fact.isAtomic) return fact.bytes;
  let elements = 0;
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
    if ((f.operandFlags[k] & ((OperandFlag.Address as number) | OperandFlag.Guard)) === 0) elements++;
  return fact.bytes * elements;
}

/** What the touches show of one object: words at known offsets, and offsets from which something longer may start. */
interface Parts {
  readonly words: { readonly offset: number; readonly bytes: number }[];
  readonly starts: number[];
}

const noParts = (): Parts => ({ words: [], starts: [] });

function partsOf(
  f: Function,
  { origins }: FrameFlow,
  soft: SoftFrame | undefined,
  touches: readonly Touch[],
  locals: number,
): { readonly local: readonly Parts[]; readonly soft: Parts } {
  const parts = { local: Array.from({ length: locals }, noParts), soft: noParts() };
  const partOf = (address: Address | Touch): Parts | undefined => {
    const space = 'space' in address ? address.space : address.kind;
    if (space === 'soft') return parts.soft;
    return 'object' in address ? parts.local.at(address.object < 0 ? locals : address.object) : undefined;
  };
  for (const t of touches)
    if (t.bytes > 0 && t.offset !== undefined && !t.isDynamic)
      partOf(t)?.words.push({ offset: t.offset, bytes: t.bytes });
  const prologue = new Set(soft?.prologue);
  for (let i = 0; i < f.instructionCount; i++) {
    if (prologue.has(i)) continue;
    for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
      if ((f.operandFlags[k] & ((OperandFlag.Address as number) | OperandFlag.Definition)) !== 0) continue;
      const address = origins.table.of(origins.ofOperand[k]);
      if (!isAddress(address) || (address.kind === 'soft' && address.allocation >= 0)) continue;
      if (isMoved(f, origins, i)) continue;
      const offset = fromLowest(address, soft);
      if (offset !== undefined) partOf(address)?.starts.push(offset);
    }
  }
  return parts;
}

/** The instruction makes another address at a known offset from the one that it reads. */
function isMoved(f: Function, { table, ofOperand }: FrameFlow['origins'], i: number): boolean {
  const operand = definitionOf(f, i);
  const made = operand < 0 ? undefined : table.of(ofOperand[operand]);
  return isAddress(made) && made.offset !== undefined;
}

/** Areas by ascending offset: words that overlap are one, a start reaches to the next area or the end. */
function areasOf({ words, starts }: Parts, bytes: number): FrameArea[] {
  const marks = [
    ...words.map(({ offset, bytes: size }) => ({ offset, end: offset + size, isOpen: false })),
    ...starts.map((offset) => ({ offset, end: offset, isOpen: true })),
  ]
    .filter(({ offset }) => offset >= 0 && offset < bytes)
    .sort((a, b) => a.offset - b.offset);
  const areas: { offset: number; end: number; isOpen: boolean }[] = [];
  for (const mark of marks) {
    const last = areas.at(-1);
    if (last !== undefined && (mark.offset < last.end || mark.offset === last.offset)) {
      last.end = Math.max(last.end, mark.end);
      last.isOpen ||= mark.isOpen;
    } else areas.push({ ...mark });
  }
  return areas.map(({ offset, end, isOpen }, n) => {
    const limit = areas.at(n + 1)?.offset ?? bytes;
    return { offset, bytes: Math.min(isOpen ? limit : end, bytes) - offset };
  });
}

function softObject(area: FrameArea, soft: SoftFrame | undefined): FrameObject {
  const base = soft?.frame?.name ?? soft?.stack?.name ?? 'frame';
  const { offset, bytes } = area;
  const outgoing = offset - frameOffset(soft);
  return {
    name: outgoing === 0 ? base : `${base}${outgoing < 0 ? '' : '+'}${outgoing}`,
    space: 'soft',
    offset,
    bytes,
    alignment: Math.min(16, lowestBit(offset)),
    areas: [],
    span: undefined,
    extent: undefined,
  };
}

/** Bytes from the lowest pointer up to the one that the frame's variables are counted from. */
const frameOffset = (soft: SoftFrame | undefined): number => soft?.outgoing ?? 0;

const lowestBit = (n: number): number => (n === 0 ? 16 : n & -n);
