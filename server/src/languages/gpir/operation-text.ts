import type { OperandForm, Operation } from './isa/operations.js';
import { operations } from './isa/operations.js';
import { latencies, type Evidence } from './isa/machine.js';
import { references, type OperationReference } from './isa/reference.js';

/** Reference text as Markdown, written from the tables. */

const evidenceTexts: Readonly<Record<Evidence, string>> = {
  source: "from the source of Mesa's lima compiler",
  measured: "from the source of Mesa's lima compiler, confirmed over its output",
  model: 'a decision of this model: nothing certain is known of the machine here',
};

const formNames: Readonly<Record<Exclude<OperandForm, 'source'>, string>> = {
  attribute: 'attribute',
  uniform: 'uniform',
  varying: 'varying',
  temporary: 'temporary',
  register: 'register',
  number: 'number',
  label: 'label',
};

export const formTexts: Readonly<Record<OperandForm, string>> = {
  source: 'A value, a number, `a0.x`, `u0.x`, `t0.x`, `@r` or `$0.x`, with `-` before it where it is negated',
  attribute: 'A component of an attribute: `a0.x`',
  uniform: 'A component of a uniform: `u0.x`',
  varying: 'A component of a varying: `v0.x`',
  temporary: 'A component of a temporary: `t0.x`',
  register: 'A register that keeps its value from block to block: `@name`, or a place of the machine: `$0.x`',
  number: 'A number, or `0x` and the bits of a float32',
  label: 'A label of this program',
};

/** Names of the operands as the reference text uses them, in the order of the text. */
export function operandNames(operation: Operation): readonly string[] {
  const sources = operation.operands.filter((form) => form === 'source').length;
  const named = references.get(operation.name)?.operands ?? (sources > 1 ? ['a', 'b', 'c'] : ['a']);
  let source = 0;
  return operation.operands.map((form) => (form === 'source' ? named[source++] : formNames[form]));
}

/** `%x = add a, b` */
export function operationSyntax(operation: Operation): string {
  const operands = operandNames(operation).join(', ');
  return `${operation.result ? '%x = ' : ''}${operation.name}${operands === '' ? '' : ` ${operands}`}`;
}

/** Full text of an operation, or undefined for a word that is none. */
export function operationText(name: string): string | undefined {
  const operation = operations.get(name);
  const reference = references.get(name);
  if (operation === undefined || reference === undefined) return undefined;
  const rows = factRows(reference).map(([key, value]) => `| ${key} | ${value.replaceAll('|', '\\|')} |`);
  return [
    `**\`${name}\`** *${operation.category}*`,
    `\`\`\`gpir\n${operationSyntax(operation)}  ; ${reference.computes}\n\`\`\``,
    reference.text,
    ['| | |', '|---|---|', ...rows].join('\n'),
    `*Mali-400 GP, ${evidenceTexts[reference.evidence]}.*`,
  ].join('\n\n');
}

function factRows(reference: OperationReference): [key: string, value: string][] {
  const { slots, occupies, latency, becomes, negation, special, restrictions } = reference;
  const rows: [string, string | undefined][] = [
    ['Becomes', becomes === undefined ? undefined : `\`${becomes}\``],
    ['Slots', [slots.join(', '), occupies ?? ''].filter((part) => part !== '').join('; ')],
    ['Result', latency === undefined ? undefined : latencies[latency].text],
    ['Negation', negation],
    ['Special', special],
    ['Restrictions', restrictions],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined && row[1] !== '');
}

/** One line, for lists. */
export const operationSummary = (name: string): string => references.get(name)?.computes ?? '';
