import type { Function } from '../../../ir/function.js';
import { codeOf, withAttributes } from '../../../ir/same-code.js';
import {
  codeWith,
  type CodeContext,
  type CommonPass,
  type MachineCode,
  type Mechanism,
  type Modelled,
  type Pass,
} from './code.js';
import { frames } from './calls/frames.js';
import { parameters } from './calls/parameters.js';
import { recomputeAcrossCalls } from './calls/recompute-across.js';
import { constants } from './constants/constants.js';
import { deadCode } from './fold/dead-code.js';
import { fold } from './fold/fold.js';
import { recompute } from './fold/recompute.js';
import { vectors } from './fold/vectors.js';
import { predicate } from './loops/predicate.js';
import { unroll } from './loops/unroll.js';
import { schedule } from './schedule/schedule.js';
import { SharedCode } from './shared.js';
import { sequences } from './uniform/sequences.js';
import { uniform } from './uniform/uniform.js';
import { machineCodeOf } from './writer.js';

/**
 * The mechanisms of ptxas in the order in which they are modelled. A pass that models several asks
 * `context.has` itself.
 */
type Step<P = Pass> = readonly [Mechanism | undefined, P];

/** Asks nothing of the machine. */
const common: readonly Step<CommonPass>[] = [
  ['calls', parameters],
  ['deadCode', deadCode],
  ['fold', fold],
  ['unroll', unroll],
  ['fold', constants],
  ['fold', vectors],
];

/** Before it has to be known what calls need. */
const first: readonly Step<CommonPass>[] = [
  ['predicate', predicate],
  ['recompute', recompute],
  ['sequences', sequences],
  ['uniform', uniform],
  ['calls', recomputeAcrossCalls],
];

const second: readonly Step[] = [
  ['calls', frames],
  ['schedule', schedule],
];

/**
 * What remains without optimisation (`.target ..., debug`; measured with ptxas 13.0 on nvcc -G): every instruction stands
 * as it is written, parameters and copies in registers of their own.
 */
const unoptimised: readonly Step[] = [
  ['calls', parameters],
  ['sequences', sequences],
];

/** Sees the code as each pass leaves it. */
export type After = (code: MachineCode, pass: string) => void;

/** The machine code that is allocated: `prepared`, then `completed`. */
export const optimised = (source: Function, context: CodeContext, after?: After): MachineCode =>
  completed(prepared(source, context, after), context, after);

/** The code of a function as far as nothing of the functions that it calls matters. */
export function prepared(source: Function, context: CodeContext, after?: After): MachineCode {
  if (context.launchable.isDebug) return run(unoptimised, machineCodeOf(source), context, after);
  if (after !== undefined)
    return run(first, run(common, machineCodeOf(source), context, after), context, after);
  const from = sourceCode(source);
  const begun = beginnings.of(from, context, (questions) => run(common, from, questions));
  const code = preparations.of(begun, context, (questions) => run(first, begun, questions));
  return codeWith(code, { f: withAttributes(code.f, source.attributes) });
}

const beginnings = new SharedCode();
const preparations = new SharedCode();

/** By code, and by the attributes that passes look at. */
const sourceCodes = new WeakMap<Function, Map<string, MachineCode>>();

function sourceCode(source: Function): MachineCode {
  const known = sourceCodes.get(codeOf(source)) ?? new Map<string, MachineCode>();
  sourceCodes.set(codeOf(source), known);
  const { nounroll, localVariables } = source.attributes;
  const key = `${nounroll}, ${localVariables}`;
  let code = known.get(key);
  if (code === undefined) known.set(key, (code = machineCodeOf(source)));
  return code;
}

/** Prepared code made whole. */
export const completed = (code: MachineCode, context: CodeContext, after?: After): MachineCode =>
  run(context.launchable.isDebug ? [['calls', frames]] : second, code, context, after);

function run<C extends Modelled>(
  steps: readonly Step<(code: MachineCode, context: C) => MachineCode>[],
  from: MachineCode,
  context: C,
  after?: After,
): MachineCode {
  let code = from;
  for (const [mechanism, pass] of steps) {
    if (mechanism !== undefined && !context.has(mechanism)) continue;
    code = pass(code, context);
    after?.(code, pass.name);
  }
  return code;
}
