import type { OpcodeTable } from './function.js';

/**
 * Facts of opcodes, each found once in the life of a table: its text never changes. The table that was asked for last,
 * as a rule the only one, is not looked for again.
 */
export function byOpcode<T>(
  find: (text: string, opcodes: OpcodeTable, opcode: number) => T,
): (opcodes: OpcodeTable, opcode: number) => T {
  const known = new WeakMap<OpcodeTable, (T | undefined)[]>();
  let last: OpcodeTable | undefined;
  let facts: (T | undefined)[] = [];
  return (opcodes, opcode) => {
    if (opcodes !== last) {
      const found = known.get(opcodes);
      facts = found ?? [];
      if (found === undefined) known.set(opcodes, facts);
      last = opcodes;
    }
    return (facts[opcode] ??= find(opcodes.text(opcode), opcodes, opcode));
  };
}
