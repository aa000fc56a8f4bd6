import { irOperations, selectionReference } from './beignet.js';
import { operations } from './operations.js';
import type { OperationReference } from './row.js';
import type { WordReference } from './words.js';

/** Reference text as Markdown, written from the tables. */

/** Mesa's dumps and the standalone format, Beignet's selection IR, its GEN IR. */
export type Vocabulary = 'mesa' | 'selection' | 'genIr';

export function referenceOf(
  name: string,
  vocabulary: Vocabulary = 'mesa',
  suffix = '',
): OperationReference | undefined {
  switch (vocabulary) {
    case 'mesa':
      return operations().get(name);
    case 'selection':
      return selectionReference(name, suffix);
    case 'genIr':
      return irOperations().get(name);
  }
}

/** `add dst, a, b`, with the width where the form has one. */
export function operationSyntax(row: OperationReference, vocabulary: Vocabulary = 'mesa'): string {
  const operands = [row.result, ...row.sources].filter((part) => part !== '');
  const width = vocabulary === 'genIr' ? '' : vocabulary === 'mesa' ? '(8)' : '(16)';
  const separator = vocabulary === 'mesa' ? ', ' : ' ';
  return `${row.name}${width} ${operands.join(separator)}`.trimEnd();
}

/** Full text of an operation, or undefined for a word that is none. */
export function operationText(
  name: string,
  vocabulary: Vocabulary = 'mesa',
  suffix = '',
): string | undefined {
  const row = referenceOf(name, vocabulary, suffix);
  if (row === undefined) return undefined;
  return [
    `**\`${row.name}\`** *${row.category}*`,
    `\`\`\`gen-ir\n${operationSyntax(row, vocabulary)}  ; ${row.computes}\n\`\`\``,
    row.text,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** One line, for lists; '' for a word that is no operation. */
export const operationSummary = (name: string, vocabulary: Vocabulary = 'mesa'): string =>
  referenceOf(name, vocabulary)?.computes ?? '';

/** Names of the operands, the result first; empty for a word that is no operation. */
export function operandNames(name: string, vocabulary: Vocabulary = 'mesa', suffix = ''): readonly string[] {
  const row = referenceOf(name, vocabulary, suffix);
  return row === undefined ? [] : [row.result, ...row.sources].filter((part) => part !== '');
}

export const wordText = ({ syntax, text }: WordReference): string =>
  `\`\`\`gen-ir\n${syntax}\n\`\`\`\n\n${text}`;
