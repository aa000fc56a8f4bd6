import { touches } from '../../../text/span.js';
import type { BeignetUnit, Line, Operand, RegisterName } from './tree.js';

/** The line that touches `offset`. O(log lines). */
export function lineAt({ lines }: BeignetUnit, offset: number): Line | undefined {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lines[middle].start <= offset) low = middle + 1;
    else high = middle;
  }
  const line = lines.at(low - 1);
  return low > 0 && line !== undefined && touches(line, offset) ? line : undefined;
}

export const operandsOf = (line: Line): readonly Operand[] =>
  line.kind === 'selection' ? [...line.destinations, ...line.sources] : [];

/** Every register that the line names. */
export function registersOfLine(line: Line): readonly RegisterName[] {
  switch (line.kind) {
    case 'selection': {
      const named: RegisterName[] = [];
      for (const flag of [line.predicate?.flag, line.flag])
        if (flag?.kind === 'virtual') named.push(flag.register);
      for (const operand of operandsOf(line)) if (operand.kind === 'register') named.push(operand.register);
      return named;
    }
    case 'ir':
      return line.predicate === undefined ? line.registers : [...line.registers, line.predicate];
    case 'declaration':
    case 'allocation':
      return [line.register];
    default:
      return [];
  }
}
