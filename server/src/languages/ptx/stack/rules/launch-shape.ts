import { requiredShapeFault } from '../launch-shape.js';
import type { ModuleRule } from './module.js';

/**
 * A kernel whose functions take their stack from the slot of the warp, and that asks for blocks in which `%tid.y` is no
 * number of a warp: several warps would work on one stack, or one warp on several.
 */
export const launchShape: ModuleRule = (module, add) => {
  if (module.sharedUsers.size === 0) return;
  module.units.forEach((unit, n) => {
    if (unit?.isEntry !== true || !module.sharedUsers.has(unit.name)) return;
    const item = unit.bound.functions.at(0)?.item;
    const fault = item === undefined ? undefined : requiredShapeFault(unit.bound, item);
    if (fault === undefined) return;
    add(n, {
      code: 'stack/launch-shape',
      severity: 'warning',
      span: fault.span,
      message: `kernel '${unit.name}' uses one stack a warp, in the slot of %tid.y, and is launched with ${fault.directive}: ${fault.why}; put the lanes of a warp in x and the warps in y, or give each thread a stack`,
    });
  });
};
