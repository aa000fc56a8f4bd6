import { byOpcode } from '../../../ir/by-opcode.js';
import type { OpcodeTable } from '../../../ir/function.js';
import { classify } from '../classify.js';

/** What the choice of registers needs to know of an opcode, found once for each number of the opcode table. */
export interface Roles {
  /**
   * Reads its registers some time after it was issued (everything that goes to the memory pipeline), so that a
   * register which it reads cannot be written at once.
   */
  readonly readsLate: boolean;
  /** Stays where it stands, whatever is ordered around it. */
  readonly isFixed: boolean;
  /** Stores or reduces a register at an address: data and address are read together. */
  readonly takesData: boolean;
  /** One instruction of the arithmetic pipelines that reads all its sources in one go. */
  readonly readsTogether: boolean;
  /** Elements of the vector that is loaded or stored side by side, 1 for none. */
  readonly vector: number;
  /** A product whose halves are registers of their own in the code (IMAD.WIDE writes an aligned pair). */
  readonly isWide: boolean;
  /** Operands of a matrix instruction in consecutive registers: sources A in three or in two parts of A and B. */
  readonly matrix: 'none' | 'wideA' | 'square' | 'load' | 'store' | 'group';
}

export const rolesOf = byOpcode(find);

function find(text: string, opcodes: OpcodeTable, opcode: number): Roles {
  const { unit } = classify(opcodes, opcode);
  const [root] = text.split('.', 1);
  const isMemory = unit === 'memory' && root !== 'shfl' && root !== 'movmatrix';
  // the elements of a packed vector are read by the instructions that pack them
  const isPacked = /\.v[248]\.[a-z]+(?:8|16)\b/.test(text);
  return {
    readsLate: isMemory && !isPacked,
    isFixed: text.includes('.volatile'),
    takesData:
      isMemory && !isPacked && !/\.(?:shared|local|param)\b/.test(text) && /^(?:st|red|atom)$/.test(root),
    readsTogether: unit === 'alu' || unit === 'fma' || unit === 'half',
    vector: vectorOf(text),
    isWide: root === 'mul' && text.includes('.wide.'),
    matrix: matrixOf(root, text),
  };
}

/**
 * Elements narrower than a register are packed, and do not lie in registers of their own. Compare-and-swap takes its
 * two values as a pair.
 */
function vectorOf(text: string): number {
  if (/^atom\..*\.cas\.b(?:32|64)$/.test(text)) return 2;
  const match = /\.v([248])\.[a-z]+(\d+)/.exec(text);
  return match && Number(match[2]) >= 32 ? Number(match[1]) : 1;
}

function matrixOf(root: string, text: string): Roles['matrix'] {
  if (root === 'mma') return /\.m16n8k/.test(text) ? 'wideA' : 'square';
  if (root === 'ldmatrix') return 'load';
  if (root === 'stmatrix') return 'store';
  if (root === 'wgmma' && text.includes('.mma_async')) return 'group';
  return 'none';
}
