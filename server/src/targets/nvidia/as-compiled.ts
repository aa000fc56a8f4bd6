import { CodeKind } from '../../ir/allocated.js';
import type { Function } from '../../ir/function.js';
import type { Allocation } from '../../passes/allocate.js';
import { isLiveAt } from '../../passes/live-ranges.js';
import { count } from '../../text/words.js';
import type { Pressure, Stall } from '../target.js';
import { analysisOf } from './code/analysis.js';
import { GENERAL, type MachineCode } from './code/code.js';
import type { MachineStall } from './stalls.js';

/** What was found out about machine code, told in terms of the source's instructions and registers. */

/** For each machine instruction the source instruction that it is told as: its own, or that of its nearest neighbour. */
export function toldAs({ f, origin }: MachineCode): Int32Array {
  const told = new Int32Array(f.instructionCount);
  let behind = -1;
  for (let i = f.instructionCount - 1; i >= 0; i--) {
    if (origin[i] >= 0) behind = origin[i];
    told[i] = behind;
  }
  let before = -1;
  for (let i = 0; i < f.instructionCount; i++) {
    if (told[i] < 0) told[i] = before;
    else before = told[i];
  }
  return told;
}

/** Units live at each machine instruction: after spilling where there was any, temporaries of sequences included. */
export interface MachinePressure {
  readonly after: readonly Uint16Array[];
  readonly during: readonly Uint16Array[];
  /** By class, and the machine instruction where that is, -1 in an empty function. */
  readonly peak: readonly number[];
  readonly peakAt: readonly number[];
}

/** Of the allocated code where there is an allocation, else of the code as if every value found a place. */
export function machinePressure(code: MachineCode, allocation: Allocation | undefined): MachinePressure {
  const { f, temporaries } = code;
  const { after, during } = allocation ?? analysisOf(f).pressure;
  const peak = f.classes.map(() => 0);
  const peakAt: number[] = f.classes.map(() => (f.instructionCount > 0 ? 0 : -1));
  const withTemporaries = during.map((counts, c) => {
    const all = c === GENERAL && temporaries.some((n) => n > 0) ? counts.slice() : counts;
    for (let i = 0; i < all.length; i++) {
      if (all !== counts) all[i] += temporaries[i];
      if (all[i] <= peak[c]) continue;
      peak[c] = all[i];
      peakAt[c] = i;
    }
    return all;
  });
  return { after, during: withTemporaries, peak, peakAt };
}

/**
 * The same by source instruction. One that was copied has the most of its copies; one that was folded into another,
 * what that one has; one that is gone, what the instruction before it has.
 */
export function pressureInSource(source: Function, code: MachineCode, machine: MachinePressure): Pressure {
  const host = new Int32Array(source.instructionCount).fill(-1);
  const { origin, executesStart, executes } = code;
  for (let i = 0; i < code.f.instructionCount; i++)
    for (let k = executesStart[i]; k < executesStart[i + 1]; k++) {
      const executed = executes[k];
      if (executed >= 0 && executed < host.length && host[executed] < 0) host[executed] = i;
    }
  const spread = (counts: Uint16Array): Uint16Array => {
    const own = new Uint16Array(source.instructionCount);
    const isKnown = new Uint8Array(source.instructionCount);
    for (let i = 0; i < counts.length; i++) {
      const at = origin[i];
      if (at < 0) continue;
      own[at] = Math.max(own[at], counts[i]);
      isKnown[at] = 1;
    }
    for (let s = 0; s < own.length; s++) {
      if (isKnown[s] !== 0) continue;
      if (host[s] >= 0) own[s] = counts[host[s]];
      else if (s > 0) own[s] = own[s - 1];
    }
    return own;
  };
  const told = toldAs(code);
  return {
    after: machine.after.map(spread),
    during: machine.during.map(spread),
    peak: machine.peak,
    peakAt: machine.peakAt.map((i) => (i < 0 ? -1 : told[i])),
  };
}

/**
 * Source registers of the general class whose values are held while `instruction` executes as compiled: where most are
 * live among its copies. Undefined where it executes nowhere.
 */
export function heldInSource(
  code: MachineCode,
  isRemoved: (machineRegister: number) => boolean,
  instruction: number,
): number[] | undefined {
  const { f, origin, registerOrigin } = code;
  const { ranges, pressure } = analysisOf(f);
  let at = -1;
  for (let i = 0; i < f.instructionCount; i++)
    if (origin[i] === instruction && (at < 0 || pressure.during[GENERAL][i] > pressure.during[GENERAL][at]))
      at = i;
  if (at < 0) return undefined;
  const touched = new Set(f.operandPlace.subarray(f.operandStart[at], f.operandStart[at + 1]));
  const held = new Set<number>();
  for (let r = 0; r < f.registerCount; r++) {
    if (f.registerClass[r] !== GENERAL || registerOrigin[r] < 0) continue;
    if (isRemoved(r) && !touched.has(r)) continue;
    if (isLiveAt(ranges, r, 2 * at) || isLiveAt(ranges, r, 2 * at + 1)) held.add(registerOrigin[r]);
  }
  return [...held].sort((a, b) => a - b);
}

/**
 * One stall for each source instruction that waits, in the order of the code: reloads and the instruction that they
 * are for are one, and of copies the longest wait counts.
 */
export function stallsInSource(
  code: MachineCode,
  /** By piece of the timed code: the machine instruction that it executes or stands for. */
  instructionOf: Int32Array,
  stalls: readonly MachineStall[],
): Stall[] {
  const told = toldAs(code);
  const { registerOrigin } = code;
  const byInstruction: MachineStall[] = [];
  for (const stall of stalls) {
    const previous = byInstruction.at(-1);
    if (previous === undefined || instructionOf[previous.at] !== instructionOf[stall.at]) {
      byInstruction.push(stall);
      continue;
    }
    const longer = previous.cycles >= stall.cycles ? previous : stall;
    byInstruction[byInstruction.length - 1] = { ...longer, cycles: previous.cycles + stall.cycles };
  }
  const waits = new Map<number, { longest: MachineStall; copies: number }>();
  for (const stall of byInstruction) {
    const at = told[instructionOf[stall.at]];
    if (at < 0) continue;
    const known = waits.get(at);
    if (known === undefined) waits.set(at, { longest: stall, copies: 1 });
    else {
      known.copies++;
      if (stall.cycles > known.longest.cycles) known.longest = stall;
    }
  }
  return [...waits].map(([instruction, { longest, copies }]) => {
    return {
      instruction,
      cycles: longest.cycles,
      producer: longest.producer < 0 ? -1 : told[instructionOf[longest.producer]],
      register: longest.register < 0 ? -1 : registerOrigin[longest.register],
      cause: copies === 1 ? longest.cause : `${longest.cause}; the longest of ${count(copies, 'wait')} here`,
    };
  });
}

/** Source instructions that no machine instruction executes, and those that only others execute. */
export function countFolded(
  source: Function,
  { f, origin, executes }: MachineCode,
): {
  readonly dead: number;
  readonly folded: number;
} {
  const seen = new Uint8Array(source.instructionCount);
  for (let k = 0; k < executes.length; k++) {
    const executed = executes[k] < 0 ? ~executes[k] : executes[k];
    if (executed < seen.length) seen[executed] |= 1;
  }
  for (let i = 0; i < f.instructionCount; i++) if (origin[i] >= 0) seen[origin[i]] |= 2;
  let dead = 0;
  let folded = 0;
  for (const bits of seen) {
    if (bits === 0) dead++;
    else if (bits === 1) folded++;
  }
  return { dead, folded };
}

/** Machine instructions that are left in an allocated program, spill code included. */
export const isExecuted = (kind: number): boolean => kind !== (CodeKind.Elided as number);
