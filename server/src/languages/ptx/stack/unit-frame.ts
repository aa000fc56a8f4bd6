import { InstructionFlag, OperandFlag } from '../../../ir/function.js';
import type {
  UnitCall,
  UnitFrame,
  UnitFrameEscape,
  UnitFrameObject,
  UnitFramePointer,
} from '../../frames.js';
import { behaviourOf } from '../behaviour.js';
import type { BoundFunction } from '../bind/body.js';
import type { PtxBound } from '../bind/index.js';
import { targetLists, candidatesIn } from './calls.js';
import { frameOf, mayHaveFrame, type Frame, type FrameEscape } from './frame.js';
import { arrayNames } from './origins.js';

/** A PTX frame in the general form that editor features read. A function without one costs a walk over its opcodes. */
export function unitFrame(bound: PtxBound): UnitFrame | undefined {
  const source = bound.functions.at(0);
  if (source === undefined) return undefined;
  const before = known.get(source);
  if (before !== undefined) return before;
  const { item } = source;
  const frame = mayHaveFrame(bound) ? frameOf(bound) : undefined;
  const head = {
    name: item.name?.text ?? '',
    span: item.name ?? { start: item.start, end: item.start },
    isEntry: item.isEntry,
  };
  const made: UnitFrame =
    frame === undefined || frame.kind === 'none'
      ? { ...head, ...nothing, calls: callsIn(bound) }
      : { ...head, ...describe(frame) };
  known.set(source, made);
  return made;
}

/** By function, as frames are (`frame.ts`). */
const known = new WeakMap<BoundFunction, UnitFrame>();

const nothing = {
  place: '',
  bytes: 0,
  alignment: 1,
  isDynamic: false,
  objects: [],
  pointers: [],
  touches: [],
  escapes: [],
  madeAt: undefined,
} as const;

export const placeWords = { local: '.local', soft: 'soft stack', mixed: 'soft stack and .local' } as const;

function describe(frame: Frame): Omit<UnitFrame, 'name' | 'span' | 'isEntry'> {
  const first = frame.soft?.prologue.at(0);
  const f = frame.function;
  return {
    place: frame.kind === 'none' ? '' : placeWords[frame.kind],
    bytes: frame.bytes,
    alignment: frame.alignment,
    isDynamic: frame.dynamic.length > 0,
    objects: frame.objects.map(({ name, space, offset, bytes, alignment, span, areas }): UnitFrameObject => ({
      name,
      place: placeWords[space],
      offset,
      bytes,
      alignment,
      span,
      areas,
    })),
    pointers: pointersOf(frame),
    touches: frame.touches.map(({ span, kind, object }) => ({ span, kind, object })),
    escapes: frame.escapes.map((escape) => escapeOf(frame, escape)),
    calls: frame.calls.map(({ span, callee, candidates }) => ({ span, callee, candidates })),
    madeAt:
      frame.objects.at(0)?.span ??
      (first === undefined ? undefined : { start: f.spanStart[first], end: f.spanEnd[first] }),
  };
}

function pointersOf({ soft, localPointers, objects }: Frame): UnitFramePointer[] {
  const pointers: UnitFramePointer[] = [];
  const add = (pointer: NonNullable<Frame['soft']>['slot'], role: string): void => {
    if (pointer === undefined || pointers.some(({ register }) => register === pointer.register)) return;
    pointers.push({ register: pointer.register, name: pointer.name, role, span: pointer.span });
  };
  if (soft !== undefined)
    add(
      soft.slot,
      `the address of the ${soft.array === 'lanes' ? "thread's" : "warp's"} slot in \`${arrayNames[soft.array]}\``,
    );
  add(soft?.saved, "the caller's stack pointer, to be put back before the return");
  add(soft?.frame, 'the lowest address of the frame');
  add(soft?.stack, 'the stack pointer, below the frame and the arguments of variadic calls');
  for (const pointer of localPointers) {
    const window = pointer.isGeneric ? 'generic address' : 'address in the local window';
    const names = objects.filter(({ space }) => space === 'local').map(({ name }) => `\`${name}\``);
    add(pointer, `the ${window} of ${names.length === 1 ? names[0] : 'a `.local` variable'}`);
  }
  return pointers;
}

function escapeOf(frame: Frame, e: FrameEscape): UnitFrameEscape {
  const base = e.space === 'soft' && e.object >= 0 ? frame.objects[e.object].offset : 0;
  return {
    span: e.span,
    object: e.object,
    offset: e.offset === undefined ? undefined : e.offset - base,
    how: howWords(e),
    leaves: e.kind !== 'converted' && e.target !== 'frame',
    isCertain: e.isCertain,
  };
}

/** What becomes of an address, in words. */
export function howWords({ kind, target }: FrameEscape): string {
  switch (kind) {
    case 'passed':
      return target === '' ? 'passed to an indirect call' : `passed to '${target}'`;
    case 'stored':
      return target === 'frame' ? 'stored in the frame itself' : `stored to ${target} memory`;
    case 'returned':
      return 'returned';
    case 'converted':
      return 'made generic';
  }
}

/** The calls of a function that need not be lowered for anything else. */
function callsIn(bound: PtxBound): UnitCall[] {
  const source = bound.functions.at(0);
  const calls: UnitCall[] = [];
  if (source === undefined) return calls;
  const { code } = source;
  let lists: ReturnType<typeof targetLists> | undefined;
  const { text } = bound.parsed;
  for (let i = 0; i < code.opcodes.length; i++) {
    if ((behaviourOf(code.opcodes[i]).flags & InstructionFlag.Call) === 0) continue;
    const end = i + 1 < code.opcodes.length ? code.operandStart.at(i + 1) : code.place.length;
    let callee: string | undefined;
    let last = -1;
    let isDirect = false;
    for (let k = code.operandStart.at(i), isFirst = true; k < end; k++) {
      if ((code.flags.at(k) & OperandFlag.Guard) !== 0) continue;
      last = k;
      if (!isFirst || (code.flags.at(k) & OperandFlag.Definition) !== 0) continue;
      isFirst = false;
      isDirect = code.place.at(k) < 0;
      if (isDirect) callee = text.slice(code.operandSpanStart.at(k), code.operandSpanEnd.at(k));
    }
    const listed =
      isDirect || last < 0
        ? []
        : candidatesIn(
            (lists ??= targetLists(bound)),
            text.slice(code.operandSpanStart.at(last), code.operandSpanEnd.at(last)),
          );
    calls.push({
      span: { start: code.spanStart.at(i), end: code.spanEnd.at(i) },
      callee,
      candidates: listed,
    });
  }
  return calls;
}
