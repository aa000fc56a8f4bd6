import { bytesRead, bytesWritten, registersTouched } from '../access.js';
import type { LiveRanges } from '../live/ranges.js';
import { depthAfter, loopWeight } from '../loop-weight.js';
import { GRF_BYTES, typeSize, type Instruction, type Program, type VirtualOperand } from '../program.js';
import { registersOf } from '../access.js';
import { messageConflicts, NO_RELOAD, NO_STORE } from './message-conflicts.js';
import { ReuseChains } from './reuse.js';

/** By register: what spilling it costs; -1 not spillable, Infinity never worth it. In single precision. */
export type SpillCosts = Float32Array;

/**
 * vec4 (facts B.10): one for each definition and for each read that would need a reload, times 10 for each loop
 * around it, times 2.25 for 64-bit types. Not spillable are registers of more than two GRFs, with an access behind the
 * first GRF, with accesses of 32 and of 64 bits, with a 64-bit access of one vertex alone, those that scratch
 * messages touch, which spilling itself has made, and those whose spill code would overwrite payload.
 */
export function vec4Costs(program: Program): SpillCosts {
  const costs = new Float32Array(program.registers.length);
  const typeSizes = new Uint8Array(costs.length);
  const chains = new ReuseChains(costs.length);
  const conflicts = messageConflicts(program);
  program.registers.forEach((register, r) => {
    if (registersOf(register) > 2) costs[r] = -1;
  });
  const mixes = ({ register, type }: VirtualOperand): boolean => {
    const size = typeSize(type);
    const known = typeSizes[register];
    typeSizes[register] = size;
    return known !== 0 && known !== size;
  };
  const access = (operand: VirtualOperand, instruction: Instruction, weight: number): void => {
    const isWide = typeSize(operand.type) === 8;
    if (operand.offset >= GRF_BYTES || (isWide && instruction.execSize !== 8)) costs[operand.register] = -1;
    else costs[operand.register] += weight * (isWide ? 2.25 : 1);
  };
  const nesting = new Nesting();
  for (let block = 0; block + 1 < program.blockStart.length; block++) {
    chains.startBlock();
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      const instruction = program.instructions[i];
      const weight = nesting.weight(1);
      instruction.sources.forEach((source, s) => {
        if (source.file !== 'virtual' || costs[source.register] < 0) return;
        if (!chains.isThere(instruction, s, source.register, source)) access(source, instruction, weight);
        if (mixes(source) || conflicts[i] & NO_RELOAD) costs[source.register] = -1;
      });
      for (const destination of instruction.destinations) {
        if (destination.file !== 'virtual' || costs[destination.register] < 0) continue;
        access(destination, instruction, weight);
        if (mixes(destination) || conflicts[i] & NO_STORE) costs[destination.register] = -1;
      }
      chains.pass(instruction);
      nesting.pass(instruction);
      if (instruction.opcode.scratch !== undefined)
        for (const operand of [...instruction.sources, ...instruction.destinations])
          if (operand.file === 'virtual') costs[operand.register] = -1;
    }
  }
  return costs;
}

/**
 * fs (facts G.11): GRFs read and written, times 10 for each loop and 0.5 for each `if` around it, by the logarithm of
 * the range's length: a register that lives long is worth more when it is gone. Ranges of one instruction cost
 * infinitely much, shorter ones are not spillable. `isSpillCode` names instructions that spilling has made: what they
 * touch is not spilled again.
 */
export function scalarCosts(
  program: Program,
  live: Pick<LiveRanges, 'start' | 'end'>,
  isSpillCode: (i: number) => boolean = () => false,
): SpillCosts {
  const costs = new Float32Array(program.registers.length);
  const isTemporary = new Uint8Array(costs.length);
  const nesting = new Nesting();
  program.instructions.forEach((instruction, i) => {
    const weight = nesting.weight(0.5);
    instruction.sources.forEach((source, s) => {
      if (source.file !== 'virtual') return;
      costs[source.register] +=
        registersTouched(source.offset, bytesRead(instruction, s, program.dialect)) * weight;
      if (isSpillCode(i)) isTemporary[source.register] = 1;
    });
    instruction.destinations.forEach((destination, d) => {
      if (destination.file !== 'virtual') return;
      costs[destination.register] +=
        registersTouched(destination.offset, bytesWritten(instruction, d, program.dialect)) * weight;
      if (isSpillCode(i)) isTemporary[destination.register] = 1;
    });
    nesting.pass(instruction);
  });
  for (let r = 0; r < costs.length; r++) {
    const length = r < live.start.length ? live.end[r] - live.start[r] : 0;
    costs[r] = isTemporary[r] || length <= 0 ? -1 : Math.fround(costs[r] / Math.fround(Math.log(length)));
  }
  return costs;
}

/** Halving stops here, so that costs stay numbers. */
const DEEPEST_BRANCH = 100;

/** Loops, and for fs branches, around an instruction. */
class Nesting {
  private loops = 0;
  private branches = 0;

  /** What a reference counts here; a branch by `inBranch`. All are powers, exact in single precision. */
  weight(inBranch: number): number {
    return loopWeight(this.loops) * inBranch ** Math.min(this.branches, DEEPEST_BRANCH);
  }

  pass({ opcode }: Instruction): void {
    this.loops = depthAfter(opcode, this.loops);
    if (opcode.flow === 'if') this.branches++;
    else if (opcode.flow === 'endif') this.branches = Math.max(0, this.branches - 1);
  }
}
