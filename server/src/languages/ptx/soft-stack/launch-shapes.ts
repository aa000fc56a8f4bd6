import { shift } from '../../../text/span.js';
import { largestShapeFault, requiredShapeFault, type ShapeFault } from '../stack/launch-shape.js';
import type { Candidate, Fault } from './candidates.js';
import type { SoftStackNote } from './index.js';

/** What kernels say of their blocks, for themselves and for what they call by name. */
export interface LaunchShapes {
  /** By function: why it cannot share a stack with its warp. */
  readonly faults: ReadonlyMap<string, Fault>;
  /** What the launches of these functions have to keep to. */
  notesFor(functions: ReadonlySet<string | undefined>): readonly SoftStackNote[];
}

export const noShapes: LaunchShapes = { faults: new Map(), notesFor: () => [] };

/** One walk over the calls for each of the two directives: the first kernel that comes to a function speaks for it. */
export function launchShapes(candidates: readonly Candidate[]): LaunchShapes {
  const required = reached(candidates, requiredShapeFault);
  const largest = reached(candidates, largestShapeFault);
  const faults = new Map<string, Fault>();
  for (const [name, { kernel, fault }] of required) {
    const who = kernel.name === name ? 'it' : `${kernel.name}, from which it is called,`;
    faults.set(name, {
      span: shift(fault.span, kernel.unit.start),
      reason: `${who} is launched with ${fault.directive}: ${fault.why}; launch the lanes of a warp in x and the warps in y (32, warps, 1), or give each lane a stack (--per-lane)`,
    });
  }
  return {
    faults,
    notesFor: (functions) => {
      const notes = new Map<Candidate, SoftStackNote>();
      for (const [name, { kernel, fault }] of largest)
        if (functions.has(name) && !notes.has(kernel))
          notes.set(kernel, {
            function: kernel.name,
            span: shift(fault.span, kernel.unit.start),
            severity: 'warning',
            message: `${fault.directive} allows blocks in which ${fault.why}; launch ${kernel.name} with at most 32 lanes in x and the warps in y, or give each lane a stack (--per-lane)`,
          });
      return [...notes.values()];
    },
  };
}

interface Reached {
  readonly kernel: Candidate;
  readonly fault: ShapeFault;
}

function reached(
  candidates: readonly Candidate[],
  faultOf: typeof requiredShapeFault,
): ReadonlyMap<string, Reached> {
  const byName = new Map<string, Candidate>();
  for (const candidate of candidates) if (!byName.has(candidate.name)) byName.set(candidate.name, candidate);
  const found = new Map<string, Reached>();
  for (const kernel of candidates) {
    const { item } = kernel.source;
    const fault = item.isEntry ? faultOf(kernel.unit.bound, item) : undefined;
    if (fault === undefined) continue;
    const queue = found.has(kernel.name) ? [] : [kernel];
    if (queue.length > 0) found.set(kernel.name, { kernel, fault });
    for (const at of queue)
      for (const { callee, candidates: listed } of at.frame.calls)
        for (const name of callee === undefined ? listed : [callee]) {
          const next = byName.get(name);
          if (next === undefined || found.has(name)) continue;
          found.set(name, { kernel, fault });
          queue.push(next);
        }
  }
  return found;
}
