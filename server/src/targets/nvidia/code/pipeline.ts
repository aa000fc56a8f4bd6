import type { Function } from '../../../ir/function.js';
import type { CodeContext, Mechanism, MachineCode, Pass } from './code.js';
import { deadCode } from './fold/dead-code.js';
import { fold } from './fold/fold.js';
import { recompute } from './fold/recompute.js';
import { vectors } from './fold/vectors.js';
import { unroll } from './loops/unroll.js';
import { schedule } from './schedule/schedule.js';
import { sequences } from './uniform/sequences.js';
import { uniform } from './uniform/uniform.js';
import { machineCodeOf } from './writer.js';

/**
 * The mechanisms of ptxas in the order in which they are modelled. A pass that models several asks
 * `context.has` itself.
 */
const passes: readonly (readonly [Mechanism | undefined, Pass])[] = [
  ['deadCode', deadCode],
  ['fold', fold],
  ['unroll', unroll],
  ['fold', vectors],
  ['recompute', recompute],
  ['sequences', sequences],
  ['uniform', uniform],
  ['schedule', schedule],
];

/** `after` sees the code as each pass leaves it. */
export function optimised(
  source: Function,
  context: CodeContext,
  after?: (code: MachineCode, pass: string) => void,
): MachineCode {
  let code = machineCodeOf(source);
  for (const [mechanism, pass] of passes) {
    if (mechanism !== undefined && !context.has(mechanism)) continue;
    code = pass(code, context);
    after?.(code, pass.name);
  }
  return code;
}
