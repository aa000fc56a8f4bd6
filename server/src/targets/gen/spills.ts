import type { Spill } from '../target.js';
import { bytesRead, bytesWritten } from './access.js';
import type { SpilledRegister } from './allocation.js';
import { depthAfter, loopWeight } from './loop-weight.js';
import type { Program } from './program.js';

/** Scratch messages of a program: those that the compiler added, and those of the source's own arrays. */
export interface ScratchTraffic {
  readonly stores: number;
  readonly loads: number;
  readonly storeBytes: number;
  readonly loadBytes: number;
}

/** Messages that allocation added; `isOwn` for those that the source has itself. */
export function scratchTraffic({ instructions, dialect }: Program, isOwn = false): ScratchTraffic {
  let [stores, loads, storeBytes, loadBytes] = [0, 0, 0, 0];
  for (const instruction of instructions) {
    const { scratch } = instruction.opcode;
    if (scratch === undefined || instruction.origin >= 0 !== isOwn) continue;
    if (scratch === 'write') {
      stores++;
      storeBytes += instruction.sources.length === 0 ? 0 : bytesRead(instruction, 0, dialect);
    } else {
      loads++;
      loadBytes += bytesWritten(instruction, 0, dialect);
    }
  }
  return { stores, loads, storeBytes, loadBytes };
}

const whys: Readonly<Record<SpilledRegister['how'], string>> = {
  stored: 'cost the least for what it frees where no register was left',
  recomputed: 'can be computed again where it is read, which costs less than a register',
  temporary: 'lives for one instruction and takes a register of the pool there',
  split: 'is held in registers only in parts of the program',
};

export const reasonOf = ({ how }: SpilledRegister): string => whys[how];

/** Spills of the source's registers, in the form that all targets share. Registers that the compiler made are left out. */
export function spillsOf(
  spilled: readonly SpilledRegister[],
  registerCount: number,
  lowered: Program,
): Spill[] {
  const origin = (i: number): number => (i < 0 ? -1 : lowered.instructions[i].origin);
  const origins = (all: readonly number[]): number[] => [...new Set(all.map(origin).filter((i) => i >= 0))];
  const weights = spilled.some(({ cost }) => cost === 0) ? loopWeights(lowered) : undefined;
  const executions = ({ stores, reloads }: SpilledRegister): number =>
    [...stores, ...reloads].reduce((sum, i) => sum + (i < 0 ? 1 : (weights?.[i] ?? 1)), 0);
  return spilled
    .filter(({ register, how }) => register < registerCount && (how === 'stored' || how === 'split'))
    .map((one) => ({
      register: one.register,
      // an allocator that splits ranges has no one cost that it chose by: what its messages cost is said then
      cost: one.cost === 0 ? executions(one) : one.cost,
      reason: reasonOf(one),
      bytes: one.bytes,
      peakInstruction: Math.max(origin(one.peak), 0),
      stores: origins(one.stores),
      reloads: origins(one.reloads),
    }));
}

/** Estimated executions of each instruction. */
function loopWeights({ instructions }: Program): Float64Array {
  const weights = new Float64Array(instructions.length);
  let depth = 0;
  instructions.forEach(({ opcode }, i) => {
    const following = depthAfter(opcode, depth);
    weights[i] = loopWeight(Math.min(depth, following));
    depth = following;
  });
  return weights;
}
