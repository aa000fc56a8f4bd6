import { functionWith } from '../../../../ir/function.js';
import { analysisOf } from '../analysis.js';
import { codeWith, GENERAL, type Pass } from '../code.js';
import { RETURN_ADDRESS } from './callees.js';
import { callOpcodes } from './convention.js';
import { keptAcross } from './kept.js';
import { isCall } from './sites.js';

/**
 * What a call does to the registers of its caller (ptxas 13.0, seen in its machine code).
 *
 * ptxas copies no function into another, not even an empty one; it gives each kernel a copy of its own of every
 * function that it reaches, and finds registers for all of them together. So a call needs registers for whatever the
 * callee has live at its worst, beside what the caller keeps, and one for the address to return to. No register is
 * saved, and there is no least number of registers.
 *
 * Functions that cannot be bound to one caller follow the calling convention (`convention.ts`): those that are called
 * through an address or lie outside of the module, those whose address the kernel takes, and those that call
 * themselves; and all functions of a file for debugging.
 */
export const frames: Pass = (code, context) => {
  const { f } = code;
  let temporaries: Uint8Array | undefined;
  let opcode: Int32Array | undefined;
  for (let i = 0; i < f.instructionCount; i++) {
    if (!isCall(f, i)) continue;
    if (temporaries === undefined) context.callees.enter(f);
    temporaries ??= code.temporaries.slice();
    opcode ??= f.opcode.slice();
    const callee = context.callees.at(f, i);
    const { registers, reaches } = callee;
    const kind = context.launchable.isDebug ? 'convention' : callee.kind;
    const text = kind === 'convention' ? 'convention' : reaches ? 'ownReaching' : 'own';
    opcode[i] = f.opcodes.number(callOpcodes[text]);
    if (kind === 'convention') continue;
    const passed = analysisOf(f).pressure.during[GENERAL][i] - keptAcross(f, i);
    temporaries[i] = Math.min(MOST, Math.max(temporaries[i], registers + RETURN_ADDRESS - passed));
  }
  if (temporaries === undefined || opcode === undefined) return code;
  return codeWith(code, { f: functionWith(f, { opcode }), temporaries });
};

const MOST = 255;
