import { bytesWritten } from '../access.js';
import { loopWeight } from '../loop-weight.js';
import { GRF_BYTES, type Instruction, type Operand, type Program, type VirtualOperand } from '../program.js';
import { isSpillableSize } from './families.js';
import type { Insertions } from './insertions.js';
import type { Skeleton } from './skeleton.js';
import type { VectorPlan } from './vectors.js';

/**
 * What may be spilled and what it costs (facts A.13). The cost of a register is the number of its operands, each
 * counted ten times for every loop around it, by the length of its interval: what is long and rarely touched goes
 * first. A register of a single point costs 1.
 *
 * Never spilled are registers of other sizes than one dword or one qword a lane, uniform ones, those that an
 * instruction writes in part (the store would carry what the register held before), what the dispatch hands over, what
 * the program hands over at its end, and what scratch messages of the program itself or register-indirect moves touch.
 */
export interface SpillCosts {
  /** By register of the plan: 1 where it may be spilled. */
  readonly isCandidate: Uint8Array;
  readonly cost: Float64Array;
}

/** Occurrences of a register that no operand mentions any more count as two (facts A.13). */
const UNCOUNTED = 2;

const indirect = new Set(['indirect_move', 'mov_indirect']);

export function spillCosts(skeleton: Skeleton, plan: VectorPlan, insertions: Insertions): SpillCosts {
  const { program } = skeleton;
  const inProgram = program.registers.length;
  const isCandidate = Uint8Array.from(plan.registers, (register, r) =>
    isSpillableSize(program, register) && (program.width < 16 || r < inProgram) && skeleton.isPayload[r] !== 1
      ? 1
      : 0,
  );
  for (const operand of program.liveOut) if (operand.file === 'virtual') isCandidate[operand.register] = 0;

  const count = new Float64Array(plan.registers.length);
  const visit = (instruction: Instruction, weight: number): void => {
    const isFixed = instruction.opcode.scratch !== undefined || indirect.has(instruction.opcode.name);
    const take = (operand: Operand, isWhole: boolean): void => {
      if (operand.file !== 'virtual') return;
      count[operand.register] += weight;
      if (isFixed || !isWhole) isCandidate[operand.register] = 0;
    };
    for (const source of instruction.sources) take(source, !instruction.message.isEndOfThread);
    instruction.destinations.forEach((d, k) =>
      take(d, d.file !== 'virtual' || isWholeWrite(program, instruction, k, d)),
    );
  };
  for (let block = 0; block + 1 < program.blockStart.length; block++) {
    const weight = loopWeight(skeleton.loops.depth[block + 1]);
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      for (const { instruction } of insertions.aheadOf(i)) visit(instruction, weight);
      visit(plan.instructions[i], weight);
      for (const { instruction } of insertions.behindOf(i)) visit(instruction, weight);
    }
  }
  const cost = Float64Array.from(count, (n, r) => {
    const length = plan.max[r] - plan.min[r];
    return length <= 0 ? 1 : (n === 0 ? UNCOUNTED : n) / length;
  });
  return { isCandidate, cost };
}

/** True for a write of whole GRFs, so that a store of these GRFs stores what the instruction wrote and nothing else. */
function isWholeWrite(
  program: Program,
  instruction: Instruction,
  k: number,
  operand: VirtualOperand,
): boolean {
  const bytes = bytesWritten(instruction, k, program.dialect);
  const isPacked =
    instruction.message.rlen !== undefined || (operand.stride === 1 && operand.region === undefined);
  return isPacked && operand.offset % GRF_BYTES === 0 && bytes % GRF_BYTES === 0 && bytes > 0;
}
