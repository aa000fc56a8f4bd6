import { selects } from '../access.js';
import type { Instruction, PredicateMode } from '../program.js';
import { isFlagUnknown, readFlag, type State } from './state.js';

/**
 * Which channels an instruction executes in. By channel of the instruction, counted from its first: the execution
 * mask of control flow (all channels under NoMask) and the predicate. A selecting instruction executes in all of
 * them and takes its first source where the predicate holds.
 */
export interface Lanes {
  readonly enabled: Uint8Array;
  /** 1 where control flow lets the channel execute, NoMask aside. */
  readonly live: Uint8Array;
  /** 1 where the predicate is unknown, so that what is written is. */
  readonly doubt: Uint8Array;
  readonly chosen: Uint8Array;
  readonly chosenUnknown: Uint8Array;
}

export const CHANNELS = 32;

export const createLanes = (): Lanes => ({
  enabled: new Uint8Array(CHANNELS),
  live: new Uint8Array(CHANNELS),
  doubt: new Uint8Array(CHANNELS),
  chosen: new Uint8Array(CHANNELS),
  chosenUnknown: new Uint8Array(CHANNELS),
});

/** Whether the opcode looks at the flag to choose a source. */
const isChoice = (instruction: Instruction): boolean =>
  selects(instruction.opcode) || instruction.opcode.name === 'sel_int64';

/** Sets `lanes` for an instruction under the execution mask `active`. */
export function enable(lanes: Lanes, state: State, instruction: Instruction, active: Uint8Array): void {
  const { execSize, group, noMask, predicate } = instruction;
  lanes.doubt.fill(0);
  for (let c = 0; c < execSize; c++) {
    lanes.live[c] = active[(group + c) % CHANNELS];
    lanes.enabled[c] = noMask ? 1 : lanes.live[c];
  }
  if (predicate === undefined) return;
  const choice = isChoice(instruction);
  for (let c = 0; c < execSize; c++) {
    const { holds, unknown } = predicateAt(state, predicate, group + c);
    if (choice) {
      lanes.chosen[c] = holds ? 1 : 0;
      lanes.chosenUnknown[c] = unknown ? 1 : 0;
    } else if (lanes.enabled[c] !== 0) {
      if (unknown) lanes.doubt[c] = 1;
      else if (!holds) lanes.enabled[c] = 0;
    }
  }
}

const windows: Readonly<Record<PredicateMode, number>> = {
  normal: 1,
  x: 1,
  y: 1,
  z: 1,
  w: 1,
  any4h: 4,
  all4h: 4,
  any2h: 2,
  all2h: 2,
  any8h: 8,
  all8h: 8,
  any16h: 16,
  all16h: 16,
};

const replicated: Readonly<Partial<Record<PredicateMode, number>>> = { x: 0, y: 1, z: 2, w: 3 };

/** What a predicate says for a channel: one flag bit, a vertex's bit of one component, or any or all of a window. */
export function predicateAt(
  state: State,
  { flag, inverse, mode }: NonNullable<Instruction['predicate']>,
  channel: number,
): { readonly holds: boolean; readonly unknown: boolean } {
  const component = replicated[mode];
  const size = windows[mode];
  if (size === 1) {
    const c = component === undefined ? channel : (channel & ~3) + component;
    return { holds: (readFlag(state, flag, c) !== 0) !== inverse, unknown: isFlagUnknown(state, flag, c) };
  }
  const first = channel - (channel % size);
  let count = 0;
  let unknown = false;
  for (let c = first; c < first + size; c++) {
    count += readFlag(state, flag, c);
    unknown ||= isFlagUnknown(state, flag, c);
  }
  return { holds: (mode.startsWith('any') ? count > 0 : count === size) !== inverse, unknown };
}
