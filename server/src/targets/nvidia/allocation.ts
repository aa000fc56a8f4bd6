import type { Function } from '../../ir/function.js';
import { allocate, type Allocation } from '../../passes/allocate.js';
import { Removal } from '../../passes/spill-choice.js';
import { reallocationOf } from './advice/setmaxnreg.js';
import { machine } from './architectures.js';
import { classify } from './classify.js';
import { generalPeak } from './code/analysis.js';
import { GENERAL, PREDICATE, UNIFORM, type MachineCode } from './code/code.js';
import { latencyOf } from './latencies.js';
import type { Launchable } from './limits.js';
import { rowOf } from './stalls.js';

/**
 * Registers for machine code. Classes: general (32-bit registers; 64-bit values take an even pair, 128-bit ones a
 * quad), predicate (P0 to P6), uniform (UR0 to UR62). R1 is the stack pointer in every function and holds no value. A
 * predicate or a uniform value that does not fit is kept in a general register set apart for that (a predicate is a bit
 * of it).
 */
export function allocationOf(code: MachineCode, launchable: Launchable): Allocation {
  const { f, temporaries } = code;
  const { family } = launchable.architecture;
  const limits = limitsOf(f, launchable);
  const allocateIn = (room: readonly number[]): Allocation =>
    allocate(f, {
      limits: room,
      reserved: f.classes.map((_, c) => (c === GENERAL ? [machine.stackPointer] : [])),
      carriers: f.classes.map((_, c) => (c === GENERAL ? -1 : GENERAL)),
      recomputeCycles: (i) => {
        const row = rowOf(f, i, classify(f.opcodes, f.opcode[i]));
        return row === 'specialRegister' ? latencyOf(row, family) : 1;
      },
      spillCycles: spillCycles(launchable),
      temporaries: f.classes.map((_, c) => (c === GENERAL ? temporaries : undefined)),
    });
  const allocation = allocateIn(limits);
  const isGap = allocation.removed.some(
    ({ register, kind }) => kind === Removal.Spilled && f.registerClass[register] === GENERAL,
  );
  return isGap && fitsGeneral(generalPeak(code), limits[GENERAL])
    ? allocateIn(limits.map((limit, c) => (c === GENERAL ? limit + GAPS : limit)))
    : allocation;
}

/** A store or a reload of a spill slot, in cycles. */
export const spillCycles = ({ architecture: { family } }: Launchable): number => latencyOf('global', family);

/** Registers of each class that code can name. */
export function limitsOf(f: Function, launchable: Launchable): number[] {
  const reallocation = reallocationOf(f, launchable);
  const general = reallocation?.entry === undefined ? launchable.limit : reallocation.most;
  return f.classes.map((_, c) =>
    c === PREDICATE
      ? machine.predicates
      : c === UNIFORM
        ? machine.uniformRegisters
        : general - machine.unnamedRegisters,
  );
}

/**
 * ptxas spills nothing when what is live at once fits: it moves values until wide ones find their places (measured:
 * `--maxrregcount 32` keeps 30 values of an order that is fixed, and spills the 31st). These passes move nothing for
 * that; so many registers more let every wide value find a place.
 */
export const GAPS = 8;

/** R1 is taken. */
const fitsGeneral = (peak: number, limit: number): boolean => peak + 1 <= limit;

/** Whether all that is live finds a place, so that nobody need look for the places to know. */
export const surelyFits = (peak: readonly number[], f: Function, launchable: Launchable): boolean =>
  limitsOf(f, launchable).every((limit, c) =>
    c === GENERAL ? fitsGeneral(peak[c], limit) : peak[c] <= limit,
  );
