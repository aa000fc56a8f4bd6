import { checks, type Check } from './checks.js';
import { compileModifiers, matchModifiers, type ModifierPattern } from './modifiers.js';
import {
  compileOperands,
  OperandFlag,
  resolveOperands,
  Shape,
  type OperandPattern,
  type OperandSpec,
} from './operand-pattern.js';
import type { Form, Gate, InstructionEntry } from './schema.js';
import { instructionEntry } from './tables/index.js';
import { spaceId } from './types.js';
import { versionRank } from './versions.js';

/**
 * From the dotted text of an opcode to the forms that it may mean. Patterns are compiled when their opcode is first
 * met; the result for an opcode text is kept, since a program has few different ones.
 */
export interface ResolvedForm {
  readonly entry: InstructionEntry;
  readonly form: Form;
  /** Modifiers of the opcode, without dots, in text order. */
  readonly modifiers: readonly string[];
  readonly sets: ReadonlyMap<string, string>;
  readonly operands: readonly OperandSpec[];
  /** Bits of `OperandRole` for each operand. Elements of vectors and pairs inherit; names inside an address are read. */
  readonly roles: Uint8Array;
  readonly checks: readonly Check[];
  readonly gates: readonly NamedGate[];
  /** The strictest of `gates`: versionRank, architecture number. */
  readonly isa: number;
  readonly sm: number;
  readonly needsTarget: boolean;
}

/** How an operand is used. A pair `d|p` and a vector give their role to their parts. */
export const enum OperandRole {
  Read = 1,
  Written = 2,
}

/** What a modifier (or the form: the opcode itself) needs. */
export interface NamedGate extends Gate {
  readonly feature: string;
}

export interface Opcode {
  readonly text: string;
  readonly base: string;
  readonly modifiers: readonly string[];
  /** Undefined when no instruction has this name. */
  readonly entry: InstructionEntry | undefined;
  /** Every form with every number of operands that the modifiers allow; empty when the modifiers are wrong. */
  readonly forms: readonly ResolvedForm[];
}

export interface CompiledForm {
  readonly form: Form;
  readonly modifiers: ModifierPattern;
  readonly operands: OperandPattern;
}

const compiled = new Map<InstructionEntry, readonly CompiledForm[]>();

/** The compiled patterns of an entry. @throws Error when the tables are wrong. */
export function compiledForms(entry: InstructionEntry): readonly CompiledForm[] {
  let forms = compiled.get(entry);
  if (forms === undefined) {
    forms = entry.forms.map((form) => ({
      form,
      modifiers: compileModifiers(form.modifiers, form.sets ?? {}),
      operands: compileOperands(form.operands),
    }));
    compiled.set(entry, forms);
  }
  return forms;
}

const opcodes = new Map<string, Opcode>();
/** Half-typed opcodes must not fill the memory of a long session. */
const maxOpcodes = 20_000;

export function opcodeOf(text: string): Opcode {
  let opcode = opcodes.get(text);
  if (opcode === undefined) {
    if (opcodes.size >= maxOpcodes) opcodes.clear();
    opcode = resolveOpcode(text);
    opcodes.set(text, opcode);
  }
  return opcode;
}

function resolveOpcode(text: string): Opcode {
  const [base, ...modifiers] = text.split('.');
  const entry = instructionEntry(base);
  const forms: ResolvedForm[] = [];
  for (const { form, modifiers: pattern, operands } of entry === undefined ? [] : compiledForms(entry)) {
    const binding = matchModifiers(pattern, modifiers);
    if (binding === undefined) continue;
    const known = form.sets ?? {};
    const gates = gatesOf(entry!, form, modifiers, featureName(entry!, form, pattern, modifiers));
    for (const specs of resolveOperands(operands, { all: modifiers, sets: binding.sets, known })) {
      forms.push({
        entry: entry!,
        form,
        modifiers,
        sets: binding.sets,
        operands: hasWideAddress(base, modifiers) ? specs.map(widen) : specs,
        roles: Uint8Array.from(specs, rolesOf),
        checks: (form.checks ?? '').split(' ').flatMap((name) => (name === '' ? [] : [checks[name]])),
        gates,
        isa: Math.max(0, ...gates.map((gate) => versionRank(gate.isa ?? '1.0'))),
        sm: Math.max(0, ...gates.map((gate) => gate.sm ?? 0)),
        needsTarget: gates.some((gate) => gate.only !== undefined),
      });
    }
  }
  return { text, base, modifiers, entry, forms };
}

/**
 * Instructions whose addresses in .global and generic memory ptxas 13.0 refuses in a 32-bit register, as "32-bit
 * addressing". Others extend a 32-bit one: cp, ldmatrix, wmma, createpolicy, st.async, st.bulk and prefetch.tensormap.
 */
const accesses = new Set(
  'ld ldu st atom red prefetch prefetchu discard applypriority mbarrier multimem'.split(' '),
);
const extending = new Set(['async', 'bulk', 'tensormap']);
const otherSpaces = new Set(['const', 'local', 'param', 'shared'].map(spaceId));

const hasWideAddress = (base: string, modifiers: readonly string[]): boolean =>
  accesses.has(base) && !modifiers.some((name) => extending.has(name) || otherSpaces.has(spaceId(name)));

const widen = (spec: OperandSpec): OperandSpec =>
  spec.shape === Shape.Address ? { ...spec, flags: spec.flags | OperandFlag.Wide } : spec;

const rolesOf = (spec: OperandSpec): number =>
  ((spec.flags & OperandFlag.Read) !== 0 ? OperandRole.Read : 0) |
  ((spec.flags & OperandFlag.Written) !== 0 ? OperandRole.Written : 0);

/** What a form is called when the file may not use it: no longer than it must be to tell it from others. */
function featureName(
  entry: InstructionEntry,
  form: Form,
  pattern: ModifierPattern,
  modifiers: readonly string[],
): string {
  if (entry.forms.every(({ isa, sm, only }) => isa === form.isa && sm === form.sm && only === form.only))
    return entry.opcode;
  const named = pattern.name.length > 0 ? modifiers.slice(0, pattern.name.length) : modifiers;
  return [entry.opcode, ...named].join('.');
}

function gatesOf(
  entry: InstructionEntry,
  form: Form,
  modifiers: readonly string[],
  feature: string,
): NamedGate[] {
  const gates: NamedGate[] = [];
  if (form.isa !== undefined || form.sm !== undefined || form.only !== undefined) {
    gates.push({
      feature,
      ...(form.isa !== undefined && { isa: form.isa }),
      ...(form.sm !== undefined && { sm: form.sm }),
      ...(form.only !== undefined && { only: form.only }),
    });
  }
  for (const modifier of modifiers) {
    const gate = form.gates?.['.' + modifier];
    if (gate !== undefined) gates.push({ feature: `${entry.opcode} with .${modifier}`, ...gate });
  }
  return gates;
}
