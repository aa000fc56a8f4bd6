import { bitsToFloat } from '../../ir/payload.js';
import { hex } from './canonical.js';
import type { Operand } from './operand.js';

const doubles = new DataView(new ArrayBuffer(8));

/** What a constant is, and the bits of it; what they are as a float, where a dump prints floats as integers. */
export function describeImmediate(text: string, operand: Operand): string {
  const { type, low, high } = operand;
  const written = text.slice(operand.start, Math.min(operand.end, operand.start + 60));
  switch (type) {
    case 'F':
      return `\`${written}\`: float ${bitsToFloat(low)}, bits \`0x${hex(low)}\`. The dump prints six digits at most: the constant may have been another one nearby.`;
    case 'D':
    case 'UD': {
      const float = bitsToFloat(low);
      const isFloat = Math.abs(float) > 1e-6 && Math.abs(float) < 1e9;
      return `\`${written}\`: bits \`0x${hex(low)}\`${isFloat ? `; as a float they are ${float}. Constants of floats are printed so, too: a move does not change bits` : ''}.`;
    }
    case 'DF':
      doubles.setInt32(0, high);
      doubles.setInt32(4, low);
      return `\`${written}\`: double ${doubles.getFloat64(0)}, bits \`0x${hex(high)}${hex(low)}\`.`;
    case 'Q':
    case 'UQ':
      return `\`${written}\`: bits \`0x${hex(high)}${hex(low)}\`.`;
    case 'VF':
      return `\`${written}\`: four floats of eight bits (sign, three bits of exponent, four of fraction), one for each of x, y, z, w; bits \`0x${hex(low)}\`.`;
    case 'V':
    case 'UV': {
      const numbers = Array.from({ length: 8 }, (_, k) => {
        const nibble = (low >>> (4 * k)) & 15;
        return type === 'V' && nibble > 7 ? nibble - 16 : nibble;
      });
      return `\`${written}\`: eight integers of four bits, one a lane: ${numbers.join(', ')}.`;
    }
    case 'HF':
      return `\`${written}\`: half float, bits \`0x${(low & 0xffff).toString(16).padStart(4, '0')}\`.`;
    default:
      return `\`${written}\`: a constant that the dump could not print.`;
  }
}
