import type { Problem } from '../../../text/problem.js';
import type { Instruction } from '../tree.js';
import { explainOpcode } from './explain-opcode.js';
import { explainOperands, explainCheck } from './explain-operands.js';
import { gateProblem } from './gates.js';
import { opcodeOf, OperandRole, type Opcode, type ResolvedForm } from './opcode.js';
import { Misfit, misfit, type TypeOf } from './operands.js';
import { smNumber, versionRank } from './versions.js';

/**
 * The instruction check: an instruction against the tables. When all is well it costs one look-up of the opcode and
 * a few comparisons an operand, and allocates nothing; what is wrong is explained in a second pass.
 */
export interface MatchEnvironment {
  /** Of `.version`, as text. */
  readonly version: string;
  /** `versionRank(version)`. */
  readonly versionRank: number;
  /** The architecture that `.target` names: `sm_90a`. */
  readonly target: string;
  /** Its number, 90 for sm_90a. */
  readonly sm: number;
  /**
   * What was found under this environment so far is found on every target whose number is at least this one: the highest
   * number that something needed and that was there. Infinite where something asked for this very target.
   */
  holdsFrom: number;
}

export interface Match {
  /** The form that the instruction has; with problems the nearest one; undefined when there is none. */
  readonly form: ResolvedForm | undefined;
  /**
   * Bits of OperandRole for each operand; operands beyond its end are read. Elements of vectors and pairs have the
   * role of their operand; names inside an address are always read.
   */
  readonly roles: Uint8Array;
  readonly problems: readonly Problem[];
}

export function matchEnvironment(version: string, target: string): MatchEnvironment {
  return { version, versionRank: versionRank(version), target, sm: smNumber(target) ?? 0, holdsFrom: 0 };
}

const none: readonly Problem[] = [];
const unknownRoles = Uint8Array.of(OperandRole.Written);
const good = new WeakMap<ResolvedForm, Match>();

function goodMatch(form: ResolvedForm): Match {
  let match = good.get(form);
  if (match === undefined) {
    match = { form, roles: form.roles, problems: none };
    good.set(form, match);
  }
  return match;
}

/**
 * Checks one instruction. `typeOf` answers for every name operand what it stands for (types.ts). Messages quote
 * `text`, in which the instruction's spans lie, and repairs that need it are left out where it is not given.
 */
export function matchInstruction(
  instruction: Instruction,
  typeOf: TypeOf,
  environment: MatchEnvironment,
  text = '',
): Match {
  return matchOpcode(opcodeOf(instruction.opcode.text), instruction, typeOf, environment, text);
}

/** The same, for a caller that keeps the opcode of a text. */
export function matchOpcode(
  opcode: Opcode,
  instruction: Instruction,
  typeOf: TypeOf,
  environment: MatchEnvironment,
  text = '',
): Match {
  const { operands } = instruction;
  let gated: Match | undefined;
  for (const form of opcode.forms) {
    if (form.operands.length !== operands.length) continue;
    let fits = true;
    for (let i = 0; i < operands.length && fits; i++)
      fits = misfit(operands[i], form.operands[i], typeOf) === Misfit.None;
    if (!fits) continue;
    if (
      form.isa > environment.versionRank ||
      form.sm > environment.sm ||
      form.needsTarget ||
      form.form.removed
    ) {
      environment.holdsFrom = Infinity;
      const problem = gateProblem(form, instruction, environment);
      if (problem !== undefined) {
        // Another form may have come earlier, or to another architecture.
        gated ??= { form, roles: form.roles, problems: [problem] };
        continue;
      }
    }
    if (form.sm > environment.holdsFrom) environment.holdsFrom = form.sm;
    for (const check of form.checks) {
      const failure = check(instruction, form, typeOf);
      if (failure !== undefined)
        return { form, roles: form.roles, problems: [explainCheck(instruction, failure)] };
    }
    return goodMatch(form);
  }
  environment.holdsFrom = Infinity;
  if (gated !== undefined) return gated;
  if (opcode.forms.length === 0)
    return { form: undefined, roles: unknownRoles, problems: [explainOpcode(opcode, instruction)] };
  return explainOperands(opcode, instruction, typeOf, environment, text);
}
