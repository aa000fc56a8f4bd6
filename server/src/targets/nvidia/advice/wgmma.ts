import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import type { Problem } from '../../../text/problem.js';
import { count } from '../../../text/words.js';
import { instructionSpan } from '../../spill-places.js';
import { GENERAL } from '../code/code.js';
import type { Advised } from './advised.js';
import { largestBlock } from './launch-bounds.js';

/**
 * A `wgmma.mma_async` keeps its accumulators, and A where it is in registers, while the matrix unit works on them. A
 * kernel with one has at least 26 registers beside those, used or not, and under a limit below that ptxas refuses it
 * (C7602). Measured with ptxas 13.0 on sm_90a: n = 8, 64, 128, 192, 256 with f32 accumulators print 30, 58, 90, 122 and
 * 154 registers, four more with A in registers.
 */
const BESIDE = 26;
const NAME = 'wgmma.mma_async.';

interface Floor {
  readonly registers: number;
  readonly instruction: number;
}

/** The least number of registers that ptxas gives the function, and for which instruction; undefined without one. */
export function wgmmaFloor(f: Function): Floor | undefined {
  let highest: Floor | undefined;
  for (let i = 0; i < f.instructionCount; i++) {
    const from = f.operandStart[i];
    const to = f.operandStart[i + 1];
    // no other instruction but a call has as many operands, and this one has no fewer
    if (to - from < 4 || (f.instructionFlags[i] & InstructionFlag.Call) !== 0) continue;
    if (!f.opcodes.text(f.opcode[i]).startsWith(NAME)) continue;
    let units = 0;
    for (let o = from; o < to; o++) if (isFragment(f, o)) units += f.operandWidth[o];
    const registers = units + BESIDE;
    if (highest === undefined || registers > highest.registers) highest = { registers, instruction: i };
  }
  return highest;
}

/** Accumulators are written; registers of A are read and narrower than the descriptors of matrices in memory. */
function isFragment(f: Function, o: number): boolean {
  const register = f.operandPlace[o];
  if (register < 0 || f.registerClass[register] !== GENERAL) return false;
  return (f.operandFlags[o] & OperandFlag.Definition) !== 0 || f.registerWidth[register] === 1;
}

export function wgmmaProblems(c: Advised): Problem[] {
  const floor = wgmmaFloor(c.source);
  const { limit, limitedBy } = c.stats;
  if (floor === undefined || floor.registers <= limit) return [];
  const wayOut =
    limitedBy === '.maxntid' || limitedBy === '.reqntid'
      ? `start at most ${count(largestBlock(floor.registers, 1), 'thread')} a block`
      : `allow ${floor.registers}`;
  return [
    {
      code: 'hw/operands',
      severity: 'error',
      span: instructionSpan(c.source, floor.instruction),
      message: `this needs ${count(floor.registers, 'register')} a thread for its accumulators and what stands beside them, and ${limit} are left (${limitedBy}): ptxas refuses it (C7602); ${wayOut}, or take a smaller n`,
    },
  ];
}
