/**
 * Which values of the source decide something: those that reach a varying, a branch or the end, through whatever
 * values and registers. The order of blocks does not matter here, so a store that is always overwritten counts.
 */
import { OperandFlag, placeOf, type Function } from '../../../ir/function.js';
import { isVirtual } from '../../../ir/place.js';

const roots: ReadonlySet<string> = new Set(['st_var', 'st_tmp', 'branch', 'branch_cond', 'live_out']);

/** By virtual register, 1 where it is needed. */
export function neededRegisters(f: Function): Uint8Array {
  const isNeeded = new Uint8Array(f.registerCount);
  const definitions: number[][] = Array.from({ length: f.registerCount }, () => []);
  const work: number[] = [];
  const need = (instruction: number): void => {
    for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
      const place = placeOf(f, o);
      if ((f.operandFlags[o] & OperandFlag.Use) === 0 || !isVirtual(place)) continue;
      if (isNeeded[place] === 1) continue;
      isNeeded[place] = 1;
      work.push(place);
    }
  };
  for (let i = 0; i < f.instructionCount; i++) {
    let isRoot = roots.has(f.opcodes.text(f.opcode[i]));
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      if ((f.operandFlags[o] & OperandFlag.Definition) === 0) continue;
      const place = placeOf(f, o);
      if (isVirtual(place)) definitions[place].push(i);
      else isRoot = true;
    }
    if (isRoot) need(i);
  }
  for (let register = work.pop(); register !== undefined; register = work.pop())
    definitions[register].forEach(need);
  return isNeeded;
}
