import type { Compilation } from '../../target.js';

/** What a run of ptxas is asked for: the same architecture and limit as the model's figures. */
export interface PtxasRequest {
  /** As `-arch` takes it: `sm_90`, `sm_90a`. */
  readonly arch: string;
  /** `--maxrregcount`, if any. */
  readonly maxRegisters?: number;
}

/**
 * The request that fits a compilation: for the architecture by the name that was asked for. One without a suffix gets
 * that of `.target` (`sm_90a`) where it is the same one, since the features of that suffix are refused without it.
 */
export function requestFor({ machine, options, source }: Compilation): PtxasRequest {
  const written = source.attributes.arch;
  const isSame = typeof written === 'string' && /^[af]$/.test(written.slice(machine.length));
  const arch = isSame && written.startsWith(machine) ? written : machine;
  const { maxRegisters } = options;
  return { arch, ...(typeof maxRegisters === 'number' && { maxRegisters }) };
}

/** Arguments of ptxas, without those that name files. */
export const argumentsFor = ({ arch, maxRegisters }: PtxasRequest): string[] => [
  '-v',
  `-arch=${arch}`,
  ...(maxRegisters === undefined ? [] : [`--maxrregcount=${maxRegisters}`]),
];
