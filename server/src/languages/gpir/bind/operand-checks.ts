import { Space } from '../../../ir/payload.js';
import type { Fix } from '../../../text/problem.js';
import { count } from '../../../text/words.js';
import type { OperandForm, Operation } from '../isa/operations.js';
import type { Instruction, LocationOperand, Operand } from '../tree.js';
import { fix, freshName, isNamed, report, shown, vectorName, type Context } from './context.js';

/** Whether an instruction has the result and the operands that its operation takes; says where it has not. */

export function checkResult(context: Context, node: Instruction, operation: Operation): boolean {
  const hasResult = node.result !== undefined;
  if (hasResult === operation.result) return true;
  if (node.hasProblem) return false;
  const { name } = operation;
  if (operation.result) {
    const value = freshName(context, '%v', (x) => isNamed(context, x));
    const at = { start: node.opcode.start, end: node.opcode.start };
    report(
      context,
      'isa/result',
      'error',
      node.opcode,
      `'${name}' needs a value for its result: ${value} = ${name} ...`,
      { fixes: [fix(`Give the result to '${value}'`, at, `${value} = `)] },
    );
  } else {
    const superfluous = { start: node.result!.start, end: node.opcode.start };
    report(context, 'isa/result', 'error', node.result!, `'${name}' has no result`, {
      fixes: [fix('Remove the result', superfluous, '', true)],
    });
  }
  return false;
}

export function checkOperandCount(
  context: Context,
  node: Instruction,
  { name, operands }: Operation,
): boolean {
  const wanted = operands.length;
  const given = node.operands.length;
  if (given === wanted) return true;
  if (node.hasProblem) return false;
  const message = `'${name}' takes ${count(wanted, 'operand')} (${operands.map(brief).join(', ')}), not ${given}`;
  if (given < wanted) {
    report(context, 'isa/operand-count', 'error', node.opcode, message);
    return false;
  }
  const last = node.operands[given - 1].end;
  const superfluous = { start: node.operands[wanted - 1].end, end: last };
  report(context, 'isa/operand-count', 'error', { start: node.operands[wanted].start, end: last }, message, {
    fixes: [fix('Remove what is too much', superfluous, '')],
  });
  return false;
}

const brief = (form: OperandForm): string => (form === 'source' ? 'value' : form);

/** What may stand where a form is wanted, in words. */
const wantedWords: Readonly<Record<OperandForm, string>> = {
  source: 'a value, a number, a location or a register',
  attribute: 'an attribute such as a0.x',
  uniform: 'a uniform such as u0.x',
  varying: 'a varying such as v0.x',
  temporary: 'a temporary such as t0.x',
  register: "a register, '@name' or '$3.x'",
  number: 'a number',
  label: 'a label',
};

const formSpaces: Readonly<Partial<Record<OperandForm, Space>>> = {
  attribute: Space.Attribute,
  uniform: Space.Uniform,
  varying: Space.Varying,
  temporary: Space.Temporary,
};

const loads: Readonly<Partial<Record<Space, string>>> = {
  [Space.Attribute]: 'ld_att',
  [Space.Uniform]: 'ld_uni',
  [Space.Temporary]: 'ld_tmp',
};

const stores: Readonly<Partial<Record<Space, string>>> = {
  [Space.Varying]: 'st_var',
  [Space.Temporary]: 'st_tmp',
};

/** Whether the operand is of the form; says so when it is not. */
export function checkForm(context: Context, node: Instruction, operand: Operand, form: OperandForm): boolean {
  if (fits(operand, form)) {
    if (form === 'source' || operand.kind === 'number' || !isNegated(operand)) return true;
    const sign = { start: operand.start, end: operand.name.start };
    refuse(
      context,
      sign,
      `'-' cannot stand before ${wantedWords[form]} here`,
      fix("Remove the '-'", sign, ''),
    );
    return false;
  }
  const { opcode } = node;
  if (operand.kind === 'location') return wrongLocation(context, node, operand, form);
  if (operand.kind === 'word') return wrongWord(context, node, operand, form);
  const text = shown(context.unit.text.slice(operand.start, operand.end));
  const instead = insteadOf(node, operand, form);
  refuse(
    context,
    operand,
    `'${opcode.text}' takes ${wantedWords[form]} here, and '${text}' is ${kindWords[operand.kind]}`,
    ...(instead === undefined ? [] : [instead]),
  );
  return false;
}

/** `st_reg %x, @r`, `branch_cond %c, end`: says so where both operands would be right the other way round. */
export function areSwapped(
  context: Context,
  { opcode, operands }: Instruction,
  operation: Operation,
): boolean {
  if (operation.result || operands.length !== 2) return false;
  const [first, second] = operands;
  const [a, b] = operation.operands;
  const isRight =
    a === 'label'
      ? first.kind === 'word' && context.defined.has(first.name.text)
      : fits(first, a) || !fits(first, b);
  const wouldBeRight = a === 'label' ? context.defined.has(textOf(context, second)) : fits(second, a);
  if (isRight || !wouldBeRight) return false;
  report(
    context,
    'isa/operand',
    'error',
    { start: first.start, end: second.end },
    `'${opcode.text}' takes the ${a} first, then the value`,
    {
      fixes: [
        {
          title: 'Exchange the operands',
          edits: [
            { span: { start: first.start, end: first.end }, newText: textOf(context, second) },
            { span: { start: second.start, end: second.end }, newText: textOf(context, first) },
          ],
          preferred: true,
        },
      ],
    },
  );
  return true;
}

const textOf = ({ unit }: Context, { start, end }: Operand): string => unit.text.slice(start, end);

const kindWords: Readonly<Record<Operand['kind'], string>> = {
  value: 'a value',
  register: 'a register',
  physical: 'a register',
  location: 'a location',
  number: 'a number',
  word: 'none',
  missing: 'missing',
};

const isNegated = (operand: Operand): operand is Exclude<Operand, { kind: 'number' | 'missing' }> =>
  operand.kind !== 'number' && operand.kind !== 'missing' && operand.isNegated;

function fits(operand: Operand, form: OperandForm): boolean {
  switch (operand.kind) {
    case 'value':
      return form === 'source';
    case 'number':
      return form === 'source' || form === 'number';
    case 'register':
    case 'physical':
      return form === 'source' || form === 'register';
    case 'location':
      return form === 'source' ? operand.space !== Space.Varying : operand.space === formSpaces[form];
    case 'word':
      return form === 'label';
    case 'missing':
      return false;
  }
}

function refuse(
  context: Context,
  span: { start: number; end: number },
  message: string,
  ...fixes: Fix[]
): void {
  report(context, 'isa/operand', 'error', span, message, { fixes });
}

/** The operation that was meant by the operand. */
function insteadOf({ opcode }: Instruction, operand: Operand, form: OperandForm): Fix | undefined {
  const isRegister = operand.kind === 'register' || operand.kind === 'physical';
  if (isRegister && opcode.text.startsWith('ld_')) return fix("Change to 'ld_reg'", opcode, 'ld_reg');
  if (isRegister && opcode.text.startsWith('st_')) return fix("Change to 'st_reg'", opcode, 'st_reg');
  if (form === 'number' && operand.kind === 'value') return fix("Change to 'mov'", opcode, 'mov');
  return undefined;
}

function wrongLocation(
  context: Context,
  node: Instruction,
  operand: LocationOperand,
  form: OperandForm,
): boolean {
  const { opcode } = node;
  const name = operand.name.text;
  if (form === 'source') {
    refuse(context, operand, `'${name}' is an output: a varying is written by 'st_var' and cannot be read`);
    return false;
  }
  const other = (opcode.text.startsWith('ld_') ? loads : opcode.text.startsWith('st_') ? stores : {})[
    operand.space
  ];
  const hint = other === undefined ? '' : `; '${other}' takes '${vectorName(operand)}'`;
  refuse(
    context,
    operand,
    `'${opcode.text}' takes ${wantedWords[form]} here, not '${name}'${hint}`,
    ...(other === undefined ? [] : [fix(`Change to '${other}'`, opcode, other)]),
  );
  return false;
}

const swizzle = new Map([...'rgba', ...'stpq', ...'0123'].map((letter, k) => [letter, 'xyzw'[k % 4]]));

function wrongWord(
  context: Context,
  { opcode }: Instruction,
  operand: Operand & { readonly kind: 'word' },
  form: OperandForm,
): boolean {
  const { text } = operand.name;
  const name = shown(text);
  const vector = /^([auvt]\d+)(?:\.(.*))?$/.exec(text);
  if (vector !== null) {
    const meant = vector[2] === undefined ? undefined : swizzle.get(vector[2]);
    refuse(
      context,
      operand.name,
      `'${name}' is no location: one component is meant, ${vector[1]}.x to ${vector[1]}.w`,
      ...(meant === undefined
        ? []
        : [fix(`Change to '${vector[1]}.${meant}'`, operand.name, `${vector[1]}.${meant}`)]),
    );
    return false;
  }
  for (const sign of ['%', '@'])
    if (isNamed(context, sign + text)) {
      const place = { start: operand.name.start, end: operand.name.start };
      refuse(
        context,
        operand.name,
        `'${name}' is no operand; did you mean '${sign}${name}'?`,
        fix(`Change to '${sign}${name}'`, place, sign),
      );
      return false;
    }
  refuse(context, operand.name, `'${opcode.text}' takes ${wantedWords[form]} here, and '${name}' is none`);
  return false;
}
