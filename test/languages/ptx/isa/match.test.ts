import assert from 'node:assert/strict';
import {
  matchEnvironment,
  matchInstruction,
  type Match,
} from '../../../../server/src/languages/ptx/isa/match.js';
import { OperandRole } from '../../../../server/src/languages/ptx/isa/opcode.js';
import { NameClass, packName, spaceId, typeId } from '../../../../server/src/languages/ptx/isa/types.js';
import type { NameOperand } from '../../../../server/src/languages/ptx/tree.js';
import { instruction } from './instruction.js';

const registers: Readonly<Record<string, string>> = {
  a: 'u32',
  b: 'b32',
  c: 's32',
  f: 'f32',
  d: 'u64',
  e: 'f64',
  p: 'pred',
  q: 'pred',
  h: 'b16',
  w: 'b128',
};
const variables: Readonly<Record<string, string>> = { gbl: 'global', shm: 'shared', cst: 'const' };

function typeOf({ name }: NameOperand): number {
  if (Object.hasOwn(registers, name.text)) return packName(NameClass.Register, typeId(registers[name.text]));
  if (Object.hasOwn(variables, name.text))
    return packName(NameClass.Variable, typeId('b8'), 0, spaceId(variables[name.text]));
  if (name.text === 'L') return packName(NameClass.Label, 0);
  return name.text.startsWith('%') ? packName(NameClass.SpecialRegister, typeId('u32')) : 0;
}

const modern = matchEnvironment('9.0', 'sm_100a');
const match = (text: string, environment = modern): Match =>
  matchInstruction(instruction(text), typeOf, environment);
const problems = (text: string, environment = modern): readonly string[] =>
  match(text, environment).problems.map((problem) => problem.message);

describe('ptx instruction check', () => {
  // Each of these was given to ptxas 13.0, which accepts it.
  for (const text of [
    'popc.b32 a, b',
    'sad.s32 a, b, c, 5',
    'bfe.u32 a, b, 0, c',
    'add.f32.rn f, f, b',
    'setp.and.lt.s32 p|q, a, b, !q',
    'ld.u32.global a, [d]',
    'ld.global.u8 d, [gbl]',
    'ld.global.u32 {a}, [d]',
    'mov.b64 {a, _}, d',
    'mov.b32 b, 0f3F800000',
    'mov.b64 d, gbl',
    'cvt.u64.u32 d, %tid',
    'st.global.v2.b32 [d], {a, 5}',
    'selp.f32 f, 1.0, 2.0, !p',
    'add.u32 a, undeclared, 1',
  ]) {
    it(`accepts ${text}`, () => assert.deepEqual(problems(text), []));
  }

  // What ptxas refuses, in words that say what to do.
  const explained: readonly (readonly [text: string, message: string])[] = [
    ['addi.u32 a, b, 1', "unknown instruction 'addi'; did you mean 'add'?"],
    ['ADD.u32 a, b, 1', "unknown instruction 'ADD'; did you mean 'add'?"],
    ['brev.b32.fast a, b', "brev has no modifier '.fast' with .b32, and takes no other"],
    ['add.fast.u32 a, b, c', "add has no modifier '.fast'; with .u32 it takes .cc"],
    ['mul.u32 a, b, c', 'mul on integers needs .lo, .hi or .wide'],
    ['mul.u32.lo a, b, c', 'wrong modifier order: write mul.lo.u32, the type comes last'],
    ['cvt.f32.u32 f, a', 'cvt from .u32 to .f32 needs a rounding modifier: .rn, .rz, .rm or .rp'],
    ['add.sat.u32 a, b, c', 'add.sat is only for .s32; not for .u32'],
    ['add.ftz.f64 e, e, e', 'add.ftz is only for .f32, .f16, .f16x2 or .f32x2; not for .f64'],
    ['ld.globl.u32 a, [d]', "ld has no state space '.globl'; did you mean '.global'?"],
    ['ld.global.v3.u32 {a, b, c}, [d]', "ld has no vector width '.v3'; it takes .v2, .v4 or .v8"],
    ['st.const.u32 [d], a', '.const is read-only: st cannot write to it'],
    ['fma.rn.f32 f, f, f', 'fma takes 4 operands (d, a, b, c); 3 were given'],
    ['popc.b32 a', 'popc takes 2 operands (d, a); 1 was given'],
    ['ret a', 'ret takes no operand; 1 was given: values are returned through the return parameters'],
    ['brev.b32 7, a', 'destination of brev must be a register, not the constant 7'],
    ['mov.u32 %laneid, 1', 'special register %laneid is read-only: it cannot be the destination of mov'],
    [
      'add.u32 a, b, %laneid',
      'add cannot read special register %laneid directly: move it to a register with mov first',
    ],
    ['add.u32 a, b, 1.5', 'add.u32 takes an integer constant here; 1 is a floating-point constant'],
    ['mov.f32 f, 1', 'mov.f32 takes a floating-point constant here: write 1.0 or 0f3F800000'],
    ['mov.f64 e, 3', 'mov.f64 takes a floating-point constant here: write 3.0 or 0d4008000000000000'],
    [
      'add.u64 d, d, a',
      "add.u64: operand 3 'a' is .u32 (32 bits), expected 64 bits; use cvt.u64.u32 or mad.wide",
    ],
    ['add.u32 a, a, q', "add.u32: 'q' is a predicate; use selp.u32 to turn it into a number"],
    ['setp.lt.u32 b, a, a', "setp writes a .pred register; 'b' is .b32"],
    ['st.global.u32 d, a', 'st needs an address in brackets: [d]'],
    ['ld.global.v4.u32 {a, b, c}, [d]', 'ld.global.v4.u32 needs 4 registers in braces; 3 were given'],
    ['ld.global.v2.u32 a, [d]', "ld.global.v2.u32 needs a braced list of 2 registers here, not 'a'"],
    [
      'ld.shared.u32 a, [gbl]',
      "'gbl' (a .global variable) is not in .shared, where ld.shared.u32 accesses memory",
    ],
    ['bfe.u32 a, b, 256, c', 'bfe.u32: operand 3 (pos) must be 0..255; 256 is outside'],
    ['setmaxnreg.inc.sync.aligned.u32 41', 'the number of registers must be a multiple of 8; 41 is not'],
    ['and.u32 a, b, c', "and has no type '.u32'; it takes .pred, .b16, .b32 or .b64"],
    ['bra a', "bra: operand 1 (target) cannot be 'a'; a label is wanted"],
  ];
  for (const [text, message] of explained)
    it(`explains ${text}`, () => assert.deepEqual(problems(text), [message]));

  it('names the version and the architecture that are needed, and raises them', () => {
    const old = matchEnvironment('7.0', 'sm_75');
    const [version] = match('bmsk.wrap.b32 a, b, c', old).problems;
    assert.equal(version.message, 'bmsk needs .version 7.6 or later; this file says 7.0');
    assert.deepEqual(version.fixes?.[0].edits, [
      { span: { start: 0, end: 0 }, newText: '7.6', anchor: '.version' },
    ]);
    const [target] = match('fma.rn.bf16x2 b, b, b, b', old).problems;
    assert.equal(target.message, 'fma.rn.bf16x2 needs sm_80 or later; .target is sm_75');
    const [both] = match('ld.global.v4.u64 {d, d, d, d}, [d]', old).problems;
    assert.equal(
      both.message,
      'ld.global.v4.u64 needs sm_100 or later (and .version 8.8); .target is sm_75; use two accesses of half the width',
    );
    assert.deepEqual(
      both.fixes?.[0].edits.map((edit) => [edit.anchor, edit.newText]),
      [
        ['.target', 'sm_100'],
        ['.version', '8.8'],
      ],
    );
  });

  it('says what each operand is used for', () => {
    const R = OperandRole.Read;
    const W = OperandRole.Written;
    const table: readonly (readonly [text: string, roles: readonly number[]])[] = [
      ['bfi.b32 a, b, c, 1, 2', [W, R, R, R, R]],
      ['st.global.u32 [d], a', [R, R]],
      ['ld.global.v2.u32 {a, b}, [d]', [W, R]],
      ['setp.lt.and.s32 p|q, a, b, q', [W, R, R, R]],
      ['mov.b64 {a, b}, d', [W, R]],
      ['mov.b64 d, {a, b}', [W, R]],
      ['lop3.or.b32 b|p, b, b, b, 0x80, q', [W, R, R, R, R, R]],
      ['call (a), undeclared, (b, c)', [W, R, R]],
      ['bra L', [R]],
      ['stacksave.u64 d', [W]],
      ['stackrestore.u64 d', [R]],
      ['nanosleep.u32 a', [R]],
      ['prefetch.global.L1 [d]', [R]],
    ];
    for (const [text, roles] of table) {
      assert.deepEqual(problems(text), [], text);
      assert.deepEqual([...match(text).roles], roles, text);
    }
  });

  it('survives opcodes of any length and shape', () => {
    for (const opcode of [
      '',
      '.',
      '..',
      'add' + '.u32'.repeat(5000),
      'ld' + '.global'.repeat(30),
      'mul.',
      'setp.lt.lt.lt',
    ])
      assert.ok(problems(`${opcode === '' ? 'x' : opcode} a, b, c`).length >= 1, opcode.slice(0, 30));
  });
});
