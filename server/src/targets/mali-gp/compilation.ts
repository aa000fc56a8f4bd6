import type { LiveRanges } from '../../passes/live-ranges.js';
import type { Compilation } from '../target.js';
import type { BlockBound } from './bound.js';
import type { Parts } from './compile.js';
import type { BlockTask, Program } from './graph.js';
import type { Sites } from './sites.js';
import type { KeptValue } from './spills.js';
import type { BlockSchedule, CompiledProgram } from './word.js';

/** A block with its words, and how few it could have. */
export interface ScheduledBlock {
  readonly task: BlockTask;
  readonly schedule: BlockSchedule;
  /** Number of its first word in the program. */
  readonly start: number;
  readonly bound: BlockBound;
}

/** The bypass network and the register file after each word. */
export interface Occupancy {
  /** Results that a later word still reads; at most 11. */
  readonly values: Uint8Array;
  /** Register components that hold a value which is still wanted. */
  readonly registers: Uint8Array;
}

/** What the geometry processor makes of a program. */
export interface GpCompilation extends Compilation {
  /** The program as it was scheduled: values and stores by block. */
  readonly graph: Program;
  /** In the order of `graph.blocks`. */
  readonly blocks: readonly ScheduledBlock[];
  readonly code: CompiledProgram;
  readonly sites: Sites;
  readonly occupancy: Occupancy;
  readonly liveRanges: LiveRanges;
  /** Values that the scheduler keeps in registers; part of `spills`. */
  readonly kept: readonly KeptValue[];
  readonly parts: Parts;
}

/** Results that the bypass network holds at once: 6 of the last word and 5 of the one before. */
export const NETWORK_VALUES = 11;

export const machineName = 'mali-400';
