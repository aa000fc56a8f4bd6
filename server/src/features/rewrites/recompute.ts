import { blockOf, InstructionFlag, type Function } from '../../ir/function.js';
import { isDefinition, isUse, kills } from '../../passes/occurrences.js';
import type { Compilation } from '../../targets/target.js';
import type { Snapshot, Unit } from '../../workspace/snapshot.js';
import { registerOccurrences } from '../reaching.js';
import { heldValues, isMovable, meansTheSame, peaksOf, statementOf, type Rewrite } from './candidates.js';

/**
 * Rematerialisation (Briggs, Cooper, Torczon, "Rematerialization", PLDI 1992) of what is no constant: a value that is
 * used, kept over the peak and used again is made a second time from the registers that it was made from, into the same
 * register, where these are held anyway. Inside one block, where the same threads make it and nothing else is written
 * to the register in between, and only what reads no memory. Constants of the run are for
 * `constants.ts`.
 */
export function recomputeRewrites(s: Snapshot, unit: Unit, c: Compilation): Rewrite[] {
  const f = c.source;
  const peaks = peaksOf(c);
  const found: Rewrite[] = [];
  for (const { register, definition, peak } of heldValues(c)) {
    if (!isRepeatable(f, register, definition)) continue;
    const uses = usesInBlock(f, register, definition);
    const to = uses.find((use) => use > peak);
    if (to === undefined || uses[0] > peak || !isSameAt(f, definition, to)) continue;
    const rewrite = recomputed(s, unit, f, register, definition, to, peaks);
    if (rewrite !== undefined) found.push(rewrite);
  }
  return found;
}

/** Every value that can be made again before a use, whether or not that is worth anything. */
export function* allRecomputations(s: Snapshot, unit: Unit, f: Function): Generator<Rewrite> {
  for (let from = 0; from < f.instructionCount; from++)
    for (let o = f.operandStart[from]; o < f.operandStart[from + 1]; o++) {
      const register = f.operandPlace[o];
      if (register < 0 || !isDefinition(f, o) || !isRepeatable(f, register, from)) continue;
      for (const to of usesInBlock(f, register, from)) {
        if (!isSameAt(f, from, to)) break;
        const rewrite = recomputed(s, unit, f, register, from, to, []);
        if (rewrite !== undefined) yield rewrite;
      }
    }
}

function recomputed(
  s: Snapshot,
  unit: Unit,
  f: Function,
  register: number,
  from: number,
  to: number,
  peaks: readonly number[],
): Rewrite | undefined {
  const own = statementOf(s, unit, f, from);
  const use = statementOf(s, unit, f, to);
  if (own === undefined || use === undefined || !meansTheSame(unit, f, from, to)) return undefined;
  const { text } = unit.parsed;
  const lineEnd = /\r?\n$/.exec(text.slice(own.start, own.end))?.[0];
  if (lineEnd === undefined) return undefined;
  const order = new Int32Array(f.instructionCount + 1);
  for (let k = 0; k < order.length; k++) order[k] = k < to ? k : k - 1;
  order[to] = from;
  return {
    title: `Compute \`${f.registerNames[register]}\` again in line ${s.lines.lineAt(unit.start + f.spanStart[to]) + 1}`,
    anchors: [from, to, ...peaks],
    order,
    blockStart: f.blockStart.map((start) => (start > to ? start + 1 : start)),
    edits: [
      {
        span: { start: use.start, end: use.start },
        newText: `${text.slice(own.start, f.spanEnd[from])}${lineEnd}`,
      },
    ],
  };
}

/** Whether an instruction makes the whole register, and nothing else, from other registers. */
function isRepeatable(f: Function, register: number, instruction: number): boolean {
  const fixed = InstructionFlag.Constant | InstructionFlag.ReadsMemory;
  if (!isMovable(f, instruction) || (f.instructionFlags[instruction] & fixed) !== 0) return false;
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
    if (f.operandPlace[o] < 0) continue;
    if (isDefinition(f, o) && (f.operandPlace[o] !== register || !kills(f, o))) return false;
    if (isUse(f, o) && f.operandPlace[o] === register) return false;
  }
  return true;
}

/** Instructions that read the register in the definition's block, before anything is written to it again. */
function usesInBlock(f: Function, register: number, from: number): number[] {
  const { start, operand, instruction } = registerOccurrences(f);
  const end = f.blockStart[blockOf(f, from) + 1];
  const found: number[] = [];
  for (let k = start[register]; k < start[register + 1] && instruction[k] < end; k++) {
    const at = instruction[k];
    if (at <= from) continue;
    if (isUse(f, operand[k]) && found.at(-1) !== at) found.push(at);
    // operands of one instruction stand together: what it writes, it writes after all of its reads
    const isLastOperand = instruction.at(k + 1) !== at || k + 1 === start[register + 1];
    if (isLastOperand && writes(f, register, at)) break;
  }
  return found;
}

function writes(f: Function, register: number, instruction: number): boolean {
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++)
    if (f.operandPlace[o] === register && isDefinition(f, o)) return true;
  return false;
}

/** Whether what `from` reads is the same before `to`, which is further down in its block. */
function isSameAt(f: Function, from: number, to: number): boolean {
  const { start, operand, instruction } = registerOccurrences(f);
  for (let o = f.operandStart[from]; o < f.operandStart[from + 1]; o++) {
    const source = f.operandPlace[o];
    if (source < 0 || !isUse(f, o)) continue;
    for (let k = start[source]; k < start[source + 1] && instruction[k] < to; k++)
      if (instruction[k] > from && isDefinition(f, operand[k])) return false;
  }
  return true;
}
