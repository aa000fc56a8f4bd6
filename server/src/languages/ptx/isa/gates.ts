import type { Fix, Problem } from '../../../text/problem.js';
import type { Instruction } from '../tree.js';
import type { MatchEnvironment } from './match.js';
import type { NamedGate, ResolvedForm } from './opcode.js';
import type { Gate } from './schema.js';
import { hasSpecific, versionRank } from './versions.js';

/** Which PTX ISA version and which architecture a form needs, against those of the file. */
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
      message: `${instruction.opcode.text} was removed for sm_${removed.sm} and later in PTX ISA ${removed.isa}: use ${removed.instead}`,
    };
  }
  let version: NamedGate | undefined;
  let target: NamedGate | undefined;
  for (const gate of form.gates) {
    if (
      versionRank(gate.isa ?? '1.0') > Math.max(environment.versionRank, versionRank(version?.isa ?? '1.0'))
    )
      version = gate;
    if (!hasTarget(gate, environment) && (target === undefined || (gate.sm ?? 0) >= (target.sm ?? 0)))
      target = gate;
  }
  if (target !== undefined) return targetProblem(target, span, environment);
  if (version === undefined) return undefined;
  return {
    code: 'isa/version',
    severity: 'error',
    span,
    message: `${version.feature} needs .version ${version.isa} or later; this file says ${environment.version}`,
    fixes: raise('.version', `.version ${version.isa}`, `Raise .version to ${version.isa}`, environment),
  };
}

function targetProblem(gate: NamedGate, span: Problem['span'], environment: MatchEnvironment): Problem {
  const have = `.target is ${environment.target}`;
  if (gate.only !== undefined) {
    const names = gate.only.split(' ');
    const best = names[0];
    return {
      code: 'isa/target',
      severity: 'error',
      span,
      message: `${gate.feature} exists only on ${describeTargets(names)}; ${have}`,
      fixes: raise('.target', `.target ${best}`, `Change .target to ${best}`, environment),
    };
  }
  return {
    code: 'isa/target',
    severity: 'error',
    span,
    message: `${gate.feature} needs sm_${gate.sm} or later; ${have}`,
    fixes: raise('.target', `.target sm_${gate.sm}`, `Raise .target to sm_${gate.sm}`, environment),
  };
}

function describeTargets(names: readonly string[]): string {
  const words = names.map((name) =>
    name.endsWith('f') ? `the ${name.slice(0, -1)} family (${name})` : name,
  );
  return words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** A header directive is replaced whole; its unit is found by the name that it declares. */
function raise(
  anchor: '.version' | '.target',
  text: string,
  title: string,
  environment: MatchEnvironment,
): readonly Fix[] {
  const { header } = environment;
  if (header === undefined) return [];
  const isTarget = anchor === '.target';
  const end = isTarget ? header.targetLength : header.versionLength;
  const newText = isTarget ? text + header.targetRest : text;
  return [{ title, preferred: true, edits: [{ span: { start: 0, end }, newText, anchor }] }];
}

function hasTarget(gate: Gate, environment: MatchEnvironment): boolean {
  if (gate.sm !== undefined && environment.sm < gate.sm) return false;
  return gate.only === undefined || hasSpecific(environment.target, gate.only);
}
