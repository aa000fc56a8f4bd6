import type { Name } from '../tree.js';
import type { Context } from './context.js';

/**
 * Pragmas are strings to the assembler. ptxas 13.0 knows a few and warns of the others; `enable_smem_spilling` is
 * refused outside a body, and inside one by every compilation that works function by function (-c, -G).
 */
const known = ['nounroll', 'used_bytes_mask', 'enable_smem_spilling', 'frequency'];

export function checkPragmas(context: Context, values: readonly Name[], isInBody: boolean): void {
  for (const value of values) {
    const word = /^"?\s*([\w.]*)/.exec(value.text)?.[1] ?? '';
    const span = { start: value.start, end: value.end };
    if (word === 'enable_smem_spilling')
      context.problems.push({
        code: 'isa/pragma',
        severity: isInBody ? 'information' : 'error',
        span,
        message: isInBody
          ? "'enable_smem_spilling' is for whole programs: ptxas refuses it where functions are compiled one by one (-c, -G)"
          : "'enable_smem_spilling' is allowed inside a function body only; move it there",
      });
    else if (!known.includes(word))
      context.problems.push({
        code: 'isa/unknown-pragma',
        severity: 'warning',
        span,
        message: `ptxas does not know the pragma '${word}' and ignores it; known are ${known.join(', ')}`,
      });
  }
}
