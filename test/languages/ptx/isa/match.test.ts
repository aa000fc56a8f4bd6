import assert from 'node:assert/strict';
import { matchEnvironment, matchInstruction } from '../../../../server/src/languages/ptx/isa/match.js';
import { OperandRole } from '../../../../server/src/languages/ptx/isa/opcode.js';
import { NameClass, packName, typeId } from '../../../../server/src/languages/ptx/isa/types.js';
import type { NameOperand } from '../../../../server/src/languages/ptx/tree.js';
import { instruction } from './instruction.js';

const registers: Readonly<Record<string, string>> = {
  a: 'u32',
  b: 'b32',
  c: 's32',
  f: 'f32',
  d: 'u64',
  q: 'pred',
  h: 'b16',
};
const typeOf = (operand: NameOperand): number => {
  const type = registers[operand.name.text];
  if (type !== undefined) return packName(NameClass.Register, typeId(type));
  return operand.name.text.startsWith('%') ? packName(NameClass.SpecialRegister, typeId('u32')) : 0;
};
const modern = matchEnvironment('9.0', 'sm_100a');
const problems = (text: string, environment = modern): readonly string[] =>
  matchInstruction(instruction(text), typeOf, environment).problems.map((problem) => problem.message);

describe('ptx instruction check', () => {
  it('accepts what ptxas accepts', () => {
    for (const text of [
      'popc.b32 a, b',
      'sad.s32 a, b, c, 5',
      'mul24.lo.u32 a, b, c',
      'bfe.u32 a, b, 0, c',
      'ld.global.u32 {a}, [d]',
      'mov.b64 {a, _}, d',
    ])
      assert.deepEqual(problems(text), [], text);
  });

  it('explains what it does not know', () => {
    assert.deepEqual(problems('pop.b32 a, b'), ["unknown instruction 'pop'; did you mean 'popc'?"]);
    assert.deepEqual(problems('brev.b32.fast a, b'), ["brev has no modifier '.fast'; it takes .b32, .b64"]);
    assert.deepEqual(problems('mul24.u32 a, b, c'), ['mul24 on integers needs .lo or .hi']);
    assert.deepEqual(problems('mul24.u32.lo a, b, c'), [
      'wrong modifier order: write mul24.lo.u32, the type comes last',
    ]);
    assert.deepEqual(problems('popc.b32 a'), ['popc takes 2 operands (d, a); 1 was given']);
    assert.deepEqual(problems('brev.b32 7, a'), [
      'destination of brev must be a register, not the constant 7',
    ]);
    assert.deepEqual(problems('bmsk.wrap.b32 a, b, c', matchEnvironment('7.0', 'sm_90')), [
      'bmsk needs .version 7.6 or later; this file says 7.0',
    ]);
  });

  it('says what each operand is used for', () => {
    const { roles } = matchInstruction(instruction('bfi.b32 a, b, c, 1, 2'), typeOf, modern);
    assert.deepEqual([...roles], [OperandRole.Written, ...Array.from({ length: 4 }, () => OperandRole.Read)]);
  });
});
