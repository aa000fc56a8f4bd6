import type { Lane } from './lane.js';
import type { Prepared } from './prepare.js';

/** Why a grid stopped before its end, and where. */
export interface Fault {
  /** `limit`: more steps than allowed; `deadlock`: nobody can go on; `trap`: the program asked for it. */
  readonly kind: 'fault' | 'trap' | 'limit' | 'deadlock';
  readonly message: string;
  readonly place: FaultPlace | undefined;
}

export interface FaultPlace {
  readonly function: string;
  /** Number in the lowered function, and the offset of its text in the unit. */
  readonly instruction: number;
  readonly offset: number;
  readonly opcode: string;
  readonly block: readonly [number, number, number];
  readonly thread: readonly [number, number, number];
}

/** Ends the run. Caught in `runGrid`. */
export class Stop extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

export function placeOfFault(code: Prepared, instruction: number, lane: Lane): FaultPlace {
  return {
    function: code.name,
    instruction,
    offset: instruction < code.source.instructionCount ? code.source.spanStart[instruction] : -1,
    opcode: code.steps[instruction]?.d.text ?? 'the end of the function',
    block: lane.cta.position,
    thread: lane.position,
  };
}

const triple = (at: readonly number[]): string => `(${at.join(', ')})`;

export const describePlace = (p: FaultPlace): string =>
  `${p.function}, instruction ${p.instruction} (${p.opcode}), block ${triple(p.block)}, thread ${triple(p.thread)}`;

export const describeFault = (f: Fault): string =>
  f.place === undefined ? f.message : `${f.message}; at ${describePlace(f.place)}`;
