import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FreeList } from '../../../../server/src/targets/gen/scalar/free-list.js';
import { runs } from '../../../support/fuzz.js';

describe('the free list', () => {
  it('takes the lowest fit, or the highest from the tail', () => {
    const free = new FreeList(32, 4096);
    assert.equal(free.allocate(32, 32), 32);
    assert.equal(free.allocate(64, 64), 64);
    assert.equal(free.allocate(256, 32, true), 3840);
  });

  it('packs uniform registers into one GRF', () => {
    const free = new FreeList(32, 4096);
    assert.deepEqual([free.allocate(4, 4), free.allocate(4, 4), free.allocate(16, 16)], [32, 36, 48]);
    assert.equal(free.allocate(2, 4), 40);
  });

  it('gives pieces of a split block back one by one, and merges neighbours', () => {
    const free = new FreeList(32, 160);
    const block = free.allocate(96, 32);
    free.split(block, 32);
    free.split(block + 32, 32);
    assert.equal(free.allocate(64, 32), 0, '32 bytes are left');
    free.free(block + 32);
    assert.equal(free.allocate(64, 32), 0, 'two pieces of 32 that do not touch');
    free.free(block + 64);
    assert.equal(free.allocate(96, 32), block + 32, 'now they do');
  });

  it('agrees with a map of bytes', () => {
    const step = fc.record({
      bytes: fc.constantFrom(2, 4, 8, 16, 32, 64, 96, 128),
      align: fc.constantFrom(4, 16, 32, 64),
      tail: fc.boolean(),
      free: fc.boolean(),
      pick: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const end = 512;
        const list = new FreeList(32, end);
        const isTaken = new Uint8Array(end).fill(1, 0, 32);
        const blocks: [number, number][] = [];
        for (const { bytes, align, tail, free, pick } of steps) {
          if (free && blocks.length > 0) {
            const [[at, size]] = blocks.splice(pick % blocks.length, 1);
            list.free(at);
            isTaken.fill(0, at, at + size);
            continue;
          }
          const fits: number[] = [];
          for (let at = align; at + bytes <= end; at += align)
            if (isTaken.subarray(at, at + bytes).every((byte) => byte === 0)) fits.push(at);
          const at = list.allocate(bytes, align, tail);
          assert.equal(at, fits.at(tail ? -1 : 0) ?? 0);
          if (at === 0) continue;
          blocks.push([at, bytes]);
          isTaken.fill(1, at, at + bytes);
          assert.equal(list.freeBytes, isTaken.filter((byte) => byte === 0).length);
        }
      }),
      { numRuns: runs(100) },
    );
  });
});
