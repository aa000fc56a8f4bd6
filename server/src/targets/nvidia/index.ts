import type { AllocatedCompilation, Target } from '../target.js';
import { architectures, machine } from './architectures.js';
import { compile } from './compile.js';
import { ASSUMED_THREADS } from './limits.js';
import { listingOf } from './listing.js';
import { verify } from './verify.js';

/** NVIDIA GPUs from sm_75 (Turing) on, modelled on ptxas. */
export const nvidia: Target<AllocatedCompilation> = {
  id: 'nvidia',
  name: 'NVIDIA',
  options: [
    {
      name: 'arch',
      type: 'string',
      values: architectures.map(({ name }) => name),
      description:
        'Architecture to compile for. Default: that of `.target`; what is older than sm_75 is compiled for sm_75.',
    },
    {
      name: 'maxRegisters',
      type: 'integer',
      minimum: machine.minimumLimit,
      maximum: machine.maxRegistersPerThread,
      description:
        'Registers a thread at most, as `ptxas --maxrregcount`. Functions with `.maxnreg`, `.maxntid` or `.reqntid` ignore it, as they do there.',
    },
    {
      name: 'threads',
      type: 'integer',
      minimum: 1,
      maximum: machine.maxThreadsPerBlock,
      description: `Threads a block for occupancy, where the source does not say. Default: ${ASSUMED_THREADS}, marked as assumed.`,
    },
    {
      name: 'sharedBytes',
      type: 'integer',
      minimum: 0,
      description: 'Bytes of dynamic shared memory a block, added to what the source declares.',
    },
  ],
  compile,
  listing: listingOf,
  verify,
  display: { stallNote: 'one warp alone, in the order as written' },
};
