import type { Problem } from '../../../../text/problem.js';
import type { VariableFact } from '../../declarations.js';
import { stacksArray } from '../origins.js';
import type { ModuleRule } from './module.js';

/**
 * The arrays that every module shares with the runtime: `.shared .u64 __nvptx_stacks[32]` and `.shared .u32 __nvptx_uni[32]`,
 * one element for each of the 32 warps that a block can have. Without a size the name would stand for dynamic shared memory.
 */
const WARPS = 32;

export const array: ModuleRule = ({ units }, add) => {
  units.forEach((unit, n) => {
    for (const { name, span, fact } of unit?.arrays ?? []) {
      const why = faultOf(name, fact, unit?.bound.header.addressBits ?? 64);
      if (why === undefined) continue;
      const problem: Problem = { code: 'stack/array', severity: 'error', span, message: why };
      add(n, problem);
    }
  });
};

function faultOf(name: string, fact: VariableFact, addressBits: number): string | undefined {
  const bits = name === stacksArray ? addressBits : 32;
  const wanted = `.shared .u${bits} ${name}[${WARPS}]`;
  if (fact.space !== '.shared')
    return `${name} lies in shared memory, one element a warp; declare it .extern ${wanted}`;
  if (!new RegExp(`^\\.[usb]${bits}$`).test(fact.type) || fact.vector > 1)
    return `the elements of ${name} have ${bits} bits; declare it .extern ${wanted}`;
  if (fact.dimensions.length !== 1 || fact.dimensions[0] !== WARPS)
    return `${name} has ${WARPS} elements, one for each warp that a block can have; declare it .extern ${wanted}`;
  return undefined;
}
