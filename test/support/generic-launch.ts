import type { GridOptions, LaunchArgument } from '../../server/src/languages/ptx/execute/grid.js';
import type { ProgramUnit } from '../../server/src/languages/ptx/semantics/module.js';
import { byteSize, parameterFact } from '../../server/src/languages/ptx/declarations.js';
import type { FunctionItem } from '../../server/src/languages/ptx/tree.js';

/** Small integers, so that loops over them end. */
function smallIntegers(bytes: number): Uint8Array {
  const result = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 4) result[at] = ((at / 4) % 7) + 1;
  return result;
}

const BUFFER_BYTES = 65_536;

/**
 * A launch of a kernel about which nothing is known: a buffer of small integers for each 64-bit parameter, small
 * numbers for the others. Many kernels run so, some need what only their authors know.
 */
export function genericLaunch(unit: ProgramUnit, block: GridOptions['block']): GridOptions {
  const item = unit.parsed.items.find(
    (i): i is FunctionItem => i.kind === 'function' && i.body !== undefined,
  );
  const buffers: Record<string, Uint8Array> = {};
  const values = (item?.parameters ?? []).map((p, k): LaunchArgument => {
    const fact = parameterFact(p);
    if (fact.dimensions.length > 0) return { bytes: smallIntegers(byteSize(fact)) };
    if (byteSize(fact) !== 8) return 5 + k;
    buffers[`parameter ${k}`] = smallIntegers(BUFFER_BYTES);
    return { address: `parameter ${k}` };
  });
  return {
    entry: unit.function?.name ?? '',
    arguments: values,
    buffers,
    dynamicShared: 16_384,
    steps: 400_000,
    ...(block === undefined ? {} : { block }),
  };
}
