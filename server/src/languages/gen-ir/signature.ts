import type { Signatures } from '../language.js';
import type { MesaBound } from './bind/index.js';
import { statementBefore } from './find.js';
import { operandNames, operationSummary, operationSyntax, referenceOf } from './reference/text.js';
import { headEnd } from './tree.js';

/** The operands that the instruction at the cursor takes. */
export function signatures({ parsed }: MesaBound, offset: number): Signatures | undefined {
  const { text } = parsed;
  const statement = statementBefore(parsed.statements, offset);
  if (statement?.kind !== 'instruction' || offset <= headEnd(statement)) return undefined;
  const row = referenceOf(statement.opcode.text);
  if (row === undefined) return undefined;
  const names = operandNames(statement.opcode.text);
  if (names.length === 0) return undefined;
  const before = text.slice(headEnd(statement), offset);
  if (/[\n\r;{]|\/\/|\bNoMask\b/.test(before)) return undefined;
  const summary = operationSummary(statement.opcode.text);
  return {
    items: [
      {
        label: operationSyntax(row),
        documentation: [summary, row.text].filter((part) => part !== '').join('. '),
        parameters: names.map((label) => ({ label })),
      },
    ],
    activeItem: 0,
    activeParameter: commas(before),
  };
}

/** Commas outside of the brackets of a vector. */
function commas(text: string): number {
  let depth = 0;
  let count = 0;
  for (const character of text) {
    if (character === '[') depth++;
    else if (character === ']') depth = 0;
    else if (character === ',' && depth === 0) count++;
  }
  return count;
}
