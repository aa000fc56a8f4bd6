import { Barriers } from './barriers.js';
import type { Grid } from './grid.js';
import { Lane } from './lane.js';
import { makeRegion, Regions } from './regions.js';
import { Warp } from './warp.js';

/** A block of a grid: its shared memory, its warps, its barriers. Threads are dealt to warps with x fastest. */
export class Block {
  readonly shared = new Regions('shared');
  readonly warps: readonly Warp[];
  readonly barriers = new Barriers(this);
  /** Threads that have not exited. */
  alive: number;

  constructor(
    readonly grid: Grid,
    readonly number: number,
    readonly position: readonly [number, number, number],
  ) {
    for (const { name, space, address, bytes } of grid.module.placed) {
      if (space !== 'shared') continue;
      const size = bytes > 0 ? bytes : grid.options.dynamicShared;
      this.shared.add(makeRegion(name, Number(address), new Uint8Array(size)));
    }
    const [x, y, z] = grid.options.block;
    const count = x * y * z;
    this.alive = count;
    const { lanes } = grid.options;
    this.warps = Array.from({ length: Math.ceil(count / lanes) }, (_, warp) => {
      const members = Array.from({ length: Math.min(lanes, count - warp * lanes) }, (_, k) => {
        const n = warp * lanes + k;
        return new Lane(this, k, warp, number * count + n, [
          n % x,
          Math.floor(n / x) % y,
          Math.floor(n / (x * y)),
        ]);
      });
      return new Warp(this, warp, members);
    });
  }
}
