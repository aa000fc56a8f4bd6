import { OperandFlag } from '../../../ir/function.js';
import { componentOf, Space, spaceOf, vectorOf } from '../../../ir/payload.js';
import { isPhysical, isVirtual, NoRegister, type Place } from '../../../ir/place.js';
import { isReachable, type Cfg } from '../../../passes/cfg.js';
import { ClassNumber } from '../classes.js';
import { operandEnd, type Blocks, type Code } from './code.js';

/**
 * Which reads of registers and temporaries may come before a write. Forward data flow over the blocks, 32 registers at a time: in
 * one sweep "written on every path" (and-joined) and "written on some path" (or-joined). Blocks are visited in
 * reverse post-order until nothing changes, which for reducible graphs takes one round more than loops are nested.
 */
export interface RegisterFlow {
  /** Operands that read a register which no path to them writes. */
  readonly never: readonly number[];
  /** Operands that read a register which some paths to them write, and others do not. */
  readonly sometimes: readonly number[];
}

/** Registers of one batch. */
const BATCH = 32;

export function registerFlow(code: Code, blocks: Blocks, cfg: Cfg): RegisterFlow {
  const accesses = accessesOf(code);
  const never: number[] = [];
  const sometimes: number[] = [];
  for (let first = 0; first < accesses.count; first += BATCH)
    batch(blocks, cfg, accesses, first, never, sometimes);
  const ascending = (a: number, b: number): number => a - b;
  return { never: never.sort(ascending), sometimes: sometimes.sort(ascending) };
}

/** Operands that touch registers, by register: `operands[start[r] .. start[r + 1]]`, in the order of execution. */
interface Accesses {
  readonly count: number;
  readonly start: Int32Array;
  readonly operands: Int32Array;
  /** The instruction of each of `operands`. */
  readonly instructions: Int32Array;
  /** 1 for an operand that is written. */
  readonly writes: Uint8Array;
}

function accessesOf(code: Code): Accesses {
  const numbers = new Map<number, number>();
  const found: number[] = [];
  const take = (i: number, isWrite: boolean): void => {
    for (let o = code.operandStart.at(i); o < operandEnd(code, i); o++) {
      const key = keyOf(code, o);
      if (key === NONE || isWrite !== isWritten(code, i, o)) continue;
      let number = numbers.get(key);
      if (number === undefined) numbers.set(key, (number = numbers.size));
      found.push(number, o, i, isWrite ? 1 : 0);
    }
  };
  for (let i = 0; i < code.nodes.length; i++) {
    // `st_reg @r, @r` reads before it writes
    take(i, false);
    take(i, true);
  }
  const count = numbers.size;
  const start = new Int32Array(count + 1);
  for (let k = 0; k < found.length; k += 4) start[found[k] + 1]++;
  for (let r = 0; r < count; r++) start[r + 1] += start[r];
  const fill = start.slice(0, count);
  const operands = new Int32Array(found.length / 4);
  const instructions = new Int32Array(found.length / 4);
  const writes = new Uint8Array(found.length / 4);
  for (let k = 0; k < found.length; k += 4) {
    const at = fill[found[k]]++;
    operands[at] = found[k + 1];
    instructions[at] = found[k + 2];
    writes[at] = found[k + 3];
  }
  return { count, start, operands, instructions, writes };
}

const NONE = 0x7fff_ffff;
/** Below every place. */
const TEMPORARIES = -0x8000_0000;

/** A virtual or physical register by its place, a component of a temporary by its number; `NONE` for anything else. */
function keyOf(code: Code, operand: number): number {
  const place = code.place.at(operand) as Place;
  if (isVirtual(place)) return code.registerClasses.at(place) === ClassNumber.Register ? place : NONE;
  if (isPhysical(place)) return place;
  const payload = code.payload.at(operand);
  if (place !== NoRegister.Symbol || spaceOf(payload) !== Space.Temporary) return NONE;
  return TEMPORARIES + 4 * vectorOf(payload) + componentOf(payload);
}

function isWritten(code: Code, i: number, operand: number): boolean {
  if (code.operandFlags.at(operand) === OperandFlag.Definition) return true;
  const node = code.nodes[i];
  return node.kind === 'instruction' && node.opcode.text === 'st_tmp' && operand === code.operandStart.at(i);
}

function batch(
  blocks: Blocks,
  cfg: Cfg,
  accesses: Accesses,
  first: number,
  never: number[],
  sometimes: number[],
): void {
  const last = Math.min(first + BATCH, accesses.count);
  const { blockCount } = blocks;
  const writes = new Int32Array(blockCount);
  /** Reads with no write before them in their block. */
  const exposed: { operand: number; block: number; bit: number }[] = [];
  for (let r = first; r < last; r++) {
    const bit = 1 << (r - first);
    for (let k = accesses.start[r]; k < accesses.start[r + 1]; k++) {
      const block = blocks.blockAt[accesses.instructions[k]];
      if (accesses.writes[k] === 1) writes[block] |= bit;
      else if ((writes[block] & bit) === 0) exposed.push({ operand: accesses.operands[k], block, bit });
    }
  }
  if (exposed.length === 0) return;
  const { always, ever } = solve(writes, cfg);
  for (const { operand, block, bit } of exposed) {
    if (!isReachable(cfg, block)) continue;
    if ((ever[block] & bit) === 0) never.push(operand);
    else if ((always[block] & bit) === 0) sometimes.push(operand);
  }
}

/** At each block's start: the registers that every path, and that some path, has written. */
function solve(writes: Int32Array, cfg: Cfg): { readonly always: Int32Array; readonly ever: Int32Array } {
  const { order, predecessorStart, predecessors } = cfg;
  const always = new Int32Array(writes.length).fill(-1);
  const ever = new Int32Array(writes.length);
  for (let hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (let k = 0; k < order.length; k++) {
      const block = order[k];
      let all = k === 0 ? 0 : -1;
      let some = 0;
      for (let e = predecessorStart[block]; e < predecessorStart[block + 1]; e++) {
        const from = predecessors[e];
        if (!isReachable(cfg, from)) continue;
        all &= always[from] | writes[from];
        some |= ever[from] | writes[from];
      }
      if (all === always[block] && some === ever[block]) continue;
      always[block] = all;
      ever[block] = some;
      hasChanged = true;
    }
  }
  return { always, ever };
}
