/**
 * Every operation of the three dialects as one table (the facts' B.4, A.5, C.1). Passes ask the row, never the name.
 * Names are lower case, as i965's dumps have them; a selection opcode that is the same instruction has the same row.
 */
export interface Opcode {
  readonly name: string;
  readonly kind: 'alu' | 'math' | 'flow' | 'message' | 'marker' | 'unknown';
  /** Sources that it takes, at least and at most. */
  readonly sources: readonly [least: number, most: number];
  /** What control flow it is, for the interpreter and the graph. */
  readonly flow?: Flow;
  /** The payload comes from general registers, not from message registers. */
  readonly sendsFromGrf: boolean;
  /** Scratch messages; `spill` and `unspill` of every dialect included. */
  readonly scratch?: 'read' | 'write';
  readonly memory?: 'read' | 'write' | 'both';
  readonly hasSideEffects: boolean;
  readonly isVolatile: boolean;
  /** False: a partial write mask is ignored or refused by the hardware. */
  readonly canWriteMask: boolean;
  /** A part of it writes the destination before another part has read the sources. */
  readonly hasHazard: boolean;
  readonly takesModifiers: boolean;
  readonly readsG0: boolean;
  readonly readsAccumulator: boolean;
  /** Changes the accumulator by itself, without `AccWrEn` in the text (Beignet's macros, and mach). */
  readonly modifiesAccumulator: boolean;
  /** Becomes several hardware instructions: must carry neither a condition nor NoDDClr or NoDDChk. */
  readonly expands: boolean;
  /** Message registers that it writes by itself below `baseMrf + mlen` (only with mlen, not from general registers). */
  readonly impliedMrfWrites: number;
  /** Runs in align1 inside align16 code: its swizzles are ignored. */
  readonly isAlign1: boolean;
  /** Beignet: one hardware instruction, whose source may die where the result is born. */
  readonly isNative: boolean;
  /** Generations that have it. */
  readonly generations: readonly [first: number, last: number];
}

export type Flow =
  | 'if'
  | 'else'
  | 'endif'
  | 'do'
  | 'while'
  | 'break'
  | 'continue'
  | 'halt'
  | 'haltTarget'
  | 'jump'
  | 'label'
  | 'end';

type Facts = Partial<Omit<Opcode, 'name' | 'kind' | 'sources'>>;

const plain: Omit<Opcode, 'name' | 'kind' | 'sources'> = {
  sendsFromGrf: false,
  hasSideEffects: false,
  isVolatile: false,
  canWriteMask: true,
  hasHazard: false,
  takesModifiers: true,
  readsG0: false,
  readsAccumulator: false,
  modifiesAccumulator: false,
  expands: false,
  impliedMrfWrites: 0,
  isAlign1: false,
  isNative: false,
  generations: [4, 12],
};

const table = new Map<string, Opcode>();

function rows(
  kind: Opcode['kind'],
  sources: number | Opcode['sources'],
  names: string,
  facts: Facts = {},
): void {
  const range: Opcode['sources'] = typeof sources === 'number' ? [sources, sources] : sources;
  for (const name of names.split(' ')) table.set(name, { ...plain, ...facts, name, kind, sources: range });
}

/** Corrects rows that a group above has made. */
function also(names: string, facts: Facts): void {
  for (const name of names.split(' ')) {
    const row = table.get(name);
    if (row === undefined) throw new Error(`no such opcode: ${name}`);
    table.set(name, { ...row, ...facts });
  }
}

const any: Opcode['sources'] = [0, 255];

// Arithmetic that is one hardware instruction (facts B.4, A.5).
rows('alu', 1, 'mov');
rows('alu', 1, 'not frc rndd rnde rndz rndu lzd f32to16 f16to32', { isNative: true });
rows('alu', 1, 'fbh fbl cbit bfrev', { isNative: true, generations: [7, 12] });
rows('alu', 1, 'dim', { generations: [7.5, 7.5] });
rows('alu', 2, 'sel and or xor shr shl asr add mul', { isNative: true });
rows('alu', 2, 'cmp cmpn avg bfi1 addc subb dp4 dph dp3 dp2 rol ror');
rows('alu', 2, 'mac sada2', { readsAccumulator: true });
rows('alu', 2, 'mach', { readsAccumulator: true, modifiesAccumulator: true, isNative: true });
rows('alu', 3, 'mad', { isNative: true, generations: [6, 12] });
rows('alu', 3, 'lrp', { isNative: true, generations: [6, 10] });
rows('alu', 3, 'bfe bfi2', { generations: [7, 12] });
rows('alu', 3, 'csel', { generations: [8, 12] });
also('bfi1 addc subb', { generations: [7, 12] });
also('rol ror', { generations: [11, 12] });
also('f32to16 f16to32', { generations: [7, 12] });
also('dp4 dph dp3 dp2', { generations: [4, 10] });
also('addc bfe bfi1 bfi2 bfrev cbit fbh fbl rol ror subb', { takesModifiers: false });

rows('math', 1, 'rcp rsq sqrt exp2 log2 sin cos', { isNative: true, impliedMrfWrites: 1 });
rows('math', 2, 'pow int_quot int_rem', { isNative: true, impliedMrfWrites: 2 });
// Beignet's MATH.fdiv; MATH.intdivmod has two results.
rows('math', 2, 'fdiv int_divmod', { isNative: true });

// Control flow; `do` is a marker on everything newer than Gen5.
for (const [name, flow] of [
  ['if', 'if'],
  ['else', 'else'],
  ['endif', 'endif'],
  ['while', 'while'],
  ['break', 'break'],
  ['cont', 'continue'],
  ['halt', 'halt'],
] as const)
  rows('flow', [0, 2], name, { flow });
rows('marker', 0, 'do', { flow: 'do' });
rows('marker', 0, 'halt_target', { flow: 'haltTarget', hasSideEffects: true });

// Pseudo instructions of the dialect, and dumps' own: no code.
rows('marker', any, 'live_out', { hasSideEffects: true });
rows('marker', 0, 'undef');
rows('alu', 0, 'nop', { hasSideEffects: true });

// Sampler: the payload lies in message registers; how long it is the text does not say.
rows(
  'message',
  any,
  'tex txd txf txf_lz txf_cms txf_cms_w txf_mcs txl txl_lz txs tg4 tg4_offset sampleinfo',
  {
    canWriteMask: false,
    readsG0: true,
    expands: true,
  },
);
rows('message', any, 'get_buffer_size', { canWriteMask: false, readsG0: true, expands: true });

// Scratch, constants, surfaces (facts B.4, B.10, C.1).
rows('message', [0, 1], 'gfx4_scratch_read', {
  scratch: 'read',
  canWriteMask: false,
  readsG0: true,
  expands: true,
  impliedMrfWrites: 2,
});
rows('message', [1, 2], 'gfx4_scratch_write', {
  scratch: 'write',
  hasSideEffects: true,
  readsG0: true,
  expands: true,
  impliedMrfWrites: 3,
});
rows('message', [0, 1], 'gfx7_scratch_read', { scratch: 'read', readsG0: true, generations: [7, 12] });
rows('message', 2, 'pull_constant_load', {
  memory: 'read',
  canWriteMask: false,
  readsG0: true,
  expands: true,
  impliedMrfWrites: 2,
});
rows('message', 2, 'pull_constant_load_gfx7', {
  memory: 'read',
  sendsFromGrf: true,
  canWriteMask: false,
  takesModifiers: false,
  generations: [7, 12],
});
const surface: Facts = { sendsFromGrf: true, takesModifiers: false, generations: [7, 12] };
rows('message', 3, 'untyped_surface_read', { ...surface, memory: 'read', isVolatile: true });
rows('message', 3, 'untyped_surface_write', { ...surface, memory: 'write', hasSideEffects: true });
rows('message', 3, 'untyped_atomic', { ...surface, memory: 'both', hasSideEffects: true });
rows('message', any, 'shader_time_add', { ...surface, memory: 'both', hasSideEffects: true });
rows('message', any, 'memory_fence', { memory: 'both', hasSideEffects: true });
rows('message', any, 'barrier', { ...surface, memory: 'both', hasSideEffects: true, expands: true });
// Which of them read or write memory the descriptor says; the scalar back-end asks the instruction.
rows('message', [1, 4], 'send', { sendsFromGrf: true, takesModifiers: false });

// URB, geometry and tessellation stages.
rows('message', any, 'vs_urb_write', { impliedMrfWrites: 1 });
rows('message', any, 'gs_urb_write gs_urb_write_allocate gs_svb_write gs_thread_end', { expands: true });
rows('message', any, 'ff_sync', { impliedMrfWrites: 1, expands: true });
rows('message', any, 'urb_read', {
  sendsFromGrf: true,
  takesModifiers: false,
  isVolatile: true,
  canWriteMask: false,
  memory: 'read',
});
rows('message', any, 'tcs_urb_write tcs_release_input', {
  sendsFromGrf: true,
  takesModifiers: false,
  hasSideEffects: true,
  memory: 'write',
});
rows('message', any, 'tcs_thread_end', { impliedMrfWrites: 2, expands: true });
rows(
  'alu',
  any,
  'set_write_offset set_vertex_count set_dword_2 prepare_channel_masks set_channel_masks gs_svb_set_dst_index gs_ff_sync_set_primitives tcs_get_instance_id tcs_get_primitive_id tcs_create_barrier_header tcs_src0<0,1,0>_is_zero tes_get_primitive_id',
  { expands: true },
);
rows('alu', any, 'get_instance_id set_primitive_id', { expands: true, readsG0: true });
rows('alu', any, 'tcs_set_input_urb_offsets tcs_set_output_urb_offsets tes_add_indirect_urb_offset', {
  expands: true,
  canWriteMask: false,
  hasHazard: true,
});
rows('alu', any, 'tes_create_input_read_header', { expands: true, canWriteMask: false });

// Data movement.
rows('alu', 1, 'mov_bytes unpack_uniform');
rows('alu', 1, 'pack_bytes', { expands: true });
rows(
  'alu',
  1,
  'double_to_f32 double_to_d32 double_to_u32 single_to_double pick_low_32bit pick_high_32bit set_low_32bit set_high_32bit',
  { canWriteMask: false, isAlign1: true },
);
rows('alu', [0, 1], 'unpack_flags_simd4x2 find_live_channel', { expands: true });
rows('alu', 2, 'broadcast', { expands: true, takesModifiers: false });
rows('alu', 3, 'mov_indirect', { expands: true, canWriteMask: false, takesModifiers: false });

// The scalar back-end's own.
rows('alu', 2, 'linterp');
rows('alu', 1, 'pixel_x pixel_y ddx_coarse ddy_coarse ddx_fine ddy_fine');
rows('alu', [0, 1], 'scratch_header', { readsG0: true, expands: true });
rows('message', 2, 'uniform_pull_const_gfx7', {
  memory: 'read',
  sendsFromGrf: true,
  takesModifiers: false,
  generations: [7, 12],
});
rows('alu', any, 'load_payload', { expands: true, hasHazard: true });
rows('alu', 2, 'shuffle cluster_broadcast pack_half_2x16_split sel_exec quad_swizzle', {
  expands: true,
  hasHazard: true,
});
also('shuffle cluster_broadcast', { takesModifiers: false });

// Pseudo instructions for reading and writing OWords, and the merge of two halves (facts C, D.2).
const oword: Facts = { canWriteMask: false, expands: true };
rows('message', [2, 3], 'oword_block_read unaligned_oword_block_read oword_dual_block_read', {
  ...oword,
  memory: 'read',
});
rows('message', [3, 4], 'oword_block_write oword_dual_block_write', {
  ...oword,
  memory: 'write',
  hasSideEffects: true,
});
rows('alu', 2, 'simd4x2_merge', { expands: true, hasHazard: true });
rows('message', 1, 'spill', { scratch: 'write', hasSideEffects: true, readsG0: true, expands: true });
rows('message', 1, 'unspill', { scratch: 'read', canWriteMask: false, readsG0: true, expands: true });

// Beignet's selection (facts A.5). What is not native is several instructions, or a message.
rows('marker', 0, 'label', { flow: 'label' });
rows('flow', [0, 1], 'jmpi brd brc', { flow: 'jump' });
rows('flow', 0, 'eot', { flow: 'end', hasSideEffects: true });
rows('alu', any, 'wait', { hasSideEffects: true });
rows('alu', 2, 'rsr rsl', { isNative: true });
rows('alu', 1, 'load_int64_imm read_arf');
rows('alu', 2, 'sel_cmp');
const macro: Facts = { expands: true, hasHazard: true };
rows(
  'alu',
  1,
  'convi64_to_i convi_to_i64 convi64_to_f convf_to_i64 bswap unpack_byte pack_long unpack_long',
  macro,
);
rows('alu', 2, 'i64and i64or i64xor sel_int64 upsample_long simd_shuffle i64cmp i64shl i64shr i64asr', macro);
rows('alu', 2, 'indirect_move f64div i64satadd i64satsub i64hadd i64rhadd', macro);
const accumulator: Facts = { ...macro, modifiesAccumulator: true };
rows('alu', 2, 'i64add i64sub mul_hi hadd rhadd i64mul i64_mul_hi i64div i64rem', accumulator);
rows('alu', 3, 'i64madsat', accumulator);
rows('alu', any, 'pack_byte', macro);
const send: Facts = { sendsFromGrf: true, takesModifiers: false, hasHazard: true };
rows(
  'message',
  any,
  'untyped_read untyped_reada64 read64 read64a64 byte_gather byte_gathera64 sample vme ime dword_gather obread mbread',
  { ...send, memory: 'read' },
);
rows(
  'message',
  any,
  'untyped_write untyped_writea64 write64 write64a64 byte_scatter byte_scattera64 typed_write obwrite mbwrite',
  { ...send, memory: 'write', hasSideEffects: true },
);
rows('message', any, 'atomic atomica64', { ...send, memory: 'both', hasSideEffects: true });
rows('message', any, 'fence', { ...send, memory: 'both', hasSideEffects: true });
rows('message', any, 'calc_timestamp store_profiling printf workgroup_op', {
  ...send,
  memory: 'both',
  hasSideEffects: true,
  expands: true,
});
rows('alu', 2, 'subgroup_op', macro);
rows('message', [1, 2], 'spill_reg', {
  ...send,
  scratch: 'write',
  hasSideEffects: true,
  readsG0: true,
  expands: true,
});
rows('message', [0, 1], 'unspill_reg', { ...send, scratch: 'read', readsG0: true, expands: true });

// Beignet's GEN IR (facts A.2): above the selection; one of its instructions may become many.
rows(
  'alu',
  any,
  [
    'ir_mov ir_cos ir_sin ir_log ir_exp ir_sqr ir_rsq ir_rcp ir_abs ir_rndd ir_rnde ir_rndu ir_rndz ir_pow ir_mul ir_add',
    'ir_addsat ir_sub ir_subsat ir_div ir_rem ir_shl ir_shr ir_asr ir_bsf ir_bsb ir_or ir_xor ir_and ir_sel ir_eq ir_ne',
    'ir_le ir_lt ir_ge ir_gt ir_ord ir_bitcast ir_cvt ir_sat_cvt ir_f16to32 ir_f32to16 ir_loadi ir_read_arf ir_region',
    'ir_indirect_mov ir_get_image_info ir_mul_hi ir_i64_mul_hi ir_fbh ir_fbl ir_cbit ir_lzd ir_hadd ir_rhadd ir_i64hadd',
    'ir_i64rhadd ir_upsample_short ir_upsample_int ir_upsample_long ir_i64madsat ir_mad ir_lrp ir_bfrev ir_bswap',
    'ir_simd_size ir_simd_id ir_simd_any ir_simd_all ir_simd_shuffle ir_subgroup',
  ].join(' '),
  { expands: true, hasHazard: true },
);
rows('message', any, 'ir_sample ir_vme ir_ime ir_mbread', { ...send, memory: 'read' });
rows('message', any, 'ir_typed_write ir_mbwrite', { ...send, memory: 'write', hasSideEffects: true });
rows('message', any, 'ir_workgroup ir_wait ir_printf ir_calc_timestamp ir_store_profiling', {
  ...send,
  memory: 'both',
  hasSideEffects: true,
});
rows('marker', 0, 'ir_label', { flow: 'label' });
rows('flow', any, 'ir_bra', { flow: 'jump' });
rows('flow', any, 'ir_ret', { flow: 'end', hasSideEffects: true });
rows('message', any, 'ir_load ir_blockload', { ...send, memory: 'read' });
rows('message', any, 'ir_store ir_blockstore', { ...send, memory: 'write', hasSideEffects: true });
rows('message', any, 'ir_atomic ir_sync', { ...send, memory: 'both', hasSideEffects: true });

const opaque = new Map<string, Opcode>();

/** Of a name that nobody knows nothing is supposed: it may do anything to memory, in any order of its parts. */
function unknown(name: string): Opcode {
  const known = opaque.get(name);
  if (known !== undefined) return known;
  const made: Opcode = {
    ...plain,
    name,
    kind: 'unknown',
    sources: any,
    memory: 'both',
    hasSideEffects: true,
    isVolatile: true,
    canWriteMask: false,
    hasHazard: true,
    takesModifiers: false,
    readsAccumulator: true,
    modifiesAccumulator: true,
    expands: true,
  };
  if (opaque.size >= 4096) opaque.clear();
  opaque.set(name, made);
  return made;
}

/** The row of a name as dumps write it; for a name without one, an opaque row of kind `unknown`. */
export const opcodeOf = (name: string): Opcode => table.get(name) ?? unknown(name);

/** All names that have a row. */
export const opcodeNames = (): Iterable<string> => table.keys();
