import type { Function } from '../../../ir/function.js';
import type { TargetOptions } from '../../target.js';
import type { Launchable } from '../limits.js';
import { Callees, type Compiler } from './calls/callees.js';
import { hasCall } from './calls/sites.js';
import type { CodeContext, MachineCode } from './code.js';
import { estimateOf } from '../estimate/estimate.js';
import { generalPeak } from './analysis.js';
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
  const left = typeof options.without === 'string' ? options.without : '';
  const without = new Set(left.split(' '));
  const context: CodeContext = {
    launchable,
    callee,
    callees: new Callees(
      callee,
      compilerFor(() => context, left),
    ),
    held: 0,
    has: (mechanism) => !without.has(mechanism),
    isSince: (capability) => launchable.architecture.capability >= capability,
  };
  return context;
}

/** Functions are compiled for the kernel that calls them: for its architecture, within its limit. */
function compilerFor(context: () => CodeContext, without: string): Compiler {
  const within = (held: number): CodeContext => ({ ...context(), held });
  return {
    prepare: (f) => {
      const key = `${context().launchable.architecture.name} ${without}`;
      return remembered(preparedCodes, f, key, () => prepared(machineSource(f), context()));
    },
    live: (code, held) => {
      const live = (): number => generalPeak(completed(code, within(held)));
      // what calls others depends on them too
      return hasCall(code.f)
        ? live()
        : remembered(liveCounts, code, `${held} ${context().launchable.limit}`, live);
    },
    registers: (code) => estimateOf(completed(code, within(0)), within(0)).registers,
  };
}

/** Many kernels call the same functions: what is known of one, by what it was compiled for. */
const preparedCodes = new WeakMap<Function, Map<string, MachineCode>>();
const liveCounts = new WeakMap<MachineCode, Map<string, number>>();
const MOST_REMEMBERED = 8;

function remembered<K extends object, V>(
  memory: WeakMap<K, Map<string, V>>,
  of: K,
  key: string,
  make: () => V,
): V {
  const known = memory.get(of) ?? new Map<string, V>();
  memory.set(of, known);
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  if (known.size >= MOST_REMEMBERED) known.clear();
  known.set(key, made);
  return made;
}
