import type { InstructionEntry } from '../schema.js';
import { integerArithmetic } from './integer.js';

/** Every table of instructions. A new table is one line here. */
export const tables: readonly (readonly InstructionEntry[])[] = [integerArithmetic];

const entries = new Map<string, InstructionEntry>();
for (const table of tables) for (const entry of table) entries.set(entry.opcode, entry);

/** The entry of an opcode without its modifiers. */
export const instructionEntry = (opcode: string): InstructionEntry | undefined => entries.get(opcode);
export const instructionEntries = (): IterableIterator<InstructionEntry> => entries.values();
