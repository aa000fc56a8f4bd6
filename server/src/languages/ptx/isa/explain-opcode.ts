import type { Problem } from '../../../text/problem.js';
import type { Instruction } from '../tree.js';
import { distance, matchModifiers, type Distance } from './modifiers.js';
import { nearestName } from './nearest.js';
import { compiledForms, type CompiledForm, type Opcode } from './opcode.js';
import type { InstructionEntry } from './schema.js';
import { instructionEntries } from './tables/index.js';
import { typeId } from './types.js';

/** Why an opcode with its modifiers is no instruction, and what would be. */
export function explainOpcode(opcode: Opcode, instruction: Instruction): Problem {
  const span = { start: instruction.opcode.start, end: instruction.opcode.end };
  if (opcode.entry === undefined) {
    const names = [...instructionEntries()].map((entry) => entry.opcode);
    const near = nearestName(opcode.base, names);
    return {
      code: 'isa/unknown-instruction',
      severity: 'error',
      span: { start: span.start, end: span.start + opcode.base.length },
      message: `unknown instruction '${opcode.base}'${near === undefined ? '' : `; did you mean '${near}'?`}`,
      ...(near !== undefined && {
        fixes: [
          {
            title: `Change to '${near}'`,
            edits: [{ span: { start: span.start, end: span.start + opcode.base.length }, newText: near }],
          },
        ],
      }),
    };
  }
  return { severity: 'error', span, ...modifierMessage(opcode, opcode.entry, span) };
}

type Explanation = Pick<Problem, 'code' | 'message' | 'fixes'>;

function modifierMessage(opcode: Opcode, entry: InstructionEntry, span: Problem['span']): Explanation {
  const { base, modifiers } = opcode;
  const forms = compiledForms(entry);
  const ordered = reorder(forms, modifiers);
  if (ordered !== undefined) {
    const text = [base, ...ordered].join('.');
    return {
      code: 'isa/modifier-order',
      message: `wrong modifier order: write ${text}${typeId(modifiers[modifiers.length - 1]) === 0 ? ', the type comes last' : ''}`,
      fixes: [{ title: `Write ${text}`, preferred: true, edits: [{ span, newText: text }] }],
    };
  }
  const known = new Set(forms.flatMap((form) => [...form.modifiers.vocabulary]));
  const unknown = modifiers.find((modifier) => !known.has(modifier));
  let best: { form: CompiledForm; distance: Distance } | undefined;
  for (const form of forms) {
    const d = distance(form.modifiers, modifiers);
    if (best === undefined || d.cost < best.distance.cost) best = { form, distance: d };
  }
  const { extra, missing } = best!.distance;
  if (unknown !== undefined) return unknownModifier(base, unknown, missing, [...known], span, opcode.text);
  if (extra.length === 0 && missing.length > 0) return missingModifier(base, modifiers, missing[0]);
  if (extra.length > 0) return wrongModifier(base, modifiers, extra[0], missing[0], forms);
  return {
    code: 'isa/modifier',
    message: `${opcode.text} is not a form of ${base}; write ${formText(best!.form)}`,
  };
}

const dotted = (names: readonly string[]): string => names.map((name) => '.' + name).join(', ');

/** At most a dozen names, so that the message stays readable. */
const some = (names: readonly string[]): string =>
  names.length <= 12 ? dotted(names) : `${dotted(names.slice(0, 12))}, ...`;

function or(names: readonly string[]): string {
  const words = names.map((name) => '.' + name);
  if (words.length > 12) return some(names);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`;
}

const formText = (form: CompiledForm): string => form.form.modifiers;

function unknownModifier(
  base: string,
  unknown: string,
  missing: readonly (readonly string[])[],
  known: readonly string[],
  span: Problem['span'],
  text: string,
): Explanation {
  const near = nearestName(unknown, known);
  const kind = /^v\d+$/.test(unknown)
    ? 'vector width'
    : /^m\d+n\d+k\d+$/.test(unknown)
      ? 'shape'
      : 'modifier';
  const alternatives = missing.find((values) => values.length > 0);
  let takes = some(known);
  if (kind !== 'modifier') takes = or(known.filter((name) => /^v\d+$|^m\d+n\d+k\d+$/.test(name)));
  else if (alternatives !== undefined && alternatives.some((name) => typeId(name) !== 0))
    takes = or(alternatives);
  const start = span.start + text.indexOf('.' + unknown);
  return {
    code: 'isa/unknown-modifier',
    message:
      `${base} has no ${kind} '.${unknown}'` +
      (near !== undefined
        ? `; did you mean '.${near}'?`
        : takes === ''
          ? '; it takes no modifiers'
          : `; it takes ${takes}`),
    ...(near !== undefined && {
      fixes: [
        {
          title: `Change to '.${near}'`,
          edits: [{ span: { start, end: start + unknown.length + 1 }, newText: '.' + near }],
        },
      ],
    }),
  };
}

const roundings = new Set([
  'rn',
  'rz',
  'rm',
  'rp',
  'rna',
  'rni',
  'rzi',
  'rmi',
  'rpi',
  'rs',
  'approx',
  'full',
]);

function missingModifier(base: string, modifiers: readonly string[], values: readonly string[]): Explanation {
  if (values.every((value) => roundings.has(value))) {
    const types = modifiers.filter((modifier) => typeId(modifier) !== 0);
    const what =
      base === 'cvt' && types.length === 2
        ? `cvt from .${types[1]} to .${types[0]}`
        : [base, ...types].join('.');
    return { code: 'isa/missing-modifier', message: `${what} needs a rounding modifier: ${or(values)}` };
  }
  if (values.every((value) => typeId(value) !== 0))
    return {
      code: 'isa/missing-modifier',
      message: `${[base, ...modifiers].join('.')} needs a type: ${or(values)}`,
    };
  const integers = values.includes('lo') ? ' on integers' : '';
  return { code: 'isa/missing-modifier', message: `${base}${integers} needs ${or(values)}` };
}

/** A modifier that the instruction knows, but not together with the others. */
function wrongModifier(
  base: string,
  modifiers: readonly string[],
  extra: string,
  missing: readonly string[] | undefined,
  forms: readonly CompiledForm[],
): Explanation {
  const types = modifiers.filter((modifier) => typeId(modifier) !== 0);
  const type = types[types.length - 1];
  if (typeId(extra) !== 0 || missing !== undefined) {
    const allowed = missing ?? [];
    return {
      code: 'isa/modifier',
      message:
        `.${extra} does not fit in ${[base, ...modifiers].join('.')}` +
        (allowed.length > 0 ? `; ${base} takes ${or(allowed)} there` : ''),
    };
  }
  const typesWith = [
    ...new Set(
      forms
        .filter((form) => form.modifiers.vocabulary.has(extra))
        .flatMap((form) => [...form.modifiers.vocabulary].filter((name) => typeId(name) !== 0)),
    ),
  ];
  if (type !== undefined && typesWith.length > 0 && !typesWith.includes(type)) {
    return {
      code: 'isa/modifier',
      message: `${base}.${extra} is only for ${or(typesWith)}; not for .${type}`,
    };
  }
  const others = modifiers.filter((modifier) => modifier !== extra);
  return { code: 'isa/modifier', message: `.${extra} cannot be used in ${[base, ...others].join('.')}` };
}

/** The modifiers with those of the name in front, when that makes an instruction of them. */
function reorder(
  forms: readonly CompiledForm[],
  modifiers: readonly string[],
): readonly string[] | undefined {
  for (const { modifiers: pattern } of forms) {
    if (pattern.name.length === 0) continue;
    const names = pattern.name.flatMap((element) => (element.kind === 'one' ? element.values : []));
    const front = modifiers.filter((modifier) => names.includes(modifier));
    const ordered = [...front, ...modifiers.filter((modifier) => !names.includes(modifier))];
    if (matchModifiers(pattern, ordered) !== undefined) return ordered;
  }
  return undefined;
}
