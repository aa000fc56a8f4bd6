import type { Instruction } from '../program.js';

/**
 * What a `send` does to memory, by the shared function and the message type in its descriptor (facts C.1): samplers
 * and the constant cache never write; of the data cache types 0 to 5 read; on Gen7.5's second port 1 and 5 do.
 * Whatever is not known writes.
 */
export function sendEffect({ message }: Instruction): 'none' | 'read' | 'write' {
  const { descriptor, sharedFunction, isEndOfThread } = message;
  if (isEndOfThread) return 'write';
  if (sharedFunction === 'sampler' || sharedFunction === 'sampler_cache') return 'none';
  if (sharedFunction === 'constant_cache') return 'read';
  if (descriptor === undefined) return 'write';
  const type = (descriptor >>> 14) & 15;
  if (sharedFunction === 'data_cache') return type <= 5 ? 'read' : 'write';
  if (sharedFunction === 'data_cache_1' || sharedFunction === 'f12')
    return type === 1 || type === 5 ? 'read' : 'write';
  return 'write';
}

/** What an instruction does to memory beside scratch. */
export function memoryEffect(instruction: Instruction): 'none' | 'read' | 'write' {
  const { opcode } = instruction;
  if (opcode.name === 'send') return sendEffect(instruction);
  if (opcode.kind === 'unknown' || opcode.memory === 'write' || opcode.memory === 'both') return 'write';
  return opcode.memory === 'read' ? 'read' : 'none';
}
