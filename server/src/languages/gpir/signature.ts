import type { BoundUnit, Signatures } from '../language.js';
import { instructionBefore, tokenFrom } from './find.js';
import { operations } from './isa/operations.js';
import { references } from './isa/reference.js';
import { formTexts, operandNames, operationSyntax } from './operation-text.js';
import { TokenKind, type GpirUnit } from './tree.js';

/** The operands that the instruction at the cursor takes. */
export function signatures(
  bound: BoundUnit & { readonly parsed: GpirUnit },
  offset: number,
): Signatures | undefined {
  const instruction = instructionBefore(bound.parsed, offset);
  if (instruction === undefined || offset <= instruction.opcode.end) return undefined;
  const operation = operations.get(instruction.opcode.text);
  const reference = references.get(instruction.opcode.text);
  if (operation === undefined || reference === undefined || operation.operands.length === 0) return undefined;
  const activeParameter = commasBetween(bound.parsed, instruction.opcode.end, offset);
  if (activeParameter === undefined) return undefined;
  const names = operandNames(operation);
  return {
    items: [
      {
        label: operationSyntax(operation),
        documentation: `${reference.computes}. ${reference.text}`,
        parameters: names.map((label, k) => ({
          label,
          documentation: formTexts[operation.operands[k]],
        })),
      },
    ],
    activeItem: 0,
    activeParameter,
  };
}

/** Commas from one place of a line to another; undefined when a comment begins between them. */
function commasBetween({ tokens, text }: GpirUnit, from: number, to: number): number | undefined {
  let count = 0;
  for (let t = tokenFrom(tokens, from); t < tokens.count && tokens.start[t] < to; t++) {
    if (tokens.kind[t] === TokenKind.Comment) return undefined;
    if (tokens.kind[t] === TokenKind.Punctuation && text[tokens.start[t]] === ',') count++;
  }
  return count;
}
