import assert from 'node:assert/strict';
import { checkProgram } from '../../../../server/src/targets/mali-gp/lower/check.js';
import { lower } from '../../../../server/src/targets/mali-gp/lower/index.js';
import { functionOfGpir } from '../../../support/gpir-text.js';

/** Deep enough that whoever recurses over operands, selections or nested blocks runs out of stack. */
const DEPTH = 12_000;

const chain = (line: (k: number, before: string) => string, first = 'a0.x'): string =>
  Array.from({ length: DEPTH }, (_, k) => line(k, k === 0 ? first : `%v${k - 1}`)).join('\n');

const last = `%v${DEPTH - 1}`;

describe('lowering for the geometry processor: depth', () => {
  const programs: Readonly<Record<string, string>> = {
    'sums with numbers, which a condition asks about': `${chain((k, before) => `%v${k} = add ${before}, 1`)}
      %c = ge ${last}, 3
      %s = select %c, u0.x, u1.x
      st_var v0.x, %s`,
    'maxima of two sums each, of which there are more paths than numbers': `${chain(
      (k, before) => `%p${k} = add ${before}, 1\n%q${k} = add ${before}, -1\n%v${k} = max %p${k}, %q${k}`,
    )}
      %c = ge ${last}, 3
      %s = select %c, u0.x, u1.x
      st_var v0.x, %s`,
    'a ladder of selections': `%i = floor a0.x\n${chain(
      (k, before) => `%c${k} = eq %i, ${k}\n%v${k} = select %c${k}, u${k % 500}.x, ${before}`,
      'u0.x',
    )}
      st_var v0.x, ${last}`,
    'the same operations on both sides of a selection': `%t = ge a0.x, 1\n${chain(
      (k, before) =>
        `%v${k} = floor ${before}\n%w${k} = floor ${k === 0 ? 'a0.y' : `%u${k - 1}`}\n%u${k} = mul %w${k}, 3`,
    )}
      %r = select %t, ${last}, %u${DEPTH - 1}
      st_var v0.x, %r`,
    'branches one in the other': `${Array.from({ length: DEPTH / 4 }, (_, k) => `%c${k} = ge a0.x, ${k}\nbranch_cond e${k}, %c${k}\nm${k}:`).join('\n')}
${Array.from({ length: DEPTH / 4 }, (_, k) => `st_reg @r${k % 9}, ${k}\ne${DEPTH / 4 - 1 - k}:`).join('\n')}
      %r = ld_reg @r0
      st_var v0.x, %r`,
  };
  for (const [what, text] of Object.entries(programs))
    it(`has no limit: ${what}`, () => {
      assert.deepEqual(checkProgram(lower(functionOfGpir(text)).program), []);
    });
});
