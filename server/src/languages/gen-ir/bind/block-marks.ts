import type { Problem } from '../../../text/problem.js';
import type { Blocks } from '../flow.js';
import type { BlockMark, MesaUnit } from '../tree.js';

/**
 * `START B1 <-B0` and `END B1 ->B2` lines of a dump are not needed: the blocks are found again from the control flow.
 * Where the lines say something else than that, one of the two is wrong, which is told at the first such line.
 */
export function checkBlockMarks({ statements }: MesaUnit, blocks: Blocks, problems: Problem[]): void {
  let instruction = 0;
  // A disassembly has such lines, too.
  if (blocks.start[blocks.blockCount] === 0) return;
  for (const statement of statements) {
    if (statement.kind === 'instruction') {
      if (!statement.isFaulty) instruction++;
      else return;
    }
    if (statement.kind !== 'blockMark') continue;
    const message = contradiction(statement, blocks, instruction);
    if (message === undefined) continue;
    problems.push({
      code: 'dump/block-mark',
      severity: 'warning',
      span: { start: statement.start, end: statement.end },
      message: `${message}; the blocks shown are those of the control flow`,
    });
    return;
  }
}

function contradiction(mark: BlockMark, blocks: Blocks, instruction: number): string | undefined {
  const { block, isStart, edges } = mark;
  if (block >= blocks.blockCount)
    return `there is no block ${block}: the control flow makes ${blocks.blockCount}`;
  const expected = isStart ? blocks.start[block] : blocks.start[block + 1];
  if (expected !== instruction)
    return `block ${block} ${isStart ? 'begins' : 'ends'} ${isStart ? 'at' : 'behind'} another instruction`;
  if (isStart) return undefined;
  const successors = new Set(
    blocks.successors.subarray(blocks.successorStart[block], blocks.successorStart[block + 1]),
  );
  const named = new Set(edges.map((edge) => edge.block));
  for (const to of named)
    if (!successors.has(to)) return `control does not go from block ${block} to block ${to}`;
  for (const to of successors)
    if (!named.has(to)) return `control also goes from block ${block} to block ${to}`;
  return undefined;
}
