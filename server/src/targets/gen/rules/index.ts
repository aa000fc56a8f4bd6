/**
 * The validator: rules of the hardware and of its encoding as diagnostics `hw/*` (facts part B.12 and E; what those
 * mark as not verifiable is left out or is a warning). One walk over the program as written.
 */
import type { Function } from '../../../ir/function.js';
import type { Problem } from '../../../text/problem.js';
import type { Operand, Program } from '../program.js';
import { dependencyControl, dependencyRuns } from './dependency-control.js';
import { accumulator, compares, flagsWrittenBy, predicates, saturation, writesAccumulator } from './flags.js';
import { merges } from './merge.js';
import {
  alignedWrites,
  endOfThread,
  payloads,
  payloadUnderConstruction,
  scratchOffsets,
} from './messages.js';
import { conversions, hazards, immediates, masks, modifiers, vectorImmediates } from './operands.js';
import { pool } from './pool.js';
import { doubles, generations, mathTypes, registerNumbers, types, untypedWrites } from './registers.js';
import { reporterOf, type Place, type Rule } from './rule.js';
import { threeSource } from './three-source.js';

const rules: readonly Rule[] = [
  dependencyControl,
  dependencyRuns,
  threeSource,
  immediates,
  modifiers,
  masks,
  hazards,
  conversions,
  vectorImmediates,
  payloads,
  endOfThread,
  scratchOffsets,
  alignedWrites,
  payloadUnderConstruction,
  predicates,
  accumulator,
  compares,
  saturation,
  registerNumbers,
  generations,
  types,
  mathTypes,
  doubles,
  untypedWrites,
  merges,
  pool,
];

/** The violations in a program as written, in the order of the text. `textOf` writes an operand as its dialect does. */
export function checkRules(
  program: Program,
  source: Function,
  textOf: (operand: Operand) => string,
): Problem[] {
  const problems: Problem[] = [];
  const say = reporterOf(source, textOf, problems);
  const { instructions, blockStart } = program;
  let depth = 0;
  for (let block = 0; block + 1 < blockStart.length; block++) {
    let flagsWritten = 0;
    let isAccumulatorWritten = false;
    for (let index = blockStart[block]; index < blockStart[block + 1]; index++) {
      const instruction = instructions[index];
      const { flow } = instruction.opcode;
      if (flow === 'endif' || flow === 'while') depth = Math.max(0, depth - 1);
      const place: Place = {
        program,
        index,
        blockStart: blockStart[block],
        blockEnd: blockStart[block + 1],
        depth,
        flagsWritten,
        isAccumulatorWritten,
      };
      const asked = instruction.opcode.kind === 'unknown' ? [alignedWrites] : rules;
      for (const rule of asked) rule(instruction, place, (finding) => say(instruction, finding));
      if (flow === 'if' || flow === 'do') depth++;
      flagsWritten |= flagsWrittenBy(instruction);
      isAccumulatorWritten ||= writesAccumulator(instruction);
    }
  }
  return problems;
}
