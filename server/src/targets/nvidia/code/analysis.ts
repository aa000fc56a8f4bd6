import type { Function } from '../../../ir/function.js';
import { codeOf } from '../../../ir/same-code.js';
import { controlFlow, type Cfg } from '../../../passes/cfg.js';
import { liveRangesOf, type LiveRanges } from '../../../passes/live-ranges.js';
import { livenessOf, type Liveness } from '../../../passes/liveness.js';
import { occurrencesOf } from '../../../passes/occurrences.js';
import { pressureOf, type Pressure } from '../../../passes/pressure.js';
import { GENERAL, type MachineCode } from './code.js';

/** Who is live where, for everybody who asks about the same function. */
export interface Analysis {
  readonly cfg: Cfg;
  readonly liveness: Liveness;
  readonly ranges: LiveRanges;
  readonly pressure: Pressure;
}

const known = new WeakMap<Function, Analysis>();
const flows = new WeakMap<Function, Flow>();

/** What does not change when instructions are ordered anew inside their blocks. */
export interface Flow {
  readonly cfg: Cfg;
  readonly liveness: Liveness;
}

/** Computed once for a code. O(n log n). */
export function flowOf(f: Function): Flow {
  const code = codeOf(f);
  let found = flows.get(code);
  if (found === undefined) {
    const cfg = controlFlow(code);
    flows.set(code, (found = { cfg, liveness: livenessOf(code, cfg) }));
  }
  return found;
}

/** `f` has the blocks of a function whose flow is known, each with the same instructions in another order. */
export function keepsFlow(f: Function, { cfg, liveness: { entry, exit } }: Flow): void {
  flows.set(f, { cfg, liveness: { occurrences: occurrencesOf(f), entry, exit } });
}

/** Computed once for a code. O(n log n). */
export function analysisOf(f: Function): Analysis {
  const code = codeOf(f);
  let found = known.get(code);
  if (found === undefined) known.set(code, (found = analyse(code)));
  return found;
}

function analyse(f: Function): Analysis {
  const { cfg, liveness } = flowOf(f);
  const ranges = liveRangesOf(f, liveness);
  return { cfg, liveness, ranges, pressure: pressureOf(f, liveness, ranges) };
}

/** The most 32-bit registers that are needed at once, what instructions need while they run included. */
export function generalPeak({ f, temporaries }: MachineCode): number {
  const during = analysisOf(f).pressure.during[GENERAL];
  let peak = 0;
  for (let i = 0; i < during.length; i++) peak = Math.max(peak, during[i] + temporaries[i]);
  return peak;
}
