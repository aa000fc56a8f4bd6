import type { Head } from './decode-text.js';
import { isSampler } from './access.js';
import type { Platform } from './platforms.js';
import { GRF_BYTES, type Dialect, type Instruction, type Message, type Register } from './program.js';

/**
 * What the reference's dumps leave out of a message (facts B.2, D.2): how long it is, in which message registers its
 * payload begins, where in scratch it goes. Each field that was filled in here is named in `Message.assumed`.
 */
export interface MessageContext {
  readonly dialect: Dialect;
  readonly platform: Platform;
  readonly registers: readonly Register[];
  /** Bit m: message register m was written since the last message that took its payload from them. */
  written: number;
}

/** Scratch messages of vec4 use the last message registers: m13 or m14 of 16, m21 or m22 of Gen6's 24. */
const scratchBase = (platform: Platform, length: number): number => platform.messageRegisters - length;

interface Lengths {
  readonly mlen: number;
  readonly baseMrf: number;
}

export function messageDefaults(instruction: Instruction, head: Head, context: MessageContext): Message {
  const given = { mlen: head.mlen, baseMrf: head.baseMrf };
  const usual = lengths(instruction, head, context);
  const mlen = given.mlen ?? usual.mlen;
  const baseMrf = given.baseMrf ?? usual.baseMrf;
  const rlen = head.rlen ?? responseLength(instruction, context);
  const scratchOffset = head.offset ?? scratchOffsetOf(instruction, context);
  const assumed: string[] = [];
  // What follows from the opcode alone is no guess.
  const isByRule = instruction.opcode.scratch !== undefined && context.dialect !== 'selection';
  if (given.mlen === undefined && usual.mlen > 0 && !isByRule) assumed.push('mlen');
  if (given.baseMrf === undefined && usual.baseMrf >= 0 && !isByRule) assumed.push('base_mrf');
  // Without a destination there is no response, and nothing to assume.
  const isResponseAssumed = head.rlen === undefined && (rlen ?? 0) > 0;
  if (isResponseAssumed && instruction.opcode.name === 'send') assumed.push('rlen');
  if (instruction.opcode.scratch !== undefined && scratchOffset === undefined && context.dialect !== 'vec4')
    assumed.push('offset');
  if (mlen > 0 && baseMrf >= 0 && instruction.opcode.scratch === undefined) context.written = 0;
  return {
    mlen,
    exMlen: head.exMlen,
    baseMrf,
    rlen,
    header: head.header,
    isEndOfThread: head.isEndOfThread,
    scratchOffset,
    sharedFunction: head.sharedFunction,
    descriptor: head.descriptor,
    assumed,
  };
}

const nothing: Lengths = { mlen: 0, baseMrf: -1 };

function lengths(instruction: Instruction, head: Head, context: MessageContext): Lengths {
  const { opcode } = instruction;
  const { platform, dialect } = context;
  if (dialect === 'selection') return nothing;
  if (opcode.scratch !== undefined) {
    if (opcode.name === 'gfx7_scratch_read') return nothing;
    const data = dialect === 'vec4' ? 1 : Math.max(1, (instruction.execSize * 4) / GRF_BYTES);
    const header = dialect === 'vec4' ? 2 : 1;
    const mlen = head.mlen ?? header + (opcode.scratch === 'write' ? data : 0);
    return { mlen, baseMrf: scratchBase(platform, mlen) };
  }
  if (opcode.sendsFromGrf) {
    const payload = opcode.name === 'pull_constant_load_gfx7' ? 1 : 0;
    return { mlen: payloadRegisters(instruction, payload, context), baseMrf: -1 };
  }
  if (opcode.name === 'vs_urb_write') {
    // The header in m1, then pairs of vectors: the length is odd (facts G.13).
    const data = run(context.written, 2);
    return { mlen: 1 + 2 * Math.ceil(data / 2), baseMrf: 1 };
  }
  if (opcode.kind === 'message' && (isSampler(opcode) || opcode.impliedMrfWrites > 0)) {
    const base =
      head.baseMrf ?? (context.written === 0 ? 2 : 31 - Math.clz32(context.written & -context.written));
    return { mlen: Math.max(1, run(context.written, base)), baseMrf: base };
  }
  return nothing;
}

/** Consecutive bits from `from` upwards. */
function run(bits: number, from: number): number {
  let length = 0;
  while (from + length < 32 && bits & (1 << (from + length))) length++;
  return length;
}

/** Atomic operations of one register of payload, without an operand: increment and decrement. */
const withoutData = new Set([5, 6, 14]);

function payloadRegisters(instruction: Instruction, k: number, { registers }: MessageContext): number {
  const { opcode } = instruction;
  if (opcode.name === 'send') return 0;
  const operation = instruction.sources.at(2);
  if (opcode.name === 'untyped_atomic' && operation?.file === 'immediate')
    return withoutData.has(operation.low) ? 1 : operation.low === 13 ? 3 : 2;
  if (opcode.name !== 'untyped_surface_write') return 1;
  const source = instruction.sources.at(k);
  if (source?.file !== 'virtual') return 2;
  return Math.max(1, Math.ceil((registers[source.register].bytes - source.offset) / GRF_BYTES));
}

/** A `send` writes the whole register that it names, and so does `undef` (facts G.5). */
function responseLength(instruction: Instruction, { registers }: MessageContext): number | undefined {
  const { name } = instruction.opcode;
  if (name !== 'send' && name !== 'undef') return undefined;
  if (instruction.destinations.length === 0) return 0;
  const destination = instruction.destinations[0];
  if (destination.file === 'virtual')
    return Math.max(1, Math.ceil((registers[destination.register].bytes - destination.offset) / GRF_BYTES));
  return destination.file === 'grf' ? undefined : 0;
}

/** vec4 scratch messages count in OWords of each vertex (before Gen6 in bytes), pseudo instructions in slots. */
function scratchOffsetOf(instruction: Instruction, { dialect }: MessageContext): number | undefined {
  const { opcode, sources, destinations } = instruction;
  if (opcode.scratch === undefined) return undefined;
  for (const operand of [...sources, ...destinations])
    if (operand.file === 'slot') return operand.number * GRF_BYTES;
  if (dialect !== 'vec4') return undefined;
  const index = sources.at(-1);
  return index?.file === 'immediate' && sources.length === (opcode.scratch === 'write' ? 2 : 1)
    ? index.low * 16
    : undefined;
}
