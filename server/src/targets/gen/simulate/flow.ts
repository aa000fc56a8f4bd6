import { holds } from './arithmetic.js';
import { sourceNumber, type Access } from './elements.js';
import { CHANNELS, predicateAt } from './lanes.js';
import type { State } from './state.js';
import type { Structure } from './structure.js';

/**
 * Control flow by execution masks: an `if`, `break` or `halt` takes channels out until the instruction that brings
 * them back; where none is left the thread jumps over what nobody executes, to the innermost place where one may
 * come back. Loops go on as long as one channel stays.
 */
export interface Flow {
  readonly structure: Structure;
  /** By channel. */
  active: Uint8Array;
  readonly frames: Frame[];
  readonly halted: Uint8Array;
  /** Channels that have left a loop which has no `do`, by its `while`. */
  readonly left: Map<number, Uint8Array>;
}

interface Frame {
  readonly opened: number;
  /** if: channels that wait for the else. */
  readonly other: Uint8Array;
  /** if: those that wait for the endif; loop: those that have left. */
  readonly done: Uint8Array;
  /** Loop: channels that wait for the while. */
  readonly next: Uint8Array;
}

export function createFlow(structure: Structure, width: number): Flow {
  const active = new Uint8Array(CHANNELS);
  active.fill(1, 0, width);
  return { structure, active, frames: [], halted: new Uint8Array(CHANNELS), left: new Map() };
}

const frame = (opened: number): Frame => ({
  opened,
  other: new Uint8Array(CHANNELS),
  done: new Uint8Array(CHANNELS),
  next: new Uint8Array(CHANNELS),
});

const isEmpty = (mask: Uint8Array): boolean => mask.every((bit) => bit === 0);

function include(into: Uint8Array, from: Uint8Array): void {
  for (let c = 0; c < CHANNELS; c++) into[c] |= from[c];
}

/** What the thread executes next, END, or why it cannot go on. */
export type Next = number | string;
export const END = -1;

export const UNKNOWN_CONDITION = 'control flow depends on an unknown value';

/** Executes control flow instruction `i`. */
export function executeFlow(flow: Flow, state: State, access: Access, i: number): Next {
  const { structure, frames } = flow;
  const { instruction } = access;
  const inner = frames[frames.length - 1] as Frame | undefined;
  switch (instruction.opcode.flow!) {
    case 'if': {
      const taken = condition(flow, state, access);
      if (typeof taken === 'string') return taken;
      const opened = frame(i);
      for (let c = 0; c < CHANNELS; c++) opened.other[c] = flow.active[c] & ~taken[c] & 1;
      flow.active = taken;
      frames.push(opened);
      return isEmpty(taken) ? structure.partner[i] : i + 1;
    }
    case 'else': {
      if (inner === undefined) return 'else without an if';
      include(inner.done, flow.active);
      flow.active = inner.other.slice();
      inner.other.fill(0);
      return isEmpty(flow.active) ? structure.partner[i] : i + 1;
    }
    case 'endif': {
      if (inner === undefined) return 'endif without an if';
      include(flow.active, inner.done);
      include(flow.active, inner.other);
      frames.pop();
      return isEmpty(flow.active) ? skip(flow, i) : i + 1;
    }
    case 'do':
      frames.push(frame(i));
      return i + 1;
    case 'break':
    case 'continue':
    case 'halt': {
      const leaving = condition(flow, state, access);
      if (typeof leaving === 'string') return leaving;
      const loop = frames.findLast((f) => state.program.instructions[f.opened].opcode.flow === 'do');
      const into =
        instruction.opcode.flow === 'halt'
          ? flow.halted
          : instruction.opcode.flow === 'break'
            ? loop?.done
            : loop?.next;
      if (into === undefined) return `${instruction.opcode.name} outside of a loop`;
      include(into, leaving);
      for (let c = 0; c < CHANNELS; c++) if (leaving[c]) flow.active[c] = 0;
      return isEmpty(flow.active) ? skip(flow, i) : i + 1;
    }
    case 'while':
      return executeWhile(flow, state, access, i);
    case 'haltTarget':
      include(flow.active, flow.halted);
      flow.halted.fill(0);
      return i + 1;
    case 'jump':
      return executeJump(flow, state, access, i);
    case 'label':
      return i + 1;
    case 'end':
      return END;
  }
}

/** The next place where a channel may come back. */
function skip({ structure }: Flow, i: number): Next {
  if (structure.join[i] >= 0) return structure.join[i];
  return structure.haltTarget > i ? structure.haltTarget : END;
}

function executeWhile(flow: Flow, state: State, access: Access, i: number): Next {
  const { structure, frames } = flow;
  const { target } = access.instruction;
  const open = structure.partner[i];
  const inner = open >= 0 ? frames.pop() : undefined;
  if (inner !== undefined) {
    include(flow.active, inner.next);
    inner.next.fill(0);
  }
  const staying = condition(flow, state, access);
  if (typeof staying === 'string') return staying;
  let done = inner?.done ?? flow.left.get(i);
  if (done === undefined) flow.left.set(i, (done = new Uint8Array(CHANNELS)));
  for (let c = 0; c < CHANNELS; c++) done[c] |= flow.active[c] & ~staying[c] & 1;
  flow.active = staying;
  if (!isEmpty(staying)) {
    if (inner !== undefined) frames.push(inner);
    return inner !== undefined
      ? open + 1
      : target >= 0
        ? state.program.blockStart[target]
        : 'while without a target';
  }
  include(flow.active, done);
  if (inner === undefined) flow.left.delete(i);
  return isEmpty(flow.active) ? skip(flow, i) : i + 1;
}

/** Jumps of the whole thread: where any channel's predicate holds. */
function executeJump(flow: Flow, state: State, access: Access, i: number): Next {
  const { predicate, target, opcode } = access.instruction;
  if (opcode.name !== 'jmpi' && opcode.name !== 'ir_bra') return `${opcode.name} is not modelled`;
  const saved = flow.active;
  const taken = condition(flow, state, access);
  flow.active = saved;
  if (typeof taken === 'string') return taken;
  const agree = predicate === undefined || !isEmpty(taken);
  if (opcode.name === 'ir_bra' && agree && taken.some((bit, c) => bit !== saved[c]))
    return 'channels part at a branch of the intermediate language';
  if (!agree) return i + 1;
  return target >= 0 ? state.program.blockStart[target] : 'a jump whose target the dump has lost';
}

/** Active channels for which an instruction's predicate (or its own comparison) holds. */
function condition(flow: Flow, state: State, access: Access): Uint8Array | string {
  const { predicate, condition: compare, sources } = access.instruction;
  const taken = flow.active.slice();
  for (let c = 0; c < CHANNELS; c++) {
    if (taken[c] === 0) continue;
    if (predicate !== undefined) {
      const { holds: isTrue, unknown } = predicateAt(state, predicate, c);
      if (unknown) return UNKNOWN_CONDITION;
      if (!isTrue) taken[c] = 0;
    } else if (compare !== undefined && sources.length === 2) {
      access.unknown = 0;
      const isTrue = holds(
        compare.test,
        sourceNumber(access, sources[0], c),
        sourceNumber(access, sources[1], c),
      );
      if (access.unknown) return UNKNOWN_CONDITION;
      if (!isTrue) taken[c] = 0;
    }
  }
  return taken;
}
