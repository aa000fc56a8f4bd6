import type { Function, RegisterClass } from '../../../ir/function.js';
import type { Callees } from './calls/callees.js';
import type { Launchable } from '../limits.js';

/**
 * The program that ptxas would allocate: the source after its optimisations, again as an `ir` function, so that every
 * pass of `passes/` works on it. Each mechanism of ptxas that is modelled is one pass from `MachineCode` to
 * `MachineCode` (`pipeline.ts` lists them in order).
 *
 * What an instruction computes is said by the source instructions that it executes: instructions that were folded
 * into it (an address, a negation, a conversion) first, the one that names the opcode last. Registers between them
 * exist nowhere else. Operands are what the hardware's instruction reads and writes. So the code stays executable
 * (`execute.ts` runs it beside the source), however it was copied, moved and folded.
 */
export interface MachineCode {
  /** The function whose instructions are executed. */
  readonly source: Function;
  /** Register classes: `machineClasses`. Opcodes are the source's, in the source's table. */
  readonly f: Function;
  /** By instruction of `f`: the instruction of the source that it stands for, -1 for one without (a copy at an edge). */
  readonly origin: Int32Array;
  /**
   * Source instructions that instruction i executes, in order: `executes[executesStart[i] .. executesStart[i + 1]]`.
   * A branch before the last place decides whether the rest runs: where it is not taken; as `~branch`, where it is
   * taken.
   */
  readonly executesStart: Int32Array;
  readonly executes: Int32Array;
  /** By register of `f`: the source register whose value it holds, -1 for a temporary of the machine's own. */
  readonly registerOrigin: Int32Array;
  /**
   * Temporaries that an instruction needs while it runs, in 32-bit registers (a division in software): by
   * instruction. Counted into the pressure during it.
   */
  readonly temporaries: Uint8Array;
}

/** `code` with some of its tables exchanged. As with `functionWith`, all code is made here and is of one shape. */
export const codeWith = (code: MachineCode, changes: Partial<MachineCode>): MachineCode => ({
  source: code.source,
  f: changes.f ?? code.f,
  origin: changes.origin ?? code.origin,
  executesStart: changes.executesStart ?? code.executesStart,
  executes: changes.executes ?? code.executes,
  registerOrigin: changes.registerOrigin ?? code.registerOrigin,
  temporaries: changes.temporaries ?? code.temporaries,
});

/** Numbers of the register classes in `machineClasses`. */
export const GENERAL = 0;
export const PREDICATE = 1;
/** One value for the whole warp, in a file of 63 registers of its own (sm_75 and newer). */
export const UNIFORM = 2;

export const machineClasses: readonly RegisterClass[] = [
  { name: 'general', unit: '32-bit register' },
  { name: 'predicate', unit: 'predicate register' },
  { name: 'uniform', unit: 'uniform register' },
];

/** Names of physical registers, by class: R0, P0, UR0. */
export const registerPrefixes: readonly string[] = ['R', 'P', 'UR'];

/** What of ptxas is modelled, each to be left out for comparison (docs/ptx-accuracy.md has what each is worth). */
export const mechanisms = [
  'deadCode',
  'recompute',
  'fold',
  'sequences',
  'uniform',
  'unroll',
  'predicate',
  'fragments',
  'schedule',
  'looseAllocation',
  'calls',
] as const;
export type Mechanism = (typeof mechanisms)[number];

/** What a pass may ask whose result machines share (`shared.ts`): it asks only where the answer matters. */
export interface Modelled {
  /** Whether a mechanism is modelled; all are unless somebody compares. */
  has(mechanism: Mechanism): boolean;
  /** Whether the machine has that compute capability, such as 90 for sm_90, or a higher one. */
  isSince(capability: number): boolean;
}

/** What a pass sees beside the code. */
export interface CodeContext extends Modelled {
  readonly launchable: Launchable;
  /** The function of that name that the module defines, if it is known. */
  callee(name: string): Function | undefined;
  /** What the functions need that this one calls. */
  readonly callees: Callees;
  /** Registers that the callers of this function hold while it runs; 0 in a kernel. */
  readonly held: number;
}

/** A mechanism: equal code out for equal code in, nothing kept between calls. It may return the code that it was given. */
export type Pass = (code: MachineCode, context: CodeContext) => MachineCode;

/** A mechanism that does the same on all machines that answer its questions alike. */
export type CommonPass = (code: MachineCode, context: Modelled) => MachineCode;
