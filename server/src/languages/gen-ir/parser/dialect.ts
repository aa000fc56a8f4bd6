import type { Problem } from '../../../text/problem.js';
import type { Operand } from '../operand.js';
import { headEnd, type Instruction, type MesaUnit, type Statement } from '../tree.js';

/**
 * Which back-end a program is of. The two print the same instructions differently: vec4 puts the execution size
 * before the modifiers and gives every source a swizzle, the scalar back-end puts it behind them, prints strides,
 * and immediates in small letters. A directive wins; then what is found most; a program that mixes the orders is
 * told so once.
 */
interface Found {
  readonly dialect: MesaUnit['dialect'];
  readonly dialectBy: MesaUnit['dialectBy'];
  readonly problem: Problem | undefined;
}

const modes: Readonly<Record<string, MesaUnit['dialect']>> = {
  simd4x2: 'vec4',
  simd4x1: 'vec4',
  dual_instance: 'vec4',
  simd8: 'scalar',
  simd16: 'scalar',
  simd32: 'scalar',
};

export function dialectOf(statements: readonly Statement[]): Found {
  let directive: MesaUnit['dialect'] | undefined;
  let vec4 = 0;
  let scalar = 0;
  let plainSources = 0;
  let vec4Order: Instruction | undefined;
  let scalarOrder: Instruction | undefined;
  for (const statement of statements) {
    if (statement.kind === 'mode' && statement.word !== undefined) directive ??= modes[statement.word.text];
    if (statement.kind === 'stage' && statement.word?.text === 'fs') directive ??= 'scalar';
    if (statement.kind !== 'instruction') continue;
    if (statement.modifiersFirst === true) {
      scalar++;
      scalarOrder ??= statement;
    } else if (statement.modifiersFirst === false) {
      vec4++;
      vec4Order ??= statement;
    }
    if (statement.pressure >= 0 || statement.width > 8 || printsLength(statement)) scalar++;
    if (isVec4(statement.destination)) vec4++;
    for (const source of statement.sources)
      if (isVec4(source)) vec4++;
      else if (source.stride >= 0) scalar++;
      else if (source.file === 'virtual' || source.file === 'grf') plainSources++;
  }
  const byText = vec4 === scalar ? undefined : vec4 > scalar ? 'vec4' : 'scalar';
  const dialect = directive ?? byText ?? (plainSources > 0 ? 'scalar' : 'vec4');
  const odd = dialect === 'vec4' ? scalarOrder : vec4Order;
  return {
    dialect,
    dialectBy: directive !== undefined ? 'directive' : byText !== undefined ? 'text' : 'guessed',
    problem: odd === undefined ? undefined : mixed(odd, dialect),
  };
}

/** `(mlen: 2)` behind the head. */
const printsLength = ({ attributes }: Instruction): boolean =>
  attributes !== undefined && attributes.start < 0;

const isVec4 = (operand: Operand): boolean => operand.channelsStart >= 0;

function mixed(instruction: Instruction, dialect: MesaUnit['dialect']): Problem {
  return {
    code: 'syntax/head-order',
    severity: 'warning',
    span: { start: instruction.opcode.start, end: headEnd(instruction) },
    message:
      dialect === 'vec4'
        ? 'this is the order of a scalar dump in a SIMD4x2 program: there the execution size stands before the modifiers, as in add(8).sat; read as meant, also further down'
        : 'this is the order of a SIMD4x2 dump in a scalar program: there the modifiers stand before the execution size, as in add.sat(8); read as meant, also further down',
  };
}
