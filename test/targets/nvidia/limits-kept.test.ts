import assert from 'node:assert/strict';
import type { Stats } from '../../../server/src/targets/target.js';
import { nvidia } from '../../../server/src/targets/nvidia/index.js';
import { unitsOf } from '../../support/ptx-run.js';

/** `count` values that are loaded, held across a barrier, and stored. */
const holding = (count: number, directives = ''): string => `
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) ${directives}
{
  .reg .f32 %f<${count}>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ${Array.from({ length: count }, (_, k) => `ld.volatile.global.f32 %f${k}, [%rd1+${4 * k}];`).join('\n  ')}
  bar.sync 0;
  ${Array.from({ length: count }, (_, k) => `st.volatile.global.f32 [%rd1+${4 * k}], %f${k};`).join('\n  ')}
  ret;
}
`;

function statsOf(text: string, options = {}): Stats {
  const f = unitsOf(text).find((unit) => unit.function !== undefined)?.function;
  assert(f);
  return nvidia.compile(f, options).stats;
}

describe('figures under a limit agree with each other', () => {
  const general = (stats: Stats): number => stats.registers.general ?? 0;

  it('a kernel that spills uses its whole limit, one block of 1024 threads included', () => {
    // 65536 registers for 1024 threads
    const stats = statsOf(holding(80, '.maxntid 1024, 1, 1'));
    assert.equal(stats.limit, 64);
    assert.ok(stats.spills.registers > 0);
    assert.equal(general(stats), 64);
    assert.equal(stats.occupancy?.warps, 32);
  });

  it('no more is live as compiled than the limit, or something is spilled', () => {
    for (let count = 20; count <= 60; count += 5)
      for (const maxRegisters of [24, 32, 40, 48]) {
        const stats = statsOf(holding(count), { maxRegisters });
        const said = `${count} values, limit ${maxRegisters}`;
        assert.ok(stats.pressure.asCompiled <= maxRegisters, said);
        assert.ok(general(stats) <= maxRegisters, said);
        // two of the limit have no name, one is the stack pointer, two are the address
        assert.equal(stats.spills.registers > 0, count + 5 > maxRegisters, said);
        const [low, high] = stats.registersRange ?? [0, 0];
        assert.ok(low <= general(stats) && general(stats) <= high && high <= maxRegisters, said);
      }
  });
});
