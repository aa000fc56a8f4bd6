import type { Function } from '../../../../ir/function.js';
import { controlFlow } from '../../../../passes/cfg.js';
import { dominatorsOf } from '../../../../passes/dominators.js';
import { loopsOf } from '../../../../passes/loops.js';
import { isDefinition, occurrencesOf, type Occurrences } from '../../../../passes/occurrences.js';
import type { CommonPass, MachineCode } from '../code.js';
import { deadCode } from '../fold/dead-code.js';
import { fold } from '../fold/fold.js';
import { divergentRegisters } from '../uniform/divergence.js';
import { countedLoops, type CountedLoop } from './counted.js';
import { unrolled, type Chosen } from './emit.js';
import { planOf } from './plan.js';

/**
 * Unrolls counted loops as ptxas does (`plan.ts`), unless `.pragma "nounroll"` stands in them. Inner loops first:
 * a nest whose inner loop goes away whole may be unrolled in its turn.
 *
 * Copies use the registers of the loop itself: nothing is renamed, `deadCode` parts them afterwards. What only counts
 * along (`add r, r, 16`, read by addresses alone) is added up: the addresses of the copies get offsets, one addition
 * at the end advances the register, as ptxas does it.
 *
 * Where the trip count is not known, four copies run without tests between them, and a test in front and behind asks
 * whether three more iterations would follow. ptxas compares with a bound less three steps; here the test executes
 * the counter's addition and its comparison as often, which is true for every step and comparison.
 */
export const unroll: CommonPass = (code, context) => {
  const { nounroll } = code.f.attributes;
  if (nounroll === '*') return code;
  const pragmas = typeof nounroll === 'string' ? nounroll.split(' ').map(Number) : [];
  pragmas.sort((a, b) => a - b);
  if (!mayLoop(code, pragmas)) return code;
  let result = code;
  let budget = GROWTH_FLOOR + GROWTH * code.f.instructionCount;
  let closed: ReadonlySet<number> = new Set();
  for (let round = 0; round < ROUNDS; round++) {
    const chosen = choose(result, pragmas, closed, budget);
    if (chosen.length === 0) break;
    const before = result.f.instructionCount;
    ({ code: result, closed } = unrolled(result, chosen, closed));
    budget -= result.f.instructionCount - before;
    if (!chosen.some(({ plan }) => plan.kind === 'whole')) break;
  }
  if (result === code) return code;
  result = deadCode(result, context);
  return context.has('fold') ? fold(result, context) : result;
};

/** Whether one of the ascending numbers lies above `low` and not above `high`. O(log numbers). */
function isAnyIn(numbers: readonly number[], low: number, high: number): boolean {
  let first = 0;
  let end = numbers.length;
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (numbers[middle] > low) end = middle;
    else first = middle + 1;
  }
  return first < numbers.length && numbers[first] <= high;
}

/** Whether an edge goes up the text over no pragma: without one there is nothing to analyse. */
function mayLoop({ f, origin }: MachineCode, pragmas: readonly number[]): boolean {
  for (let b = 0; b < f.blockCount; b++)
    for (let e = f.successorStart[b]; e < f.successorStart[b + 1]; e++) {
      const to = f.successors[e];
      if (to > b) continue;
      let first = f.blockStart[to] - 1;
      while (first >= 0 && origin[first] < 0) first--;
      let last = f.blockStart[b + 1] - 1;
      while (last > first && origin[last] < 0) last--;
      const ahead = first < 0 ? -1 : origin[first];
      const end = last < 0 ? -1 : origin[last];
      if (!isAnyIn(pragmas, ahead, end)) return true;
    }
  return false;
}

/** Nests that are looked into: deeper ones are no counted loops of few iterations. */
const ROUNDS = 4;

/** The code may grow by this many instructions, and by as many times its size; what does not fit stays a loop. */
const GROWTH_FLOOR = 8192;
const GROWTH = 4;

function choose(
  code: MachineCode,
  pragmas: readonly number[],
  closed: ReadonlySet<number>,
  budget: number,
): Chosen[] {
  const { f } = code;
  const cfg = controlFlow(f);
  const dominators = dominatorsOf(cfg);
  const loops = loopsOf(cfg, dominators);
  let found: Occurrences | undefined;
  const occurrences = (): Occurrences => (found ??= occurrencesOf(f));
  let divergent: Uint8Array | undefined;
  const isEquallyOften = ({ bound, counter }: CountedLoop): boolean =>
    isPlain(f, bound, occurrences()) &&
    (divergent ??= divergentRegisters(f, cfg, occurrences()))[counter] === 0;
  const chosen: Chosen[] = [];
  for (const loop of countedLoops(f, cfg, dominators, loops, occurrences)) {
    if (closed.has(loop.header) || hasPragma(code, loop, pragmas)) continue;
    const plan = planOf(f, loop, isEquallyOften);
    if (plan === undefined) continue;
    const size = sizeOf(f, loop);
    const copies = plan.kind === 'peeled' ? plan.copies + plan.peeled : plan.copies;
    budget -= size * copies;
    if (budget < 0) break;
    chosen.push({ loop, plan });
  }
  return chosen;
}

/** Whether an operand is a number, or a kernel parameter as it was given. */
function isPlain(f: Function, bound: number, { start, instruction, operand }: Occurrences): boolean {
  const register = f.operandPlace[bound];
  if (register < 0) return true;
  const definitions: number[] = [];
  for (let k = start[register]; k < start[register + 1]; k++)
    if (isDefinition(f, operand[k])) definitions.push(instruction[k]);
  return definitions.length === 1 && f.opcodes.text(f.opcode[definitions[0]]).startsWith('ld.param');
}

const sizeOf = (f: Function, { blocks }: CountedLoop): number =>
  blocks.reduce((size, b) => size + f.blockStart[b + 1] - f.blockStart[b], 0);

/**
 * Whether the pragma stands in the loop: in front of a source instruction between the last one ahead of the loop and
 * the last one in it (the instruction that it precedes may be gone).
 */
function hasPragma({ f, origin }: MachineCode, { blocks }: CountedLoop, pragmas: readonly number[]): boolean {
  if (pragmas.length === 0) return false;
  let last = -1;
  for (const b of blocks)
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) last = Math.max(last, origin[i]);
  let ahead = -1;
  for (let i = f.blockStart[blocks[0]] - 1; i >= 0 && ahead < 0; i--) ahead = origin[i];
  return isAnyIn(pragmas, ahead, last);
}
