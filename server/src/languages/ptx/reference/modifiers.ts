/**
 * What single modifiers mean, in a line each, without their dot. A meaning that depends on the instruction is given
 * under `opcode.modifier`. After the instruction chapters of the PTX ISA manual.
 */
const general: Readonly<Record<string, string>> = {
  // rounding and range
  rn: 'Rounds to the nearest value, ties to even.',
  rna: 'Rounds to the nearest value, ties away from zero.',
  rz: 'Rounds toward zero.',
  rm: 'Rounds toward minus infinity.',
  rp: 'Rounds toward plus infinity.',
  rs: 'Rounds stochastically, with random bits from a further operand.',
  rni: 'Rounds to the nearest integer, ties to even.',
  rzi: 'Rounds to an integer toward zero.',
  rmi: 'Rounds to an integer toward minus infinity.',
  rpi: 'Rounds to an integer toward plus infinity.',
  ftz: 'Flushes denormal inputs and results to zero, keeping the sign.',
  sat: 'Clamps the result: floating-point to 0.0 .. 1.0 (NaN becomes 0), integers to the range of their type.',
  satfinite: 'Clamps to the largest finite value instead of giving infinity or NaN.',
  relu: 'Clamps negative results to zero; NaN becomes the canonical NaN.',
  approx: 'A fast approximation; the manual gives the maximum error.',
  full: 'A fast approximation that works over the full range, within 2 ulp.',
  NaN: 'Gives NaN when an input is NaN, instead of the other input.',
  xorsign: 'The sign of the result is the exclusive or of the signs of the inputs.',
  abs: 'Takes absolute values first.',
  noftz: 'Keeps denormal values.',
  oob: 'Gives zero where an input is marked out of bounds.',
  // integers
  lo: 'The low half of the product.',
  hi: 'The high half of the product.',
  wide: 'The whole product, in a register of twice the width.',
  cc: 'Writes the carry flag, for a following `addc`, `subc` or `madc`.',
  clamp: 'Amounts beyond the width count as the width.',
  wrap: 'Amounts count modulo the width.',
  shiftamt: 'Gives the shift that brings the leading bit to the top, instead of its position.',
  // comparison
  eq: 'Equal; false when a floating-point input is NaN.',
  ne: 'Not equal; false when a floating-point input is NaN.',
  lt: 'Less than; false when a floating-point input is NaN.',
  le: 'Less or equal; false when a floating-point input is NaN.',
  gt: 'Greater than; false when a floating-point input is NaN.',
  ge: 'Greater or equal; false when a floating-point input is NaN.',
  ls: 'Lower or the same, unsigned.',
  hs: 'Higher or the same, unsigned.',
  equ: 'Equal, or an input is NaN.',
  neu: 'Not equal, or an input is NaN.',
  ltu: 'Less than, or an input is NaN.',
  leu: 'Less or equal, or an input is NaN.',
  gtu: 'Greater than, or an input is NaN.',
  geu: 'Greater or equal, or an input is NaN.',
  num: 'Both inputs are numbers.',
  nan: 'An input is NaN.',
  // state spaces
  global: 'Global memory: the whole device, cached in L2 and L1.',
  shared: 'Shared memory of the thread block, on the multiprocessor.',
  'shared::cta': 'Shared memory of the own thread block.',
  'shared::cluster': 'Shared memory of any thread block of the cluster.',
  local:
    'Local memory of the thread: stack arrays and spilled registers, in global memory behind the caches.',
  const: 'Constant memory: 64 KB, read only; fast where all threads of a warp read one address.',
  param: 'Parameter space: the arguments of the kernel, or of a call.',
  'param::entry': 'The parameters of the kernel.',
  'param::func': 'The parameters of a function call.',
  to: 'Converts a generic address to the space that follows.',
  // memory order
  weak: 'An ordinary access, which other threads may not rely on.',
  relaxed: 'A strong access without ordering of others.',
  acquire: 'Later accesses are not moved before this one.',
  release: 'Earlier accesses are visible before this one.',
  acq_rel: 'Acquire and release in one.',
  sc: 'One total order of all such fences.',
  volatile: 'Happens exactly as written: not merged, dropped or repeated.',
  mmio: 'For device registers: happens exactly once, with no cache.',
  cta: 'Between the threads of one block.',
  cluster: 'Between the blocks of one cluster.',
  gpu: 'Between all threads of the device.',
  gl: 'Between all threads of the device.',
  sys: 'Between all devices and the host.',
  // caches
  ca: 'Cached at all levels.',
  cg: 'Cached in L2 only, past L1.',
  cs: 'Streaming: evicted first, for data that is touched once.',
  lu: 'Last use: the line need not be written back.',
  cv: 'Fetches again each time, for memory that others change.',
  wb: 'Writes back, at all levels.',
  wt: 'Writes through to memory.',
  nc: 'Read-only data, through the texture path of L1; nobody may write it while the kernel runs.',
  'L1::evict_last': 'Keeps the line in L1 as long as possible.',
  'L1::evict_first': 'Gives the line in L1 up first.',
  'L1::evict_normal': 'Ordinary eviction in L1.',
  'L1::evict_unchanged': 'Leaves the eviction order of L1 as it is.',
  'L1::no_allocate': 'Does not put the data into L1.',
  'L2::evict_last': 'Keeps the line in L2 as long as possible.',
  'L2::evict_first': 'Gives the line in L2 up first.',
  'L2::evict_normal': 'Ordinary eviction in L2.',
  'L2::cache_hint': 'A 64-bit cache policy (`createpolicy`) is the last operand.',
  'L2::64B': 'Prefetches 64 bytes into L2.',
  'L2::128B': 'Prefetches 128 bytes into L2.',
  'L2::256B': 'Prefetches 256 bytes into L2.',
  // vectors
  v2: 'Two elements, in braces; the address must be aligned to the whole.',
  v4: 'Four elements, in braces; the address must be aligned to the whole.',
  v8: 'Eight elements, in braces; the address must be aligned to the whole.',
  x1: 'One matrix or element.',
  x2: 'Two matrices or elements.',
  x4: 'Four matrices or elements.',
  trans: 'Transposes each matrix while it is loaded or stored.',
  // warps
  sync: 'Waits until all threads of the member mask arrive.',
  aligned: 'All threads of the warp execute this same instruction; otherwise the result is undefined.',
  uni: 'All threads take the same way: a hint, and a promise.',
  up: 'Reads from a lane with a lower number.',
  down: 'Reads from a lane with a higher number.',
  bfly: 'Reads from the lane whose number differs by an exclusive or.',
  idx: 'Reads from the lane with the given number.',
  all: 'True for all threads.',
  any: 'True for at least one thread.',
  ballot: 'One bit for each thread.',
  // operations
  add: 'Adds.',
  min: 'The minimum.',
  max: 'The maximum.',
  and: 'Bitwise and; on predicates, logical and.',
  or: 'Bitwise or; on predicates, logical or.',
  xor: 'Bitwise exclusive or.',
  popc: 'Counts the threads for which the predicate holds.',
  inc: 'Adds one and wraps to zero above the bound.',
  dec: 'Subtracts one and wraps to the bound below zero.',
  exch: 'Exchanges.',
  cas: 'Compares, and exchanges when equal.',
  arrive: 'Counts this thread in without waiting.',
  red: 'Waits, and combines a predicate over all threads.',
  // matrices
  row: 'Row-major.',
  col: 'Column-major.',
  m8n8k4: 'Shape: 8 by 4 times 4 by 8.',
  m16n8k8: 'Shape: 16 by 8 times 8 by 8.',
  m16n8k16: 'Shape: 16 by 16 times 16 by 8.',
  m16n8k32: 'Shape: 16 by 32 times 32 by 8.',
  sp: 'The first matrix is sparse, two of four elements; metadata say which.',
  // asynchronous copies
  async: 'Runs in the background; wait for it before the data is used.',
  bulk: 'Copies a whole block by the copy engine, started by one thread.',
  tensor: 'Copies a tile of a tensor that a tensor map describes.',
  commit_group: 'Closes the group of copies started so far.',
  wait_group: 'Waits until at most N of the newest groups are pending.',
  wait_all: 'Waits for all of them.',
  multicast: 'Delivers to several blocks of the cluster.',
  noinc: 'Does not raise the pending count of the barrier.',
  // types
  pred: 'A predicate.',
};

const special: Readonly<Record<string, string>> = {
  'prmt.f4e': 'Mode: four bytes forward from the given one.',
  'prmt.b4e': 'Mode: four bytes backward from the given one.',
  'prmt.rc8': 'Mode: one byte, replicated four times.',
  'prmt.rc16': 'Mode: one half word, replicated.',
  'prmt.ecl': 'Mode: edge clamp left.',
  'prmt.ecr': 'Mode: edge clamp right.',
  'testp.number': 'True for numbers.',
  'testp.finite': 'True for finite values.',
  'testp.infinite': 'True for infinities.',
  'testp.normal': 'True for normal numbers.',
  'testp.subnormal': 'True for denormal numbers.',
  'testp.notanumber': 'True for NaN.',
  'shf.l': 'Shifts left: the high word of the result.',
  'shf.r': 'Shifts right: the low word of the result.',
  'mov.pred': 'Copies a predicate.',
  'membar.cta': 'Orders memory for the threads of the block.',
  'membar.gl': 'Orders memory for all threads of the device.',
  'membar.sys': 'Orders memory for all devices and the host.',
  'bar.sync': 'Waits for all (or the given number of) threads of the block.',
  'barrier.sync': 'Waits for all (or the given number of) threads of the block.',
  'tex.1d': 'A one-dimensional texture.',
  'tex.2d': 'A two-dimensional texture.',
  'tex.3d': 'A three-dimensional texture.',
  'tex.a1d': 'An array of one-dimensional textures.',
  'tex.a2d': 'An array of two-dimensional textures.',
  'tex.cube': 'A cube map.',
};

/** A sentence on a modifier (without its dot) of an instruction, or undefined. */
export function modifierText(opcode: string, modifier: string): string | undefined {
  const own = `${opcode}.${modifier}`;
  if (Object.hasOwn(special, own)) return special[own];
  if (Object.hasOwn(general, modifier)) return general[modifier];
  return typeText(modifier) ?? shapeText(modifier);
}

const kinds: Readonly<Record<string, string>> = {
  u: 'unsigned integer',
  s: 'signed integer',
  b: 'untyped bits',
  f: 'floating point',
};

const otherTypes: Readonly<Record<string, string>> = {
  f16x2: 'two half-precision numbers in one 32-bit register',
  bf16: 'bfloat16: 8 bits of exponent, 7 of fraction, in a .b16 register',
  bf16x2: 'two bfloat16 numbers in one .b32 register',
  tf32: 'TensorFloat-32: the range of f32 with 10 bits of fraction, in a .b32 register',
  f32x2: 'two single-precision numbers in one .b64 register',
  e4m3: '8-bit floating point, 4 bits of exponent',
  e5m2: '8-bit floating point, 5 bits of exponent',
  e4m3x2: 'two e4m3 numbers in 16 bits',
  e5m2x2: 'two e5m2 numbers in 16 bits',
  e2m1: '4-bit floating point',
  e2m3: '6-bit floating point, 2 bits of exponent',
  e3m2: '6-bit floating point, 3 bits of exponent',
  ue8m0: 'an 8-bit exponent: a scale of a block of numbers',
};

/** `32-bit signed integer` for `s32`. */
export function typeText(type: string): string | undefined {
  if (Object.hasOwn(otherTypes, type)) return `Type: ${otherTypes[type]}.`;
  const found = /^([usbf])(\d+)$/.exec(type);
  return found === null ? undefined : `Type: ${found[2]}-bit ${kinds[found[1]]}.`;
}

function shapeText(modifier: string): string | undefined {
  const found = /^m(\d+)n(\d+)k(\d+)$/.exec(modifier);
  if (found === null) return undefined;
  const [, m, n, k] = found;
  return `Shape: ${m} by ${k} times ${k} by ${n}.`;
}
