import { isFloat, typeSize, type Instruction, type Program, type Type } from '../program.js';

/**
 * How long an instruction of the Mesa dialects occupies the front end and its unit, and how long its results take: the
 * reference's linear model, most of whose coefficients were fitted to clock counts on real parts
 * (brw_ir_performance.cpp, instruction_desc; facts B.11 with G.10). All figures are clocks.
 *
 * The sizes that a coefficient is multiplied with are GRFs: of the destination, of what executes (lanes times
 * execution type), of the largest source.
 */
export interface Timing {
  readonly unit: Unit | undefined;
  /** From the start of the instruction to that of the next one, when nothing waits. */
  readonly frontEnd: number;
  /** The unit takes nothing else for so long. */
  readonly backEnd: number;
  /** A send has read its payload. */
  readonly sources: number;
  readonly destination: number;
  readonly accumulator: number;
  readonly flag: number;
}

export type Unit = (typeof units)[number];

export const units = [
  'fpu',
  'math',
  'sampler',
  'interpolator',
  'urb',
  'data cache',
  'render cache',
  'constant cache',
  'gateway',
] as const;

/** A constant and its slope by GRFs. */
type Linear = readonly [constant: number, perGrf: number];

interface Row {
  readonly unit?: Unit;
  /** By GRFs of the destination. */
  readonly frontEnd: Linear;
  /** By GRFs of what executes. */
  readonly backEnd: Linear;
  /** By GRFs of the largest source (split sends: of both payloads); only for messages. */
  readonly sources?: Linear;
  readonly destination: number;
  /** Clocks by GRFs of the largest source, and of the destination. */
  readonly perSource?: number;
  readonly perDestination?: number;
  readonly accumulator?: number;
  readonly flag?: number;
  /** One clock a destination GRF when sources 1 and 2 lie in one bank. */
  readonly hasBanks?: boolean;
}

type Pair = Readonly<Record<'ivb' | 'hsw', Row>>;

const both = (row: Row): Pair => ({ ivb: row, hsw: row });

/** ALU results: the accumulator is ready four clocks before the destination, the flag six after. */
const alu = (frontEnd: Linear, backEnd: Linear, ivb: number, hsw: number, hasBanks = false): Pair => {
  const row = (destination: number): Row => ({
    unit: 'fpu',
    frontEnd,
    backEnd,
    destination,
    accumulator: destination - 4,
    flag: destination + 6,
    hasBanks,
  });
  return { ivb: row(ivb), hsw: row(hsw) };
};

const math = (backEnd: Linear, ivb: number, hsw: number): Pair => ({
  ivb: { unit: 'math', frontEnd: [0, 2], backEnd, destination: ivb },
  hsw: { unit: 'math', frontEnd: [0, 2], backEnd, destination: hsw },
});

const message = (
  unit: Unit,
  backEnd: Linear,
  sources: number,
  destination: number,
  rest: Partial<Row> = {},
): Pair =>
  both({ unit, frontEnd: [2, 0], backEnd, sources: [sources, rest.perSource ?? 0], destination, ...rest });

const flow: Pair = {
  ivb: { frontEnd: [2, 0], backEnd: [0, 0], destination: 0 },
  hsw: { frontEnd: [6, 0], backEnd: [0, 0], destination: 0 },
};
const nothing = both({ frontEnd: [0, 0], backEnd: [0, 0], destination: 0 });

/** mov, add, mul, cmp and mad are slower by two clocks when they compute in floats. */
const simple = alu([0, 2], [0, 2], 12, 10);
const simpleFloat = alu([0, 2], [0, 2], 14, 12);
const banked = alu([0, 2], [0, 2], 12, 10, true);
const bankedFloat = alu([0, 2], [0, 2], 14, 12, true);
const header: Pair = {
  ivb: { ...alu([30, 0], [6, 0], 12, 10).ivb },
  hsw: { ...alu([26, 0], [6, 0], 12, 10).hsw },
};
const sampler = message('sampler', [0, 16], 8, 750, { perSource: 2 });
const urb = message('urb', [0, 6], 32, 200);
const scratch = message('data cache', [0, 8], 10, 100);
const untyped = message('data cache', [0, 20], 10, 100);
const atomic = message('data cache', [30, 400], 10, 100, { perDestination: 400 });
const renderTarget = message('render cache', [0, 450], 10, 300);
const typedAtomic = message('render cache', [30, 450], 10, 100, { perDestination: 400 });
const constants = message('constant cache', [0, 16], 10, 100);

const floatRows: Readonly<Record<string, readonly [other: Pair, float: Pair]>> = {
  mov: [simple, simpleFloat],
  add: [simple, simpleFloat],
  mul: [simple, simpleFloat],
  cmp: [simple, simpleFloat],
  mad: [banked, bankedFloat],
};

const named = (names: string, row: Pair): [string, Pair][] => names.split(' ').map((name) => [name, row]);

const rows: ReadonlyMap<string, Pair> = new Map([
  ...named('lrp bfe bfi2 csel', banked),
  ...named('f32to16', alu([0, 4], [0, 4], 12, 10)),
  ...named('rcp rsq sqrt exp2 log2 sin cos', math([0, 2], 14, 12)),
  ...named('pow', math([0, 4], 22, 20)),
  ...named('int_quot int_rem', both({ unit: 'math', frontEnd: [2, 0], backEnd: [26, 0], destination: 28 })),
  ...named('if else endif while break cont halt brc brd jmpi', flow),
  ...named('do halt_target undef label nop live_out', nothing),
  ...named('pack_half_2x16_split', {
    ivb: alu([24, 6], [0, 6], 12, 10).ivb,
    hsw: alu([20, 6], [0, 6], 12, 10).hsw,
  }),
  ...named('mov_indirect', alu([34, 0], [34, 0], 12, 10)),
  ...named('broadcast', { ivb: alu([20, 0], [4, 0], 12, 10).ivb, hsw: alu([18, 0], [4, 0], 12, 10).hsw }),
  ...named('find_live_channel', {
    ivb: alu([40, 0], [6, 0], 12, 10).ivb,
    hsw: alu([36, 0], [6, 0], 12, 10).hsw,
  }),
  ...named('shuffle', { ivb: alu([0, 46], [0, 46], 12, 10).ivb, hsw: alu([0, 44], [0, 44], 12, 10).hsw }),
  ...named('sel_exec', { ivb: alu([12, 4], [0, 4], 12, 10).ivb, hsw: alu([10, 4], [0, 4], 12, 10).hsw }),
  ...named('quad_swizzle', alu([0, 8], [0, 8], 12, 10)),
  ...named('ddy_fine', simpleFloat),
  // two hardware instructions each, like simd4x2_merge, which the reference does not have
  ...named('pack_bytes simd4x2_merge', alu([4, 0], [4, 0], 12, 10)),
  ...named(
    'unpack_flags_simd4x2 tcs_get_instance_id tcs_set_input_urb_offsets tcs_set_output_urb_offsets tes_create_input_read_header',
    header,
  ),
  ...named('gs_ff_sync_set_primitives tcs_create_barrier_header', {
    ivb: alu([44, 0], [8, 0], 12, 10).ivb,
    hsw: alu([38, 0], [8, 0], 12, 10).hsw,
  }),
  ...named('tes_add_indirect_urb_offset', {
    ivb: alu([16, 0], [4, 0], 12, 10).ivb,
    hsw: alu([14, 0], [4, 0], 12, 10).hsw,
  }),
  ...named(
    'tex txb txd txf txf_lz txl txl_lz txf_cms txf_cms_w txf_ums txf_mcs txs lod get_buffer_size tg4 tg4_offset sampleinfo',
    sampler,
  ),
  ...named('pull_constant_load pull_constant_load_gfx7 varying_pull_const', sampler),
  ...named(
    'urb_read vs_urb_write gs_urb_write gs_urb_write_allocate gs_thread_end gs_ff_sync ff_sync tcs_urb_write tcs_release_input tcs_thread_end',
    urb,
  ),
  ...named('gfx4_scratch_read gfx4_scratch_write gfx7_scratch_read spill unspill', scratch),
  ...named('oword_block_read unaligned_oword_block_read oword_dual_block_read', scratch),
  ...named('oword_block_write oword_dual_block_write', scratch),
  ...named('memory_fence', message('data cache', [30, 0], 10, 100)),
  ...named('untyped_surface_read untyped_surface_write', untyped),
  ...named('untyped_atomic', atomic),
  ...named('fb_write gs_svb_write', renderTarget),
  ...named('uniform_pull_const uniform_pull_const_gfx7', constants),
  ...named('interpolate_at_sample interpolate_at_shared_offset', message('interpolator', [14, 0], 0, 90)),
  ...named('barrier', both({ unit: 'gateway', frontEnd: [90, 0], backEnd: [0, 0], destination: 0 })),
]);

/** Message type in a Gen7 data port descriptor (bits 14 to 17). */
const messageType = (descriptor: number): number => (descriptor >>> 14) & 15;

/** A send's row from its shared function and descriptor; the data cache's when the dump lost both. */
function sendRow(instruction: Instruction): Pair {
  const { sharedFunction, descriptor } = instruction.message;
  const type = descriptor === undefined ? -1 : messageType(descriptor);
  switch (sharedFunction) {
    case 'sampler':
      return sampler;
    case 'render_cache':
      return type === 6 ? typedAtomic : renderTarget;
    case 'urb':
      return urb;
    case 'constant_cache':
      return constants;
    // Haswell's second data port
    case 'f12':
    case 'data_cache_1':
      return [2, 3, 6, 7].includes(type) ? atomic : untyped;
    default:
      return type === 6 ? atomic : untyped;
  }
}

/** The type in which it computes: the widest of the sources, a float before an integer of its size. */
export function executionType(instruction: Instruction): Type {
  let found: Type | undefined;
  for (const source of instruction.sources) {
    if (source.file === 'none' || source.file === 'word' || source.file === 'slot') continue;
    const type = immediateKinds[source.type] ?? source.type;
    if (
      found === undefined ||
      typeSize(type) > typeSize(found) ||
      (typeSize(type) === typeSize(found) && isFloat(type))
    )
      found = type;
  }
  const destination = instruction.destinations.at(0);
  return found ?? (destination !== undefined && 'type' in destination ? destination.type : 'UD');
}

const immediateKinds: Partial<Record<Type, Type>> = { B: 'W', V: 'W', UB: 'UW', UV: 'UW', VF: 'F' };

/** The bank of a GRF on Gen7 (brw_fs_bank_conflicts.cpp): its half of the file, and odd or even. */
const bank = (grf: number): number => ((grf >>> 6) & 1) * 2 + (grf & 1);

/** Scalar code: the second and third source of an instruction with three lie in one bank. */
export function hasBankConflict(program: Program, instruction: Instruction): boolean {
  if (program.dialect !== 'scalar' || instruction.sources.length !== 3) return false;
  const [, second, third] = instruction.sources;
  if (second?.file !== 'grf' || third?.file !== 'grf') return false;
  return bank(second.grf + (second.offset >> 5)) === bank(third.grf + (third.offset >> 5));
}

/** GRFs of the destination and of the sources, which the caller knows by how it counts bytes. */
export function timingOf(
  program: Program,
  instruction: Instruction,
  destinationGrfs: number,
  sourceGrfs: number,
): Timing {
  const type = executionType(instruction);
  const row = rowOf(instruction, type)[program.platform.latencies];
  const executed = Math.ceil((instruction.execSize * typeSize(type)) / 32);
  const conflict = row.hasBanks === true && hasBankConflict(program, instruction) ? destinationGrfs : 0;
  return {
    unit: row.unit,
    frontEnd: row.frontEnd[0] + row.frontEnd[1] * destinationGrfs + conflict,
    backEnd: row.backEnd[0] + row.backEnd[1] * executed,
    sources: row.sources === undefined ? 0 : row.sources[0] + row.sources[1] * sourceGrfs,
    destination:
      row.destination + (row.perSource ?? 0) * sourceGrfs + (row.perDestination ?? 0) * destinationGrfs,
    accumulator: row.accumulator ?? 0,
    flag: row.flag ?? 0,
  };
}

function rowOf(instruction: Instruction, type: Type): Pair {
  const { name } = instruction.opcode;
  const byType = floatRows[name];
  if (byType !== undefined) return byType[type === 'F' ? 1 : 0];
  if (name === 'send') return sendRow(instruction);
  return rows.get(name) ?? simple;
}
