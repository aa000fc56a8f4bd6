import { placeOf, type Function } from '../../ir/function.js';
import { isVirtual } from '../../ir/place.js';
import type { Stall } from '../target.js';
import { stallsOf as waitsOf, type Estimate } from './estimate/estimate.js';
import { ownersOf } from './pressure.js';
import type { Operand, Program } from './program.js';

/** Waits of the compiled code, at the source's instructions, with the producer and what is waited for. */
export function stallsOf(f: Function, code: Program, estimate: Estimate): Stall[] {
  const owners = ownersOf(code);
  return waitsOf(code, estimate).flatMap(({ instruction, cycles, producer, cause }): Stall[] => {
    const owner = owners[instruction];
    if (owner < 0) return [];
    const from = producer < 0 ? -1 : owners[producer];
    const made = producer < 0 ? undefined : code.instructions[producer].destinations.at(0);
    const register = made === undefined ? -1 : sourceRegister(f, made);
    const by = producer < 0 ? '' : ` of ${code.instructions[producer].opcode.name}`;
    const name = register < 0 ? '' : f.registerNames[register];
    const what =
      'unit' in cause
        ? `the ${cause.unit} unit`
        : name === ''
          ? cause.register
          : `${name} in ${cause.register}`;
    const isReload = producer >= 0 && code.instructions[producer].origin < 0;
    const words = isReload
      ? `waits for a reload of ${what}`
      : `waits for ${what}${'unit' in cause ? '' : by}`;
    return [{ instruction: owner, cycles, producer: from === owner ? -1 : from, register, cause: words }];
  });
}

/** The virtual register that an operand of the code stands for, -1 for none. */
function sourceRegister(f: Function, { operand }: Operand): number {
  if (operand < 0) return -1;
  const place = placeOf(f, operand);
  return isVirtual(place) ? place : -1;
}
