/**
 * The machines, by the names that `.target` and `--platform` take. Facts: 128 registers of 32 bytes (Beignet
 * context.cpp, Mesa brw_reg.h); Gen7 and later have no message registers of their own and i965 lets g112 to g127
 * stand for m0 to m15 (brw_eu_emit.c, gfx7_convert_mrf_to_grf); scratch limits from Beignet's gen_context headers.
 */
export type PlatformName = 'snb' | 'ivb' | 'byt' | 'hsw' | 'bdw';

export interface Platform {
  readonly name: PlatformName;
  readonly description: string;
  /** 6, 7, 7.5 or 8. */
  readonly generation: number;
  /** Whose latencies the tables are read for: those of Gen7 also stand for Gen6, those of Gen7.5 for Gen8. */
  readonly latencies: 'ivb' | 'hsw';
  readonly registers: 128;
  readonly messageRegisters: number;
  /** Message registers that are general registers begin here; undefined where they are a file of their own. */
  readonly messageWindow?: number;
  /** Bytes of scratch that a thread may have in Beignet. */
  readonly scratchLimit: number;
}

const gen7 = {
  generation: 7,
  latencies: 'ivb',
  registers: 128,
  messageRegisters: 16,
  messageWindow: 112,
} as const;

export const platforms: Readonly<Record<PlatformName, Platform>> = {
  snb: {
    name: 'snb',
    description: 'Sandy Bridge, Gen6',
    generation: 6,
    latencies: 'ivb',
    registers: 128,
    messageRegisters: 24,
    scratchLimit: 12 * 1024,
  },
  ivb: { name: 'ivb', description: 'Ivy Bridge, Gen7', ...gen7, scratchLimit: 12 * 1024 },
  byt: { name: 'byt', description: 'Bay Trail, Gen7', ...gen7, scratchLimit: 12 * 1024 },
  hsw: {
    name: 'hsw',
    description: 'Haswell, Gen7.5',
    ...gen7,
    generation: 7.5,
    latencies: 'hsw',
    scratchLimit: 0x7fff,
  },
  bdw: {
    name: 'bdw',
    description: 'Broadwell, Gen8',
    ...gen7,
    generation: 8,
    latencies: 'hsw',
    scratchLimit: 0x7fff,
  },
};

export const platformNames: readonly PlatformName[] = ['snb', 'ivb', 'byt', 'hsw', 'bdw'];
