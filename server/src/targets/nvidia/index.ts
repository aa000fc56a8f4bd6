import { Removal } from '../../passes/spill-choice.js';
import type { Target } from '../target.js';
import { functionRows, instructionAdvice } from './advice/rows.js';
import { alternatives } from './alternatives.js';
import { architectures, machine, namesOf } from './architectures.js';
import { heldInSource } from './as-compiled.js';
import { machineClasses, UNIFORM } from './code/code.js';
import { compile, type NvidiaCompilation } from './compile.js';
import { ASSUMED_THREADS, launchableOf, settled } from './limits.js';
import { listingOf } from './listing.js';
import { occupancySteps } from './occupancy.js';
import { verify } from './verify.js';

/** Whether a register of the machine code is kept in memory or computed again, and so held only where it is touched. */
function isRemoved(c: NvidiaCompilation): (register: number) => boolean {
  if (c.stats.spills.registers === 0) return () => false;
  const { removal } = c.allocation;
  return (register) => removal[register] !== (Removal.None as number);
}

/** NVIDIA GPUs from sm_75 (Turing) on, modelled on ptxas. */
export const nvidia: Target<NvidiaCompilation> = {
  id: 'nvidia',
  name: 'NVIDIA',
  options: [
    {
      name: 'arch',
      type: 'string',
      values: architectures.flatMap(namesOf),
      description:
        'Architecture to compile for. Default: that of `.target`; what is older than sm_75 is compiled for sm_75. `sm_90a` and its like have the limits of `sm_90`.',
    },
    {
      name: 'maxRegisters',
      type: 'integer',
      minimum: 1,
      maximum: machine.maxRegistersPerThread,
      description: `Registers a thread at most, as \`ptxas --maxrregcount\`; fewer than ${machine.minimumLimit} count as ${machine.minimumLimit}, as they do there. Functions with \`.maxnreg\`, \`.maxntid\` or \`.reqntid\` ignore it.`,
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
  ownClasses: [machineClasses[UNIFORM].name],
  compile,
  listing: listingOf,
  verify,
  alternatives,
  settled,
  display: {
    stallNote: 'one warp alone, in the order as compiled',
    heldAt: (c, instruction) => heldInSource(c.code, isRemoved(c), instruction),
    occupancySteps: (c) => {
      if (!c.source.isEntry) return [];
      const { architecture, threads, threadsAssumed, staticShared, dynamicShared } = launchableOf(
        c.source,
        c.options,
      );
      const sharedBytes = staticShared + dynamicShared;
      return occupancySteps(architecture, { threads, threadsAssumed, sharedBytes });
    },
    ofFunction: functionRows,
    ofInstruction: instructionAdvice,
  },
};
