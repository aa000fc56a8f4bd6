import assert from 'node:assert/strict';
import { InstructionFlag } from '../../../../server/src/ir/function.js';
import { GENERAL } from '../../../../server/src/targets/nvidia/code/code.js';
import { sameMeaning, stagesOf } from '../../../support/machine-code.js';
import { ptxHead } from '../../../support/ptx.js';
import { unitsOf } from '../../../support/ptx-run.js';

/**
 * What ptxas 13.0 makes of short bodies, as its disassembly shows: each machine instruction by the PTX opcode that it
 * stands for. Parameters: `%a` and `%b` are pointers, `%n` is a number; `%i` is the thread.
 */
const kernel = (body: string): string => `${ptxHead}
  .visible .entry k(.param .u64 pa, .param .u64 pb, .param .u32 pn) {
  .reg .u64 %a, %b, %d<20>; .reg .b32 %n, %i, %r<20>; .reg .f32 %f<20>; .reg .f64 %g<9>; .reg .pred %p<9>; .reg .b16 %h<9>;
  ld.param.u64 %a, [pa]; ld.param.u64 %b, [pb]; ld.param.u32 %n, [pn];
  cvta.to.global.u64 %a, %a; cvta.to.global.u64 %b, %b;
  mov.u32 %i, %tid.x;
  ${body}
  ret; }`;

interface Listed {
  readonly opcodes: string[];
  readonly registers: string[][];
}

/** The last stage's instructions but for the one that reads the thread's number and \`ret\`; with the registers that they name. */
function listed(body: string, arch = 'sm_80'): Listed {
  const text = kernel(body);
  sameMeaning(text, 'k', { arch });
  const stages = stagesOf(unitsOf(text), 'k', {
    arch,
    without: 'unroll predicate sequences uniform schedule',
  });
  const { f } = stages[stages.length - 1].code;
  const opcodes: string[] = [];
  const registers: string[][] = [];
  for (let i = 0; i < f.instructionCount; i++) {
    if ((f.instructionFlags[i] & InstructionFlag.Return) !== 0) continue;
    const names: string[] = [];
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r >= 0 && f.registerClass[r] === GENERAL) names.push(f.registerNames[r]);
    }
    opcodes.push(f.opcodes.text(f.opcode[i]));
    registers.push(names);
  }
  return { opcodes, registers };
}

const opcodesOf = (body: string, arch?: string): string => listed(body, arch).opcodes.join(' ');

describe('instructions that ptxas folds', () => {
  it('an element address is one wide product and sum, whose parameter lies in a constant bank', () => {
    const { opcodes, registers } = listed(
      'mul.wide.u32 %d1, %i, 4; add.s64 %d2, %a, %d1; ld.global.f32 %f1, [%d2]; add.s64 %d3, %b, %d1; st.global.f32 [%d3], %f1;',
    );
    assert.deepEqual(opcodes, [
      'mov.u32',
      'mov.b32',
      'mad.wide.u32',
      'ld.global.f32',
      'mad.wide.u32',
      'st.global.f32',
    ]);
    assert.deepEqual(
      registers[2],
      ['%d2', '%i', 'constant'],
      'the parameter takes no register, the size does',
    );
  });

  it('from sm_90 on the parameter is loaded and the size stays in the instruction', () => {
    const { opcodes, registers } = listed(
      'mul.wide.u32 %d1, %i, 4; add.s64 %d2, %a, %d1; ld.global.f32 %f1, [%d2]; st.global.f32 [%d2], %f1;',
      'sm_90',
    );
    assert.deepEqual(opcodes, ['mov.u32', 'ld.param.u64', 'mad.wide.u32', 'ld.global.f32', 'st.global.f32']);
    assert.deepEqual(registers[2], ['%d2', '%i', '%a']);
  });

  it('constants in an address are its offset', () => {
    const { opcodes } = listed(
      'mul.wide.u32 %d1, %i, 4; add.s64 %d2, %a, %d1; add.s64 %d3, %d2, 64; ld.global.f32 %f1, [%d3+4]; st.global.f32 [%d2], %f1;',
      'sm_90',
    );
    assert.equal(opcodes.filter((o) => o.startsWith('add')).length, 0);
  });

  it('products are added up in one instruction, also where two sums read one', () => {
    const body =
      'cvt.rn.f32.u32 %f1, %i; mul.f32 %f2, %f1, 0f3f3504f3; add.f32 %f3, %f1, %f2; sub.f32 %f4, %f1, %f2; ' +
      'st.global.f32 [%a], %f3; st.global.f32 [%a+4], %f4;';
    const { opcodes } = listed(body);
    assert.equal(opcodes.filter((o) => o === 'fma.rn.f32').length, 2);
    assert.ok(!opcodes.includes('mul.f32'));
  });

  it('a sum with a rounding of its own stays one', () => {
    const text = opcodesOf(
      'cvt.rn.f32.u32 %f1, %i; mul.f32 %f2, %f1, %f1; add.rn.f32 %f3, %f1, %f2; st.global.f32 [%a], %f3;',
    );
    assert.match(text, /mul\.f32 add\.rn\.f32/);
  });

  it('negation costs nothing in arithmetic', () => {
    const { opcodes } = listed(
      'cvt.rn.f32.u32 %f1, %i; neg.f32 %f2, %f1; fma.rn.f32 %f3, %f2, %f1, %f2; st.global.f32 [%a], %f3;',
    );
    assert.ok(!opcodes.includes('neg.f32'));
  });

  it('what was computed before is not computed again, whichever way round its operands stand', () => {
    const { opcodes } = listed(
      'add.s32 %r1, %i, %n; add.s32 %r2, %n, %i; mul.lo.s32 %r3, %r1, %r2; st.global.u32 [%a], %r3;',
    );
    assert.equal(opcodes.filter((o) => o === 'add.s32').length, 1);
  });

  it('sums of three, shifted sums and chains of logic are one instruction', () => {
    const text = opcodesOf(
      'mov.u32 %r9, %ctaid.x; mov.u32 %r8, %tid.y; add.s32 %r1, %i, %r9; add.s32 %r2, %r1, %r8; shl.b32 %r3, %r2, 3; add.s32 %r4, %r3, %i; ' +
        'and.b32 %r5, %r4, %r9; xor.b32 %r6, %r5, %r8; st.global.u32 [%a], %r6;',
    );
    assert.match(text, /iadd3\.s32 lea\.b32 lop3\.xor\.and\.b32/);
  });

  it('two shifts of one value that make up its width are a rotation, and so are their sums', () => {
    const text = opcodesOf(
      'shl.b32 %r1, %i, 7; shr.u32 %r2, %i, 25; or.b32 %r3, %r1, %r2; ld.global.u64 %d1, [%b]; shr.u64 %d2, %d1, 56; shl.b64 %d3, %d1, 8; ' +
        'add.s64 %d4, %d2, %d3; st.global.u32 [%a], %r3; st.global.u64 [%a+8], %d4;',
    );
    assert.match(text, /shf\.l\.wrap\.b32/);
    assert.match(text, /shf\.l\.wrap\.b64/);
    assert.doesNotMatch(text, /shl|shr|or\.|add/);
  });

  it('two words put together are a pair of registers', () => {
    const text = opcodesOf(
      'mov.u32 %r1, %tid.y; cvt.u64.u32 %d1, %i; cvt.u64.u32 %d2, %r1; shl.b64 %d3, %d2, 32; or.b64 %d4, %d3, %d1; st.global.u64 [%a], %d4;',
    );
    assert.equal(text, 'mov.u32 mov.u32 mov.b64 ld.param.u64 st.global.u64');
  });

  it('negated predicates are read as they are', () => {
    const text = opcodesOf(
      'setp.lt.u32 %p1, %i, 5; not.pred %p2, %p1; setp.lt.u32 %p3, %i, 3; xor.pred %p4, %p3, %p2; selp.u32 %r1, 1, 2, %p4; @%p2 add.u32 %r1, %r1, 8; ' +
        'st.global.u32 [%a], %r1;',
    );
    assert.doesNotMatch(text, /not/);
  });

  it('a mask that takes nothing away goes', () => {
    const { opcodes } = listed(
      'ld.global.u8 %h1, [%a]; cvt.u32.u16 %r1, %h1; and.b32 %r2, %r1, 255; st.global.u32 [%b], %r2;',
    );
    assert.ok(!opcodes.some((o) => o.startsWith('and') || o.startsWith('cvt')));
  });

  it('a register that is written again holds another value', () => {
    sameMeaning(
      kernel(
        'mov.u32 %r1, %i; add.s32 %r2, %r1, 1; mov.u32 %r1, 7; add.s32 %r3, %r1, 1; mul.lo.s32 %r4, %r2, %r3; st.global.u32 [%a], %r4;',
      ),
    );
  });

  it('a product taken in everywhere is computed once more where it is wanted by itself', () => {
    sameMeaning(
      kernel(
        'mul.wide.u32 %d1, %i, 16; add.s64 %d2, %a, %d1; ld.global.u32 %r1, [%d2]; cvt.u64.u32 %d3, %i; shl.b64 %d4, %d3, 4; ' +
          'st.global.u64 [%b], %d4;',
      ),
    );
  });

  it('addresses in shared and local memory have 32 bits, and those of variables none', () => {
    const { opcodes, registers } = listed(
      '.shared .align 4 .b8 tile[256]; mov.u64 %d1, tile; cvt.u64.u32 %d2, %i; shl.b64 %d3, %d2, 2; add.s64 %d4, %d1, %d3; add.s64 %d5, %d1, 128; ' +
        'st.shared.u32 [%d4+4], %i; st.shared.u32 [%d5], %i; ld.shared.u32 %r1, [%d4]; st.global.u32 [%a], %r1;',
    );
    const at = opcodes.indexOf('st.shared.u32');
    assert.deepEqual(registers[at + 1], ['%i'], 'the second store names no address register');
    assert.ok(!opcodes.some((opcode) => /64$/.test(opcode) && opcode !== 'ld.param.u64'), opcodes.join(' '));
  });

  const tile =
    '.shared .align 4 .b8 tile[1024]; mov.u32 %r1, tile; shl.b32 %r2, %i, 4; add.s32 %r3, %r1, %r2; ' +
    'st.shared.u32 [%r3], %i; st.shared.u32 [%r3+4], %n; bar.sync 0; ';
  const sharedOf = (body: string): string =>
    listed(tile + body)
      .opcodes.filter((opcode) => opcode.includes('.shared'))
      .join(' ');

  it('neighbouring words of shared memory are read and written together', () => {
    assert.equal(
      sharedOf(
        [8, 0, 12].map((offset) => `ld.shared.u32 %r${offset + 4}, [%r3+${offset}];`).join(' ') +
          'add.s32 %r5, %r4, %r12; add.s32 %r6, %r5, %r16; st.global.u32 [%a], %r6;',
      ),
      'st.shared.v2.u32 ld.shared.v4.u32',
    );
  });

  it('but not across a store that may hit them, nor where the pair is not aligned', () => {
    const between = 'ld.shared.u32 %r4, [%r3]; st.shared.u32 [%r1+512], %i; ld.shared.u32 %r5, [%r3+4];';
    const use = 'add.s32 %r6, %r4, %r5; st.global.u32 [%a], %r6;';
    assert.equal(sharedOf(between + use), 'st.shared.v2.u32 ld.shared.u32 st.shared.u32 ld.shared.u32');
    const odd = 'ld.shared.u32 %r4, [%r3+4]; ld.shared.u32 %r5, [%r3+8];';
    assert.equal(sharedOf(odd + use), 'st.shared.v2.u32 ld.shared.u32 ld.shared.u32');
  });

  it('from sm_90 on, what is loaded from the constant bank in every round of a loop is loaded in front of it', () => {
    const { opcodes } = listed(
      'mov.u32 %r1, 0; L: add.s32 %r2, %r1, %i; mul.wide.u32 %d1, %r2, 4; add.s64 %d2, %a, %d1; ld.global.u32 %r3, [%d2]; ' +
        'st.global.u32 [%d2+4], %r3; add.s32 %r1, %r1, %n; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;',
      'sm_90',
    );
    assert.ok(opcodes.indexOf('ld.param.u64') < opcodes.indexOf('add.s32'), opcodes.join(' '));
  });

  it('zero is a register of the machine', () => {
    const { opcodes } = listed('mov.u32 %r1, 0; st.global.u32 [%a], %r1;', 'sm_90');
    assert.ok(!opcodes.includes('mov.u32') || opcodes.filter((o) => o === 'mov.u32').length === 1);
  });

  // the first `fold` takes the inversion and the sign in, the second one compares what it finds
  it('what one pass has inverted or negated in an operand is still so for the next', () => {
    for (const body of [
      'not.b32 %r2, %i; and.b32 %r3, %r2, %n; and.b32 %r4, %i, %n;',
      'neg.s32 %r2, %i; add.s32 %r3, %n, %r2; add.s32 %r4, %n, %i;',
      'and.b32 %r2, %i, %n; not.b32 %r5, %r2; and.b32 %r3, %r5, %r9; not.b32 %r6, %i; not.b32 %r7, %n; and.b32 %r8, %r6, %r7; and.b32 %r4, %r8, %r9;',
      'sub.s32 %r2, %i, %n; sub.s32 %r3, %r9, %r2; add.s32 %r5, %i, %n; add.s32 %r4, %r5, %r9;',
    ])
      assert.ok(
        opcodesOf(
          `ld.global.u32 %r9, [%a+16]; ${body} mov.u32 %r1, 0; L: add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4; @%p1 bra L;
           add.s32 %r3, %r3, %r1; st.global.u32 [%a], %r3; st.global.u32 [%a+4], %r4;`,
        ).length > 0,
      );
  });
});
