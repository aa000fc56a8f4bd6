import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Function } from '../../../server/src/ir/function.js';
import { alignmentOf } from '../../../server/src/passes/alignment.js';
import { checkAllocation } from '../../../server/src/passes/check-allocation.js';
import type { NvidiaCompilation } from '../../../server/src/targets/nvidia/compile.js';
import type { Placement, TargetOptions } from '../../../server/src/targets/target.js';
import { requestFor } from '../../../server/src/targets/nvidia/ptxas/request.js';
import { verify } from '../../../server/src/targets/nvidia/verify.js';
import { nvidia } from '../../../server/src/targets/nvidia/index.js';
import { launchableOf } from '../../../server/src/targets/nvidia/limits.js';
import { buildFunction } from '../../support/build-function.js';
import { ptxHead } from '../../support/ptx.js';
import { unitsOf } from '../../support/ptx-run.js';
import { runs } from '../../support/fuzz.js';
import { randomFunction } from '../../support/random-function.js';

const withAttributes = (f: Function, attributes: Function['attributes']): Function => ({ ...f, attributes });

/**
 * `count` values, all made in front of a barrier and read behind it: whatever the order, all are live there. No two
 * loads are alike, so that none is left out.
 */
const allLive = (count: number): Function => {
  const names = Array.from({ length: count }, (_, k) => `r${k}`);
  return buildFunction(
    [
      `regs ${names.join(' ')} base`,
      'base = load',
      ...names.map((name, k) => `${name} = ld.global.f32.${k} base`),
      'barrier',
      ...names.map((name) => `store ${name}`),
    ].join('\n'),
  );
};

const compile = (f: Function, options: TargetOptions = {}): NvidiaCompilation =>
  nvidia.compile(f, { arch: 'sm_80', ...options });

/** A kernel with a pointer in `%rd1`, registers `%r`, `%rd`, `%f`, `%p`. */
function compileText(body: string, options: TargetOptions = {}): NvidiaCompilation {
  const text = `${ptxHead}.visible .entry k(.param .u64 p) {
    .reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<9>;
    ld.param.u64 %rd1, [p]; ${body} ret; }`;
  const f = unitsOf(text).flatMap((unit) => unit.function ?? [])[0];
  return compile(f, options);
}

const placementOf = (c: NvidiaCompilation, name: string): Placement =>
  c.placements[c.source.registerNames.indexOf(name)];

const codes = (c: NvidiaCompilation): string[] => c.problems.map(({ code }) => code);

describe('nvidia register limit', () => {
  const empty = buildFunction('L:\nstore');
  const cases: readonly [string, Function['attributes'], TargetOptions, number, string, number?][] = [
    ['nothing said', {}, {}, 255, 'machine'],
    ['option', {}, { maxRegisters: 64 }, 64, 'option'],
    ['option below what ptxas takes', {}, { maxRegisters: 8 }, 24, 'option'],
    ['option above the machine', {}, { maxRegisters: 400 }, 255, 'machine'],
    ['.maxnreg', { maxRegisters: 48 }, {}, 48, '.maxnreg'],
    // 1024 threads: 65 536 / 1024
    ['.maxntid 1024', { maxThreads: 1024 }, {}, 64, '.maxntid'],
    ['.reqntid 512', { requiredThreads: 512 }, {}, 128, '.reqntid'],
    // 8 blocks of 256 threads are 64 warps: 32 each
    ['.minnctapersm', { maxThreads: 256, minBlocks: 8 }, {}, 32, '.maxntid'],
    ['.minnctapersm alone has no effect', { minBlocks: 8 }, {}, 255, 'machine'],
    ['a launch bound disables the option', { maxThreads: 128 }, { maxRegisters: 32 }, 255, 'machine', 32],
    // all of these as ptxas 13.0 prints them for 180 live values
    ['.maxnreg lifts the bound of the block', { maxRegisters: 100, maxThreads: 1024 }, {}, 100, '.maxnreg'],
    ['even one that is ignored', { maxRegisters: 300, maxThreads: 1024 }, {}, 255, 'machine'],
    [
      'with .minnctapersm the tighter counts',
      { maxRegisters: 100, maxThreads: 1024, minBlocks: 1 },
      {},
      64,
      '.maxntid',
    ],
    ['or .maxnreg', { maxRegisters: 40, maxThreads: 1024, minBlocks: 1 }, {}, 40, '.maxnreg'],
    ['more threads than an SM has', { maxThreads: 1024, minBlocks: 3 }, {}, 64, '.maxntid'],
    ['in whole warps', { maxThreads: 65, minBlocks: 22 }, {}, 255, 'machine'],
    ['more blocks than an SM has', { maxThreads: 64, minBlocks: 100 }, {}, 255, 'machine'],
    ['as many as it has', { maxThreads: 48, minBlocks: 32 }, {}, 32, '.maxntid'],
    ['.maxnreg below what ptxas takes', { maxRegisters: 16 }, {}, 24, '.maxnreg'],
  ];
  for (const [title, attributes, options, limit, limitedBy, ignored] of cases)
    it(title, () => {
      const found = launchableOf(withAttributes(empty, attributes), { arch: 'sm_80', ...options });
      assert.deepEqual([found.limit, found.limitedBy, found.ignoredOption], [limit, limitedBy, ignored]);
    });
});

describe('nvidia options and directives that cannot hold', () => {
  const empty = buildFunction('L:\nstore');
  const said = (attributes: Function['attributes'], options: TargetOptions): NvidiaCompilation =>
    nvidia.compile(withAttributes(empty, attributes), options);

  // ptxas 13.0: "SM version specified by .target is higher than default SM version assumed", "PTX with .target
  // 'sm_90a' cannot be compiled for architecture 'sm_90'", "... to future architecture"
  const unfit: readonly [string, string, boolean][] = [
    ['sm_90', 'sm_75', true],
    ['sm_86', 'sm_80', true],
    ['sm_90', 'sm_90', false],
    ['sm_75', 'sm_90', false],
    ['sm_52', 'sm_75', false],
    ['sm_90a', 'sm_100', true],
    // the file's own suffix is added to a name without one, as for ptxas
    ['sm_90a', 'sm_90', false],
    ['sm_90a', 'sm_90a', false],
    ['sm_90', 'sm_90a', false],
    ['sm_90', 'sm_100f', false],
    ['sm_100a', 'sm_100f', true],
    ['sm_100f', 'sm_103', false],
    ['sm_100f', 'sm_103a', false],
    ['sm_100f', 'sm_120', true],
    ['sm_103f', 'sm_100f', true],
    ['sm_120f', 'sm_121', false],
  ];
  for (const [target, arch, isUnfit] of unfit)
    it(`${target} for ${arch} ${isUnfit ? 'does not run' : 'runs'}`, () => {
      const c = said({ arch: target }, { arch });
      assert.equal(codes(c).includes('hw/older-architecture'), isUnfit);
      assert.equal(c.machine, arch);
    });

  it('the machine is that of the file when no option says otherwise', () => {
    assert.equal(said({ arch: 'sm_90' }, {}).machine, 'sm_90');
    assert.equal(said({ arch: 'sm_52' }, {}).machine, 'sm_75');
  });

  it('by the name that was written, with the limits of the architecture', () => {
    for (const [name, warps] of [
      ['sm_90a', 64],
      ['sm_100f', 64],
      ['sm_120a', 48],
    ] as const)
      for (const c of [said({ arch: name }, {}), said({ arch: 'sm_90' }, { arch: name })]) {
        assert.equal(c.machine, name);
        assert.equal(c.model, `${name}, limit 255`);
        assert.equal(c.stats.occupancy?.maxWarps, warps);
        assert.equal(requestFor(c).arch, name);
      }
    assert.equal(said({}, { arch: 'compute_90a' }).machine, 'sm_90a');
    // no such names: those features began with sm_90 and sm_100
    assert.equal(said({ arch: 'sm_80a' }, {}).machine, 'sm_80');
    assert.equal(said({ arch: 'sm_90f' }, {}).machine, 'sm_90');
  });

  it('.maxnreg above 255 is ignored with a warning, and keeps --maxrregcount out', () => {
    const c = said({ maxRegisters: 300 }, { maxRegisters: 32 });
    assert.equal(c.stats.limit, 255);
    assert.equal(codes(c).filter((code) => code === 'pressure/limit-ignored').length, 2);
    assert.ok(!codes(said({ maxRegisters: 255 }, {})).includes('pressure/limit-ignored'));
  });

  it('a function without local arrays has a frame of no bytes', () => {
    assert.equal(said({}, {}).stats.frameBytes, 0);
    assert.equal(said({ localBytes: 40 }, {}).stats.frameBytes, 40);
  });
});

describe('nvidia compilation', () => {
  it('says of a tie that the next best costs as much', () => {
    const reasons = compile(allLive(40), { maxRegisters: 24 }).spills.map(({ reason }) => reason);
    assert.ok(reasons.some((reason) => reason.includes('costs as much for what it frees')));
    assert.ok(reasons.every((reason) => !reason.includes('1.0 times')));
  });

  it('spills nothing and says nothing when all fits', () => {
    const c = compile(allLive(20));
    assert.equal(c.stats.spills.registers, 0);
    // R1 is taken
    assert.equal(c.allocated.unitsUsed[0], 21);
    assert.equal(c.asCompiled.peak[0], 20);
    assert.equal(c.model, 'sm_80, limit 255');
    assert.deepEqual(
      codes(c).filter((code) => !code.startsWith('stall/')),
      [],
    );
  });

  it('spills what does not fit, once stored and once reloaded each', () => {
    const c = compile(allLive(40), { maxRegisters: 24 });
    // R1 and two registers without a name are taken, and a place must stay free for what is loaded next
    assert.ok(
      c.stats.spills.registers >= 40 - 21 && c.stats.spills.registers <= 40 - 21 + 1,
      `${c.stats.spills.registers}`,
    );
    assert.ok(c.stats.registers.general <= 24);
    for (const spill of c.spills) {
      assert.equal(spill.stores.length, 1);
      assert.equal(spill.reloads.length, 1);
      assert.equal(spill.bytes, 4);
      assert.match(spill.reason, /where more than 22 are live/);
    }
    assert.equal(c.stats.spills.storeBytes, 4 * c.stats.spills.registers);
    assert.equal(c.stats.scratchBytes, 4 * c.stats.spills.registers);
    assert.equal(codes(c).filter((code) => code === 'spill/register').length, c.stats.spills.registers);
    const peak = c.problems.find(({ code }) => code === 'pressure/limit');
    assert.match(peak?.message ?? '', /40 general registers live here, the limit is 24 \(option\)/);
  });

  it('does not spill in a loop what it can spill around it', () => {
    const around = Array.from({ length: 12 }, (_, k) => `a${k}`);
    const inside = Array.from({ length: 14 }, (_, k) => `b${k}`);
    const c = compile(
      buildFunction(
        [
          `regs ${around.join(' ')} ${inside.join(' ')} p:p`,
          ...around.map((name) => `${name} = load`),
          ...inside.map((name) => `${name} = load`),
          'L:',
          ...inside.map((name) => `${name} = add.f32 ${name} ${name}`),
          'p = setp.lt.f32 b0 b1',
          'branch p',
          '-> L X',
          'X:',
          ...inside.map((name) => `store ${name}`),
          ...around.map((name) => `store ${name}`),
        ].join('\n'),
      ),
      { maxRegisters: 24 },
    );
    assert.ok(c.spills.length > 0);
    for (const { register } of c.spills) assert.match(c.source.registerNames[register], /^a/);
  });

  it('keeps predicates that do not fit in a general register, and calls that no spill', () => {
    const names = Array.from({ length: 10 }, (_, k) => `p${k}`);
    const c = compile(
      buildFunction(
        [
          `regs a b ${names.map((name) => `${name}:p`).join(' ')}`,
          'a = load',
          'b = load',
          ...names.map((name, k) => `${name} = setp.lt.f32.${k} a b`),
          ...names.map((name) => `store ${name}`),
        ].join('\n'),
      ),
      { without: 'schedule' }, // in another order they all fit
    );
    assert.ok((c.stats.registers.predicate ?? 0) <= 7);
    assert.deepEqual(c.stats.spills, { registers: 0, stores: 0, loads: 0, storeBytes: 0, loadBytes: 0 });
    assert.equal(c.stats.scratchBytes, 0);
    const limit = c.problems.find(({ code }) => code === 'pressure/limit');
    assert.match(
      limit?.message ?? '',
      /10 predicate registers live here, there are 7: 3 kept in general registers/,
    );
    assert.equal(limit?.severity, 'hint');
    // a, b and the carrier
    assert.equal(c.allocated.unitsUsed[0], 4);
  });

  it('leaves dead code out and folds copies', () => {
    const c = compileText(
      'mov.u32 %r1, %tid.x; mov.u32 %r2, %r1; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r2;',
    );
    assert.equal(c.stats.more?.deadInstructions, 1);
    assert.deepEqual(placementOf(c, '%r2'), { kind: 'folded', into: c.source.registerNames.indexOf('%r1') });
    assert.deepEqual(placementOf(c, '%r3'), { kind: 'unused' });
    assert.equal(c.asCompiled.peak[0], 3, 'the pointer and %r1');
    assert.equal(c.stats.pressure.asWritten, 4);
  });

  it('folds the conversion of a global address, which is the same number', () => {
    const global = compileText(
      'cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd2+4], %r1;',
    );
    assert.deepEqual(placementOf(global, '%rd2'), {
      kind: 'folded',
      into: global.source.registerNames.indexOf('%rd1'),
    });
    const shared = compileText(
      'cvta.to.shared.u64 %rd2, %rd1; ld.shared.u32 %r1, [%rd2]; st.shared.u32 [%rd2+4], %r1;',
    );
    assert.equal(placementOf(shared, '%rd2').kind, 'register');
  });

  it('recomputes a constant that would be kept across the peak', () => {
    const names = Array.from({ length: 6 }, (_, k) => `%r${k + 2}`);
    const c = compileText(
      [
        'mov.u32 %r1, %ctaid.x;',
        'st.global.u32 [%rd1], %r1;',
        ...names.map((name, k) => `ld.global.u32 ${name}, [%rd1+${4 * k}];`),
        'bar.sync 0;',
        ...names.map((name, k) => `st.global.u32 [%rd1+${4 * k + 64}], ${name};`),
        'st.global.u32 [%rd1+128], %r1;',
      ].join('\n'),
      { without: 'uniform' },
    );
    assert.ok(c.asCompiled.peak[0] <= 2 + 6 + 1, `${c.asCompiled.peak[0]}`);
    assert.equal(c.stats.spills.registers, 0);
  });

  it('hints at the next occupancy step, and says whom to free', () => {
    const c = compile(allLive(33));
    const hint = c.problems.find(({ code }) => code === 'pressure/next-step');
    assert.match(
      hint?.message ?? '',
      /\d+ registers as compiled, \d above the next step: with 32 registers 64 warps/,
    );
    assert.match(hint?.message ?? '', /sm_80, limit 255, 256 threads a block, assumed/);
    assert.match(hint?.message ?? '', /freeing r\d+, r\d+.* at the peak would do/);
    assert.equal(compile(allLive(40)).stats.occupancy?.nextStep?.registers, 40);
  });

  it('gives a function with a call the registers of the calling convention', () => {
    const c = compile(buildFunction('regs a\na = load\ncall\nstore a'));
    assert.equal(c.stats.registers.general, 24);
    assert.equal(c.stats.pressure.asCompiled, 1);
  });

  it('says that a directive disables the option', () => {
    const f = withAttributes(allLive(4), { maxThreads: 128 });
    assert.ok(codes(compile(f, { maxRegisters: 32 })).includes('pressure/limit-ignored'));
  });

  it('reports what the machine cannot do', () => {
    const f = allLive(4);
    assert.ok(codes(compile(f, { sharedBytes: 200 * 1024 })).includes('hw/shared-memory'));
    assert.ok(codes(compile(withAttributes(f, { sharedBytes: 49 * 1024 }))).includes('hw/shared-memory'));
    assert.ok(codes(compile(withAttributes(f, { maxThreads: 2048 }))).includes('hw/block-size'));
    assert.ok(codes(compile(f, { arch: 'gfx906' })).includes('hw/architecture'));
    const wide = allLive(100);
    assert.ok(codes(compile(wide, { threads: 1024 })).includes('hw/launch'));
  });

  it('survives an instruction with more operands than there are registers', () => {
    const names = Array.from({ length: 3000 }, (_, k) => `r${k}`);
    const c = compile(
      buildFunction(
        [
          `regs ${names.join(' ')}`,
          ...names.map((name) => `${name} = load`),
          `store ${names.join(' ')}`,
        ].join('\n'),
      ),
    );
    assert.ok(codes(c).includes('hw/operands'));
    assert.deepEqual(verify(c), []);
  });

  it('is right, complete and inside the text on random functions', () => {
    fc.assert(
      fc.property(
        randomFunction({ maxBlocks: 12, maxInstructions: 8, maxRegisters: 60 }),
        fc.constantFrom('sm_75', 'sm_80', 'sm_86', 'sm_90', 'sm_120'),
        fc.option(fc.integer({ min: 24, max: 64 }), { nil: undefined }),
        (f, arch, maxRegisters) => {
          const c = nvidia.compile(f, { arch, maxRegisters });
          const available = [Math.max(c.stats.limit, 24), 7 + 8];
          assert.deepEqual(
            checkAllocation(c.allocated, { available, alignment: (_, width) => alignmentOf(width) }),
            [],
          );
          assert.equal(c.placements.length, f.registerCount);
          assert.ok(c.stats.cycles! >= c.stats.stallCycles!);
          assert.ok(c.stats.pressure.asCompiled <= c.stats.registers.general);
          for (const { span } of c.problems) assert.ok(0 <= span.start && span.start <= span.end);
          const listing = nvidia.listing(c);
          assert.equal(listing.lines.length, listing.source.length);
          for (const i of listing.source) assert.ok(i >= -1 && i < f.instructionCount);
          assert.deepEqual(nvidia.compile(f, { arch, maxRegisters }).stats, c.stats);
        },
      ),
      { numRuns: runs(120) },
    );
  });
});

describe('nvidia listing', () => {
  it('shows places, spill code, waits and the PTX behind each line', () => {
    const { lines, source } = nvidia.listing(compile(allLive(40), { maxRegisters: 24 }));
    assert.match(lines[0], /^\/\/ test: sm_80, limit 24; \d+ general, 0 predicate registers as compiled$/);
    assert.ok(lines.some((line) => /STL +\[R1\+0x0\], R\d+ +\/\/ spill r\d+/.test(line)));
    assert.ok(lines.some((line) => /LDL +R\d+, \[R1\+0x0\] +\/\/ reload r\d+/.test(line)));
    assert.ok(lines.some((line) => /LDG +R\d+, R\d+ +\/\/ ld\.global\.f32/.test(line)));
    assert.equal(source[0], -1);
  });
});
