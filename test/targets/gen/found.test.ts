import { strict as assert } from 'node:assert';
import { checkAllocation } from '../../../server/src/targets/gen/check/index.js';
import { allocateWithPool } from '../../../server/src/targets/gen/scalar/index.js';
import { imm, ins, g, program, v } from '../../support/gen-machine.js';

/** What random programs have found, as small as it became. */
describe('gen: found by random programs', () => {
  it('a pool is not put over the payload when registers are few', () => {
    const source = program(
      [
        ins('mov', v(0), [g(3)]),
        ins('send', undefined, [imm(0, 'UD'), imm(0, 'UD'), v(0)], {
          message: { mlen: 1, isEndOfThread: true },
        }),
      ],
      { dialect: 'scalar', bytes: [32], registerLimit: 11 },
    );
    const allocation = allocateWithPool(source, { reserved: 8 });
    if (allocation.kind === 'allocated') assert.deepEqual(checkAllocation(source, allocation), []);
    else assert.equal(allocation.reason, 'REGISTER_ALLOCATION_FAIL');
  });
});
