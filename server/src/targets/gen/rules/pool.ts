import type { Instruction, Operand, Program } from '../program.js';
import type { Place, Report, Rule } from './rule.js';

/**
 * The reserved spill pool (facts A.16, F25). A pool register belongs to one instruction: it is loaded directly before
 * the instruction that reads it, or stored directly behind the one that wrote it, and no later instruction may rely on
 * it. Within one instruction two sources never share a pool register, and neither do two destinations.
 */
export const pool: Rule = (instruction, place, report) => {
  const { program } = place;
  if (program.pool === undefined || instruction.opcode.scratch !== undefined) return;
  shared(instruction.sources, program, 'sources', report);
  shared(instruction.destinations, program, 'destinations', report);
  for (const source of instruction.sources) {
    if (!isPool(source, program)) continue;
    if (!loadedHere(place, source.grf))
      report({
        code: 'hw/pool',
        message: `g${source.grf} belongs to the spill pool and is not loaded for this instruction: what an earlier one left there may be gone; reload it directly before`,
        at: source,
      });
  }
};

type PoolOperand = Extract<Operand, { file: 'grf' }>;

const isPool = (operand: Operand, program: Program): operand is PoolOperand =>
  operand.file === 'grf' &&
  program.pool !== undefined &&
  operand.grf >= program.pool.first &&
  operand.grf < program.pool.first + program.pool.count;

/** Two operands of one side in one pool register, unless they are the same operand twice. */
function shared(operands: readonly Operand[], program: Program, side: string, report: Report): void {
  const seen = new Map<number, PoolOperand>();
  for (const operand of operands) {
    if (!isPool(operand, program)) continue;
    const other = seen.get(operand.grf);
    if (other !== undefined && (side === 'destinations' || other.offset === operand.offset))
      report({
        code: 'hw/pool',
        message: `two ${side} of one instruction are in pool register g${operand.grf}: each spilled operand needs a slot of its own`,
        at: operand,
      });
    seen.set(operand.grf, operand);
  }
}

/** The reloads that stand directly before an instruction, spill code between them not counted. */
function loadedHere({ program, index, blockStart }: Place, grf: number): boolean {
  for (let i = index - 1; i >= blockStart; i--) {
    const before: Instruction = program.instructions[i];
    if (before.opcode.scratch === undefined) return false;
    if (
      before.opcode.scratch === 'read' &&
      before.destinations.some(
        (d) => d.file === 'grf' && d.grf <= grf && grf < d.grf + Math.max(1, before.message.rlen ?? 1),
      )
    )
      return true;
  }
  return false;
}
