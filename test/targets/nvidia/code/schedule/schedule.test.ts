import assert from 'node:assert/strict';
import { controlFlow } from '../../../../../server/src/passes/cfg.js';
import { liveRangesOf } from '../../../../../server/src/passes/live-ranges.js';
import { livenessOf } from '../../../../../server/src/passes/liveness.js';
import { pressureOf } from '../../../../../server/src/passes/pressure.js';
import type { MachineCode } from '../../../../../server/src/targets/nvidia/code/code.js';
import { contextOf } from '../../../../../server/src/targets/nvidia/code/context.js';
import { schedule } from '../../../../../server/src/targets/nvidia/code/schedule/schedule.js';
import { machineSource } from '../../../../../server/src/targets/nvidia/code/source.js';
import { machineCodeOf } from '../../../../../server/src/targets/nvidia/code/writer.js';
import { launchableOf } from '../../../../../server/src/targets/nvidia/limits.js';
import { ptxHead } from '../../../../support/ptx.js';
import { unitsOf } from '../../../../support/ptx-run.js';

const REGISTERS = `.reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .f32 %f<999>; .reg .pred %p<9>;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];`;

function scheduled(body: string, arch: string): MachineCode {
  const units = unitsOf(
    `${ptxHead}.visible .entry k(.param .u64 p, .param .u64 q) { ${REGISTERS} ${body} ret; }`,
  );
  const written = units.find((unit) => unit.function)?.function;
  assert.ok(written);
  const source = machineSource(written);
  const options = { arch };
  return schedule(machineCodeOf(source), contextOf(launchableOf(source, options), options));
}

/** The opcodes' first words, those of parameters left out: `ld fma ld fma st ret`. */
const words = ({ f }: MachineCode): string =>
  Array.from(f.opcode, (o) => f.opcodes.text(o))
    .filter((text) => !text.includes('param'))
    .map((text) => text.split('.')[0])
    .join(' ');

function peakOf({ f }: MachineCode): number {
  const liveness = livenessOf(f, controlFlow(f));
  return pressureOf(f, liveness, liveRangesOf(f, liveness)).peak[0];
}

const range = (count: number): number[] => Array.from({ length: count }, (_, k) => k);

/** `live` values across a block in which one chain adds up `loads` loads; a barrier before it and behind it. */
const chain = (live: number, loads: number): string =>
  [
    'mov.f32 %f0, 0f00000000;',
    ...range(live).map((k) => `ld.volatile.global.f32 %f${500 + k}, [%rd1+${4096 * k}];`),
    'bar.sync 0;',
    ...range(loads).map(
      (k) =>
        `ld.global.f32 %f${300 + k}, [%rd1+${64 * k}]; fma.rn.f32 %f${k + 1}, %f${300 + k}, %f${300 + k}, %f${k};`,
    ),
    'bar.sync 0;',
    ...range(live).map((k) => `fma.rn.f32 %f${loads + k + 1}, %f${loads + k}, %f${loads + k}, %f${500 + k};`),
    `st.global.f32 [%rd2], %f${live + loads};`,
  ].join('\n');

describe('instructions are ordered as ptxas orders them', () => {
  it('loads go up until four registers are free below the step of occupancy', () => {
    // live registers that nvdisasm counts in what ptxas 13.0 makes of the same programs
    const measured: readonly (readonly [arch: string, live: number, peak: number])[] = [
      ['sm_80', 10, 28],
      ['sm_80', 16, 28],
      ['sm_80', 24, 36],
      ['sm_80', 32, 44],
      ['sm_80', 46, 60],
      ['sm_75', 16, 60],
      ['sm_75', 40, 60],
      ['sm_86', 16, 36],
      ['sm_86', 46, 60],
    ];
    for (const [arch, live, peak] of measured) {
      const ours = peakOf(scheduled(chain(live, 60), arch));
      assert.ok(Math.abs(ours - peak) <= 1, `${arch}, ${live} values: ${ours} live, ptxas ${peak}`);
    }
  });

  it('loads stay behind stores that may meet them', () => {
    const copy = (load: string, to: string): string =>
      words(
        scheduled(
          range(3)
            .map(
              (k) => `${load} %f${k}, [%rd1+${4 * k}]; add.f32 %f${k + 10}, %f${k}, %f${k};
                st.global.f32 [${to}+${4 * k}], %f${k + 10};`,
            )
            .join('\n'),
          'sm_80',
        ),
      );
    const up = 'ld ld ld add';
    assert.equal(copy('ld.global.f32', '%rd2'), 'ld add st ld add st ld add st ret', 'another pointer');
    assert.ok(copy('ld.global.nc.f32', '%rd2').startsWith(up), 'nothing writes what .nc reads');
    assert.ok(copy('ld.global.f32', '%rd1').startsWith(up), 'other bytes from the same base');
    assert.ok(copy('ld.shared.f32', '%rd2').startsWith(up), 'another state space');
    assert.equal(copy('ld.f32', '%rd2'), 'ld add st ld add st ld add st ret', 'a generic address');
  });

  it('what a load makes useful waits for the load', () => {
    // a key is squared for each round, and each round of the data takes one key
    const rounds = range(20).map(
      (k) => `mul.f32 %f${k + 100}, %f${k + 99}, %f${k + 99};
        fma.rn.f32 %f${k + 1}, %f${k}, %f${k + 100}, %f${k};`,
    );
    const code = scheduled(
      `mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f99, %r1; ld.global.f32 %f0, [%rd1];
       ${rounds.join('')} st.global.f32 [%rd2], %f20;`,
      'sm_80',
    );
    assert.ok(peakOf(code) <= 9, `${peakOf(code)} live: the keys run ahead`);
  });

  // ptxas 13.0 (sm_75 to sm_90) puts IMAD.WIDE in front of the LDG that reads the address before it, each time.
  it('the next address goes in front of the load that reads the one before', () => {
    const walk = range(4).map(
      (k) => `mad.wide.s32 %rd${k + 4}, %r1, 8, %rd${k + 3}; ld.global.f32 %f${k + 1}, [%rd${k + 3}];`,
    );
    const sum = range(4).map((k) => `fma.rn.f32 %f0, %f${4 - k}, %f${4 - k}, %f0;`);
    const f = scheduled(
      `mov.u32 %r1, %ctaid.x; mul.wide.s32 %rd3, %r1, 8; mov.f32 %f0, 0f00000000; bar.sync 0; ${walk.join(' ')} bar.sync 0; ${sum.join(' ')} st.global.f32 [%rd2], %f0;`,
      'sm_75',
    );
    assert.match(words(f), /mad ld mad ld mad ld ld bar/);
  });

  it('no more chains run side by side than the unit needs', () => {
    // ptxas 13.0 works off four polynomials two by two on sm_80: a link takes 8 cycles, the unit one link every 4
    const chains = range(4);
    const links = range(10).flatMap((k) =>
      chains.map((c) => `fma.rn.f64 %d${c}, ${k === 0 ? `%x${c}` : `%d${c}`}, %x${c}, 0d3ff0000000000000;`),
    );
    const { f, origin } = scheduled(
      `.reg .f64 %d<4>; .reg .f64 %x<4>;
       ${chains.map((c) => `ld.global.f64 %x${c}, [%rd1+${8 * c}];`).join('')}
       ${links.join('')} ${chains.map((c) => `st.global.f64 [%rd2+${8 * c}], %d${c};`).join('')}`,
      'sm_80',
    );
    const isLink = (_: number, i: number): boolean => f.opcodes.text(f.opcode[i]) === 'fma.rn.f64';
    const order = Array.from(origin).filter(isLink);
    const chainOf = (i: number): number => (i - Math.min(...order)) % 4;
    assert.ok(new Set(order.slice(4, 16).map(chainOf)).size <= 3, order.slice(0, 16).map(chainOf).join(' '));
  });

  it('memory stays on its side of barriers and atomics on the same place', () => {
    assert.equal(
      words(
        scheduled(
          `ld.shared.f32 %f1, [%rd1]; bar.sync 0; ld.shared.f32 %f2, [%rd1]; add.f32 %f3, %f1, %f2;
           atom.shared.add.f32 %f4, [%rd1], %f3; ld.shared.f32 %f5, [%rd1]; add.f32 %f6, %f4, %f5;
           st.shared.f32 [%rd1], %f6;`,
          'sm_80',
        ),
      ),
      'ld bar ld add atom ld add st ret',
    );
  });

  it('a register that is written again keeps its readers in front', () => {
    const order = words(
      scheduled(
        `mov.f32 %f1, 0f3f800000; ex2.approx.f32 %f2, %f1; ld.global.f32 %f1, [%rd1];
         mul.f32 %f3, %f1, %f2; st.global.f32 [%rd2], %f3;`,
        'sm_80',
      ),
    );
    assert.equal(order, 'mov ex2 ld mul st ret');
  });

  it('a long block keeps every instruction, once', () => {
    const body = range(1500)
      .map(
        (k) =>
          `ld.global.f32 %f${k % 97}, [%rd1+${4 * k}]; st.global.f32 [%rd1+${4 * k + 2}], %f${(k + 50) % 97};`,
      )
      .join('\n');
    const code = scheduled(body, 'sm_80');
    assert.equal(new Set(code.origin).size, code.f.instructionCount);
  });
});
