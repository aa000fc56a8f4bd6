import type { Problem } from '../../../text/problem.js';
import type { PlacedUnit } from '../../language.js';
import type { PtxBound } from '../bind/index.js';
import { frameOf, mayHaveFrame } from './frame.js';
import { arrayNames } from './origins.js';
import { array } from './rules/array.js';
import { divergentCall } from './rules/divergent-call.js';
import { launchShape } from './rules/launch-shape.js';
import { localInSoft } from './rules/local-in-soft.js';
import type { ModuleRule, StackModule } from './rules/module.js';
import { noSetup } from './rules/no-setup.js';
import { openacc } from './rules/openacc.js';
import { summaryOf, type StackSummary } from './summary.js';

/**
 * All findings about stacks in a document. The rules about one function are asked once for a bound unit; those about
 * the module only where some unit mentions the arrays of soft stacks, over what the units bring. A document without frames
 * costs a look at each unit.
 */
const rules: readonly ModuleRule[] = [array, localInSoft, openacc, noSetup, divergentCall, launchShape];

export function stackProblems(
  units: readonly PlacedUnit<PtxBound>[],
): ReadonlyMap<number, readonly Problem[]> {
  const problems = new Map<number, Problem[]>();
  const add = (unit: number, problem: Problem): void => {
    const kept = unchanged(units[unit].bound, problem);
    const list = problems.get(unit);
    if (list === undefined) problems.set(unit, [kept]);
    else list.push(kept);
  };
  let hasSoftStacks = false;
  units.forEach((unit, n) => {
    const { bound } = unit;
    hasSoftStacks ||= mentionsStacks(bound);
    if (!mayHaveFrame(bound)) return;
    if ('function' in unit) frameOf(bound, () => unit.function);
    for (const problem of summaryOf(bound)?.problems ?? []) add(n, problem);
  });
  if (!hasSoftStacks) return problems;
  const module = moduleOf(units.map(({ bound }) => bound));
  for (const rule of rules) rule(module, add);
  return problems;
}

const names: readonly string[] = Object.values(arrayNames);

const mentionsStacks = ({ parsed, moduleNames }: PtxBound): boolean =>
  names.some((name) => moduleNames.has(name)) || parsed.declares.some(({ name }) => names.includes(name));

function moduleOf(bounds: readonly PtxBound[]): StackModule {
  const units = bounds.map(summaryOf);
  const byName = new Map<string, StackSummary>();
  const callers = new Map<string, string[]>();
  for (const unit of units) {
    if (unit === undefined || unit.name === '') continue;
    if (!byName.has(unit.name)) byName.set(unit.name, unit);
    for (const { callee, candidates } of unit.calls)
      for (const name of callee === undefined ? candidates : [callee]) {
        const list = callers.get(name);
        if (list === undefined) callers.set(name, [unit.name]);
        else list.push(unit.name);
      }
  }
  /** Those for which `holds`, and whatever calls them. */
  const closure = (holds: (unit: StackSummary) => boolean): ReadonlySet<string> => {
    const found = new Set<string>();
    for (const [name, unit] of byName) if (holds(unit)) found.add(name);
    for (const name of found) for (const caller of callers.get(name) ?? []) found.add(caller);
    return found;
  };
  return {
    bounds,
    units,
    byName,
    softUsers: closure(({ usesSoftStack }) => usesSoftStack),
    sharedUsers: closure(({ sharesStack }) => sharesStack),
    settersUp: closure(({ setsUp }) => setsUp),
  };
}

/** The object of before for an equal problem of a unit, so that what is derived from it stays good. */
function unchanged(bound: PtxBound, problem: Problem): Problem {
  const key = `${problem.code} ${problem.severity} ${problem.span.start} ${problem.message}`;
  let problems = kept.get(bound);
  if (problems === undefined) kept.set(bound, (problems = new Map<string, Problem>()));
  const before = problems.get(key);
  if (before !== undefined) return before;
  problems.set(key, problem);
  return problem;
}

const kept = new WeakMap<PtxBound, Map<string, Problem>>();
