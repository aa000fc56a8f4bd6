import { functionWith, InstructionFlag, type Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { controlFlow, isReachable } from '../../../../passes/cfg.js';
import { deadInstructions } from '../../../../passes/dead-code.js';
import { livenessOf } from '../../../../passes/liveness.js';
import { isDefinition, kills, occurrencesOf } from '../../../../passes/occurrences.js';
import { reachingDefinitions, type ReachingDefinitions } from '../../../../passes/reaching.js';
import { websOf } from '../../../../passes/webs.js';
import type { CommonPass, MachineCode } from '../code.js';
import { CodeWriter } from '../writer.js';
import { formsOf, Op } from './forms.js';

/**
 * ptxas works on values, not on registers: what the text calls by one name and never lets meet becomes several
 * registers (webs); then what nobody reads goes, and what no path reaches.
 */
export const deadCode: CommonPass = (code) => {
  const split = splitRegisters(code);
  const { f } = split;
  const dead = deadInstructions(f, occurrencesOf(f));
  const cfg = controlFlow(f);
  for (let b = 0; b < f.blockCount; b++)
    if (!isReachable(cfg, b)) dead.fill(1, f.blockStart[b], f.blockStart[b + 1]);
  return dead.includes(1) ? without(split, dead) : split;
};

function without(code: MachineCode, dead: Uint8Array): MachineCode {
  const { f } = code;
  const writer = new CodeWriter(code);
  for (let b = 0; b < f.blockCount; b++) {
    writer.sameBlock(b);
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) if (!dead[i]) writer.copy(i);
  }
  return writer.finish();
}

/** Registers that are written once are webs already; only the others are looked at. */
function splitRegisters(code: MachineCode): MachineCode {
  const { f } = code;
  const isSeveral = severallyWritten(f);
  if (isSeveral === undefined) return code;
  const operandPlace = f.operandPlace.slice();
  for (let o = 0; o < operandPlace.length; o++)
    if (operandPlace[o] >= 0 && isSeveral[operandPlace[o]] === 0) operandPlace[o] = NoRegister.Unknown;
  const masked: Function = functionWith(f, { operandPlace });
  const cfg = controlFlow(masked);
  const reaching = reachingDefinitions(masked, cfg, livenessOf(masked, cfg));
  const { ofOperand, count } = websOf(masked, reaching);
  const firstWeb = new Int32Array(f.registerCount).fill(-1);
  const registerOf = new Int32Array(count).fill(-1);
  let writer: CodeWriter | undefined;
  for (let o = 0; o < operandPlace.length; o++) {
    const web = ofOperand[o];
    if (web < 0 || registerOf[web] >= 0) continue;
    const r = operandPlace[o];
    if (firstWeb[r] < 0) {
      firstWeb[r] = web;
      registerOf[web] = r;
    } else registerOf[web] = (writer ??= new CodeWriter(code)).another(r);
  }
  const begun = beginnings(f, isSeveral, reaching, ofOperand);
  if (begun !== undefined) writer ??= new CodeWriter(code);
  if (writer === undefined) return code;
  const apart = new Map<number, number>();
  for (let b = 0; b < f.blockCount; b++) {
    writer.sameBlock(b);
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      const own = f.operandStart[i] < f.operandStart[i + 1] ? begun?.isRead[f.operandStart[i]] : 0;
      if (own === 1) {
        const fresh = writer.another(f.operandPlace[f.operandStart[i]]);
        apart.set(f.operandStart[i], fresh);
        writer.copy(i, (r, o) => (isDefinition(f, o) ? fresh : r));
      }
      writer.copy(i, (r, o) => {
        const alone = begun === undefined ? undefined : apart.get(begun.ofUse[o]);
        if (alone !== undefined) return alone;
        return ofOperand[o] < 0 ? r : registerOf[ofOperand[o]];
      });
    }
  }
  return writer.finish();
}

/**
 * What a register that changes later begins with, where that costs nothing to have twice: a constant, a parameter, a
 * copy. ptxas works on values: who reads the register before it changes reads that (a pointer that a loop moves on is
 * the parameter itself in front of the loop, and goes to the uniform registers inside it; ptxas 13.0 for sm_75 to 90).
 */
function beginnings(
  f: Function,
  isSeveral: Uint8Array,
  { nodeOfUse, definition, inputStart, inputs }: ReachingDefinitions,
  web: Int32Array,
): { readonly isRead: Uint8Array; readonly ofUse: Int32Array } | undefined {
  const isFree = new Uint8Array(f.operandPlace.length);
  const formOf = formsOf(f.opcodes);
  let found = false;
  for (let i = 0; i < f.instructionCount; i++) {
    const o = f.operandStart[i];
    if (f.operandStart[i + 1] - o !== 2 || web[o] < 0 || !isDefinition(f, o) || !kills(f, o)) continue;
    const { op } = formOf(f.opcode[i]);
    const from = f.operandPlace[o + 1];
    const isPlain =
      (f.instructionFlags[i] & InstructionFlag.Constant) !== 0 || (from >= 0 && isSeveral[from] === 0);
    if (!isPlain || (op !== Op.Move && op !== Op.ParameterLoad)) continue;
    isFree[o] = 1;
    found = true;
  }
  if (!found) return undefined;
  // where a value never meets another one, it has a register of its own already
  const meets = new Uint8Array(f.operandPlace.length);
  for (let n = 0; n < definition.length; n++)
    for (let k = inputStart[n]; k < inputStart[n + 1]; k++)
      if (definition[inputs[k]] >= 0) meets[definition[inputs[k]]] = 1;
  const isRead = new Uint8Array(f.operandPlace.length);
  const ofUse = new Int32Array(f.operandPlace.length).fill(-1);
  let isAnyRead = false;
  for (let o = 0; o < ofUse.length; o++) {
    const defined = nodeOfUse[o] < 0 ? -1 : definition[nodeOfUse[o]];
    if (defined < 0 || isFree[defined] === 0 || meets[defined] === 0 || isDefinition(f, o)) continue;
    ofUse[o] = defined;
    isRead[defined] = 1;
    isAnyRead = true;
  }
  return isAnyRead ? { isRead, ofUse } : undefined;
}

/** 1 for registers with several definitions; undefined where there is none. */
function severallyWritten(f: Function): Uint8Array | undefined {
  const seen = new Uint8Array(f.registerCount);
  const several = new Uint8Array(f.registerCount);
  let found = false;
  for (let o = 0; o < f.operandPlace.length; o++) {
    const r = f.operandPlace[o];
    if (r < 0 || !isDefinition(f, o)) continue;
    if (seen[r]) {
      several[r] = 1;
      found = true;
    }
    seen[r] = 1;
  }
  return found ? several : undefined;
}
