import { InstructionFlag, type Function } from '../../../ir/function.js';
import { isLiveAt, type LiveRanges } from '../../../passes/live-ranges.js';
import type { Problem } from '../../../text/problem.js';
import { count } from '../../../text/words.js';
import { instructionSpan } from '../../spill-places.js';
import { machine } from '../architectures.js';
import { GENERAL } from '../code/code.js';
import type { Advised } from './advised.js';

/**
 * Values that live across a call. A call that ptxas does not inline follows the calling convention: the kernel has at
 * least 24 registers, what the callee may overwrite cannot hold a value across the call, and what it must preserve it
 * stores first (16 + 4k bytes for k values, under no pressure at all; measured with ptxas 13.0).
 */
export interface CallCrossing {
  readonly instruction: number;
  /** 32-bit registers, and the values in them. */
  readonly units: number;
  readonly registers: readonly number[];
}

/** Fewer registers across a call than this cost nothing to speak of: the floor of 24 has room for them. */
const MANY = 4;
const MOST_CALLS = 20;

export function crossingAt(f: Function, ranges: LiveRanges, instruction: number): CallCrossing {
  const registers: number[] = [];
  let units = 0;
  for (let r = 0; r < f.registerCount; r++) {
    if (f.registerClass[r] !== GENERAL || isWritten(f, instruction, r)) continue;
    if (!isLiveAt(ranges, r, 2 * instruction) || !isLiveAt(ranges, r, 2 * instruction + 1)) continue;
    registers.push(r);
    units += f.registerWidth[r];
  }
  return { instruction, units, registers };
}

function isWritten(f: Function, i: number, register: number): boolean {
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
    if (f.operandPlace[o] === register && (f.operandFlags[o] & 2) !== 0) return true;
  return false;
}

/** Calls of the source that are calls of the machine code too: not inlined, not dead. */
export function realCalls({ source: f, code }: Advised): number[] {
  const kept = new Set<number>();
  for (let i = 0; i < code.f.instructionCount; i++)
    if ((code.f.instructionFlags[i] & InstructionFlag.Call) !== 0) kept.add(code.origin[i]);
  const calls: number[] = [];
  for (let i = 0; i < f.instructionCount; i++) if (kept.has(i)) calls.push(i);
  return calls;
}

export function callProblems(c: Advised): Problem[] {
  const f = c.source;
  return realCalls(c)
    .slice(0, MOST_CALLS)
    .map((i) => crossingAt(f, c.liveRanges, i))
    .filter(({ units }) => units >= MANY)
    .map((crossing): Problem => ({
      code: 'pressure/call',
      severity: 'hint',
      span: instructionSpan(f, crossing.instruction),
      message: `${crossingInWords(f, crossing)}: the callee must preserve the registers that hold them, and a kernel with a call has at least ${machine.callFloor} (${c.model})`,
    }));
}

const MOST_NAMES = 6;

export function crossingInWords(f: Function, { units, registers }: CallCrossing): string {
  if (units === 0) return 'nothing lives across this call';
  const names = registers.slice(0, MOST_NAMES).map((r) => f.registerNames[r]);
  const more = registers.length - names.length;
  return `${count(units, '32-bit register')} of values live across this call: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
