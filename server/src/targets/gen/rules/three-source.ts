import { XYZW, typeSize, type Operand } from '../program.js';
import type { Rule } from './rule.js';

/**
 * mad, lrp, bfe, bfi2 (and csel): until Gen10 three-source instructions exist in align16 alone, with general registers
 * only: no immediate has room in the encoding, there is no null destination, and a uniform can be read only when one
 * component is replicated to all channels (facts B.12, F43).
 */
export const threeSource: Rule = (instruction, { program }, report) => {
  const { opcode } = instruction;
  if (!threeSourceNames.has(opcode.name) || program.dialect === 'selection') return;
  const [destination] = instruction.destinations;
  if (destination?.file === 'null' && program.phase !== 'virtual')
    report({
      code: 'hw/three-source',
      message: `${opcode.name} has three sources and cannot write null: give it a register, though nobody reads it`,
      at: destination,
    });
  for (const source of instruction.sources) {
    if (source.file === 'immediate')
      report({
        code: 'hw/three-source',
        message: `${opcode.name} has three sources and no room for an immediate: move the number to a register first`,
        at: source,
      });
    else if (program.dialect === 'vec4' && source.file === 'uniform' && !isReplicated(source))
      report({
        code: 'hw/three-source',
        message: `${opcode.name} has three sources and can read a uniform only with one component for all channels, such as .xxxx: copy the vector to a register first`,
        at: source,
      });
  }
  // the scalar back-end does encode a mad of doubles: only vec4 code must be split
  if (
    program.dialect === 'vec4' &&
    opcode.name === 'mad' &&
    destination !== undefined &&
    destination.file !== 'immediate' &&
    typeSize(destination.type) === 8
  )
    report({
      code: 'hw/three-source',
      message: 'there is no 64-bit mad in SIMD4x2 code: write a mul and an add',
      at: destination,
    });
};

const threeSourceNames = new Set(['mad', 'lrp', 'bfe', 'bfi2', 'csel']);

function isReplicated(source: Operand): boolean {
  if (source.file === 'immediate') return false;
  const { swizzle } = source;
  return swizzle !== XYZW && swizzle === (swizzle & 3) * 0b01_01_01_01;
}
