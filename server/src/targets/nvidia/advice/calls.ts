import type { Function } from '../../../ir/function.js';
import { isLiveAt, type LiveRanges } from '../../../passes/live-ranges.js';
import type { Problem } from '../../../text/problem.js';
import { count } from '../../../text/words.js';
import { instructionSpan } from '../../spill-places.js';
import { machine } from '../architectures.js';
import { callsByConvention, registersKeeping } from '../code/calls/convention.js';
import { keptAcross } from '../code/calls/kept.js';
import { GENERAL } from '../code/code.js';
import type { Advised } from './advised.js';

/**
 * Values that live across a call. ptxas inlines nothing. A function of the module has its registers beside those of
 * its callers. One that lies elsewhere, calls itself or is called through an address follows the calling convention:
 * the kernel has at least 24 registers, what the callee may overwrite cannot hold a value across the call, and what
 * it must preserve it stores first (16 + 4k bytes for k values, under no pressure at all; measured with ptxas 13.0).
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

/** Calls of the source that follow the calling convention in the machine code, with their number there. */
function conventionCalls({ code }: Advised): [written: number, compiled: number][] {
  const calls = new Map<number, number>();
  for (let i = 0; i < code.f.instructionCount && calls.size < MOST_CALLS; i++)
    if (callsByConvention(code.f, i)) calls.set(code.origin[i], i);
  return [...calls].sort(([a], [b]) => a - b);
}

export function callProblems(c: Advised): Problem[] {
  const f = c.source;
  return conventionCalls(c)
    .map(([written, compiled]) => ({ compiled, crossing: crossingAt(f, c.liveRanges, written) }))
    .filter(({ crossing }) => crossing.units >= MANY)
    .map(({ crossing, compiled }): Problem => ({
      code: 'pressure/call',
      severity: 'hint',
      span: instructionSpan(f, crossing.instruction),
      message: `${crossingInWords(f, crossing)}; ${keepingInWords(c, compiled)} (${c.model})`,
    }));
}

/** As compiled: what is computed again behind the call need not be kept. */
function keepingInWords({ code }: Advised, i: number): string {
  const kept = keptAcross(code.f, i);
  const least = Math.max(machine.callFloor, registersKeeping(kept) + machine.stackPointer);
  return `${kept} of them must be in registers that the callee preserves, for which a kernel has at least ${least}`;
}

const MOST_NAMES = 6;

export function crossingInWords(f: Function, { units, registers }: CallCrossing): string {
  if (units === 0) return 'nothing lives across this call';
  const names = registers.slice(0, MOST_NAMES).map((r) => f.registerNames[r]);
  const more = registers.length - names.length;
  return `${count(units, '32-bit register')} of values live across this call: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
