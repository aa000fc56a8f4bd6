import type { Instruction, Program } from '../program.js';
import type { Rule } from './rule.js';

/**
 * Rules of messages (facts B.1, B.12, C.1, F38, F44): at most 15 payload registers, inside the message file; a URB
 * write of interleaved data has an even number of data registers behind its header; the message that ends the thread
 * must come from g112 to g127; scratch offsets have 12 bits of 32 bytes; OWord blocks are written at aligned addresses.
 */
export const payloads: Rule = (instruction, { program }, report) => {
  const { opcode, message } = instruction;
  const { mlen, baseMrf } = message;
  if (mlen > MOST_PAYLOAD)
    report({
      code: 'hw/message-length',
      message: `a message has at most ${MOST_PAYLOAD} payload registers, not ${mlen}`,
      at: { mark: 'mlen' },
    });
  const isFromMrf = mlen > 0 && !opcode.sendsFromGrf && baseMrf >= 0 && opcode.kind === 'message';
  const { messageRegisters, name } = program.platform;
  if (isFromMrf && baseMrf + mlen > messageRegisters)
    report({
      code: 'hw/message-length',
      message: `the payload m${baseMrf} to m${baseMrf + mlen - 1} runs out of the ${messageRegisters} message registers (${name})`,
      at: { mark: 'mlen' },
    });
  if (interleavedWrites.has(opcode.name) && mlen > 0 && mlen % 2 === 0 && !message.assumed.includes('mlen'))
    report({
      code: 'hw/message-length',
      message: `${opcode.name} writes interleaved data: behind the header must stand an even number of registers, not ${mlen - 1}`,
      at: { mark: 'mlen' },
    });
};

const MOST_PAYLOAD = 15;
const interleavedWrites = new Set(['vs_urb_write', 'gs_urb_write', 'gs_urb_write_allocate', 'tcs_urb_write']);

export const endOfThread: Rule = (instruction, { program }, report) => {
  const window = program.platform.messageWindow;
  if (!instruction.message.isEndOfThread || window === undefined || program.phase === 'virtual') return;
  if (!instruction.opcode.sendsFromGrf && instruction.message.baseMrf >= 0) return;
  const payload = instruction.sources.find((s) => s.file === 'grf');
  if (payload?.file === 'grf' && payload.grf < window)
    report({
      code: 'hw/end-of-thread',
      message: `the message that ends the thread must come from g${window} to g${program.platform.registers - 1}, not from g${payload.grf}`,
      at: payload,
    });
};

export const scratchOffsets: Rule = (instruction, { program }, report) => {
  const offset = instruction.message.scratchOffset;
  if (offset === undefined || instruction.opcode.scratch === undefined) return;
  if (offset < 0 || (instruction.opcode.name === 'gfx7_scratch_read' && offset >= SCRATCH_REACH))
    report({
      code: 'hw/scratch-offset',
      message: `scratch messages reach 0 to ${SCRATCH_REACH - 1} bytes (12 bits of 32-byte units), not byte ${offset}`,
    });
  else if (program.dialect === 'selection' && offset >= program.platform.scratchLimit)
    report({
      code: 'hw/scratch-offset',
      message: `a thread has ${program.platform.scratchLimit} bytes of scratch (${program.platform.name}), byte ${offset} lies behind them`,
    });
};

const SCRATCH_REACH = 4096 * 32;

export const alignedWrites: Rule = (instruction, _place, report) => {
  if (instruction.opcode.name === 'unaligned_oword_block_write')
    report({
      code: 'hw/unaligned-write',
      message: 'there is no unaligned OWord block write: only reads take byte addresses',
    });
  if (instruction.opcode.name !== 'oword_block_write' && instruction.opcode.name !== 'oword_dual_block_write')
    return;
  const address = instruction.sources[0];
  if (address?.file === 'grf' && address.offset % 4 !== 0)
    report({
      code: 'hw/unaligned-write',
      message: `the address of an OWord write counts 16-byte units: it cannot begin at byte ${address.offset} of a register`,
      at: address,
    });
};

/**
 * A scratch write builds its message in m13 to m15 (m21 to m23 on Gen6): between the write of a payload register
 * there and the message that sends it, it destroys the payload. The reference emits such code only when it spills
 * while a payload is under construction.
 */
export const payloadUnderConstruction: Rule = (instruction, { program, index, blockStart }, report) => {
  if (program.dialect !== 'vec4' || instruction.opcode.scratch !== 'write') return;
  const { baseMrf, mlen } = instruction.message;
  if (baseMrf < 0) return;
  const victim = pendingPayload(program, index, blockStart, baseMrf, baseMrf + mlen);
  if (victim === undefined) return;
  report({
    code: 'hw/payload-overwritten',
    severity: 'warning',
    message: `${instruction.opcode.name} builds its message in m${baseMrf} to m${baseMrf + mlen - 1} and destroys m${victim.register}, which waits for ${victim.reader.opcode.name}`,
    related: [
      { instruction: victim.writer, message: `m${victim.register} is written here` },
      { instruction: victim.reader, message: 'and sent here' },
    ],
  });
};

/** How far the look behind and ahead goes: payloads are short. */
const NEIGHBOURHOOD = 64;

function pendingPayload(
  program: Program,
  index: number,
  blockStart: number,
  from: number,
  to: number,
): { writer: Instruction; reader: Instruction; register: number } | undefined {
  const { instructions } = program;
  for (let i = index - 1; i >= Math.max(blockStart, index - NEIGHBOURHOOD); i--) {
    const before = instructions[i];
    if (before.message.mlen > 0 && before.opcode.scratch === undefined && !before.opcode.sendsFromGrf) break;
    for (const d of before.destinations) {
      if (d.file !== 'message' || d.number < from || d.number >= to) continue;
      const { number } = d;
      for (let k = index + 1; k < Math.min(instructions.length, index + NEIGHBOURHOOD); k++) {
        const after = instructions[k];
        if (after.destinations.some((w) => w.file === 'message' && w.number === number)) break;
        const { mlen, baseMrf } = after.message;
        if (mlen === 0 || after.opcode.sendsFromGrf || after.opcode.scratch !== undefined) continue;
        if (baseMrf <= number && number < baseMrf + mlen)
          return { writer: before, reader: after, register: number };
        break;
      }
    }
  }
  return undefined;
}
