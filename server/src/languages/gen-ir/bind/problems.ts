import type { Problem } from '../../../text/problem.js';
import type { Facts } from '../facts.js';
import type { Blocks, FlowFault } from '../flow.js';
import type { Contradiction, Registers } from '../sizes.js';
import type { Instruction, MesaUnit } from '../tree.js';

const flowMessages: Readonly<Record<FlowFault['kind'], (opcode: string) => string>> = {
  noIf: (opcode) => `'${opcode}' has no 'if' before it`,
  noLoop: (opcode) => `'${opcode}' stands in no loop: a 'do' must come before it`,
  openIf: () => "'if' has no 'endif'",
  openLoop: () => "'do' has no 'while'",
  crossed: (opcode) => `'${opcode}' ends something that was opened before what is open now: nest them`,
};

/** Branches and loops that do not nest. */
export function flowProblems(
  instructions: readonly Instruction[],
  blocks: Blocks,
  problems: Problem[],
): void {
  for (const { instruction, kind } of blocks.faults) {
    const { text, start, end } = instructions[instruction].opcode;
    problems.push({
      code: 'syntax/control-flow',
      severity: 'error',
      span: { start, end },
      message: flowMessages[kind](text),
    });
  }
}

/** Operands that do not go with the size that a `.vgrf` gives. */
export function sizeProblems({ declared, numbers, sizes }: Registers, problems: Problem[]): void {
  for (const contradiction of declared) {
    const { operand, directive, register } = contradiction;
    const name = `vgrf${numbers[register]}`;
    problems.push({
      code: 'type/register-size',
      severity: 'error',
      span: { start: operand.start, end: operand.end },
      message: sizeMessage(contradiction, name, sizes[register]),
      related: [
        {
          span: { start: directive.start, end: directive.end },
          message: `the size of ${name} is given here`,
        },
      ],
    });
  }
}

const registersText = (count: number): string => `${count} register${count === 1 ? '' : 's'}`;

function sizeMessage({ kind, needed }: Contradiction, name: string, size: number): string {
  switch (kind) {
    case 'beyond':
      return `the operand reaches beyond ${name}: it needs ${registersText(needed)}, and .vgrf gives ${size}`;
    case 'equal':
      return `+0.0 is written where the access is not as large as the register; this one is all of ${name}: leave it out or give another size than ${size}`;
    case 'different':
      return `without an offset the access is as large as the register: ${registersText(needed)}, and .vgrf gives ${name} ${size}; write +0.0 behind the name`;
  }
}

/** What the text does not say and was taken from its lines; each once. */
export function assumptions(
  { dialectBy, dialect }: MesaUnit,
  { isPhaseAssumed }: Facts,
  instructions: readonly Instruction[],
  problems: Problem[],
): void {
  const first = instructions.at(0);
  if (first === undefined) return;
  const span = { start: first.opcode.start, end: first.opcode.end };
  if (dialectBy === 'guessed')
    problems.push({
      code: 'dump/assumed-dialect',
      severity: 'hint',
      span,
      message: `nothing tells SIMD4x2 code from scalar code here: it is taken as ${dialect === 'vec4' ? 'SIMD4x2' : 'scalar'}; say it with .mode simd4x2 or .mode simd8`,
    });
  if (isPhaseAssumed)
    problems.push({
      code: 'dump/assumed-phase',
      severity: 'hint',
      span,
      message:
        'one number behind vgrf stands for values of different sizes, so that this is taken as a dump from behind register allocation, where the number is that of the hardware register; say it with .phase',
    });
}
