import { compiledForms, opcodeOf, type Opcode, type ResolvedForm } from '../isa/opcode.js';
import { OperandFlag, Shape, type OperandPattern, type OperandSpec } from '../isa/operand-pattern.js';
import type { Form, InstructionEntry } from '../isa/schema.js';
import { spaceNames, typeName } from '../isa/types.js';
import { modifierText } from './modifiers.js';

/** Reference text of instructions, as Markdown, and operands in the words of a signature. */
const SHOWN_FORMS = 8;

/** All about an opcode without modifiers, for completion and for an opcode that is not (yet) one. */
export function entryText(entry: InstructionEntry): string {
  const shown = compiledForms(entry)
    .slice(0, SHOWN_FORMS)
    .map(({ form, operands }) =>
      `${entry.opcode}${modifierPattern(form)} ${templateText(operands)};`.replace(' ;', ';'),
    );
  const more = entry.forms.length > SHOWN_FORMS ? `\n... ${entry.forms.length - SHOWN_FORMS} more` : '';
  return [
    `**\`${entry.opcode}\`** *${entry.group}*`,
    '```ptx\n' + [...new Set(shown)].join('\n') + more + '\n```',
    entry.text,
  ].join('\n\n');
}

/** `{.sat}.type`, with sets by their values where these are few. */
function modifierPattern(form: Form): string {
  return form.modifiers
    .replaceAll('^', '')
    .replaceAll(' ', '')
    .replace(/\.\$(\w+)/g, (_, set: string) => {
      const values = (form.sets?.[set] ?? '').split(' ').map((value) => value.split('=')[0]);
      return values.length === 1
        ? `.${values[0]}`
        : values.length <= 4
          ? `.(${values.join('|')})`
          : `.${set}`;
    });
}

type Template = OperandPattern['lists'][number][number];

function templateText(pattern: OperandPattern): string {
  const list = pattern.lists.at(0) ?? [];
  return list.map(templateName).join(', ');
}

function templateName(template: Template): string {
  if (template.elements !== undefined) return `[${template.elements.map(templateName).join(', ')}]`;
  return template.pair === ''
    ? template.name
    : template.pair === 'required'
      ? `${template.name}|p`
      : `${template.name}{|p}`;
}

/** An operand as a signature shows it: `d`, `[a]`, `d|p`, `{d0, d1}`. */
export function operandName(spec: OperandSpec): string {
  if (spec.shape === Shape.Address) return `[${spec.elements.map(operandName).join(', ')}]`;
  if ((spec.flags & OperandFlag.PairRequired) !== 0) return `${spec.name}|p`;
  if (spec.count > 4) return `{${spec.name}0 .. ${spec.name}${spec.count - 1}}`;
  if (spec.count > 1)
    return `{${Array.from({ length: spec.count }, (_, n) => spec.name + String(n)).join(', ')}}`;
  return spec.name;
}

/** What may stand at an operand, in words: `written, .u32 register`. */
export function operandText(spec: OperandSpec): string {
  const words: string[] = [];
  if ((spec.flags & OperandFlag.Written) !== 0)
    words.push((spec.flags & OperandFlag.Read) !== 0 ? 'read and written' : 'written');
  words.push(kindText(spec));
  if (spec.low !== undefined && spec.high !== undefined) words.push(`${spec.low} to ${spec.high}`);
  if ((spec.flags & OperandFlag.Sink) !== 0) words.push('`_` throws it away');
  if ((spec.flags & OperandFlag.Negatable) !== 0) words.push('`!` negates it');
  if ((spec.flags & OperandFlag.PairOptional) !== 0) words.push('`|p` adds a second predicate');
  return words.join(', ');
}

function kindText(spec: OperandSpec): string {
  const type = spec.type === 0 ? '' : `.${typeName(spec.type)} `;
  switch (spec.shape) {
    case Shape.Address: {
      const spaces = spaceNames
        .filter((_, n) => (spec.spaces & (1 << n)) !== 0)
        .map((name) => (name === 'generic' ? 'generic' : `.${name}`));
      return spaces.length === 0 ? 'an address' : `an address in ${spaces.join(' or ')} memory`;
    }
    case Shape.Label:
      return 'a label';
    case Shape.Function:
      return 'a function, or a register with its address';
    case Shape.List:
      return 'a list in parentheses';
    case Shape.Targets:
      return 'the label of a .branchtargets list';
    case Shape.Prototype:
      return 'the label of a .callprototype or .calltargets';
    case Shape.Any:
      return 'any operand';
    case Shape.Value:
      break;
  }
  if (spec.count > 1) return `${spec.count} ${type}registers in braces`;
  if ((spec.flags & OperandFlag.ConstantOnly) !== 0) return `a ${type}constant`;
  const wider = (spec.flags & OperandFlag.Wider) !== 0 ? ' (or a wider one)' : '';
  const onlyRegister = (spec.flags & (OperandFlag.RegisterOnly | OperandFlag.Written)) !== 0;
  return `a ${type}register${wider}${onlyRegister ? '' : ' or constant'}`;
}

export const formSignature = (opcode: string, form: ResolvedForm): string =>
  `${opcode} ${form.operands.map(operandName).join(', ')}`.trimEnd();

/** Reference of an opcode as it is written, modifiers explained. */
export function opcodeText(text: string): string | undefined {
  const opcode = opcodeOf(text);
  if (opcode.entry === undefined) return undefined;
  const form = opcode.forms.at(0);
  if (form === undefined) return entryText(opcode.entry);
  const parts = [
    `**\`${opcode.entry.opcode}\`** *${opcode.entry.group}*${since(form)}`,
    '```ptx\n' + formSignature(text, form) + ';\n```',
    opcode.entry.text,
  ];
  if (form.form.note !== undefined) parts.push(form.form.note);
  const modifiers = modifierRows(opcode);
  if (modifiers.length > 0) parts.push(modifiers.join('\n'));
  const operands = form.operands.map((spec) => `- \`${operandName(spec)}\`: ${operandText(spec)}`);
  if (operands.length > 0) parts.push(operands.join('\n'));
  return parts.join('\n\n');
}

function modifierRows(opcode: Opcode): string[] {
  return opcode.modifiers.flatMap((modifier) => {
    const text = modifierText(opcode.base, modifier);
    return text === undefined ? [] : [`- \`.${modifier}\`: ${text}`];
  });
}

/** ` (PTX ISA 7.0, sm_80)` where a form is newer than the first. */
function since(form: ResolvedForm): string {
  const words: string[] = [];
  const isa = form.gates.map((gate) => gate.isa).filter((version) => version !== undefined);
  const newest = isa.sort((a, b) => Number(a) - Number(b)).at(-1);
  if (newest !== undefined) words.push(`PTX ISA ${newest}`);
  const sm = Math.max(0, ...form.gates.map((gate) => gate.sm ?? 0));
  if (sm > 0) words.push(`sm_${sm}`);
  const only = form.gates.find((gate) => gate.only !== undefined)?.only;
  if (only !== undefined) words.push(`only ${only.split(' ').join(', ')}`);
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}
