import type { Function } from '../../../ir/function.js';
import { interpret, type Run } from '../../../ir/interpret.js';
import type { PtxProgram } from './program.js';
import { PtxThread, type Budget } from './thread.js';

/** Runs something with a thread: the source by default, or `interpretAllocated` of its compilation. */
export type Runner = (f: Function, thread: PtxThread, budget: Budget) => Run;

const runSource: Runner = (f, thread, budget) => interpret(f, thread, { steps: budget.steps });

/**
 * Runs one thread of a kernel from the start. `inputs` are the kernel's parameters in order, each a pattern as wide
 * as the parameter; missing ones are 0. What the thread did to memory is in `program.memory.log`.
 */
export function launch(
  program: PtxProgram,
  name: string,
  inputs: readonly bigint[],
  steps: number,
  run: Runner = runSource,
): Run {
  const code = program.function(name);
  if (code === undefined)
    return { end: 'stopped', steps: 0, message: `there is no function ${name} with a body`, instruction: -1 };
  const budget: Budget = { steps };
  const thread = new PtxThread(program, code, budget);
  code.inputs.forEach((input, k) => {
    if (input.place !== undefined)
      program.memory.write('param', thread.addressOf(input.place), input.bytes, inputs.at(k) ?? 0n);
  });
  return run(code.source, thread, budget);
}
