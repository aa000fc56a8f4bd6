import assert from 'node:assert/strict';
import { judged } from '../../server/src/cli/comparison/judgement.js';
import { figuresOf, type StatsElement } from '../../server/src/cli/comparison/figures.js';
import { statsOf } from '../../server/src/cli/stats.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { ptxHead, ptxSnapshot } from '../support/ptx.js';

/** The figures of a kernel with so many values live, for an architecture. */
function figures(arch: string, values: number): ReturnType<typeof figuresOf> {
  const numbers = Array.from({ length: values }, (_, k) => k);
  const text = `${ptxHead.replace('sm_90', arch).replace('8.0', '8.8')}.entry k(.param .u64 p) {
  .reg .b64 %rd1; .reg .b32 %r<${values}>; ld.param.u64 %rd1, [p];
  ${numbers.map((k) => `ld.volatile.global.u32 %r${k}, [%rd1+${4 * k}];`).join('\n')}
  ${numbers.map((k) => `st.volatile.global.u32 [%rd1+${4 * k}], %r${k};`).join('\n')}
  ret; }
`;
  const document = ptxSnapshot(text, nvidia);
  const unit = document.units.find((u) => u.compilation !== undefined)!;
  const input = { path: 'k.ptx', document, faults: [] } as unknown as Parameters<typeof statsOf>[0]['input'];
  const element: StatsElement = statsOf({ input, unit, compilation: unit.compilation!, line: 1 });
  return figuresOf([element], () => 'k.ptx');
}

const statusOf = (before: string, after: string): string =>
  judged(figures(before, 20), figures(after, 60), new Map())
    .map(({ status }) => status)
    .join();

describe('what a gate makes of an architecture', () => {
  // the letter allows instructions of one architecture, or of one family, and leaves the limits as they are
  it('compares figures for sm_90 with those for sm_90a', () => {
    assert.equal(statusOf('sm_90', 'sm_90'), 'worse');
    assert.equal(statusOf('sm_90', 'sm_90a'), 'worse');
    assert.equal(statusOf('sm_100f', 'sm_100'), 'worse');
  });

  it('does not compare figures for architectures with limits of their own', () =>
    assert.equal(statusOf('sm_90', 'sm_100'), 'retargeted'));
});
