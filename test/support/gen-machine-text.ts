import type { FlagReference, Instruction, Operand, Program } from '../../server/src/targets/gen/program.js';

/** A program as lines for failure messages, with what each instruction has beside its operands. */
export const programText = (program: Program): string =>
  program.instructions.map((instruction, i) => `${i}: ${instructionText(program, instruction)}`).join('\n');

export function instructionText({ dialect }: Program, instruction: Instruction): string {
  const { opcode, execSize, group, noMask, saturate, condition, predicate, message } = instruction;
  const operand = (each: Operand, isDestination: boolean) =>
    operandText(each, isDestination, dialect === 'vec4');
  const words = [
    predicate && `(${predicate.inverse ? '-' : '+'}${flagText(predicate.flag)}.${predicate.mode})`,
    `${opcode.name}(${execSize})${saturate ? '.sat' : ''}${condition ? `.${condition.test}.${flagText(condition.flag)}` : ''}`,
    [
      ...instruction.destinations.map((each) => operand(each, true)),
      '=',
      ...instruction.sources.map((each) => operand(each, false)),
    ].join(' '),
    noMask && 'NoMask',
    group > 0 && `group${group}`,
    message.scratchOffset !== undefined && `offset ${message.scratchOffset}`,
    message.mlen > 0 && `mlen ${message.mlen}`,
    message.rlen !== undefined && `rlen ${message.rlen}`,
  ];
  return words.filter((word) => word).join(' ');
}

const flagText = (flag: FlagReference): string =>
  flag.kind === 'virtual' ? `v${flag.register}` : `f${flag.flag >> 1}.${flag.flag & 1}`;

function operandText(operand: Operand, isDestination: boolean, isVec4: boolean): string {
  if (operand.file === 'immediate') return `0x${(operand.low >>> 0).toString(16)}:${operand.type}`;
  const name =
    operand.file === 'virtual'
      ? `v${operand.register}`
      : operand.file === 'grf'
        ? `g${operand.grf}`
        : `${operand.file}${operand.number}`;
  const letters = [0, 1, 2, 3]
    .filter((c) => !isDestination || (operand.mask >> c) & 1)
    .map((c) => 'xyzw'[isDestination ? c : (operand.swizzle >> (2 * c)) & 3])
    .join('');
  const offset = operand.offset > 0 ? `+${operand.offset}` : '';
  const stride = operand.stride === 1 ? '' : `<${operand.stride}>`;
  const text = `${operand.absolute ? '|' : ''}${name}${offset}${isVec4 ? `.${letters}` : ''}${operand.absolute ? '|' : ''}`;
  return `${operand.negate ? '-' : ''}${text}${stride}:${operand.type}`;
}
