import type { Problem } from '../../../text/problem.js';
import type { Instruction } from '../tree.js';
import type { Body } from './body.js';
import { anchored, isKnownHeader } from './header-gates.js';

/** What the instruction tables say of an instruction, made to fit the file and the function that it stands in. */
export function tellProblem(body: Body, instruction: Instruction, problem: Problem): void {
  if (isTold(body, instruction, problem))
    body.context.problems.push(anchored(body.context, withReturn(body, instruction, problem)));
}

/** Without a header nothing can be said about versions; in a faulty instruction the syntax problem says enough. */
function isTold(body: Body, instruction: Instruction, problem: Problem): boolean {
  if (!isKnownHeader(body.context, problem)) return false;
  // One problem says it all for the file.
  if (problem.code === 'type/address' && body.context.header.addressBits === 32) return false;
  if (!instruction.isFaulty) return true;
  const isLoneWord = instruction.operands.length === 0 && !instruction.opcode.text.includes('.');
  return problem.code === 'isa/unknown-instruction' && !isLoneWord;
}

/** `ret` takes no value: results are stored in the return variable. */
function withReturn(body: Body, instruction: Instruction, problem: Problem): Problem {
  const result = body.item.returns.at(0)?.name?.text;
  if (problem.code !== 'isa/operand-count' || instruction.opcode.text !== 'ret' || result === undefined)
    return problem;
  return {
    ...problem,
    message: `ret takes no operand; write the value to the return variable '${result}' first`,
  };
}
