import { bytesRead, impliedMrf, payloadMrf, registersTouched } from '../access.js';
import { GRF_BYTES, type Program } from '../program.js';
import { writtenHardware } from './recompute.js';
import type { Regions } from './regions.js';

/**
 * Which hardware registers an allocator may use, and from when. A payload register is free after its last reader (in
 * a loop: after the loop), for nothing in the machine reads the payload by itself but g0, which every message needs
 * as its header. i965's vec4 back-end never reuses the payload, its scalar one does
 * (brw_fs_reg_allocate.cpp, setup_payload_interference); the machine makes no difference between the two. Not reused
 * are registers that the text does not name: in vec4 those of the constants, which operands `uN` read unnamed.
 */
export interface Hardware {
  readonly limit: number;
  /** By register: first position (2i before instruction i) at which it may be taken; never: `NEVER`. */
  readonly freeFrom: Int32Array;
}

export const NEVER = 0x3fffffff;

export interface HardwareOptions {
  /** Registers at the end of the file that spill messages take for themselves. */
  readonly reserved: number;
  /** Registers whose readers may be added later: they are kept to the end. */
  readonly keeps?: Uint8Array;
  readonly reusesPayload: boolean;
}

export function hardwareOf(program: Program, regions: Regions, options: HardwareOptions): Hardware {
  const { instructions, platform } = program;
  const limit = Math.min(128, program.registerLimit);
  const freeFrom = new Int32Array(128);
  freeFrom[0] = NEVER;
  const lastRead = new Int32Array(128).fill(-1);
  const constants = program.dialect === 'vec4' ? 1 + Math.ceil(program.uniforms / 2) : 1;
  // message registers lie over the last general ones, where the machine has none of their own
  const window = platform.messageWindow;
  const message = (first: number, count: number): void => {
    if (window === undefined) return;
    for (let register = window + first; register < Math.min(128, window + first + count); register++)
      freeFrom[register] = NEVER;
  };
  for (let i = 0; i < instructions.length; i++) {
    const instruction = instructions[i];
    for (let k = 0; k < instruction.sources.length; k++) {
      const source = instruction.sources[k];
      if (source.file === 'message') message(source.number, 1);
      if (source.file !== 'grf') continue;
      const count = registersTouched(source.offset, bytesRead(instruction, k, program.dialect));
      const first = source.grf + Math.floor(source.offset / GRF_BYTES);
      for (let register = first; register < Math.min(128, first + Math.max(1, count)); register++)
        lastRead[register] = endOfLoops(i);
    }
    for (const destination of instruction.destinations)
      if (destination.file === 'message') message(destination.number, 1);
    if (instruction.message.mlen === 0) continue;
    const payload = payloadMrf(instruction);
    const implied = impliedMrf(instruction);
    message(payload.first, payload.count);
    message(implied.first, implied.count);
  }
  const written = writtenHardware(program);
  for (let register = 1; register < 128; register++) {
    if (register < program.firstFree) {
      const isNamed = register >= constants && lastRead[register] >= 0;
      if (!options.reusesPayload || options.keeps?.[register] === 1) freeFrom[register] = NEVER;
      else if (isNamed) freeFrom[register] = 2 * lastRead[register] + 1;
      else if (program.dialect === 'vec4') freeFrom[register] = NEVER;
    } else if (lastRead[register] >= 0) freeFrom[register] = NEVER;
    if (written[register] !== 0) freeFrom[register] = NEVER;
    if (register >= limit) freeFrom[register] = NEVER;
  }
  for (let register = limit - options.reserved; register < limit; register++) freeFrom[register] = NEVER;
  return { limit, freeFrom };

  /** The instruction after which nothing in a loop around `i` runs again. */
  function endOfLoops(i: number): number {
    let end = i;
    for (let loop = regions.loopOf[regions.blockOf[i]]; loop >= 0; loop = regions.loops[loop].parent)
      end = regions.loops[loop].end - 1;
    return end;
  }
}

/** By instruction: how many registers may be used before it reads, and when it writes. */
export function capacityOf(program: Program, hardware: Hardware): { reads: Int32Array; writes: Int32Array } {
  const count = program.instructions.length;
  const free = new Int32Array(2 * count + 2);
  for (let register = 0; register < hardware.limit; register++)
    if (hardware.freeFrom[register] <= 2 * count) free[hardware.freeFrom[register]]++;
  const reads = new Int32Array(count);
  const writes = new Int32Array(count);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    sum += free[2 * i];
    reads[i] = sum;
    sum += free[2 * i + 1];
    writes[i] = sum;
  }
  return { reads, writes };
}
