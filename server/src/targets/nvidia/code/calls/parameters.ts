import { InstructionFlag, type Function } from '../../../../ir/function.js';
import { isDefinition } from '../../../../passes/occurrences.js';
import type { CommonPass, MachineCode } from '../code.js';
import { CodeWriter } from '../writer.js';
import { isGuarded, operandText } from '../operands.js';
import { callSite, isCall, parameterAccess, parameterName, ParameterAccess } from './sites.js';

/**
 * Parameter memory exists in the text alone: arguments and results of a call are in registers. So the stores in
 * front of a call and the loads behind it become part of it: the call reads and writes their registers. In the same
 * way a function's return reads what was stored for the caller, and its parameters are defined at the entry, by a
 * pseudo-instruction that executes the loads.
 *
 * What cannot be seen to be such a load or store in the call's own block stays: its register is then live a little
 * too short.
 */
export const parameters: CommonPass = (code) => {
  const plan = planOf(code.f);
  return plan === undefined ? code : rewritten(code, plan);
};

/** The entry, for the lists of `Plan`. */
const ENTRY = -1;

interface Plan {
  /** By instruction: 1 when another one does its work. */
  readonly folded: Uint8Array;
  /** By call, return or `ENTRY`: what is done before and after it, in order. */
  readonly before: ReadonlyMap<number, readonly number[]>;
  readonly after: ReadonlyMap<number, readonly number[]>;
}

/** How far from a call its stores and loads are looked for. */
const WINDOW = 256;

function planOf(f: Function): Plan | undefined {
  const folded = new Uint8Array(f.instructionCount);
  const before = new Map<number, readonly number[]>();
  const after = new Map<number, readonly number[]>();
  const touched = new Int32Array(f.registerCount).fill(-1);
  const search = { f, folded, touched };
  for (let b = 0; b < f.blockCount; b++) {
    const [first, end] = [f.blockStart[b], f.blockStart[b + 1]];
    for (let i = first; i < end; i++) {
      const isReturn = (f.instructionFlags[i] & InstructionFlag.Return) !== 0;
      if (!isCall(f, i) && (f.isEntry || !isReturn)) continue;
      const stores = storesBefore(search, i, first);
      if (stores.length > 0) before.set(i, stores);
      const loads = isReturn ? [] : loadsAfter(search, i, end);
      if (loads.length > 0) after.set(i, loads);
    }
  }
  if (!f.isEntry) {
    const loads = entryLoads(search);
    if (loads.length > 0) after.set(ENTRY, loads);
  }
  return before.size + after.size > 0 ? { folded, before, after } : undefined;
}

interface Search {
  readonly f: Function;
  readonly folded: Uint8Array;
  /** By register: the last call, return or entry (-2) whose search met it. */
  readonly touched: Int32Array;
}

/** Stores to parameters that instruction `at` reads, in text order. */
function storesBefore({ f, folded, touched }: Search, at: number, first: number): number[] {
  const passed = isCall(f, at) ? passedNames(f, at) : undefined;
  const stores: number[] = [];
  for (let i = at - 1; i >= Math.max(first, at - WINDOW) && !isCall(f, i); i--) {
    const isOwn =
      parameterAccess(f, i) === ParameterAccess.Store &&
      !isGuarded(f, i) &&
      passed?.has(parameterName(f, i)) !== false;
    if (isOwn && keepsUses(f, i, touched, at)) {
      stores.push(i);
      folded[i] = 1;
    } else touchDefinitions(f, i, touched, at);
  }
  return stores.reverse();
}

/** Loads of the results of call `at`, in text order. */
function loadsAfter({ f, folded, touched }: Search, at: number, end: number): number[] {
  const results = resultNames(f, at);
  if (results.size === 0) return [];
  const loads: number[] = [];
  for (let i = at + 1; i < Math.min(end, at + WINDOW) && !isCall(f, i); i++) {
    const isOwn =
      parameterAccess(f, i) === ParameterAccess.Load && !isGuarded(f, i) && results.has(parameterName(f, i));
    if (isOwn && keepsDefinitions(f, i, touched, at)) {
      loads.push(i);
      folded[i] = 1;
    } else touchAll(f, i, touched, at);
  }
  return loads;
}

/** Loads of the function's own parameters in its first block, if nothing jumps back to it. */
function entryLoads({ f, folded, touched }: Search): number[] {
  if (f.instructionCount === 0 || f.successors.includes(0)) return [];
  // registers of the text's own come in already
  if ((f.instructionFlags[0] & InstructionFlag.Entry) !== 0) return [];
  const loads: number[] = [];
  const stamp = -2;
  for (let i = 0; i < f.blockStart[1]; i++) {
    if (isCall(f, i)) break;
    const isOwn = folded[i] === 0 && parameterAccess(f, i) === ParameterAccess.Load && !isGuarded(f, i);
    if (isOwn && parameterName(f, i) !== '' && keepsDefinitions(f, i, touched, stamp)) {
      loads.push(i);
      folded[i] = 1;
    } else touchAll(f, i, touched, stamp);
  }
  return loads;
}

/** The names behind the callee: what may be an argument. */
function passedNames(f: Function, call: number): Set<string> {
  const names = new Set<string>();
  const { calleeAt } = callSite(f, call);
  for (let o = calleeAt + 1; o < f.operandStart[call + 1]; o++) names.add(operandText(f, o));
  names.delete('');
  return names;
}

function resultNames(f: Function, call: number): Set<string> {
  const names = new Set<string>();
  for (let o = f.operandStart[call]; o < f.operandStart[call + 1] && isDefinition(f, o); o++)
    if (f.operandPlace[o] < 0) names.add(operandText(f, o));
  names.delete('');
  return names;
}

/** True when no register that `i` reads was written between it and the call. */
function keepsUses(f: Function, i: number, touched: Int32Array, stamp: number): boolean {
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
    const r = f.operandPlace[o];
    if (r >= 0 && touched[r] === stamp) return false;
  }
  return true;
}

/** True when no register that `i` writes was read or written between the call and it; and nothing else is read. */
function keepsDefinitions(f: Function, i: number, touched: Int32Array, stamp: number): boolean {
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
    const r = f.operandPlace[o];
    if (r >= 0 && (touched[r] === stamp || !isDefinition(f, o))) return false;
  }
  return true;
}

function touchDefinitions(f: Function, i: number, touched: Int32Array, stamp: number): void {
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
    if (f.operandPlace[o] >= 0 && isDefinition(f, o)) touched[f.operandPlace[o]] = stamp;
}

function touchAll(f: Function, i: number, touched: Int32Array, stamp: number): void {
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
    if (f.operandPlace[o] >= 0) touched[f.operandPlace[o]] = stamp;
}

const nothing: readonly number[] = [];

function rewritten(code: MachineCode, { folded, before, after }: Plan): MachineCode {
  const { f } = code;
  const writer = new CodeWriter(code);
  const registersOf = (i: number): void => {
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (f.operandPlace[o] >= 0) writer.operand(o, f.operandPlace[o]);
  };
  for (let b = 0; b < f.blockCount; b++) {
    writer.sameBlock(b);
    const received = b === 0 ? after.get(ENTRY) : undefined;
    if (received !== undefined) {
      const flags = InstructionFlag.Entry | InstructionFlag.SideEffect;
      writer.head(received[0], executedBy(code, received), flags, '.func');
      received.forEach(registersOf);
    }
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      if (folded[i] === 1) continue;
      const stores = before.get(i) ?? nothing;
      const loads = after.get(i) ?? nothing;
      if (stores.length + loads.length === 0) {
        writer.copy(i);
        continue;
      }
      writer.head(i, executedBy(code, [...stores, i, ...loads]));
      // results first, the guard last
      loads.forEach(registersOf);
      const last = f.operandStart[i + 1] - (isGuarded(f, i) ? 1 : 0);
      for (let o = f.operandStart[i]; o < last; o++) writer.operand(o, f.operandPlace[o]);
      stores.forEach(registersOf);
      for (let o = last; o < f.operandStart[i + 1]; o++) writer.operand(o, f.operandPlace[o]);
    }
  }
  return writer.finish();
}

function executedBy({ executesStart, executes }: MachineCode, instructions: readonly number[]): number[] {
  const all: number[] = [];
  for (const i of instructions)
    for (let k = executesStart[i]; k < executesStart[i + 1]; k++) all.push(executes[k]);
  return all;
}
