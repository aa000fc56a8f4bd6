import { bitsToFloat, Space } from '../../ir/payload.js';
import type { Span } from '../../text/span.js';
import { touches } from '../../text/span.js';
import type { BoundUnit, Description } from '../language.js';
import { spanAt, statementAt, tokenAt } from './find.js';
import { directives, varyingRoles, type Directive } from './isa/directives.js';
import { limits } from './isa/machine.js';
import { componentList, componentNames, spaceNames, vectorName, vectorOf } from './locations.js';
import { numberText } from './numbers.js';
import { operationText } from './operation-text.js';
import {
  TokenKind,
  type DeclareDirective,
  type GpirUnit,
  type Instruction,
  type LocationOperand,
  type Operand,
  type PhysicalOperand,
  type Statement,
} from './tree.js';

/**
 * Reference text for what stands at an offset: operation, directive, location, number, physical register. What a
 * value or register lives through is told by the features, from `ir/`.
 */
export function describe(
  bound: BoundUnit & { readonly parsed: GpirUnit },
  offset: number,
): Description | undefined {
  const unit = bound.parsed;
  const token = tokenAt(unit.tokens, offset);
  if (token < 0 || unit.tokens.kind[token] === TokenKind.Comment) return undefined;
  const statement = statementAt(unit, offset);
  switch (statement?.kind) {
    case 'instruction':
      return ofInstruction(unit, statement, offset);
    case 'program':
    case 'declare':
    case 'liveOut':
      return ofDirective(unit, statement, offset);
    default:
      return undefined;
  }
}

const plain = ({ start, end }: Span): Span => ({ start, end });

function ofInstruction(unit: GpirUnit, instruction: Instruction, offset: number): Description | undefined {
  const { opcode, operands } = instruction;
  const operand = spanAt(operands, offset);
  if (operand !== undefined && !touches(opcode, offset)) return ofOperand(unit, operand);
  if (!touches(opcode, offset)) return undefined;
  const text = operationText(opcode.text);
  return text === undefined ? undefined : { span: plain(opcode), text };
}

function ofOperand(unit: GpirUnit, operand: Operand): Description | undefined {
  switch (operand.kind) {
    case 'location':
      return { span: plain(operand.name), text: locationText(unit, operand) };
    case 'number':
      return {
        span: plain(operand),
        text: numberText(unit.text.slice(operand.start, operand.end), bitsToFloat(operand.bits)),
      };
    case 'physical':
      return { span: plain(operand.name), text: physicalText(operand) };
    default:
      return undefined;
  }
}

function ofDirective(
  unit: GpirUnit,
  statement: Exclude<Statement, { kind: 'instruction' | 'label' | 'error' }>,
  offset: number,
): Description | undefined {
  if (touches(statement.directive, offset)) {
    const directive = directives.get(statement.directive.text);
    return directive === undefined
      ? undefined
      : { span: plain(statement.directive), text: directiveText(directive) };
  }
  if (statement.kind === 'liveOut') {
    const register = spanAt(statement.registers, offset);
    return register === undefined ? undefined : ofOperand(unit, register);
  }
  if (statement.kind !== 'declare') return undefined;
  const { location, name, role } = statement;
  if (role !== undefined && touches(role, offset)) {
    const text = varyingRoles.get(role.text);
    return text === undefined ? undefined : { span: plain(role), text: `**\`${role.text}\`** ${text}` };
  }
  for (const word of [location, name])
    if (word !== undefined && touches(word, offset) && statement.index >= 0)
      return { span: plain(word), text: vectorText(unit, statement) };
  return undefined;
}

export const directiveText = ({ name, syntax, text }: Directive): string =>
  `**\`${name}\`** *directive*\n\n\`\`\`gpir\n${syntax}\n\`\`\`\n\n${text}`;

const portTexts: readonly string[] = [
  'Read through port 0, one attribute or register vector a word.',
  'Read through the uniform port, one vector a word; all four components of it may be read there.',
  'Written by a store: x and y of a word belong to one vector, and so do z and w.',
  'Memory of the program. Read through the uniform port, at least 4 words after the store; the compiler numbers temporaries anew.',
];

const vectorCounts: readonly number[] = [
  limits.attributes,
  limits.uniforms,
  limits.varyings,
  limits.uniforms,
];

/** `a0.x`: the component, the name that the program declares for its vector, and how it is reached. */
function locationText(unit: GpirUnit, operand: LocationOperand): string {
  const { space, index, component } = operand;
  const name = vectorName(space, index);
  const declared = vectorOf(unit, operand).declaration?.name?.text;
  const whose = declared === undefined ? `\`${name}\`` : `\`${declared}\` (\`${name}\`)`;
  return [
    `**\`${name}.${componentNames[component]}\`** component ${componentNames[component]} of the ${spaceNames[space]} ${whose}`,
    reachText(space, index),
  ].join('\n\n');
}

/** A declared vector, with what the program touches of it. */
function vectorText(unit: GpirUnit, statement: DeclareDirective): string {
  const { space, index, name, role } = statement;
  const { components } = vectorOf(unit, { space, index });
  const verb = space === Space.Varying ? 'writes' : 'reads';
  const use = components === 0 ? `nothing of it` : componentList(components);
  const roleText = role === undefined ? undefined : varyingRoles.get(role.text);
  return [
    `**\`${vectorName(space, index)}\`** *${spaceNames[space]}* \`${name?.text ?? ''}\``,
    `The program ${verb} ${use}.`,
    ...(roleText === undefined ? [] : [`Holds ${roleText}.`]),
    reachText(space, index),
  ].join('\n\n');
}

function reachText(space: Space, index: number): string {
  const count = vectorCounts[space];
  if (index < count) return portTexts[space];
  const last = vectorName(space, count - 1);
  return `The machine does not have it: the last ${spaceNames[space]} is \`${last}\`.`;
}

function physicalText({ name, index, component }: PhysicalOperand): string {
  if (index >= limits.registers)
    return `**\`${name.text}\`** The machine does not have it: the last register is \`$${limits.registers - 1}.w\`.`;
  return `**\`${name.text}\`** component ${componentNames[component]} of register vector ${index}, of ${limits.registers}. Two vectors can be read in a word (one beside an attribute); a store can be read from the third word behind it on.`;
}
