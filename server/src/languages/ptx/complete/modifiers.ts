import { compiledForms } from '../isa/opcode.js';
import type { Element } from '../isa/modifiers.js';
import { matchModifiers } from '../isa/modifiers.js';
import { instructionEntry } from '../isa/tables/index.js';

/**
 * Modifiers that can stand next: for each form, the modifiers so far are followed through its pattern, and what the
 * pattern allows after them is collected. Where they are in another order than people write, everything is offered
 * that completes some form.
 */
export interface NextModifiers {
  readonly values: readonly string[];
  /** The opcode is an instruction as it stands. */
  readonly isComplete: boolean;
}

const LIMIT = 400;

export function nextModifiers(opcode: string): NextModifiers | undefined {
  const [base, ...written] = opcode.split('.');
  const entry = instructionEntry(base);
  if (entry === undefined || written.length > 16) return undefined;
  const values = new Set<string>();
  let isComplete = false;
  for (const { modifiers } of compiledForms(entry)) {
    if (written.some((modifier) => !modifiers.vocabulary.has(modifier))) continue;
    const elements = [...modifiers.name, ...modifiers.rest];
    follow(elements, 0, written, 0, values, () => (isComplete = true));
    isComplete ||= matchModifiers(modifiers, written) !== undefined;
    if (values.size > LIMIT) break;
  }
  if (values.size === 0 && !isComplete) unordered(base, written, values);
  return { values: [...values], isComplete };
}

/** Walks the pattern in order; `done` is told when it can end here. */
function follow(
  elements: readonly Element[],
  at: number,
  written: readonly string[],
  used: number,
  values: Set<string>,
  done: () => void,
): void {
  if (at === elements.length) {
    if (used === written.length) done();
    return;
  }
  const element = elements[at];
  if (element.kind === 'optional') {
    follow([...element.elements, ...elements.slice(at + 1)], 0, written, used, values, done);
    follow(elements, at + 1, written, used, values, done);
    return;
  }
  if (used === written.length) {
    for (const value of element.values) values.add(value);
    return;
  }
  if (element.values.includes(written[used])) follow(elements, at + 1, written, used + 1, values, done);
}

function unordered(base: string, written: readonly string[], values: Set<string>): void {
  const entry = instructionEntry(base);
  if (entry === undefined) return;
  for (const { modifiers } of compiledForms(entry)) {
    if (written.some((modifier) => !modifiers.vocabulary.has(modifier))) continue;
    for (const value of modifiers.vocabulary) if (!written.includes(value)) values.add(value);
  }
}
