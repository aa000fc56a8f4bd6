import type { Platform } from '../platforms.js';
import { typeSize, type Instruction } from '../program.js';

/**
 * Latencies of i965's list scheduler, in clocks from issue until a dependent may issue (facts B.11;
 * set_latency_gen7). They were measured with warm caches and are not those of the estimate: the two tables disagree on
 * purpose, and are not to be merged.
 */
interface Row {
  readonly ivb: number;
  readonly hsw: number;
}

const DEFAULT: Row = { ivb: 14, hsw: 14 };
const SURFACE: Row = { ivb: 600, hsw: 300 };
const same = (clocks: number): Row => ({ ivb: clocks, hsw: clocks });

/** What is not here takes 14: vec4 scratch messages, gathers, integer division among them. */
const rows: ReadonlyMap<string, Row> = new Map(
  (
    [
      ['mad', { ivb: 18, hsw: 16 }],
      ['rcp rsq sqrt log2 exp2 sin cos', { ivb: 16, hsw: 14 }],
      ['pow', { ivb: 24, hsw: 22 }],
      ['tex txd txf txf_lz txl txl_lz', same(200)],
      ['txs', same(100)],
      ['pull_constant_load uniform_pull_const uniform_pull_const_gfx7 varying_pull_const', same(200)],
      ['oword_block_read unaligned_oword_block_read oword_block_write', same(200)],
      ['gfx7_scratch_read', same(50)],
      ['untyped_atomic', same(14000)],
      ['untyped_surface_read untyped_surface_write', SURFACE],
    ] as const
  ).flatMap(([names, row]) => names.split(' ').map((name): [string, Row] => [name, row])),
);

const OWORD_BLOCK = new Set([0, 1, 8]);
const SCATTERED = new Set([3, 4, 11, 12]);
const ATOMIC = 6;
/** Haswell's second data port: untyped and typed atomics, with and without SIMD4x2. */
const SECOND_PORT_ATOMICS = new Set([2, 3, 6, 7]);
const RESINFO = 10;
const SAMPLEINFO = 11;

function sendLatency({ message }: Instruction): Row {
  const { descriptor = 0, sharedFunction } = message;
  const dataPort = (descriptor >>> 14) & 15;
  switch (sharedFunction) {
    case 'sampler': {
      const type = (descriptor >>> 12) & 31;
      return type === RESINFO || type === SAMPLEINFO ? same(100) : same(200);
    }
    case 'render_cache':
      return dataPort === ATOMIC ? same(14000) : same(600);
    case 'data_cache':
      if (OWORD_BLOCK.has(dataPort)) return same(200);
      if (SCATTERED.has(dataPort)) return same(300);
      return dataPort === ATOMIC ? same(14000) : same(600);
    case 'data_cache_1':
    case 'f12':
      return SECOND_PORT_ATOMICS.has(dataPort) ? same(14000) : same(300);
    default:
      return same(200);
  }
}

/** Before allocation the reference counts one clock for everything. */
export function schedulerLatency(instruction: Instruction, platform: Platform): number {
  const { name } = instruction.opcode;
  const row = name === 'send' ? sendLatency(instruction) : (rows.get(name) ?? DEFAULT);
  return row[platform.latencies];
}

/** Sends that write, by their descriptor: they keep their place (the dump does not say it of `send`). */
export function sendHasSideEffects({ message }: Instruction): boolean {
  if (message.isEndOfThread) return true;
  const { descriptor, sharedFunction } = message;
  if (descriptor === undefined) return true;
  const type = (descriptor >>> 14) & 15;
  switch (sharedFunction) {
    case 'sampler':
    case 'sampler_cache':
    case 'constant_cache':
      return false;
    case 'data_cache':
      // reads are 0 to 5
      return type > 5;
    case 'data_cache_1':
    case 'f12':
      return type !== 1 && type !== 5;
    default:
      return true;
  }
}

/** Ivy Bridge reads a spilled double vector in several messages, which nothing may come between. */
export const isSplitScratchRead = (instruction: Instruction, platform: Platform): boolean =>
  platform.generation === 7 &&
  instruction.opcode.scratch === 'read' &&
  instruction.destinations.some(({ type }) => typeSize(type) === 8);
