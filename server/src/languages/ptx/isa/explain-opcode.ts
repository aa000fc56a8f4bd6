import type { Problem } from '../../../text/problem.js';
import type { Instruction } from '../tree.js';
import { missingModifierFixes } from './fixes.js';
import { distance, matchModifiers, type Distance } from './modifiers.js';
import { nearestName } from '../../../text/nearest.js';
import { compiledForms, type CompiledForm, type Opcode } from './opcode.js';
import type { InstructionEntry } from './schema.js';
import { instructionEntries } from './tables/index.js';
import { isFloatType, spaceNames, typeId } from './types.js';

/** Why an opcode with its modifiers is no instruction, and what would be. */
export function explainOpcode(opcode: Opcode, instruction: Instruction): Problem {
  const span = { start: instruction.opcode.start, end: instruction.opcode.end };
  if (opcode.entry === undefined) return unknownInstruction(opcode, span);
  return { severity: 'error', span, ...modifierMessage(opcode, opcode.entry, span) };
}

function unknownInstruction(opcode: Opcode, { start }: Problem['span']): Problem {
  const lower = opcode.base.toLowerCase();
  const names = [...instructionEntries()].map((entry) => entry.opcode);
  const near = names.includes(lower) ? lower : nearestName(lower, names);
  const span = { start, end: start + opcode.base.length };
  if (wordsOfC.has(opcode.base))
    return {
      code: 'isa/unknown-instruction',
      severity: 'error',
      span,
      message: `'${opcode.base}' is C, and this is assembly: ${wordsOfC.get(opcode.base)}`,
    };
  return {
    code: 'isa/unknown-instruction',
    severity: 'error',
    span,
    message: `unknown instruction '${opcode.base}'${near === undefined ? '' : `; did you mean '${near}'?`}`,
    ...(near !== undefined && {
      fixes: [{ title: `Change to '${near}'`, edits: [{ span, newText: near }] }],
    }),
  };
}

const declares = "a register is declared with .reg and a type, such as '.reg .f32 %f1;'";
const branches = "compare with setp, and branch with '@%p bra LABEL;'";

/** Words of C with which people begin a line of PTX, and what is written there instead. */
const wordsOfC: ReadonlyMap<string, string> = new Map([
  ...['float', 'int', 'double', 'unsigned', 'char', 'short', 'long', 'bool', 'const', 'auto'].map(
    (word) => [word, declares] as const,
  ),
  ...['if', 'else', 'for', 'while', 'do', 'switch'].map((word) => [word, branches] as const),
  ['return', "a function ends with 'ret;', and returns through its parameters"],
]);

type Explanation = Pick<Problem, 'code' | 'message' | 'fixes'>;

interface Candidate {
  readonly form: CompiledForm;
  readonly distance: Distance;
}

function modifierMessage(opcode: Opcode, entry: InstructionEntry, span: Problem['span']): Explanation {
  const { base, modifiers } = opcode;
  const forms = compiledForms(entry);
  const ordered = reorder(forms, modifiers);
  if (ordered !== undefined) {
    const text = [base, ...ordered].join('.');
    const last = isType(modifiers[modifiers.length - 1]) ? '' : ', the type comes last';
    return {
      code: 'isa/modifier-order',
      message: `wrong modifier order: write ${text}${last}`,
      fixes: [{ title: `Write ${text}`, preferred: true, edits: [{ span, newText: text }] }],
    };
  }
  const candidates = forms.map((form) => ({ form, distance: distance(form.modifiers, modifiers) }));
  const least = Math.min(...candidates.map((candidate) => candidate.distance.cost));
  const best = candidates.filter((candidate) => candidate.distance.cost === least);
  const known = new Set(forms.flatMap((form) => [...form.modifiers.vocabulary]));
  const unknown = modifiers.find((modifier) => !known.has(modifier));
  if (unknown !== undefined) return unknownModifier(opcode, unknown, best, forms, span);
  const { extra, missing } = best[0].distance;
  if (extra.length === 0 && missing.length > 0)
    return missingModifier(opcode, alternatives(best), forms, span);
  if (extra.length > 0) return wrongModifier(base, modifiers, extra[0], alternatives(best), forms);
  return {
    code: 'isa/modifier',
    message: `${opcode.text} is not a form of ${base}; write ${best[0].form.form.modifiers}`,
  };
}

/** What may stand at the first place that is not filled, over all forms that come equally near. */
const alternatives = (best: readonly Candidate[]): readonly string[] => [
  ...new Set(best.flatMap((candidate) => candidate.distance.missing[0] ?? [])),
];

const isType = (modifier: string | undefined): boolean => modifier !== undefined && typeId(modifier) !== 0;
const dotted = (names: readonly string[]): string => names.map((name) => '.' + name).join(', ');

/** At most a dozen names, so that the message stays readable. */
function or(names: readonly string[]): string {
  if (names.length > 12) return `${dotted(names.slice(0, 12))}, ...`;
  if (names.length < 2) return dotted(names);
  return `${dotted(names.slice(0, -1))} or .${names[names.length - 1]}`;
}

const isWidth = (name: string): boolean => /^v\d+$/.test(name);
const isShape = (name: string): boolean => /^m\d+n\d+(k\d+)?$/.test(name);
const isSpace = (name: string): boolean => (spaceNames as readonly string[]).includes(name);

function unknownModifier(
  { base, modifiers, text }: Opcode,
  unknown: string,
  best: readonly Candidate[],
  forms: readonly CompiledForm[],
  span: Problem['span'],
): Explanation {
  const code = 'isa/unknown-modifier';
  if (unknown === 'const' && ['st', 'atom', 'red'].includes(base))
    return { code, message: `.const is read-only: ${base} cannot write to it` };
  const known = [...new Set(forms.flatMap((form) => [...form.modifiers.vocabulary]))];
  // A type has no near one: `.u32` is not a slip of the pen for `.b32`.
  const near = isType(unknown) ? undefined : nearestName(unknown, known);
  const kind = isWidth(unknown)
    ? 'vector width'
    : isShape(unknown)
      ? 'shape'
      : near !== undefined && isSpace(near)
        ? 'state space'
        : isType(unknown)
          ? 'type'
          : 'modifier';
  const has = `${base} has no ${kind} '.${unknown}'`;
  if (isWidth(unknown) || isShape(unknown)) {
    const same = known.filter(isWidth(unknown) ? isWidth : isShape);
    return { code, message: same.length === 0 ? has : `${has}; it takes ${or(same)}` };
  }
  if (near !== undefined) {
    const start = span.start + text.indexOf('.' + unknown);
    const edit = { span: { start, end: start + unknown.length + 1 }, newText: '.' + near };
    return {
      code,
      message: `${has}; did you mean '.${near}'?`,
      fixes: [{ title: `Change to '.${near}'`, edits: [edit] }],
    };
  }
  const missing = alternatives(best).filter(isType);
  if (missing.length > 0) return { code, message: `${has}; it takes ${or(missing)}` };
  const types = modifiers.filter(isType);
  const fitting = forms.filter(({ modifiers: { vocabulary } }) =>
    types.every((type) => vocabulary.has(type)),
  );
  const others = [...new Set(fitting.flatMap((form) => [...form.modifiers.vocabulary]))].filter(
    (name) => !isType(name) && !modifiers.includes(name),
  );
  const withTypes = types.length === 0 ? '' : ` with ${dotted(types)}`;
  return {
    code,
    message:
      others.length === 0
        ? `${has}${withTypes}, and takes no other`
        : `${has};${withTypes} it takes ${or(others)}`,
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

function missingModifier(
  { base, modifiers }: Opcode,
  values: readonly string[],
  forms: readonly CompiledForm[],
  span: Problem['span'],
): Explanation {
  const code = 'isa/missing-modifier';
  const fixes = missingModifierFixes(base, modifiers, values, span);
  const explain = (message: string): Explanation => ({ code, message, ...(fixes.length > 0 && { fixes }) });
  if (values.every((value) => roundings.has(value))) {
    const types = modifiers.filter(isType);
    const what =
      base === 'cvt' && types.length === 2
        ? `cvt from .${types[1]} to .${types[0]}`
        : [base, ...types].join('.');
    const isRounding = values.some((value) => value !== 'approx' && value !== 'full');
    return explain(`${what} needs ${isRounding ? 'a rounding modifier: ' : ''}${or(values)}`);
  }
  if (values.every(isType))
    return explain(`${[base, ...modifiers].join('.')} needs a type: ${or(typesBeside(forms, modifiers))}`);
  const integers = values.includes('lo') ? ' on integers' : '';
  return explain(`${base}${integers} needs ${or(values)}`);
}

/** All types that stand in forms with these modifiers, also where something else would be missing then. */
function typesBeside(forms: readonly CompiledForm[], modifiers: readonly string[]): readonly string[] {
  const fitting = forms.filter(({ modifiers: { vocabulary } }) =>
    modifiers.every((modifier) => vocabulary.has(modifier)),
  );
  const found = fitting.flatMap((form) => [...form.modifiers.vocabulary].filter(isType));
  return [...new Set(found)].sort((a, b) => typeId(a) - typeId(b));
}

/** A modifier that the instruction knows, but not together with the others. */
function wrongModifier(
  base: string,
  modifiers: readonly string[],
  extra: string,
  missing: readonly string[],
  forms: readonly CompiledForm[],
): Explanation {
  const code = 'isa/modifier';
  const types = modifiers.filter(isType);
  const type = types[types.length - 1];
  if (isType(extra)) {
    const wanted = missing.length > 0 ? `; ${base} takes ${or(missing)} there` : '';
    return { code, message: `.${extra} does not fit in ${[base, ...modifiers].join('.')}${wanted}` };
  }
  const operations = missing.filter((name) => !isType(name));
  if (operations.length > 0) {
    const atomics = base === 'atom' || base === 'red' ? `; use atom.cas in a loop for other operations` : '';
    const what = type === undefined ? [base, ...modifiers].join('.') : `.${type}`;
    return {
      code,
      message: `${base}.${extra} is not available for ${what}, which takes ${or(operations)}${atomics}`,
    };
  }
  const typesWith = [
    ...new Set(
      forms
        .filter((form) => form.modifiers.vocabulary.has(extra))
        .flatMap((form) => [...form.modifiers.vocabulary].filter(isType)),
    ),
  ];
  if (type !== undefined && typesWith.length > 0 && !typesWith.includes(type)) {
    const kin = typesWith.filter((name) => isFloatType(typeId(name)) === isFloatType(typeId(type)));
    return {
      code,
      message: `${base}.${extra} is only for ${or(kin.length > 0 ? kin : typesWith)}; not for .${type}`,
    };
  }
  const at = modifiers.indexOf(extra);
  const others = modifiers.filter((_, i) => i !== at);
  if (others.includes(extra)) return { code, message: `.${extra} is written twice` };
  return { code, message: `.${extra} cannot be used in ${[base, ...others].join('.')}` };
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
