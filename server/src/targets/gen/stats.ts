import type { Pressure, Stats } from '../target.js';
import { bytesRead, bytesWritten } from './access.js';
import type { Attempt, StrategyName } from './compilation.js';
import type { SpilledRegister } from './allocation.js';
import type { Estimate } from './estimate/estimate.js';
import { FILE_REGISTERS } from './occupancy.js';
import { GENERAL } from './pressure.js';
import { GRF_BYTES, type Operand, type Program } from './program.js';
import { scratchTraffic } from './spills.js';
import { scratchSize } from './scratch-size.js';

export interface Measured {
  readonly strategy: StrategyName;
  readonly attempts: readonly Attempt[];
  readonly written: Program;
  readonly code: Program | undefined;
  readonly spilled: readonly SpilledRegister[];
  /** Of the program's own and of spills. */
  readonly scratchBytes: number;
  readonly estimate: Estimate | undefined;
  readonly dependencyControl: { readonly instructions: number; readonly cycles: number };
  readonly asWritten: Pressure;
  readonly asCompiled: Pressure;
  readonly limitedBy: string;
}

/** Figures of a program; those of the code are absent where nothing fitted. */
export function statsOf(measured: Measured): Stats {
  const { written, code, estimate, asWritten, asCompiled, attempts, dependencyControl } = measured;
  const spilled = measured.spilled.filter(({ how }) => how === 'stored' || how === 'split');
  const traffic = code === undefined ? undefined : scratchTraffic(code);
  const own = scratchTraffic(written, true);
  const recomputed = measured.spilled.filter(({ how }) => how === 'recomputed').length;
  return {
    instructions: written.instructions.filter(({ opcode }) => opcode.kind !== 'marker').length,
    registers: code === undefined ? {} : { general: registersUsed(code), flag: flagsUsed(code) },
    limit: written.registerLimit,
    limitedBy: measured.limitedBy,
    pressure: { asWritten: asWritten.peak[GENERAL] ?? 0, asCompiled: asCompiled.peak[GENERAL] ?? 0 },
    spills: {
      registers: spilled.length,
      stores: traffic?.stores ?? 0,
      loads: traffic?.loads ?? 0,
      storeBytes: traffic?.storeBytes ?? 0,
      loadBytes: traffic?.loadBytes ?? 0,
    },
    ...(code !== undefined && {
      scratchBytes: scratchSize(code, measured.scratchBytes),
    }),
    ...(estimate !== undefined && {
      cycles: Math.round(estimate.cycles),
      stallCycles: Math.round(weighted(estimate)),
    }),
    more: {
      strategy: winner(attempts) ?? 'none',
      backEnd: measured.strategy,
      ...(code !== undefined && { codeInstructions: code.instructions.length }),
      ...(recomputed > 0 && { recomputed }),
      ...(own.stores + own.loads > 0 && { arrayStores: own.stores, arrayLoads: own.loads }),
      ...(dependencyControl.instructions > 0 && {
        dependencyControl: dependencyControl.instructions,
        dependencyControlCycles: Math.round(dependencyControl.cycles),
      }),
      ...(attempts.some(({ failure }) => failure !== undefined) && {
        fallback: attempts
          .flatMap(({ name, failure }) => (failure === undefined ? [] : [`${name}: ${failure}`]))
          .join(', '),
      }),
    },
  };
}

/** The entry of the strategy list that fitted. */
export const winner = (attempts: readonly Attempt[]): string | undefined =>
  attempts.find(({ failure }) => failure === undefined)?.name;

function weighted({ waits, weights }: Estimate): number {
  let sum = 0;
  for (let i = 0; i < waits.length; i++) sum += waits[i] * weights[i];
  return sum;
}

/** General registers that the code mentions, payload and message registers of Gen7 left out where nothing reads them. */
export function registersUsed({ instructions, dialect }: Program): number {
  const used = new Uint8Array(FILE_REGISTERS);
  const mark = (operand: Operand, bytes: number): void => {
    if (operand.file !== 'grf') return;
    const last = operand.grf + Math.floor((operand.offset + Math.max(1, bytes) - 1) / GRF_BYTES);
    used.fill(1, operand.grf, Math.min(FILE_REGISTERS, last + 1));
  };
  for (const instruction of instructions) {
    instruction.destinations.forEach((operand, k) => mark(operand, bytesWritten(instruction, k, dialect)));
    instruction.sources.forEach((operand, k) => mark(operand, bytesRead(instruction, k, dialect)));
  }
  return used.reduce((sum, one) => sum + one, 0);
}

function flagsUsed({ instructions }: Program): number {
  const used = new Set<number>();
  for (const { predicate, condition } of instructions)
    for (const flag of [predicate?.flag, condition?.flag]) if (flag?.kind === 'hardware') used.add(flag.flag);
  return used.size;
}
