import { Memory } from '../../../ir/memory.js';
import { FIRST, PtxModule, type ProgramUnit } from './module.js';

export type { ProgramUnit } from './module.js';

/**
 * A PTX module and the memory of one thread that runs it. Each state space has addresses of its own; generic
 * addresses put shared, local and parameter memory into windows far above global and constant memory, where generic
 * and own addresses are the same.
 */
export interface ProgramOptions {
  /** Values of special registers by name (`%tid.x`); others have the defaults of a grid of one warp. */
  readonly special?: Readonly<Record<string, bigint>>;
  /** Contents of global memory that the module does not initialise. */
  readonly filling?: (address: bigint) => number;
}

export const WINDOW: Readonly<Record<string, bigint>> = {
  shared: 0x100_0000_0000n,
  local: 0x200_0000_0000n,
  param: 0x300_0000_0000n,
};
const WINDOW_SIZE = 1n << 32n;

/** Special registers of a grid of one warp of one thread. */
const DEFAULTS: Readonly<Record<string, bigint>> = {
  WARP_SZ: 32n,
  '%ntid.x': 32n,
  '%ntid.y': 1n,
  '%ntid.z': 1n,
  '%nctaid.x': 4n,
  '%nctaid.y': 1n,
  '%nctaid.z': 1n,
  '%nwarpid': 1n,
  '%nsmid': 1n,
  '%lanemask_eq': 1n,
  '%lanemask_le': 1n,
  '%lanemask_ge': 0xffff_ffffn,
  '%lanemask_gt': 0xffff_fffen,
  '%cluster_nctaid.x': 1n,
  '%cluster_nctaid.y': 1n,
  '%cluster_nctaid.z': 1n,
  '%nclusterid.x': 4n,
  '%total_smem_size': 1024n,
};

export class PtxProgram extends PtxModule {
  readonly memory: Memory;
  private ticks = 0n;

  constructor(
    units: readonly ProgramUnit[],
    private readonly options: ProgramOptions = {},
  ) {
    super(units);
    this.memory = new Memory({
      global: options.filling === undefined ? {} : { filling: options.filling },
      const: { isPrivate: true },
      shared: {},
      local: {},
      param: { isPrivate: true },
    });
    this.initialize((space, address, bytes, value) => this.memory.write(space, address, bytes, value));
    this.memory.log.length = 0;
  }

  special(name: string): bigint {
    if (name.startsWith('%clock') || name.startsWith('%globaltimer')) return (this.ticks += 64n);
    return this.options.special?.[name] ?? DEFAULTS[name] ?? 0n;
  }
}

export const generic = (space: string, address: bigint): bigint => (WINDOW[space] ?? 0n) + address;

/** The state space and address that a generic address means. */
export function resolve(address: bigint): { readonly space: string; readonly address: bigint } {
  for (const [space, start] of Object.entries(WINDOW))
    if (address >= start && address < start + WINDOW_SIZE) return { space, address: address - start };
  const isConstant = address >= FIRST.const && address < FIRST.const + WINDOW_SIZE;
  return { space: isConstant ? 'const' : 'global', address };
}
