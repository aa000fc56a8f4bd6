import type { Rule } from './rule.js';
import { isSame } from './operands.js';

/**
 * simd4x2_merge takes vertex 0 from the low half of its first source and vertex 1 from the low half of its second
 * (facts C.2, C.3, F37). It becomes two four-wide moves, of which the first must not overwrite what the second reads.
 */
export const merges: Rule = (instruction, { program, depth }, report) => {
  if (instruction.opcode.name !== 'simd4x2_merge') return;
  const [destination] = instruction.destinations;
  const [first, second] = instruction.sources;
  if (destination === undefined || destination.file === 'immediate' || second === undefined) return;
  if (isSame(destination, second) && !isSame(destination, first))
    report({
      code: 'hw/merge',
      severity: 'warning',
      message:
        'the destination is the second source: the first of the two moves would destroy vertex 1 before the second reads it, so vertex 1 is moved first',
      at: destination,
    });
  if (destination.mask === 0)
    report({
      code: 'hw/merge',
      severity: 'warning',
      message: 'the merge writes no channel: nothing is emitted for it',
      at: destination,
      fix: { title: 'Delete the merge', kind: 'delete' },
    });
  if (instruction.noMask && depth > 0 && program.dialect === 'vec4')
    report({
      code: 'hw/merge',
      severity: 'warning',
      message:
        'NoMask inside control flow also writes vertices that are switched off: without it each half obeys its own vertex',
      at: { mark: 'NoMask' },
      fix: { title: 'Remove NoMask', kind: 'remove', marks: ['NoMask'] },
    });
};
