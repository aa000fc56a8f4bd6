import { InstructionFlag, OperandFlag, type Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { isLiveAt } from '../../../../passes/live-ranges.js';
import { isDefinition, isUse } from '../../../../passes/occurrences.js';
import { analysisOf } from '../analysis.js';
import type { CommonPass, MachineCode } from '../code.js';
import { CodeWriter } from '../writer.js';
import { isCall } from './sites.js';

/**
 * No value is kept across a call that can be made again from numbers, symbols and kernel parameters in a few
 * instructions: ptxas 13.0 makes it again where it is next used (addresses of local arrays, base addresses, numbers that an
 * instruction has no field for). Special registers are kept: reading them takes long.
 */
export const recomputeAcrossCalls: CommonPass = (code) => {
  const { f } = code;
  const calls: number[] = [];
  for (let i = 0; i < f.instructionCount; i++) if (isCall(f, i)) calls.push(i);
  if (calls.length === 0) return code;
  const depth = recomputable(f);
  const { ranges } = analysisOf(f);
  const isAgain = new Uint8Array(f.registerCount);
  let found = false;
  for (let r = 0; r < f.registerCount; r++) {
    if (depth[r] === 0) continue;
    for (const i of calls.slice(0, MOST_CALLS))
      if (isLiveAt(ranges, r, 2 * i) && isLiveAt(ranges, r, 2 * i + 2)) {
        isAgain[r] = 1;
        found = true;
        break;
      }
  }
  return found ? rewritten(code, depth, isAgain) : code;
};

/** Calls that are looked at: most of what is kept across a later one is kept across one of these. */
const MOST_CALLS = 64;

/** The longest chain of instructions that is worth it. */
const MOST_DEPTH = 3;

/** By register: instructions in a row that make its value from constants, 0 where it cannot be made so. */
function recomputable(f: Function): Uint8Array {
  const definitions = new Int32Array(f.registerCount).fill(-1);
  for (let i = 0; i < f.instructionCount; i++)
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r >= 0 && isDefinition(f, o)) definitions[r] = definitions[r] === -1 ? i : SEVERAL;
    }
  const depth = new Uint8Array(f.registerCount);
  for (let i = 0; i < f.instructionCount; i++) {
    const made = depthOf(f, i, depth);
    const r = f.operandPlace[f.operandStart[i]];
    if (made > 0 && made <= MOST_DEPTH && definitions[r] === i) depth[r] = made;
  }
  return depth;
}

const SEVERAL = -2;

const OBSTACLES =
  InstructionFlag.SideEffect |
  InstructionFlag.WritesMemory |
  InstructionFlag.ReadsMemory |
  InstructionFlag.Call |
  InstructionFlag.Branch |
  InstructionFlag.Return |
  InstructionFlag.Barrier |
  InstructionFlag.Entry;

/** One more than that of the deepest source; 0 for what is more than arithmetic on constants. */
function depthOf(f: Function, i: number, depth: Uint8Array): number {
  if ((f.instructionFlags[i] & OBSTACLES) !== 0) return 0;
  const first = f.operandStart[i];
  if (first === f.operandStart[i + 1] || f.operandPlace[first] < 0) return 0;
  if (f.operandFlags[first] !== (OperandFlag.Definition as number)) return 0;
  let deepest = 0;
  for (let o = first + 1; o < f.operandStart[i + 1]; o++) {
    const place = f.operandPlace[o];
    if (isDefinition(f, o)) return 0;
    if (place >= 0) {
      if (depth[place] === 0) return 0;
      deepest = Math.max(deepest, depth[place]);
    } else if (place !== (NoRegister.Immediate as number) && place !== (NoRegister.Symbol as number))
      return 0;
  }
  return deepest + 1;
}

/** Each stretch without calls gets its own copy of such a value, in front of the first use. */
function rewritten(code: MachineCode, depth: Uint8Array, isAgain: Uint8Array): MachineCode {
  const { f } = code;
  const writer = new CodeWriter(code);
  const definition = new Int32Array(f.registerCount).fill(-1);
  for (let i = 0; i < f.instructionCount; i++)
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (f.operandPlace[o] >= 0 && isDefinition(f, o)) definition[f.operandPlace[o]] = i;
  /** By register: the stretch in which `copy` holds it. */
  const stretchOf = new Int32Array(f.registerCount).fill(-1);
  const copy = new Int32Array(f.registerCount);
  let stretch = 0;
  const made = (r: number): number => {
    if (stretchOf[r] === stretch) return copy[r];
    const i = definition[r];
    // sources first: a chain has at most `MOST_DEPTH` links
    const sources = new Map<number, number>();
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const source = f.operandPlace[o];
      if (source >= 0 && isUse(f, o)) sources.set(source, depth[source] > 0 ? made(source) : source);
    }
    const fresh = writer.another(r);
    writer.copy(i, (register, o) => (isDefinition(f, o) ? fresh : (sources.get(register) ?? register)));
    stretchOf[r] = stretch;
    copy[r] = fresh;
    return fresh;
  };
  for (let b = 0; b < f.blockCount; b++) {
    writer.sameBlock(b);
    stretch++;
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      const o = f.operandStart[i];
      const defined = o < f.operandStart[i + 1] && isDefinition(f, o) ? f.operandPlace[o] : -1;
      if (defined >= 0 && isAgain[defined] === 1 && definition[defined] === i) continue;
      const places = new Map<number, number>();
      for (let k = o; k < f.operandStart[i + 1]; k++) {
        const r = f.operandPlace[k];
        if (r >= 0 && isAgain[r] === 1 && isUse(f, k)) places.set(r, made(r));
      }
      writer.copy(i, (register) => places.get(register) ?? register);
      if (isCall(f, i)) stretch++;
    }
  }
  return writer.finish();
}
