import type { Occupancy, OccupancyStep } from '../target.js';
import { machine, type Architecture } from './architectures.js';

/**
 * Occupancy: how many warps of an SM can be resident at once. Registers are handed out to whole warps, in multiples
 * of 256, from the quarter of the register file that belongs to the warp's scheduler; blocks come and go as a
 * whole. The arithmetic is that of CUDA's occupancy calculator (`cuda_occupancy.h`).
 */
export interface Launch {
  /** Registers a thread. */
  readonly registers: number;
  /** Threads a block. */
  readonly threads: number;
  readonly threadsAssumed: boolean;
  /** Bytes of shared memory a block, static and dynamic. */
  readonly sharedBytes: number;
}

export function occupancyOf(architecture: Architecture, launch: Launch): Occupancy {
  const limits = blockLimits(architecture, launch);
  const blocks = Math.min(limits.warps, limits.blocks, limits.sharedMemory, limits.registers);
  const warpsPerBlock = warpsOf(launch.threads);
  return {
    warps: blocks * warpsPerBlock,
    maxWarps: architecture.maxWarps,
    limitedBy: limitedBy(limits, blocks),
    threads: launch.threads,
    threadsAssumed: launch.threadsAssumed,
    nextStep: nextStep(architecture, launch, blocks),
  };
}

interface BlockLimits {
  readonly warps: number;
  readonly blocks: number;
  readonly sharedMemory: number;
  readonly registers: number;
}

function blockLimits(architecture: Architecture, launch: Launch): BlockLimits {
  const warpsPerBlock = warpsOf(launch.threads);
  const shared = roundUp(launch.sharedBytes + architecture.sharedReserved, architecture.sharedGranularity);
  return {
    warps: Math.floor(architecture.maxWarps / warpsPerBlock),
    blocks: architecture.maxBlocks,
    sharedMemory: shared === 0 ? Infinity : Math.floor(architecture.sharedBytes / shared),
    registers: Math.floor(warpsByRegisters(launch.registers) / warpsPerBlock),
  };
}

/** Resident warps that the register file holds at so many registers a thread, whatever else limits. */
export function warpsByRegisters(registers: number): number {
  const perWarp =
    Math.max(machine.registerGranularity, roundUp(registers, machine.registerGranularity)) *
    machine.threadsPerWarp;
  return machine.subPartitions * Math.floor(machine.registersPerSm / machine.subPartitions / perWarp);
}

/** Registers are named only where lowering them would help: another resource that binds as tightly comes first. */
function limitedBy(limits: BlockLimits, blocks: number): Occupancy['limitedBy'] {
  if (limits.warps === blocks) return 'warps';
  if (limits.blocks === blocks) return 'blocks';
  if (limits.sharedMemory === blocks) return 'sharedMemory';
  return 'registers';
}

function nextStep(architecture: Architecture, launch: Launch, blocks: number): Occupancy['nextStep'] {
  const start = roundUp(launch.registers, machine.registerGranularity) - machine.registerGranularity;
  for (let registers = start; registers > 0; registers -= machine.registerGranularity) {
    const limits = blockLimits(architecture, { ...launch, registers });
    const more = Math.min(limits.warps, limits.blocks, limits.sharedMemory, limits.registers);
    if (more > blocks) return { warps: more * warpsOf(launch.threads), registers };
  }
  return null;
}

/** The most registers a thread for each number of resident warps that registers can bring about, fewest first. */
export function occupancySteps(
  architecture: Architecture,
  launch: Omit<Launch, 'registers'>,
): OccupancyStep[] {
  const steps: OccupancyStep[] = [];
  const most = machine.maxRegistersPerThread;
  for (let above = 0; above < most; above += machine.registerGranularity) {
    const registers = Math.min(above + machine.registerGranularity, most);
    const limits = blockLimits(architecture, { ...launch, registers });
    const blocks = Math.min(limits.warps, limits.blocks, limits.sharedMemory, limits.registers);
    const warps = blocks * warpsOf(launch.threads);
    if (steps.at(-1)?.warps === warps) steps.pop();
    steps.push({ registers, warps });
  }
  return steps;
}

/** The most bytes of shared memory a block, and the warps that would then be resident, one step above so many blocks. */
export function nextSharedStep(
  architecture: Architecture,
  launch: Launch,
): { readonly bytes: number; readonly warps: number } | undefined {
  const limits = blockLimits(architecture, launch);
  const others = Math.min(limits.warps, limits.blocks, limits.registers);
  const blocks = limits.sharedMemory + 1;
  if (limits.sharedMemory >= others) return undefined;
  const room = Math.floor(architecture.sharedBytes / blocks / architecture.sharedGranularity);
  const bytes = room * architecture.sharedGranularity - architecture.sharedReserved;
  return bytes <= 0 ? undefined : { bytes, warps: blocks * warpsOf(launch.threads) };
}

/**
 * The most registers a thread may have so that `blocks` blocks of `threads` threads fit the register file at once,
 * at most 255; 0 where no number does.
 */
export function registersForBlocks(threads: number, blocks: number): number {
  const warps = warpsOf(threads) * blocks;
  const perPartition = Math.ceil(warps / machine.subPartitions);
  const each = machine.registersPerSm / machine.subPartitions / perPartition / machine.threadsPerWarp;
  const rounded = Math.floor(each / machine.registerGranularity) * machine.registerGranularity;
  return Math.min(rounded, machine.maxRegistersPerThread);
}

const warpsOf = (threads: number): number => Math.max(1, Math.ceil(threads / machine.threadsPerWarp));

const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;
