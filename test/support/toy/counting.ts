import type { ModuleView, Target } from '../../../server/src/targets/target.js';
import type { Function } from '../../../server/src/ir/function.js';
import { toyTarget } from './target.js';

/**
 * A toy machine whose figures depend on other functions: each function counts, beside its own instructions, those of
 * the functions `names`, and of what they ask for in turn. Compiling in steps takes one step a name.
 */
export function countingToy(
  names: readonly string[],
  onCompile: (name: string) => void = () => undefined,
): Target {
  const counted = (module: ModuleView | undefined): Record<string, number> =>
    Object.fromEntries(names.map((name) => [name, module?.definition(name)?.instructionCount ?? -1]));
  const compile: Target['compile'] = (source: Function, options, module) => {
    onCompile(source.name);
    const plain = toyTarget.compile(source, options);
    return { ...plain, stats: { ...plain.stats, more: counted(module) } };
  };
  return { ...toyTarget, compile };
}

/** The same, in steps: it asks for one name a step. */
export function countingInSteps(names: readonly string[], onCompile?: (name: string) => void): Target {
  const target = countingToy(names, onCompile);
  return {
    ...target,
    *compileInSteps(source, options, module) {
      for (const name of names) {
        module?.definition(name);
        yield undefined;
      }
      return target.compile(source, options, module);
    },
  };
}
