import { virtual, type VirtualRegister } from '../../../ir/place.js';
import { bytesRead, impliedMrf, payloadMrf } from '../access.js';
import { GRF_BYTES, type Program } from '../program.js';
import type { FreeList } from './free-list.js';
import type { Intervals } from './intervals.js';
import type { Skeleton } from './skeleton.js';
import type { VectorPlan } from './vectors.js';

/**
 * What has its place before the scan begins: hardware registers that the text names (the payload of i965's programs
 * among them, given back after its last use, facts F.11), message registers where these are general ones, and the
 * payload of messages that end the thread, which must lie in g112 or higher on Gen7 (facts E, send_restrictions).
 */
export function fixedPlaces(
  skeleton: Skeleton,
  plan: VectorPlan,
  intervals: Intervals,
  free: FreeList,
  address: Int32Array,
): void {
  const { program } = skeleton;
  const take = (grf: number): boolean => free.allocateAt(grf * GRF_BYTES, GRF_BYTES);
  intervals.grfMax.forEach((max, grf) => {
    if (grf > 0 && max >= -1) take(grf);
  });
  for (const grf of messageGrfs(program)) take(grf);
  for (const register of lastPayloads(program)) {
    const bytes = Math.ceil(plan.registers[register].bytes / GRF_BYTES) * GRF_BYTES;
    if (plan.min[register] > plan.max[register]) continue;
    const at = free.allocate(bytes, GRF_BYTES, true);
    if (at >= LAST_MESSAGE_FIRST * GRF_BYTES) address[register] = at;
    else free.free(at);
  }
}

const LAST_MESSAGE_FIRST = 112;

/** General registers that stand for message registers which the program mentions. */
function messageGrfs(program: Program): Set<number> {
  const grfs = new Set<number>();
  const window = program.platform.messageWindow;
  if (window === undefined) return grfs;
  for (const instruction of program.instructions) {
    for (const { first, count } of [payloadMrf(instruction), impliedMrf(instruction)])
      for (let m = first; m < first + count; m++) grfs.add(window + m);
    for (const operands of [instruction.sources, instruction.destinations])
      for (const operand of operands) if (operand.file === 'message') grfs.add(window + operand.number);
  }
  return grfs;
}

/** Virtual registers that a message which ends the thread reads. */
export function lastPayloads(program: Program): VirtualRegister[] {
  if (program.platform.messageWindow === undefined) return [];
  const registers = new Set<number>();
  for (const instruction of program.instructions) {
    if (!instruction.message.isEndOfThread) continue;
    instruction.sources.forEach((source, k) => {
      if (source.file === 'virtual' && bytesRead(instruction, k, program.dialect) >= GRF_BYTES)
        registers.add(source.register);
    });
  }
  return [...registers].sort((a, b) => a - b).map(virtual);
}
