import type { Function } from '../../../ir/function.js';
import type { TargetOptions } from '../../target.js';
import type { Launchable } from '../limits.js';
import type { CodeContext } from './code.js';

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
  return { launchable, callee, has: (mechanism) => !without.has(mechanism) };
}
