/** Tables of what threads do together: synchronisation, atomics, asynchronous copies, matrices. */
import type { InstructionEntry } from '../schema.js';
import { asyncCopyEntries } from './async-copy.js';
import { asyncStoreEntries } from './async-store.js';
import { atomicEntries } from './atomics.js';
import { barrierEntries } from './barriers.js';
import { matrixMoveEntries } from './matrix-moves.js';
import { mbarrierEntries } from './mbarrier.js';
import { mmaEntries } from './mma.js';
import { tensorCoreEntries } from './tcgen05.js';
import { textureEntries } from './texture.js';
import { videoEntries } from './video.js';
import { warpEntries } from './warp.js';
import { wgmmaEntries } from './wgmma.js';
import { wmmaEntries } from './wmma.js';

export const parallelTables: readonly (readonly InstructionEntry[])[] = [
  atomicEntries,
  warpEntries,
  barrierEntries,
  mbarrierEntries,
  asyncCopyEntries,
  asyncStoreEntries,
  matrixMoveEntries,
  wmmaEntries,
  mmaEntries,
  wgmmaEntries,
  tensorCoreEntries,
  textureEntries,
  videoEntries,
];
