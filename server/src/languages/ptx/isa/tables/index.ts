import type { InstructionEntry } from '../schema.js';
import { arithmetic } from './arithmetic.js';
import { comparison } from './comparison.js';
import { control } from './control.js';
import { conversion } from './conversion.js';
import { logic } from './logic.js';
import { memory } from './memory.js';
import { movement } from './movement.js';
import { transcendental } from './transcendental.js';
import { integerArithmetic } from './integer.js';
import { parallelTables } from './parallel.js';

/** Every table of instructions. A new table is one line here. */
export const tables: readonly (readonly InstructionEntry[])[] = [
  arithmetic,
  comparison,
  control,
  conversion,
  integerArithmetic,
  logic,
  memory,
  movement,
  ...parallelTables,
  transcendental,
];

const entries = new Map<string, InstructionEntry>();
for (const table of tables) for (const entry of table) entries.set(entry.opcode, entry);

/** The entry of an opcode without its modifiers. */
export const instructionEntry = (opcode: string): InstructionEntry | undefined => entries.get(opcode);
export const instructionEntries = (): IterableIterator<InstructionEntry> => entries.values();
