import type { Problem } from '../../../../text/problem.js';
import { SlotContent } from '../slot-flow.js';
import { isGuarded } from '../slot-flow.js';
import type { ModuleRule, StackModule } from './module.js';
import { opcodeSpan } from './subject.js';
import type { StackSummary } from '../summary.js';

/**
 * Before the first function with a soft stack runs, something must put a pointer into the slot of each warp: GCC's entry
 * wrapper does. A kernel that takes the pointer from the slot, itself or in a callee, and stores none before, reads whatever
 * shared memory holds.
 */
export const noSetup: ModuleRule = (module, add) => {
  module.units.forEach((unit, n) => {
    if (unit?.isEntry !== true) return;
    const problem = ownUse(unit) ?? useInCallee(module, unit);
    if (problem !== undefined) add(n, problem);
  });
};

const remedy =
  "store the top of its stack area into it first (the warp's is __nvptx_stacks[%tid.y]), or start the function from a main kernel that does";

function ownUse({ bound, frame, name }: StackSummary): Problem | undefined {
  const load = frame?.soft?.loads.find((i) => ((frame.flow?.slot.before[i] ?? 0) & SlotContent.Caller) !== 0);
  if (load === undefined || frame?.flow === undefined || isGuarded(frame.function, load)) return undefined;
  return {
    code: 'stack/no-setup',
    severity: 'warning',
    span: opcodeSpan({ bound, frame, flow: frame.flow }, load),
    message: `kernel '${name}' takes its stack pointer from a slot that nothing has filled; ${remedy}`,
  };
}

function useInCallee(module: StackModule, { name, calls }: StackSummary): Problem | undefined {
  if (module.settersUp.has(name)) return undefined;
  for (const { callee, span } of calls) {
    if (callee === undefined || !module.softUsers.has(callee)) continue;
    const chain = chainTo(module, callee);
    const user = chain[chain.length - 1];
    const over = chain.length > 1 ? ` (${chain.map((step) => `'${step}'`).join(' calls ')})` : '';
    return {
      code: 'stack/no-setup',
      severity: 'warning',
      span,
      message: `kernel '${name}' calls '${callee}', which uses a soft stack${over}, and nothing has filled the slot of its pointer; ${remedy}`,
      related: [
        { span: { start: 0, end: user.length }, anchor: user, message: 'the soft stack is used here' },
      ],
    };
  }
  return undefined;
}

/** Longer chains are shown by their beginning. */
const CHAIN_LIMIT = 6;

/** From a callee down to a function that reads the slot itself. */
function chainTo({ byName, softUsers }: StackModule, callee: string): string[] {
  const chain = [callee];
  for (let at = byName.get(callee); at !== undefined && !at.usesSoftStack && chain.length < CHAIN_LIMIT;) {
    const next = at.calls.find(
      (call) => call.callee !== undefined && softUsers.has(call.callee) && !chain.includes(call.callee),
    );
    if (next?.callee === undefined) break;
    chain.push(next.callee);
    at = byName.get(next.callee);
  }
  return chain;
}
