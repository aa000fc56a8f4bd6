import { SlotContent } from '../slot-flow.js';
import { storedValue } from '../slot-flow.js';
import type { Frame } from '../frame.js';
import type { ModuleRule } from './module.js';

/**
 * `.local` variables in a module that keeps its automatic data on soft stacks: other threads cannot reach them, so that an
 * address which escapes works for one thread alone. A variable whose address is stored into the slot is the stack of a
 * lane inside a SIMD region, and right.
 */
export const localInSoft: ModuleRule = ({ units }, add) => {
  if (!units.some((unit) => unit?.frame?.kind === 'soft')) return;
  units.forEach((unit, n) => {
    const { frame } = unit ?? {};
    if (frame === undefined || frame.localBytes === 0) return;
    const laneStacks = laneStacksOf(frame);
    frame.objects.forEach(({ name, space, span }, object) => {
      if (space !== 'local' || span === undefined || laneStacks.has(object)) return;
      const escape = frame.escapes.find(
        (e) => e.object === object && e.kind !== 'converted' && e.target !== 'frame',
      );
      add(n, {
        code: 'stack/local-in-soft',
        severity: escape === undefined ? 'information' : 'warning',
        span: { start: span.start, end: span.end },
        message: `'${name}' lies in .local, while this module keeps soft stacks: other threads cannot reach it${escape === undefined ? '' : ', and its address escapes'}; move the frame to the soft stack`,
        ...(escape !== undefined && {
          related: [{ span: escape.span, message: 'the address escapes here' }],
        }),
      });
    });
  });
};

/** The variables whose addresses stand in the slot at some time. */
function laneStacksOf({ flow, function: f }: Frame): ReadonlySet<number> {
  const found = new Set<number>();
  if (flow === undefined) return found;
  const { slot, origins } = flow;
  for (let i = 0; i < f.instructionCount; i++) {
    if ((slot.stored[i] & SlotContent.Local) === 0) continue;
    const origin = origins.table.of(storedValue(f, origins, i));
    if (origin?.kind === 'local') found.add(origin.object);
  }
  return found;
}
