import { CodeKind, Elision } from '../../ir/allocated.js';
import { InstructionFlag, type Function } from '../../ir/function.js';
import type { Allocation } from '../../passes/allocate.js';
import { isDefinition, occurrencesOf, type Occurrences } from '../../passes/occurrences.js';
import { Removal } from '../../passes/spill-choice.js';
import type { Placement } from '../target.js';
import type { MachineCode } from './code/code.js';
import { BYTES_PER_UNIT } from './spills.js';

/**
 * Where each source register is kept as compiled. Of several machine registers that hold its value (copies of an
 * unrolled loop) the first counts, a spilled one before all others. A register that none holds was folded: a copy into
 * what it copies, another into the instructions that read it.
 */
export function placementsOf(source: Function, code: MachineCode, allocation: Allocation): Placement[] {
  const placements = new Array<Placement | undefined>(source.registerCount).fill(undefined);
  const { f, registerOrigin } = code;
  const folded = foldedCopies(f, allocation);
  for (let r = 0; r < f.registerCount; r++) {
    const at = registerOrigin[r];
    if (at < 0 || at >= source.registerCount) continue;
    const known = placements[at]?.kind;
    if (known === 'spilled') continue;
    const place = placementOf(code.f, allocation, folded, r);
    if (place?.kind === 'folded' && registerOrigin[place.into] >= 0)
      placements[at] ??= { kind: 'folded', into: registerOrigin[place.into] };
    else if (known === undefined || place?.kind === 'spilled') placements[at] = place;
  }
  const executed = new Uint8Array(source.instructionCount);
  for (const number of code.executes) if (number >= 0 && number < executed.length) executed[number] = 1;
  const occurrences = occurrencesOf(source);
  return placements.map((place, r) => place ?? withoutRegister(source, occurrences, executed, r));
}

/** By register of the machine code itself. */
export function codePlacementsOf({ f }: MachineCode, allocation: Allocation): Placement[] {
  const folded = foldedCopies(f, allocation);
  return Array.from(
    { length: f.registerCount },
    (_, r) => placementOf(f, allocation, folded, r) ?? { kind: 'unused' },
  );
}

function placementOf(
  f: Function,
  { removal, slotOf, firstPlace }: Allocation,
  folded: Int32Array,
  r: number,
): Placement | undefined {
  if (removal[r] === (Removal.Spilled as number))
    return { kind: 'spilled', slot: slotOf[r], bytes: f.registerWidth[r] * BYTES_PER_UNIT };
  if (removal[r] === (Removal.Recomputed as number)) return { kind: 'recomputed' };
  if (folded[r] >= 0) return { kind: 'folded', into: folded[r] };
  if (firstPlace[r] < 0) return undefined;
  return { kind: 'register', registerClass: f.registerClass[r], index: firstPlace[r] };
}

/** What became of a register that the machine code has no register for. */
function withoutRegister(
  source: Function,
  { start, operand, instruction }: Occurrences,
  executed: Uint8Array,
  r: number,
): Placement {
  let copied = -1;
  let isRead = false;
  let isExecuted = false;
  for (let k = start[r]; k < start[r + 1]; k++) {
    const i = instruction[k];
    if (!isDefinition(source, operand[k])) {
      isRead ||= executed[i] !== 0;
      continue;
    }
    isExecuted ||= executed[i] !== 0;
    if ((source.instructionFlags[i] & InstructionFlag.Copy) !== 0)
      copied = source.operandPlace[source.operandStart[i] + 1];
  }
  if (isRead && copied >= 0) return { kind: 'folded', into: copied };
  return { kind: isRead && isExecuted ? 'absorbed' : 'unused' };
}

/** For a register that only copies define which the allocator folded: the register that the first of them copies. */
function foldedCopies(f: Function, { allocated, written, dead }: Allocation): Int32Array {
  const into = new Int32Array(f.registerCount).fill(-1);
  const isFolded = new Uint8Array(f.instructionCount);
  for (let k = 0; k < allocated.count; k++)
    if (
      allocated.kind[k] === (CodeKind.Elided as number) &&
      allocated.elision[k] === (Elision.Copy as number)
    )
      isFolded[allocated.instruction[k]] = 1;
  const { start, operand, instruction } = written.occurrences;
  for (let r = 0; r < f.registerCount; r++) {
    for (let k = start[r]; k < start[r + 1]; k++) {
      if (!isDefinition(f, operand[k]) || dead[instruction[k]]) continue;
      if (!isFolded[instruction[k]]) {
        into[r] = -1;
        break;
      }
      if (into[r] < 0) into[r] = f.operandPlace[f.operandStart[instruction[k]] + 1];
    }
  }
  return into;
}
