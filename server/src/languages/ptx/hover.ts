import type { Span } from '../../text/span.js';
import { count } from '../../text/words.js';
import type { Description } from '../language.js';
import type { Entity } from './bind/entities.js';
import type { PtxBound } from './bind/index.js';
import { byteSize } from './declarations.js';
import { describeHeader, describeRange, functionText } from './hover-declarations.js';
import { isComment, statementAt, tokenAt } from './find.js';
import { predefinedConstants, specialRegisters, type SpecialRegister } from './isa/special-registers.js';
import type { Directive } from './isa/directives.js';
import { wordOf } from './isa/spaces-types.js';
import { spaceNames } from './isa/types.js';
import { opcodeText } from './reference/instructions.js';
import { modifierText } from './reference/modifiers.js';
import { TokenKind, type AddressOperand, type Constant, type Instruction, type Operand } from './tree.js';
import { typeBytes, types, vectorLength } from './types.js';

/**
 * Reference text for what stands at an offset: instruction and modifier, directive, type, special register, memory
 * operand, constant, module-level variable or function, range of registers, value of the header. What a register lives through is told by the features, from `ir/`.
 */
export function describe(bound: PtxBound, offset: number): Description | undefined {
  const { parsed } = bound;
  const token = tokenAt(parsed.tokens, offset);
  if (token < 0 || isComment(parsed.tokens.kind[token])) return undefined;
  const span = { start: parsed.tokens.start[token], end: parsed.tokens.end[token] };
  const header = describeHeader(bound, offset);
  if (header !== undefined) return header;
  const statement = statementAt(parsed, offset)?.statement;
  if (statement?.kind === 'instruction') return describeInstruction(bound, statement, offset, span);
  const range = statement?.kind === 'variable' ? describeRange(bound, offset) : undefined;
  if (range !== undefined) return range;
  const word = parsed.text.slice(span.start, span.end);
  if (parsed.tokens.kind[token] !== TokenKind.Dotted) return describeVariable(bound, word, span);
  const known = wordOf(word);
  if (known !== undefined) return { span, text: wordText(known) };
  const text = modifierText('', word.slice(1));
  return text === undefined ? undefined : { span, text: `**\`${word}\`** ${text}` };
}

function wordText({ name, group, syntax, text, isa, sm }: Directive): string {
  const kind = group === 'type' || group === 'state space' ? group : 'directive';
  const since = isa === '1.0' ? '' : ` (PTX ISA ${isa}${sm > 70 ? `, sm_${sm}` : ''})`;
  const written = syntax === '' ? '' : `\n\n\`\`\`ptx\n${syntax}\n\`\`\``;
  return `**\`${name}\`** *${kind}*${since}${written}\n\n${text}`;
}

function describeInstruction(
  bound: PtxBound,
  instruction: Instruction,
  offset: number,
  token: Span,
): Description | undefined {
  const { opcode } = instruction;
  if (opcode.start <= offset && offset <= opcode.end) return describeOpcode(instruction, offset);
  const word = bound.parsed.text.slice(token.start, token.end);
  const operand = instruction.operands.find((node) => node.start <= offset && offset <= node.end);
  const constant = operand === undefined ? undefined : constantAt(operand, offset);
  const special = isShadowed(bound, word, offset) ? undefined : specialRegisters.get(word);
  if (special !== undefined) return { span: token, text: specialText(special) };
  const predefined = predefinedConstants.get(word);
  if (predefined !== undefined)
    return { span: token, text: `**\`${word}\`** = ${predefined.value}\n\n${predefined.text}` };
  if (operand?.kind === 'address') {
    const text = addressText(bound, instruction, operand);
    if (text !== undefined) return { span: { start: operand.start, end: operand.end }, text };
  }
  if (constant !== undefined) {
    const text = constantText(constant);
    if (text !== undefined) return { span: { start: constant.start, end: constant.end }, text };
  }
  const callee = bound.moduleNames.get(word)?.fact;
  if (callee?.kind === 'function') return { span: token, text: functionText(word, callee) };
  return describeVariable(bound, word, token);
}

function describeOpcode(instruction: Instruction, offset: number): Description | undefined {
  const { opcode } = instruction;
  const text = opcodeText(opcode.text);
  const at = Math.min(offset - opcode.start, opcode.text.length - 1);
  const dot = opcode.text.lastIndexOf('.', at);
  const first = opcode.text.indexOf('.');
  if (dot < 0 || first < 0) return text === undefined ? undefined : { span: opcodeSpan(instruction), text };
  const next = opcode.text.indexOf('.', dot + 1);
  const end = next < 0 ? opcode.text.length : next;
  const modifier = opcode.text.slice(dot + 1, end);
  const meaning = modifierText(opcode.text.slice(0, first), modifier);
  const span = { start: opcode.start + dot, end: opcode.start + end };
  const heading = meaning === undefined ? '' : `**\`.${modifier}\`** ${meaning}`;
  if (text === undefined) return heading === '' ? undefined : { span, text: heading };
  return heading === ''
    ? { span: opcodeSpan(instruction), text }
    : { span, text: `${heading}\n\n---\n\n${text}` };
}

const opcodeSpan = (instruction: Instruction): Span => ({
  start: instruction.opcode.start,
  end: instruction.opcode.end,
});

/** A register of the program with the name of a special register hides it. */
const isShadowed = (bound: PtxBound, name: string, offset: number): boolean =>
  bound.symbols.symbols.some(
    (s) => s.name === name && (s.scope === undefined || (s.scope.start <= offset && offset <= s.scope.end)),
  );

export function specialText(register: SpecialRegister): string {
  const change = register.isConstant
    ? `The same for the life of a thread: it can be read again instead of being kept in a register.`
    : `Changes while a thread runs.`;
  const since = register.sm > 0 ? `PTX ISA ${register.isa}, sm_${register.sm}` : `PTX ISA ${register.isa}`;
  return [
    `**\`${register.name}\`** *special register*, .${register.type} (${since})`,
    register.text,
    `${change} Uniform in: ${register.uniformIn}.`,
  ].join('\n\n');
}

function constantAt(operand: Operand, offset: number): Constant | undefined {
  const touches = (value: Constant | undefined): Constant | undefined =>
    value !== undefined && value.start <= offset && offset <= value.end ? value : undefined;
  switch (operand.kind) {
    case 'constant':
      return touches(operand.value);
    case 'name':
      return touches(operand.offset) ?? touches(operand.index);
    case 'address':
      return touches(operand.offset);
    case 'vector':
    case 'list':
      for (const element of operand.elements) {
        const found = constantAt(element, offset);
        if (found !== undefined) return found;
      }
      return undefined;
    default:
      return undefined;
  }
}

/** A constant in the other notations: `1.0 = 0f3F800000`, `16 = 0x10`. */
function constantText(value: Constant): string | undefined {
  if (value.isFloat) {
    if (value.float === undefined) return undefined;
    return `**${value.float}** = \`${hexFloat(value.float, value.floatWidth === 64 ? 64 : 32)}\` *constant, ${value.floatWidth} bits*`;
  }
  if (value.integer === undefined) return undefined;
  return `**${value.integer}** = \`0x${BigInt.asUintN(64, value.integer).toString(16)}\` *constant*`;
}

function hexFloat(value: number, width: 32 | 64): string {
  const view = new DataView(new ArrayBuffer(8));
  if (width === 32) {
    view.setFloat32(0, value);
    return '0f' + view.getUint32(0).toString(16).toUpperCase().padStart(8, '0');
  }
  view.setFloat64(0, value);
  return '0d' + view.getBigUint64(0).toString(16).toUpperCase().padStart(16, '0');
}

/** State space, bytes and alignment of a memory operand. */
function addressText(bound: PtxBound, instruction: Instruction, operand: AddressOperand): string | undefined {
  const words = instruction.opcode.text.split('.');
  const space = words.slice(1).find((word) => isSpace(word));
  const type = words.findLast((word) => types.has('.' + word));
  const written = bound.parsed.text.slice(operand.start, operand.end);
  const where = space === undefined ? 'generic address' : `.${space} memory`;
  const moves = /^(?:ld|ldu|st|atom|red|multimem)$/.test(words[0]);
  if (type === undefined || !moves) return `\`${written}\`: ${where}`;
  const length = vectorLength(words.find((word) => /^v\d$/.test(word))?.replace(/^/, '.'));
  const bytes = typeBytes('.' + type) * length;
  if (bytes === 0) return `\`${written}\`: ${where}`;
  const many = length > 1 ? `${length} x .${type} = ` : '';
  return `\`${written}\`: ${many}${count(bytes, 'byte')} of ${where}; the address must be a multiple of ${bytes}`;
}

function isSpace(word: string): boolean {
  const colon = word.indexOf('::');
  const base = colon < 0 ? word : word.slice(0, colon);
  return base !== 'generic' && base !== 'reg' && (spaceNames as readonly string[]).includes(base);
}

/** Size and place of a variable that is declared at module level. */
function describeVariable(bound: PtxBound, name: string, span: Span): Description | undefined {
  let found: Entity | undefined;
  for (const f of bound.functions) for (const e of f.module) if (e.name === name) found = e;
  if (found?.fact?.kind !== 'variable') return undefined;
  const { fact } = found;
  const bytes = byteSize(fact);
  const size = bytes > 0 ? count(bytes, 'byte') : 'size open';
  const alignment = fact.alignment > 0 ? fact.alignment : typeBytes(fact.type) * fact.vector;
  return { span, text: `**\`${name}\`** ${fact.space} ${fact.type}: ${size}, aligned to ${alignment}` };
}
