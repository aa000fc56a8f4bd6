import type { Problem } from '../../../text/problem.js';
import type { BoundUnit, Environment } from '../../language.js';
import { factsOf, type Facts } from '../facts.js';
import { blocksOf, FlowKind, type Blocks } from '../flow.js';
import { flowKindOf } from '../opcode-flow.js';
import { inferSizes, looksAllocated, type Registers } from '../sizes.js';
import type { Instruction, MesaUnit } from '../tree.js';
import { checkBlockMarks } from './block-marks.js';
import { checkProgram } from './checks.js';
import { bindNames } from './names.js';
import { assumptions, flowProblems, sizeProblems } from './problems.js';

/** A Mesa program with its names resolved, and what lowering needs of that. */
export interface MesaBound extends BoundUnit {
  readonly form: 'mesa';
  readonly parsed: MesaUnit;
  readonly facts: Facts;
  readonly registers: Registers;
  /** The instructions that are lowered, in text order: those without a syntax problem. */
  readonly instructions: readonly Instruction[];
  /** `FlowKind` by instruction. */
  readonly flowKinds: Uint8Array;
  readonly blocks: Blocks;
}

/** Resolves the names of a program. Never throws; linear in the unit. */
export function bind(parsed: MesaUnit, environment: Environment): MesaBound {
  const problems: Problem[] = [];
  const instructions: Instruction[] = [];
  const labels: { instruction: number; name: string }[] = [];
  const labelNumbers = new Map<string, number>();
  for (const statement of parsed.statements) {
    if (statement.kind === 'instruction' && !statement.isFaulty) instructions.push(statement);
    else if (statement.kind === 'label') {
      const { text } = statement.name;
      if (!labelNumbers.has(text)) labelNumbers.set(text, labels.length);
      labels.push({ instruction: instructions.length, name: text });
    }
  }
  const flowKinds = new Uint8Array(instructions.length);
  const isPredicated = new Uint8Array(instructions.length);
  const targets = new Map<number, number>();
  for (let i = 0; i < instructions.length; i++) {
    const instruction = instructions[i];
    const kind = flowKindOf(instruction.opcode.text);
    flowKinds[i] = kind;
    if (instruction.predicate !== undefined) isPredicated[i] = 1;
    if (kind === FlowKind.Jump) {
      const { destination } = instruction;
      const name =
        destination.file === 'word' ? parsed.text.slice(destination.nameStart, destination.nameEnd) : '';
      targets.set(i, labelNumbers.get(name) ?? -1);
    }
  }
  const registers = inferSizes(parsed);
  const facts = factsOf(parsed, looksAllocated(parsed, registers));
  const blocks = blocksOf({ count: instructions.length, kinds: flowKinds, isPredicated, labels, targets });
  const symbols = bindNames({ parsed, facts, registers, labelNumbers, environment, problems });
  flowProblems(instructions, blocks, problems);
  sizeProblems(registers, problems);
  checkBlockMarks(parsed, blocks, problems);
  checkProgram({ parsed, facts, registers, instructions, flowKinds, problems });
  assumptions(parsed, facts, instructions, problems);
  problems.sort((a, b) => a.span.start - b.span.start);
  return { form: 'mesa', parsed, symbols, problems, facts, registers, instructions, flowKinds, blocks };
}
