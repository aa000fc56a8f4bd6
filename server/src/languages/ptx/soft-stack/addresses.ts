import { OperandFlag, type Function } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';
import { RegisterClassNumber } from '../types.js';
import { ruleOf, type Rule } from './rules.js';

/**
 * Which operands hold addresses of the local window. A byte of `.local` memory has two addresses: its offset in the
 * thread's window, which `ld.local` takes, and a generic one, which `cvta.local` makes of the first. Moving a frame
 * gives every byte one generic address, so each value that was a window address becomes a generic one, and what is
 * computed from it must come to the same byte: copies, distances added and subtracted, selections, alignments.
 */
export const enum Value {
  /** An address of the local window. */
  Window = 1,
  /** Anything else. */
  Other = 2,
  /** With `Other`: made by `cvta.local` of a window address. */
  Generic = 4,
}

export interface Addresses {
  /** By instruction. */
  readonly rules: readonly Rule[];
  /** Bits of `Value` by operand number; 0 where nothing is known, as of a register that is never written. */
  readonly value: Uint8Array;
}

/** `isWindow(operand)` says which symbols are `.local` variables. Nearly linear in the instructions. */
export function addressesOf(
  f: Function,
  reaching: ReachingDefinitions,
  isWindow: (operand: number) => boolean,
): Addresses {
  const operands = f.operandStart[f.instructionCount];
  const rules = rulesOf(f);
  const instructionOf = instructionByOperand(f);
  const nodes = reaching.definition.length;
  const nodeValue = new Uint8Array(nodes);
  const valueOf = (operand: number): number => {
    const node = reaching.nodeOfUse[operand];
    if (node >= 0) return nodeValue[node];
    if (isWindow(operand)) return Value.Window;
    return Value.Other;
  };
  const evaluate = (node: number): number => {
    let value = 0;
    for (let k = reaching.inputStart[node]; k < reaching.inputStart[node + 1]; k++)
      value |= nodeValue[reaching.inputs[k]];
    const definition = reaching.definition[node];
    if (definition < 0) return value;
    const i = instructionOf[definition];
    return value | resultOf(f, i, rules[i], valueOf);
  };
  const { start, dependent } = dependents(f, reaching, instructionOf);
  const pending: number[] = [];
  const isPending = new Uint8Array(nodes).fill(1);
  for (let n = nodes - 1; n >= 0; n--) pending.push(n);
  while (pending.length > 0) {
    const node = pending.pop()!;
    isPending[node] = 0;
    const value = nodeValue[node] | evaluate(node);
    if (value === nodeValue[node]) continue;
    nodeValue[node] = value;
    for (let k = start[node]; k < start[node + 1]; k++) {
      if (isPending[dependent[k]] === 1) continue;
      isPending[dependent[k]] = 1;
      pending.push(dependent[k]);
    }
  }
  const value = new Uint8Array(operands);
  for (let o = 0; o < operands; o++) {
    const defined = reaching.nodeOfDefinition[o];
    if ((f.operandFlags[o] & OperandFlag.Use) !== 0)
      value[o] = f.operandPlace[o] >= 0 && reaching.nodeOfUse[o] < 0 ? 0 : valueOf(o);
    else if (defined >= 0) {
      const i = instructionOf[o];
      value[o] = resultOf(f, i, rules[i], valueOf);
    }
  }
  return { rules, value };
}

function rulesOf(f: Function): Rule[] {
  const known = new Map<number, Rule>();
  const rules: Rule[] = [];
  for (let i = 0; i < f.instructionCount; i++) {
    let rule = known.get(f.opcode[i]);
    if (rule === undefined) known.set(f.opcode[i], (rule = ruleOf(f.opcodes.text(f.opcode[i]))));
    rules.push(rule);
  }
  return rules;
}

function instructionByOperand(f: Function): Int32Array {
  const found = new Int32Array(f.operandStart[f.instructionCount]);
  for (let i = 0; i < f.instructionCount; i++) found.fill(i, f.operandStart[i], f.operandStart[i + 1]);
  return found;
}

/** Data that an instruction reads: no guard, no address, no predicate. */
export const isData = (f: Function, operand: number): boolean =>
  (f.operandFlags[operand] & (OperandFlag.Use | OperandFlag.Guard | OperandFlag.Address)) ===
    OperandFlag.Use && !isPredicate(f, operand);

const isPredicate = (f: Function, operand: number): boolean =>
  f.operandPlace[operand] >= 0 && f.registerClass[f.operandPlace[operand]] === PREDICATE;

const PREDICATE: number = RegisterClassNumber.Predicate;

/** The number that an operand is, if it is one. */
export function immediateOf(f: Function, operand: number): bigint | undefined {
  if (f.operandPlace[operand] !== (NoRegister.Immediate as number)) return undefined;
  const text = f.operandTexts?.text(f.operandPayload?.[operand] ?? 0) ?? '';
  return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** What the results of instruction `i` are, 0 while too little is known of what it reads. */
function resultOf(f: Function, i: number, rule: Rule, valueOf: (operand: number) => number): number {
  if (rule === 'allocate' || rule === 'save' || rule === 'to-local') return Value.Window;
  if (rule === 'to-generic') return Value.Other | Value.Generic;
  if (rule === 'none' || rule === 'compare' || rule === 'access') return Value.Other;
  let union = 0;
  let windows = 0;
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
    if (!isData(f, k)) continue;
    if (f.operandPlace[k] === (NoRegister.Immediate as number) && rule === 'copy') continue;
    const value = valueOf(k);
    if (value === 0) return 0;
    // the low bits of an address
    if (rule === 'align' && (immediateOf(f, k) ?? -1n) >= 0n) return Value.Other;
    union |= value;
    if ((value & Value.Window) !== 0) windows++;
    if ((value & Value.Window) !== 0 && (value & Value.Other) === 0 && rule !== 'select')
      union |= ONLY_WINDOW;
  }
  if (union === 0) return Value.Other;
  if (rule === 'select' || rule === 'copy') return union & ~ONLY_WINDOW;
  if (windows === 0) return union;
  if (windows === 2 && rule === 'subtract') return Value.Other;
  // a window address and a distance
  const isCertain = (union & ONLY_WINDOW) !== 0;
  return Value.Window | (isCertain ? 0 : Value.Other);
}

/** Some operand is a window address whatever the path. */
const ONLY_WINDOW = 8;

/** For each node the nodes whose value may change with it. */
function dependents(
  f: Function,
  reaching: ReachingDefinitions,
  instructionOf: Int32Array,
): { start: Int32Array; dependent: Int32Array } {
  const nodes = reaching.definition.length;
  const start = new Int32Array(nodes + 1);
  const visit = (add: (from: number, to: number) => void): void => {
    for (let n = 0; n < nodes; n++) {
      for (let k = reaching.inputStart[n]; k < reaching.inputStart[n + 1]; k++) add(reaching.inputs[k], n);
      const definition = reaching.definition[n];
      if (definition < 0) continue;
      const i = instructionOf[definition];
      for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
        if (isData(f, k) && reaching.nodeOfUse[k] >= 0) add(reaching.nodeOfUse[k], n);
    }
  };
  visit((from) => start[from + 1]++);
  for (let n = 0; n < nodes; n++) start[n + 1] += start[n];
  const dependent = new Int32Array(start[nodes]);
  const fill = start.slice(0, nodes);
  visit((from, to) => (dependent[fill[from]++] = to));
  return { start, dependent };
}
