import type { Fix, Problem } from '../../../text/problem.js';
import type { Instruction } from '../tree.js';
import type { Body } from './body.js';

/** What the instruction tables say of an instruction, made to fit the file and the function that it stands in. */
export function tellProblem(body: Body, instruction: Instruction, problem: Problem): void {
  if (isTold(body, instruction, problem))
    body.context.problems.push(anchored(body, withReturn(body, instruction, problem)));
}

/** Without a header nothing can be said about versions; in a faulty instruction the syntax problem says enough. */
function isTold(body: Body, instruction: Instruction, problem: Problem): boolean {
  const { version, target } = body.context.header;
  if (version === undefined && problem.code === 'isa/version') return false;
  if (target === undefined && problem.code === 'isa/target') return false;
  return !instruction.isFaulty || problem.code === 'isa/unknown-instruction';
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

/**
 * Fixes of version and target problems give the new value of a header directive, whose declaration is the old value.
 * Without such a directive there is nothing to replace.
 */
function anchored(body: Body, problem: Problem): Problem {
  if (problem.fixes === undefined) return problem;
  const { mentions, environment } = body.context;
  const fixes: Fix[] = [];
  for (const fix of problem.fixes) {
    const edits = fix.edits.map((edit) => {
      const { anchor } = edit;
      if (anchor === undefined || !anchor.startsWith('.')) return edit;
      const declaration = mentions.has(anchor) ? environment.earlier(anchor).at(0) : undefined;
      if (declaration === undefined) return undefined;
      return { ...edit, span: { start: 0, end: declaration.span.end - declaration.span.start } };
    });
    if (edits.every((edit) => edit !== undefined)) fixes.push({ ...fix, edits });
  }
  return { ...problem, fixes };
}
