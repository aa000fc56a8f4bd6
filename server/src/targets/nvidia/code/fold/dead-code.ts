import { functionWith, type Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { controlFlow, isReachable } from '../../../../passes/cfg.js';
import { deadInstructions } from '../../../../passes/dead-code.js';
import { livenessOf } from '../../../../passes/liveness.js';
import { isDefinition, occurrencesOf } from '../../../../passes/occurrences.js';
import { reachingDefinitions } from '../../../../passes/reaching.js';
import { websOf } from '../../../../passes/webs.js';
import type { CommonPass, MachineCode } from '../code.js';
import { CodeWriter } from '../writer.js';

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
  const { ofOperand, count } = websOf(masked, reachingDefinitions(masked, cfg, livenessOf(masked, cfg)));
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
  if (writer === undefined) return code;
  for (let b = 0; b < f.blockCount; b++) {
    writer.sameBlock(b);
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++)
      writer.copy(i, (r, o) => (ofOperand[o] < 0 ? r : registerOf[ofOperand[o]]));
  }
  return writer.finish();
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
