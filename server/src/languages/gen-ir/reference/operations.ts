import { operationsOf } from './row.js';

/**
 * The operations of i965's two back-ends and of this dialect. Facts are those of Mesa 21.2 (brw_eu.cpp,
 * brw_eu_defines.h, brw_ir_vec4.h, brw_vec4_generator.cpp); an operation that becomes several hardware instructions
 * says so, because it can carry neither a condition nor dependency control.
 */
export const operations = operationsOf([
  [
    'arithmetic',
    `
add | a b | a + b | Subtracts with \`-\` in front of a source.
mul | a b | a × b | Of two dwords the machine multiplies 32 by 16 bits; \`mach\` adds the upper half.
mad | c a b | c + a × b | Three sources, all in registers: no constant fits, and in SIMD4x2 a uniform only with one channel for all (\`u2.xxxx\`). The first source is the summand.
lrp | t a b | t × a + (1 − t) × b | Three sources, all in registers. The first source is the weight.
mac | a b | accumulator + a × b | Reads the accumulator, which an instruction before it in the block must have written.
mach | a b | the upper half of a × b | Takes the lower half from the accumulator and writes it too.
avg | a b | (a + b + 1) ÷ 2 | Of integers, rounded up.
addc | a b | a + b; the accumulator gets the carry | Of dwords. Takes no source modifiers.
subb | a b | a − b; the accumulator gets the borrow | Of dwords. Takes no source modifiers.
sada2 | a b | accumulator + differences of neighbouring bytes | Reads the accumulator.
dp4 | a b | a.x b.x + a.y b.y + a.z b.z + a.w b.w | SIMD4x2 only: the sum goes to all channels of the mask, for each vertex.
dp3 | a b | a.x b.x + a.y b.y + a.z b.z | SIMD4x2 only.
dp2 | a b | a.x b.x + a.y b.y | SIMD4x2 only.
dph | a b | a.x b.x + a.y b.y + a.z b.z + b.w | SIMD4x2 only: the homogeneous product.
frc | a | a − floor(a) |
rndd | a | a rounded down |
rnde | a | a rounded to the nearest, ties to even |
rndz | a | a rounded towards zero |
rndu | a | a rounded up, as far as the machine does it | The rounding up of Gen7 is an increment that a condition asks for; compilers use \`-rndd(-a)\`.
linterp | delta plane | the plane equation at the pixel | Scalar code: reads two registers of the first source and 16 bytes of the second.
pixel_x | a | x of the pixels | Scalar code: reads two registers.
pixel_y | a | y of the pixels | Scalar code: reads two registers.
ddx_coarse | a | difference in x, one for two rows |
ddy_coarse | a | difference in y, one for two columns |
ddx_fine | a | difference in x, row by row |
ddy_fine | a | difference in y, column by column |
`,
  ],

  [
    'logic',
    `
not | a | every bit of a inverted |
and | a b | a and b, bit by bit |
or | a b | a or b, bit by bit |
xor | a b | a exclusive or b, bit by bit |
shl | a n | a moved n bits up | n counts modulo 32.
shr | a n | a moved n bits down, zeros from above | Of unsigned types.
asr | a n | a moved n bits down, its sign from above | Of signed types.
rol | a n | a rotated n bits up | Gen11 and later.
ror | a n | a rotated n bits down | Gen11 and later.
lzd | a | zeros above the highest 1 |
fbh | a | place of the highest bit that differs from the sign, counted from above | Gen7 and later.
fbl | a | place of the lowest 1 | Gen7 and later.
cbit | a | how many bits are 1 | Gen7 and later.
bfrev | a | the bits of a in reverse order | Gen7 and later.
bfe | width offset a | the bits [offset, offset + width) of a | Three sources, Gen7 and later.
bfi1 | width offset | a mask of width ones at offset | Gen7 and later.
bfi2 | mask a b | a where the mask is 1, else b | Three sources, Gen7 and later.
`,
  ],

  [
    'selection',
    `
mov | a | a, converted to the type of the destination | Of a float to an integer with truncation. A four-float constant has the type VF.
sel | a b | a where the predicate holds, else b | With a condition instead of a predicate it is a minimum (\`.l\`) or a maximum (\`.ge\`), and writes no flag.
csel | a b c | a where c passes the test, else b | Gen8 and later.
cmp | a b | the flag: whether a passes the test against b | The destination gets 0 or −1 in every channel; \`null\` when only the flag is wanted.
cmpn | a b | as cmp, but true of NaN |
`,
  ],

  [
    'math',
    `
rcp | a | 1 ÷ a | The math box is shared by all threads of a row. Gen6: no source modifiers, no partial mask, no constants.
rsq | a | 1 ÷ √a |
sqrt | a | √a |
exp2 | a | 2 to the a |
log2 | a | logarithm of a to base 2 |
sin | a | sine of a | In radians.
cos | a | cosine of a | In radians.
pow | a b | ¦a¦ to the b |
int_quot | a b | a ÷ b, an integer |
int_rem | a b | the remainder of a ÷ b |
fdiv | a b | a ÷ b |
int_divmod | a b | quotient and remainder | Two results.
`,
  ],

  [
    'conversion',
    `
f32to16 | a | a as a half, in the lower 16 bits |
f16to32 | a | the half in the lower 16 bits of a |
dim | a | a double constant | Haswell only: builds a DF from two dwords.
mov_bytes | a | a, byte by byte | Reads or writes bytes in align1.
pack_bytes | a | the four bytes of a in one channel | Two hardware instructions, which share out dependency control: the mask must be a single channel.
unpack_uniform | a | a uniform for both vertices |
double_to_f32 | a | a as a float | Runs in align1: takes no swizzle and no partial mask.
double_to_d32 | a | a as an integer | Runs in align1: takes no swizzle and no partial mask.
double_to_u32 | a | a as an unsigned integer | Runs in align1: takes no swizzle and no partial mask.
single_to_double | a | a as a double | Runs in align1: takes no swizzle and no partial mask.
pick_low_32bit | a | the lower half of a | Runs in align1.
pick_high_32bit | a | the upper half of a | Runs in align1.
set_low_32bit | a | the lower half of the destination becomes a | Runs in align1.
set_high_32bit | a | the upper half of the destination becomes a | Runs in align1.
pack_half_2x16_split | a b | two floats as halves in one dword |
unpack_flags_simd4x2 | | the flag of each vertex as 0 or −1 | Several hardware instructions: neither a condition nor NoDDClr or NoDDChk.
`,
  ],

  [
    'data movement',
    `
find_live_channel | | the number of the first channel that executes | Several hardware instructions, and must be NoMask.
broadcast | a n | channel n of a, for all channels | Must be NoMask. Several hardware instructions unless n is a constant.
mov_indirect | a offset length | the bytes at offset of a | The destination needs all channels. Several hardware instructions.
shuffle | a n | channel n of a, each channel its own | Several hardware instructions.
cluster_broadcast | a n | one channel of each cluster |
sel_exec | a b | a in the channels that execute, else b |
quad_swizzle | a n | a with the four pixels of a quad exchanged |
load_payload | a b c | its sources, one register behind the other | Several moves.
simd4x2_merge | a b | the low half of a for vertex 0, of b for vertex 1 | Two moves of four channels each, which honour the mask. The destination must not be the second source, and it never carries dependency control.
undef | | nothing: the whole register has no value |
`,
  ],

  [
    'control flow',
    `
if | | enters where the predicate holds | The other channels wait for \`else\` or \`endif\`.
else | | exchanges the channels |
endif | | all channels go on that came to the \`if\` |
do | | begins a loop | Only a mark on everything newer than Gen5.
while | | goes back to \`do\` where the predicate holds, or always |
break | | leaves the loop where the predicate holds |
jmpi | | goes on at a label; (+f0.0) in front: only then | Scalar programs of the standalone format. All lanes go: the label stands where the destination is.
cont | | goes on with the next round |
halt | | the channels do nothing more until \`halt_target\` | Of a discard.
halt_target | | channels that halted go on here |
nop | | nothing |
`,
    '',
  ],

  [
    'message',
    `
untyped_surface_read | payload surface channels | dwords of a surface | One address for each vertex, in x of its half, or one for each lane. The mask of channels disables: 4U stands for all four.
untyped_atomic | payload surface operation | the old value of memory |
urb_read | payload | the URB: inputs of another stage |
pull_constant_load | surface offset | 16 bytes of a constant buffer for each vertex | Uses message registers; several hardware instructions.
pull_constant_load_gfx7 | surface offset | 16 bytes of a constant buffer for each vertex | The payload lies in general registers.
uniform_pull_const_gfx7 | surface offset | constants that are the same in all lanes |
get_buffer_size | surface | bytes of a buffer |
tex | sampler | a filtered texel |
txd | sampler | a filtered texel, with derivatives |
txf | sampler | a texel by its whole coordinates |
txf_lz | sampler | a texel of level 0 |
txf_cms | sampler | a sample of a compressed multisampled texture |
txf_cms_w | sampler | the same with a wider control word |
txf_mcs | sampler | the control word of a multisampled texture |
txl | sampler | a filtered texel of a given level |
txl_lz | sampler | a filtered texel of level 0 |
txs | sampler | the size of a texture |
tg4 | sampler | one component of the four texels around |
tg4_offset | sampler | the same, with offsets |
sampleinfo | sampler | how many samples |
oword_block_read | address surface count | 16-byte pieces of memory | One address for the thread, a multiple of 16.
unaligned_oword_block_read | address surface count | 16-byte pieces of memory, at any dword | One address for the thread, in bytes: SIMD4x2 needs one for each vertex, and \`simd4x2_merge\`.
oword_dual_block_read | address surface count | 16 bytes for each vertex | Two addresses, in dwords 0 and 4, in units of 16 bytes.
`,
  ],

  [
    'message',
    `
send | descriptor extended payload payload2 | a message to a shared function | \`mlen\`, \`ex_mlen\` and the response length say how many registers; the descriptor says what it is.
untyped_surface_write | payload surface channels | writes dwords of a surface |
vs_urb_write | | writes outputs from message registers | The payload begins in m1; an even number of data registers and a header.
gs_urb_write | | writes outputs of a geometry shader |
gs_urb_write_allocate | | writes outputs and asks for the next entry |
gs_thread_end | | ends a geometry thread |
tcs_urb_write | payload | writes outputs of a hull shader |
tcs_thread_end | | ends a hull thread |
tcs_release_input | payload | gives back the inputs |
memory_fence | | waits until memory is written |
barrier | payload | waits for the other threads of the group |
shader_time_add | payload | adds to a counter |
ff_sync | | asks for the place of the next primitives |
oword_block_write | address surface data count | writes 16-byte pieces of memory | The address must be a multiple of 16: there is no unaligned write.
oword_dual_block_write | address surface data count | writes 16 bytes for each vertex |
`,
    'dst',
  ],

  [
    'scratch',
    `
gfx4_scratch_read | index | a scratch slot, for both vertices | The index counts 16 bytes: slot n lies at 2n. The message is built in m14 and m15; several hardware instructions.
gfx7_scratch_read | | scratch registers | Its offset, in 32 bytes, is part of the message. No header to build.
scratch_header | | the header of scratch messages | From g0.
`,
  ],
  [
    'scratch',
    `
gfx4_scratch_write | value index | stores to a scratch slot | The mask says which channels. The message is built in m13 to m15; several hardware instructions.
spill | value | stores a register to slot \`sN\` | The dialect's own word: i965's gfx4_scratch_write or Beignet's SPILL_REG.
`,
    'slot',
  ],
  [
    'scratch',
    `
unspill | slot | loads slot \`sN\` | The dialect's own word: i965's scratch read or Beignet's UNSPILL_REG. Always the whole register.
`,
  ],

  [
    'stage',
    `
set_write_offset | a b | the offset of a URB write |
set_vertex_count | a | the number of vertices |
set_dword_2 | a | dword 2 of the header |
prepare_channel_masks | a | masks of channels, first step |
set_channel_masks | a b | masks of channels |
get_instance_id | | the instance of a geometry thread |
set_primitive_id | | the primitive's number |
gs_svb_write | a b | writes a stream-out vertex |
gs_svb_set_dst_index | a | the place of a stream-out vertex |
gs_ff_sync_set_primitives | a b c | how many primitives will come |
tcs_get_instance_id | | the instance of a hull thread |
tcs_set_input_urb_offsets | a b | where the inputs lie | The destination must not be a source.
tcs_set_output_urb_offsets | a b | where the outputs lie | The destination must not be a source.
tcs_get_primitive_id | | the primitive's number |
tcs_create_barrier_header | | the header of a barrier message |
tcs_src0<0,1,0>_is_zero | a | whether the first component is zero |
tes_create_input_read_header | | the header of input reads |
tes_add_indirect_urb_offset | a b | adds an offset to a header | The destination must not be a source.
tes_get_primitive_id | | the primitive's number |
`,
  ],
]);
