import { shift, type Span, type TextEdit } from '../../../text/span.js';
import type { PlacedUnit } from '../../language.js';
import type { PtxBound } from '../bind/index.js';
import {
  candidatesOf,
  faultOf,
  followed,
  nameSpan,
  type Candidate,
  type Fault,
  type Followed,
} from './candidates.js';
import { laneViews, type View } from './lane-views.js';
import { handedFault, laneFault, partialCalls, storersOf } from './lanes.js';
import { launchShapes, noShapes } from './launch-shapes.js';
import { behindHeader, declaredSlots, describedAt, moduleFault } from './module.js';
import { rewriteFunction } from './rewrite.js';
import { slotArray, slotDeclaration } from './statements.js';
import { wrapperFor } from './wrapper.js';

/**
 * Moves the `.local` frames of PTX functions to soft stacks, GCC's `-msoft-stack` model: automatic data lies in ordinary
 * memory below a pointer in shared memory, so that other threads can read and write it. All spans and edits are offsets of
 * the document.
 */
export interface SoftStackOptions {
  /** The functions to move; absent: every one that has a `.local` frame. */
  readonly functions?: readonly string[];
  /** Frames are multiples of it, and every pointer keeps it. 16 when absent, as GCC's. */
  readonly frameAlignment?: 8 | 16;
  /** Whose a stack is; `checked` when absent. */
  readonly lanes?: Lanes;
  /** The kernel, or function, for which an entry is made that sets the stacks up. */
  readonly mainKernel?: string;
}

/**
 *   checked   one stack a warp, as GCC has it; a function that keeps values of single lanes in its frame is refused
 *   uniform   one stack a warp, and whoever asks knows that one lane of each warp runs, or that all do the same
 *   own       one stack a lane: right for every function, with a slot for each thread of the block
 */
export type Lanes = 'checked' | 'uniform' | 'own';

export interface MovedFunction {
  readonly name: string;
  /** Of the fixed frame, rounded. */
  readonly bytes: number;
}

export interface Refusal {
  readonly function: string;
  readonly span: Span;
  /** What is in the way, and a way out; without a final full stop. */
  readonly reason: string;
}

/** Something that has to be so when the result runs, and that the text leaves open. */
export interface SoftStackNote {
  readonly function: string;
  readonly span: Span;
  /** A warning says that the text allows what would go wrong; a note, what was taken for granted. */
  readonly severity: 'warning' | 'note';
  /** Without a final full stop. */
  readonly message: string;
}

export interface SoftStackRewrite {
  /** Sorted, without overlap; none of them where nothing can be done. */
  readonly edits: readonly TextEdit[];
  readonly functions: readonly MovedFunction[];
  readonly refusals: readonly Refusal[];
  readonly notes: readonly SoftStackNote[];
}

type Units = readonly PlacedUnit<PtxBound>[];

/** Pure; linear in the text. A function that cannot be moved stays as it is and is told in `refusals`. */
export function moveToSoftStack(units: Units, options: SoftStackOptions = {}): SoftStackRewrite {
  const candidates = candidatesOf(units);
  const refusals: Refusal[] = [];
  const { functions: wanted, frameAlignment = 16, lanes = 'checked' } = options;
  const isWanted = ({ name }: Candidate): boolean => wanted === undefined || wanted.includes(name);
  for (const name of wanted ?? [])
    if (!candidates.some((c) => c.name === name))
      refusals.push({
        function: name,
        span: { start: 0, end: 0 },
        reason: 'no function of this name has a body',
      });

  const chosen = candidates.filter((c) => c.hasFrame && isWanted(c));
  const { mainKernel } = options;
  const nothing = (fault: Fault, names: readonly string[]): SoftStackRewrite => ({
    edits: [],
    functions: [],
    notes: [],
    refusals: [...refusals, ...names.map((name) => ({ function: name, ...fault }))],
  });
  if (chosen.length === 0 && mainKernel === undefined)
    return { edits: [], functions: [], refusals, notes: [] };
  const concerned = chosen.length > 0 ? chosen.map(({ name }) => name) : [mainKernel ?? ''];
  const fault = moduleFault(units);
  if (fault !== undefined) return nothing(fault, concerned);

  const isPerThread = lanes === 'own';
  const shapes = isPerThread ? noShapes : launchShapes(candidates);
  const views = lanes === 'checked' ? laneViews(units, candidates, chosen) : undefined;
  const storers = views === undefined ? new Map<string, string>() : storersOf(views);
  const moving: Followed[] = [];
  const refuse = ({ name }: Candidate, { span, reason }: Fault): void =>
    void refusals.push({ function: name, span, reason });
  for (const candidate of chosen) {
    const found = faultOf(candidate) ?? debugFault(units, candidate) ?? followed(candidate, frameAlignment);
    const fault =
      'reason' in found
        ? found
        : (shapes.faults.get(candidate.name) ??
          (views === undefined ? undefined : laneFaultOf(found, views, storers)));
    if (fault !== undefined) refuse(candidate, fault);
    else if (!('reason' in found)) moving.push(found);
  }
  const callable = views === undefined ? moving : calledByAll(views, moving, refuse);
  const { kept, receivers } = withReceivers(candidates, callable, frameAlignment, refuse);

  const edits: TextEdit[] = [];
  const functions: MovedFunction[] = [];
  const users: PlacedUnit<PtxBound>[] = [];
  for (const { candidate, layout } of [...kept, ...receivers]) {
    const { unit, source, body, frame, name, hasFrame } = candidate;
    const rewrite = rewriteFunction(unit.bound, source.item, body, frame, layout, {
      frameAlignment,
      isPerThread,
    });
    for (const { span, newText } of rewrite.edits) edits.push({ span: shift(span, unit.start), newText });
    if (hasFrame) functions.push({ name, bytes: rewrite.bytes });
    users.push(unit);
  }
  if (mainKernel !== undefined) {
    const names = new Set(candidates.map(({ name }) => name));
    const wrapper = shapes.faults.get(mainKernel) ?? wrapperFor(candidates, names, mainKernel, isPerThread);
    if (wrapper !== undefined && 'reason' in wrapper) {
      const isTold = refusals.some((r) => r.function === mainKernel && r.reason === wrapper.reason);
      if (!isTold) refusals.push({ function: mainKernel, ...wrapper });
    } else if (wrapper !== undefined) {
      edits.push(...wrapper.edits);
      users.push(wrapper.unit);
    }
  }
  if (users.length === 0) return { edits: [], functions: [], refusals, notes: [] };
  const slots = slotsFor(units, isPerThread, users, mainKernel !== undefined);
  if ('reason' in slots) return nothing(slots, concerned);
  edits.push(...slots.edits);
  const moved = new Set([...functions.map(({ name }) => name), mainKernel]);
  return {
    edits: sorted(edits),
    functions,
    refusals,
    notes: [...shapes.notesFor(moved), ...unseenCallers(views, moved)],
  };
}

/** Functions whose parameters were taken as equal because nothing in the document calls them. */
function unseenCallers(
  views: ReadonlyMap<string, View> | undefined,
  moved: ReadonlySet<string | undefined>,
): readonly SoftStackNote[] {
  const notes: SoftStackNote[] = [];
  for (const { candidate, hasCallers } of views?.values() ?? []) {
    const { name, source, unit } = candidate;
    if (!moved.has(name) || hasCallers || source.item.isEntry || source.item.parameters.length === 0)
      continue;
    notes.push({
      function: name,
      span: nameSpan(source, unit.start),
      severity: 'note',
      message: `no call of ${name} is in sight: its parameters are taken as equal in all lanes of a warp`,
    });
  }
  return notes;
}

/** Insertions at one place stay in the order in which they were made. */
const sorted = (edits: TextEdit[]): TextEdit[] =>
  edits.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);

function debugFault(units: Units, { frame }: Candidate): Fault | undefined {
  const names = new Set(frame.objects.flatMap(({ name, space }) => (space === 'local' ? [name] : [])));
  const span = names.size === 0 ? undefined : describedAt(units, names);
  if (span === undefined) return undefined;
  return {
    span,
    reason:
      'debug information says here where the frame lies; compile with -lineinfo in place of -G, or take the .section out',
  };
}

function laneFaultOf(
  found: Followed,
  views: ReadonlyMap<string, View>,
  storers: ReadonlyMap<string, string>,
): Fault | undefined {
  const view = views.get(found.candidate.name);
  return view === undefined ? undefined : (laneFault(found, view) ?? handedFault(found, view, storers));
}

/** Without the functions that only a part of a warp calls somewhere. */
function calledByAll(
  views: ReadonlyMap<string, View>,
  moving: readonly Followed[],
  refuse: (candidate: Candidate, fault: Fault) => void,
): readonly Followed[] {
  const names = new Set(moving.map(({ candidate }) => candidate.name));
  const refused = new Map<string, Fault>();
  for (const view of views.values())
    for (const { callee, fault } of partialCalls(view, names))
      if (!refused.has(callee)) refused.set(callee, fault);
  return moving.filter(({ candidate }) => {
    const fault = refused.get(candidate.name);
    if (fault !== undefined) refuse(candidate, fault);
    return fault === undefined;
  });
}

/**
 * Where a frame's address gets out, functions that turn generic addresses into local ones may get it: they are made to
 * leave them as they are. Where that cannot be done, the frame stays.
 */
function withReceivers(
  candidates: readonly Candidate[],
  moving: readonly Followed[],
  frameAlignment: number,
  refuse: (candidate: Candidate, fault: Fault) => void,
): { readonly kept: readonly Followed[]; readonly receivers: readonly Followed[] } {
  if (!moving.some(({ following }) => following.escapes)) return { kept: moving, receivers: [] };
  const isMoving = new Set(moving.map(({ candidate }) => candidate));
  const receivers: Followed[] = [];
  for (const candidate of candidates) {
    if (!candidate.isReceiver || isMoving.has(candidate)) continue;
    const found = candidate.hasFrame
      ? undefined
      : (faultOf(candidate) ?? followed(candidate, frameAlignment));
    if (found !== undefined && !('reason' in found)) {
      receivers.push(found);
      continue;
    }
    const why = found?.reason ?? 'its own frame stays where it is';
    const kept: Followed[] = [];
    for (const other of moving) {
      if (!other.following.escapes) kept.push(other);
      else
        refuse(other.candidate, {
          span: found?.span ?? nameSpan(candidate.source, candidate.unit.start),
          reason: `its frame's address gets out, and ${candidate.name} takes such addresses for local ones: ${why}; move both together`,
        });
    }
    return { kept, receivers: [] };
  }
  return { kept: moving, receivers };
}

/**
 * The declaration of the slots, if the first function that needs it does not see one. A module with an entry that sets
 * them up is a whole program: it defines them, weakly, in case the library that it is linked with does so too.
 */
function slotsFor(
  units: Units,
  isPerThread: boolean,
  users: readonly PlacedUnit<PtxBound>[],
  isProgram: boolean,
): { readonly edits: readonly TextEdit[] } | Fault {
  const array = slotArray(isPerThread);
  const declared = declaredSlots(units, array);
  if (declared !== undefined && !declared.isUsable)
    return {
      span: declared.span,
      reason: `${array.name} is declared as something else; it must be ${slotDeclaration(array, '.extern')}`,
    };
  const edits: TextEdit[] = [];
  if (isProgram && declared?.extern !== undefined) edits.push({ span: declared.extern, newText: '.weak' });
  const first = Math.min(...users.map((unit) => units.indexOf(unit)));
  if (declared !== undefined && declared.unit < first) return { edits };
  const { unit, at } = behindHeader(units);
  const lineBreak = units[unit].bound.parsed.text.includes('\r\n') ? '\r\n' : '\n';
  const linkage = isProgram && declared === undefined ? '.weak' : '.extern';
  const newText = `${lineBreak}${lineBreak}${slotDeclaration(array, linkage)}`;
  edits.push({ span: { start: at, end: at }, newText });
  return { edits };
}
