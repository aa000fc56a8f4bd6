import type { Function } from '../../../ir/function.js';
import type { TargetOptions } from '../../target.js';
import type { Launchable } from '../limits.js';
import { Callees, type Compiler } from './calls/callees.js';
import { GENERAL, type CodeContext } from './code.js';
import { estimateOf } from '../estimate/estimate.js';
import { analysisOf } from './analysis.js';
import { completed, prepared } from './pipeline.js';
import { machineSource } from './source.js';

/**
 * What the passes see beside the code. The option `without` names mechanisms to leave out, separated by blanks: the
 * accuracy bench asks what each of them is worth. It is no option for users.
 */
export function contextOf(
  launchable: Launchable,
  options: TargetOptions,
  callee: (name: string) => Function | undefined = () => undefined,
): CodeContext {
  const without = new Set(typeof options.without === 'string' ? options.without.split(' ') : []);
  const context: CodeContext = {
    launchable,
    callee,
    callees: new Callees(
      callee,
      compilerFor(() => context),
    ),
    held: 0,
    has: (mechanism) => !without.has(mechanism),
  };
  return context;
}

/** Functions are compiled for the kernel that calls them: for its architecture, within its limit. */
const compilerFor = (context: () => CodeContext): Compiler => ({
  prepare: (f) => prepared(machineSource(f), context()),
  complete: (code, held) => {
    const own = { ...context(), held };
    const whole = completed(code, own);
    const during = analysisOf(whole.f).pressure.during[GENERAL];
    let live = 0;
    for (let i = 0; i < during.length; i++) live = Math.max(live, during[i] + whole.temporaries[i]);
    return { live, registers: estimateOf(whole, own).registers };
  },
});
