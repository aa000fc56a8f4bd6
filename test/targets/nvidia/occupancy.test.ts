import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  architectureOf,
  architectures,
  fullOccupancyRegisters,
  machine,
} from '../../../server/src/targets/nvidia/architectures.js';
import { occupancyOf, registersForBlocks } from '../../../server/src/targets/nvidia/occupancy.js';
import { runs } from '../../support/fuzz.js';

const occupancy = (name: string, registers: number, threads = 256, sharedBytes = 0) =>
  occupancyOf(architectureOf(name)!, { registers, threads, threadsAssumed: false, sharedBytes });

describe('nvidia occupancy', () => {
  // 256 threads; the steps of CUDA's occupancy calculator, worked out from 64 K registers, 256 a warp
  const steps64 = [
    [24, 64],
    [32, 64],
    [33, 48],
    [40, 48],
    [41, 40],
    [48, 40],
    [56, 32],
    [64, 32],
    [72, 24],
    [80, 24],
    [96, 16],
    [128, 16],
    [129, 8],
    [255, 8],
  ];
  for (const [registers, warps] of steps64)
    it(`sm_90, 256 threads, ${registers} registers: ${warps} warps`, () => {
      assert.equal(occupancy('sm_90', registers).warps, warps);
    });

  // blocks of one warp show the register file's own steps
  const oneWarp = [
    [32, 64],
    [40, 48],
    [48, 40],
    [56, 36],
    [64, 32],
    [72, 28],
    [80, 24],
    [96, 20],
    [128, 16],
    [168, 12],
    [255, 8],
  ];
  for (const [registers, warps] of oneWarp)
    it(`register file: ${registers} registers hold ${warps} warps`, () => {
      assert.equal(occupancy('sm_80', registers, 128).warps, Math.min(64, Math.floor(warps / 4) * 4));
    });

  it('is limited by blocks where blocks are small', () => {
    const small = occupancy('sm_86', 16, 32);
    assert.equal(small.warps, 16);
    assert.equal(small.limitedBy, 'blocks');
  });

  it('is limited by shared memory, with the kilobyte that the driver keeps for each block', () => {
    // 228 KB, 48 KB + 1 KB a block: 4 blocks of 8 warps
    const shared = occupancy('sm_90', 32, 256, 48 * 1024);
    assert.equal(shared.warps, 32);
    assert.equal(shared.limitedBy, 'sharedMemory');
    assert.equal(shared.nextStep, null);
    // 64 KB on sm_75, nothing kept: 2 blocks of 32 KB
    assert.equal(occupancy('sm_75', 32, 256, 32 * 1024).warps, 16);
  });

  it('names the next step: how many registers give how many warps', () => {
    assert.deepEqual(occupancy('sm_90', 34).nextStep, { warps: 64, registers: 32 });
    assert.deepEqual(occupancy('sm_90', 72).nextStep, { warps: 32, registers: 64 });
    assert.equal(occupancy('sm_90', 32).nextStep, null);
    assert.deepEqual(occupancy('sm_86', 42).nextStep, { warps: 48, registers: 40 });
  });

  it('gives no warp where one block does not fit', () => {
    // 1024 threads of 72 registers are 73 728 registers
    const tooMany = occupancy('sm_80', 72, 1024);
    assert.equal(tooMany.warps, 0);
    assert.equal(tooMany.limitedBy, 'registers');
    assert.deepEqual(tooMany.nextStep, { warps: 32, registers: 64 });
  });

  it('knows the registers of full occupancy: 64, 32 and 40 a thread', () => {
    assert.equal(fullOccupancyRegisters(architectureOf('sm_75')!), 64);
    assert.equal(fullOccupancyRegisters(architectureOf('sm_80')!), 32);
    assert.equal(fullOccupancyRegisters(architectureOf('sm_89')!), 40);
    assert.equal(fullOccupancyRegisters(architectureOf('sm_110')!), 40);
  });

  it('finds architectures by name, with suffixes, older and newer ones', () => {
    assert.equal(architectureOf('sm_90a')?.name, 'sm_90');
    assert.equal(architectureOf('sm_120f')?.name, 'sm_120');
    assert.equal(architectureOf('sm_52')?.name, 'sm_75');
    assert.equal(architectureOf('sm_101')?.name, 'sm_100');
    assert.equal(architectureOf('gfx906'), undefined);
  });

  it('gives a launch bound the registers that ptxas gives it', () => {
    // measured with ptxas 13.0 and 100 live values: .maxntid 1024 alone caps at 64 registers
    assert.equal(registersForBlocks(1024, 1), 64);
    assert.equal(registersForBlocks(256, 1), 255);
    assert.equal(registersForBlocks(256, 8), 32);
    assert.equal(registersForBlocks(1024, 2), 32);
  });

  it('every bound is respected and tight', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...architectures),
        fc.integer({ min: 1, max: 255 }),
        fc.integer({ min: 1, max: 1024 }),
        fc.integer({ min: 0, max: 60 * 1024 }),
        (architecture, registers, threads, sharedBytes) => {
          const { warps } = occupancyOf(architecture, {
            registers,
            threads,
            threadsAssumed: false,
            sharedBytes,
          });
          const warpsPerBlock = Math.ceil(threads / 32);
          const fits = (blocks: number): boolean => {
            // warps go round the four schedulers, each with 16 384 registers
            const perScheduler = Math.ceil((blocks * warpsPerBlock) / 4);
            const perWarp = Math.ceil((registers * 32) / 256) * 256;
            return (
              blocks <= architecture.maxBlocks &&
              blocks * warpsPerBlock <= architecture.maxWarps &&
              perScheduler * perWarp <= machine.registersPerSm / 4 &&
              blocks * (sharedBytes + architecture.sharedReserved) <= architecture.sharedBytes
            );
          };
          const blocks = warps / warpsPerBlock;
          assert.ok(Number.isInteger(blocks));
          assert.ok(fits(blocks));
          // one more might still fail on the granularity of shared memory only
          if (fits(blocks + 1))
            assert.ok(
              (blocks + 1) * (sharedBytes + architecture.sharedReserved + 256) > architecture.sharedBytes,
            );
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
