import type { Fix, FixEdit, Problem } from '../../../text/problem.js';
import type { Instruction } from '../tree.js';
import type { Directive } from './directives.js';
import { syncFix } from './fixes.js';
import type { MatchEnvironment } from './match.js';
import type { NamedGate, ResolvedForm } from './opcode.js';
import type { Gate } from './schema.js';
import { architectureOf, hasSpecific, versionRank } from './versions.js';

/**
 * Which PTX ISA version and which architecture a form needs, against those of the file. Fixes give the new value of
 * a header directive and name it as their anchor; the value that it has is theirs to replace.
 */
export function gateProblem(
  form: ResolvedForm,
  instruction: Instruction,
  environment: MatchEnvironment,
): Problem | undefined {
  const span = { start: instruction.opcode.start, end: instruction.opcode.end };
  const { removed } = form.form;
  if (
    removed !== undefined &&
    environment.versionRank >= versionRank(removed.isa) &&
    environment.sm >= removed.sm
  ) {
    return {
      code: 'isa/removed',
      severity: 'error',
      span,
      message: `${form.entry.opcode} without .sync was removed for sm_${removed.sm} and later in PTX ISA ${removed.isa}: use ${replacement(form, removed.instead)}`,
      fixes: syncFix(instruction, form.entry.opcode),
    };
  }
  let version: NamedGate | undefined;
  let target: NamedGate | undefined;
  for (const gate of form.gates) {
    const needed = versionRank(gate.isa ?? '1.0');
    if (needed > environment.versionRank && needed > versionRank(version?.isa ?? '1.0')) version = gate;
    if (!hasTarget(gate, environment) && (target === undefined || (gate.sm ?? 0) >= (target.sm ?? 0)))
      target = gate;
  }
  if (target !== undefined) return targetProblem(form, target, version, span, environment);
  return version && versionProblem(form, version, span, environment);
}

function versionProblem(
  form: ResolvedForm | undefined,
  version: NamedGate,
  span: Problem['span'],
  environment: MatchEnvironment,
): Problem {
  return {
    code: 'isa/version',
    severity: 'error',
    span,
    message: `${version.feature} needs .version ${version.isa} or later; this file says ${environment.version}${elsewhere(form)}`,
    fixes: fix(`Raise .version to ${version.isa}`, headerEdit('.version', version.isa!)),
  };
}

/** `shfl.sync` for `shfl.bfly.b32` is `shfl.sync.bfly.b32`, with one operand more. */
function replacement(form: ResolvedForm, instead: string): string {
  if (instead !== `${form.entry.opcode}.sync`) return instead;
  return `${[instead, ...form.modifiers].join('.')} with a member mask as last operand`;
}

/** The same for a directive. */
export function directiveGateProblem(
  directive: Pick<Directive, 'name' | 'isa' | 'sm'>,
  span: Problem['span'],
  environment: MatchEnvironment,
): Problem | undefined {
  const { name: feature, isa, sm } = directive;
  const version = versionRank(isa) > environment.versionRank ? { feature, isa } : undefined;
  environment.holdsFrom = Math.max(environment.holdsFrom, environment.sm < sm ? Infinity : sm);
  if (environment.sm < sm) return targetProblem(undefined, { feature, sm }, version, span, environment);
  return version && versionProblem(undefined, version, span, environment);
}

const elsewhere = (form: ResolvedForm | undefined): string =>
  form?.form.instead === undefined ? '' : `; use ${form.form.instead}`;

function targetProblem(
  form: ResolvedForm | undefined,
  gate: NamedGate,
  version: NamedGate | undefined,
  span: Problem['span'],
  environment: MatchEnvironment,
): Problem {
  const names = gate.only?.split(' ') ?? [];
  const best = names[0] ?? `sm_${gate.sm}`;
  const wants =
    gate.only === undefined ? `needs sm_${gate.sm} or later` : `exists only on ${describeTargets(names)}`;
  const versionToo = version === undefined ? '' : ` (and .version ${version.isa})`;
  const own = architectureOf(best)?.isa ?? '1.0';
  const needed = version !== undefined && versionRank(version.isa!) > versionRank(own) ? version.isa! : own;
  return {
    code: 'isa/target',
    severity: 'error',
    span,
    message: `${gate.feature} ${wants}${versionToo}; .target is ${environment.target}${elsewhere(form)}`,
    fixes: fix(
      `${gate.only === undefined ? 'Raise' : 'Change'} .target to ${best}`,
      headerEdit('.target', best),
      ...(versionRank(needed) > environment.versionRank ? [headerEdit('.version', needed)] : []),
    ),
  };
}

function describeTargets(names: readonly string[]): string {
  const words = names.map((name) =>
    name.endsWith('f') ? `the ${name.slice(0, -1)} family (${name})` : name,
  );
  return words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** A header value, found by the name of its directive; the binder knows how long the old value is. */
const headerEdit = (anchor: '.version' | '.target', newText: string): FixEdit => ({
  span: { start: 0, end: 0 },
  newText,
  anchor,
});

const fix = (title: string, ...edits: readonly FixEdit[]): readonly Fix[] => [
  { title, preferred: true, edits },
];

function hasTarget(gate: Gate, environment: MatchEnvironment): boolean {
  if (gate.sm !== undefined && environment.sm < gate.sm) return false;
  return gate.only === undefined || hasSpecific(environment.target, gate.only);
}
