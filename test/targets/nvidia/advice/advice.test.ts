import assert from 'node:assert/strict';
import fc from 'fast-check';
import { launchableOf } from '../../../../server/src/targets/nvidia/limits.js';
import { nvidia } from '../../../../server/src/targets/nvidia/index.js';
import { crossingAt } from '../../../../server/src/targets/nvidia/advice/calls.js';
import { largestBlock } from '../../../../server/src/targets/nvidia/advice/launch-bounds.js';
import { reallocationOf } from '../../../../server/src/targets/nvidia/advice/setmaxnreg.js';
import { wgmmaFloor } from '../../../../server/src/targets/nvidia/advice/wgmma.js';
import { architectures, sharedPerBlock } from '../../../../server/src/targets/nvidia/architectures.js';
import {
  nextSharedStep,
  occupancyOf,
  registersForBlocks,
} from '../../../../server/src/targets/nvidia/occupancy.js';
import type { TargetOptions } from '../../../../server/src/targets/target.js';
import { buildFunction } from '../../../support/build-function.js';
import { runs } from '../../../support/fuzz.js';
import { ptxSnapshot } from '../../../support/ptx.js';
import { head, hoverOver } from '../../../cases/support.js';

describe('advice: arithmetic of blocks', () => {
  it('the largest block that leaves so many registers leaves them, and the next one does not', () => {
    fc.assert(
      fc.property(fc.integer({ min: 16, max: 255 }), fc.integer({ min: 1, max: 8 }), (registers, blocks) => {
        const threads = largestBlock(registers, blocks);
        if (threads > 0) assert.ok(registersForBlocks(threads, blocks) >= registers);
        for (let more = threads + 32; more <= 1024; more += 32)
          assert.ok(registersForBlocks(more, blocks) < registers);
      }),
      { numRuns: runs(100) },
    );
  });

  it('a step of shared memory brings a block more, and a byte more does not', () => {
    const launches = fc.record({
      architecture: fc.constantFrom(...architectures),
      registers: fc.integer({ min: 1, max: 128 }),
      threads: fc.integer({ min: 1, max: 1024 }),
      part: fc.double({ min: 0.01, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(launches, ({ architecture, registers, threads, part }) => {
        const launch = { registers, threads, threadsAssumed: false };
        const sharedBytes = Math.floor(part * sharedPerBlock(architecture));
        const step = nextSharedStep(architecture, { ...launch, sharedBytes });
        if (step === undefined) return;
        assert.ok(step.bytes < sharedBytes);
        assert.equal(occupancyOf(architecture, { ...launch, sharedBytes: step.bytes }).warps, step.warps);
        assert.ok(occupancyOf(architecture, { ...launch, sharedBytes: step.bytes + 1 }).warps < step.warps);
      }),
      { numRuns: runs(300) },
    );
  });
});

const kernel = (directives: string, lines: readonly string[]): string =>
  `${head('sm_90a')}.visible .entry k(.param .u64 p) ${directives}\n{\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<3>;\n\t.reg .f32 %f<65>;\n${lines.map((line) => `\t${line}`).join('\n')}\n\tret;\n}\n`;

describe('advice: setmaxnreg', () => {
  const countsOf = (directives: string, sites: readonly string[], options: TargetOptions = {}): unknown => {
    const lines = sites.map(
      (site) => `setmaxnreg.${site.split(' ')[0]}.sync.aligned.u32 ${site.split(' ')[1]};`,
    );
    const s = ptxSnapshot(kernel(directives, lines), nvidia);
    const f = s.units.flatMap((unit) => unit.function ?? [])[0];
    const found = reallocationOf(f, launchableOf(f, options));
    return found === undefined ? undefined : [found.entry, found.most];
  };

  it('the count at the entry is what ptxas 13.0 prints', () => {
    assert.equal(countsOf('.maxnreg 64', []), undefined);
    assert.deepEqual(countsOf('.maxntid 384', ['dec 40', 'inc 232']), [undefined, 232]);
    assert.deepEqual(countsOf('.maxntid 384 .minnctapersm 1', ['dec 40', 'inc 232']), [168, 232]);
    assert.deepEqual(countsOf('.maxntid 256 .minnctapersm 1', ['dec 40', 'inc 240']), [240, 255]);
    assert.deepEqual(countsOf('.maxntid 256 .minnctapersm 2', ['dec 40']), [128, 128]);
    assert.deepEqual(countsOf('.maxnreg 64', ['inc 40']), [40, 64]);
    assert.deepEqual(countsOf('.maxnreg 64', ['inc 40', 'inc 160']), [64, 160]);
    assert.deepEqual(countsOf('.maxnreg 60', ['dec 40']), [60, 60]);
    assert.deepEqual(countsOf('', ['dec 40'], { maxRegisters: 64 }), [64, 64]);
    assert.deepEqual(countsOf('.maxntid 128', ['dec 40'], { maxRegisters: 64 }), [undefined, 255]);
    assert.deepEqual(countsOf('.maxnreg 300', ['dec 40']), [undefined, 255]);
  });

  it('each path is held against the number in force on it', () => {
    // 60 values behind the decrease are too many, behind the increase they are not
    const many = (place: string): string[] => [
      ...Array.from({ length: 60 }, (_, k) => `ld.global.f32 %f${k}, [%rd1+${4 * k}];`),
      'bar.sync 0;',
      ...Array.from({ length: 60 }, (_, k) => `st.global.f32 [%rd1+${4 * k}], %f${59 - k};`),
      ...(place === '' ? [] : [place]),
    ];
    const text = (first: readonly string[], second: readonly string[]): string =>
      kernel('.maxntid 384 .minnctapersm 1', [
        '.reg .pred %q;',
        'ld.param.u64 %rd1, [p];',
        'mov.u32 %r1, %tid.x;',
        'setp.lt.u32 %q, %r1, 128;',
        '@%q bra B;',
        'setmaxnreg.dec.sync.aligned.u32 40;',
        ...first,
        'ret;',
        'B:',
        'setmaxnreg.inc.sync.aligned.u32 232;',
        ...second,
      ]);
    const found = (source: string): string[] =>
      ptxSnapshot(source, nvidia)
        .units.flatMap(({ compilation }) => compilation?.problems ?? [])
        .filter(({ code }) => code === 'pressure/setmaxnreg')
        .map(({ message }) => message);
    assert.deepEqual(found(text([], many(''))), []);
    assert.equal(found(text(many(''), [])).length, 1);
    assert.match(found(text(many(''), []))[0], /setmaxnreg has left 40/);
  });
});

describe('advice: matrices and calls', () => {
  it('no instruction but wgmma has a floor', () => {
    assert.equal(wgmmaFloor(buildFunction('regs a b c d\na = load\nb = fma a a a\nstore b')), undefined);
  });

  it('what lives across a call is neither what it reads last nor what it writes', () => {
    const f = buildFunction(
      ['regs a b c d', 'a = load', 'b = load', 'c = load', 'd = call b', 'store a', 'store d'].join('\n'),
    );
    const c = nvidia.compile(f, { arch: 'sm_80' });
    const call = 3;
    assert.deepEqual(
      crossingAt(c.source, c.liveRanges, call).registers.map((r) => f.registerNames[r]),
      ['a'],
    );
  });
});

describe('advice: hovers', () => {
  it('say what the next step of occupancy needs, whatever limits it', () => {
    const shared = kernel('.maxntid 128', ['st.shared.u32 [s], 0;']).replace(
      '.visible',
      '.shared .align 4 .b8 s[40000];\n.visible',
    );
    // 228 KB hold five blocks of 40 000 bytes and their kilobyte; six leave 38 912, the kilobyte included
    assert.match(
      hoverOver(ptxSnapshot(shared, nvidia), 'k('),
      /Limited by \| shared memory .*Next step \| 24 warps with at most 37888 bytes of shared memory a block, now 40000/,
    );
    // 32 blocks of one warp, where 64 warps fit
    assert.match(
      hoverOver(ptxSnapshot(kernel('.maxntid 32', []), nvidia), 'k('),
      /Limited by \| blocks an SM .*larger blocks: an SM holds 32 of them, whatever their size; 64 threads each would fill it/,
    );
  });
});
