import assert from 'node:assert/strict';
import { InstructionFlag, OperandFlag, type Function } from '../../../server/src/ir/function.js';
import { bitsToFloat, componentOf, isNegated, spaceOf, vectorOf } from '../../../server/src/ir/payload.js';
import {
  isPhysical,
  isVirtual,
  NoRegister,
  physicalClass,
  physicalIndex,
} from '../../../server/src/ir/place.js';
import { Role } from '../../../server/src/languages/symbols.js';
import { bound, lowered } from './support.js';

const flagNames: readonly (readonly [number, string])[] = [
  [InstructionFlag.SideEffect, 'effect'],
  [InstructionFlag.ReadsMemory, 'reads'],
  [InstructionFlag.WritesMemory, 'writes'],
  [InstructionFlag.Branch, 'branch'],
  [InstructionFlag.Constant, 'constant'],
  [InstructionFlag.Entry, 'entry'],
];

/** An operand as a person would write down what it is: `=%x`, `-%x`, `$13`, `#2.5`, `-u3.x`. */
function operandText(f: Function, o: number): string {
  const place = f.operandPlace[o];
  const payload = f.operandPayload?.[o] ?? 0;
  const role = f.operandFlags[o] === OperandFlag.Definition ? '=' : '';
  const sign = place !== NoRegister.Immediate && isNegated(payload) ? '-' : '';
  if (isVirtual(place)) return `${role}${sign}${f.registerNames[place]}:${f.registerClass[place]}`;
  if (isPhysical(place)) return `${role}${sign}$${physicalIndex(place)}:${physicalClass(place)}`;
  switch (place) {
    case NoRegister.Immediate:
      return `#${Object.is(bitsToFloat(payload), -0) ? '-0' : bitsToFloat(payload)}`;
    case NoRegister.Symbol:
      return `${sign}${'auvt'[spaceOf(payload)]}${vectorOf(payload)}.${'xyzw'[componentOf(payload)]}`;
    case NoRegister.Label:
      return 'label';
    default:
      return '?';
  }
}

function instructionText(f: Function, i: number): string {
  const operands: string[] = [];
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) operands.push(operandText(f, o));
  const flags = flagNames.filter(([bit]) => (f.instructionFlags[i] & bit) !== 0).map(([, name]) => name);
  return [
    f.opcodes.text(f.opcode[i]),
    ...operands,
    ...(flags.length > 0 ? [`(${flags.join(' ')})`] : []),
  ].join(' ');
}

/** Blocks as `name -> successors`, each with its instructions. */
function show(text: string): string[] {
  const f = lowered(text);
  const lines: string[] = [];
  for (let b = 0; b < f.blockCount; b++) {
    const to = f.successors.subarray(f.successorStart[b], f.successorStart[b + 1]);
    lines.push(`${f.blockNames[b]}${b} -> ${to.join(' ')}`.trim());
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) lines.push(`  ${instructionText(f, i)}`);
  }
  return lines;
}

describe('gpir lowering', () => {
  it('keeps operands in the order of the text, with what they stand for', () =>
    assert.deepEqual(
      show(`
%a = ld_att a3.y
%u = ld_uni u511.w
%t = ld_tmp t7.z
%r = ld_reg @r
%c = const -2.5
%x = select -%a, -u0.x, 0x40200000
%y = add -@r, -t1.x
%z = add -$3.x, -0
st_reg @r, -%x
st_reg $15.w, 1
st_var v1.y, %y
st_tmp t2.z, %z
st_tmp t2.w, t2.z`),
      [
        '0 ->',
        '  ld_att =%a:0 a3.y (constant)',
        '  ld_uni =%u:0 u511.w (constant)',
        '  ld_tmp =%t:0 t7.z (reads)',
        '  ld_reg =%r:0 @r:1',
        '  const =%c:0 #-2.5 (constant)',
        '  select =%x:0 -%a:0 -u0.x #2.5',
        '  add =%y:0 -@r:1 -t1.x (reads)',
        '  add =%z:0 -$12:1 #-0',
        '  st_reg =@r:1 -%x:0',
        '  st_reg =$63:1 #1',
        '  st_var v1.y %y:0 (effect writes)',
        '  st_tmp t2.z %z:0 (effect writes)',
        '  st_tmp t2.w t2.z (effect reads writes)',
      ],
    ));

  it('gives a block to each label and ends one at each branch', () =>
    assert.deepEqual(
      show(`
%c = ld_uni u0.x
branch_cond far, %c
near: also_near_is_no_instruction
branch_cond near, %c
branch end
far:
st_var v0.x, %c
end:
`),
      [
        '0 -> 1 2',
        '  ld_uni =%c:0 u0.x (constant)',
        '  branch_cond label %c:0 (branch)',
        'near1 -> 3 1',
        '  branch_cond label %c:0 (branch)',
        '  branch label (branch)',
        'far2 -> 3',
        '  st_var v0.x %c:0 (effect writes)',
        'end3 ->',
      ],
    ));

  it('names a block by its first label and goes on behind a branch without one', () =>
    assert.deepEqual(show('a:\nb: branch b\n%x = mov 1\nbranch_cond c, 1\nbranch c\nc: branch a'), [
      'a0 -> 0',
      '  branch label (branch)',
      '1 -> 2',
      '  mov =%x:0 #1',
      '  branch_cond label #1 (branch)',
      '  branch label (branch)',
      'c2 -> 0',
      '  branch label (branch)',
    ]));

  it('says what a fragment is handed and what outlives it', () =>
    assert.deepEqual(
      show(
        '.live_out @sum, $3.x\n%a = ld_reg @sum\n%b = add %a, $4.y\n%o = ld_reg @own\nst_reg @sum, %b\nst_reg @own, %b',
      ),
      [
        '0 ->',
        '  entry =@sum:1 =$17:1 =@own:1 =$12:1 (entry)',
        '  ld_reg =%a:0 @sum:1',
        '  add =%b:0 %a:0 $17:1',
        '  ld_reg =%o:0 @own:1',
        '  st_reg =@sum:1 %b:0',
        '  st_reg =@own:1 %b:0',
        '  live_out @sum:1 $12:1 (effect)',
      ],
    ));

  it('keeps the entry outside a loop that begins the program, and live_out behind one that ends it', () =>
    assert.deepEqual(
      show('.live_out @i\nloop:\n%i = ld_reg @i\n%j = add %i, -1\nst_reg @i, %j\nbranch_cond loop, %j'),
      [
        '0 -> 1',
        '  entry =@i:1 (entry)',
        'loop1 -> 2 1',
        '  ld_reg =%i:0 @i:1',
        '  add =%j:0 %i:0 #-1',
        '  st_reg =@i:1 %j:0',
        '  branch_cond label %j:0 (branch)',
        '2 ->',
        '  live_out @i:1 (effect)',
      ],
    ));

  it('leaves out what is faulty, and keeps a second definition to itself', () =>
    assert.deepEqual(
      show(
        '%a = mov 1\n%b = frob %a\n%c = add %a\n%a = mov 2\nst_var v16.x, %a\nbranch nowhere\nst_var v0.x, %b',
      ),
      ['0 ->', '  mov =%a:0 #1', '  mov =%a:0 #2', '  st_var v0.x %b:0 (effect writes)'],
    ));

  it('says in attributes which uniforms belong to the program, and where the position goes', () => {
    const text = '.uniform u3 light\n.varying v2 p position\n.varying v1 s point_size\n';
    assert.deepEqual(lowered(`${text}%x = ld_uni u1.x`).attributes, {
      uniforms: 4,
      position: 2,
      pointSize: 1,
    });
    assert.deepEqual(lowered(`${text}%x = mov u7.x`).attributes.uniforms, 8);
    assert.deepEqual(lowered('%x = mov 1').attributes, { uniforms: 0 });
  });

  it('names the function by .program', () => {
    const f = lowered('; lit\n.program lit\na:\n%x = mov 1');
    assert.deepEqual([f.name, f.nameStart, f.nameEnd], ['lit', 15, 18]);
    assert.equal(lowered('a:\n%x = mov 1').name, 'program');
  });

  it('numbers occurrences as the function numbers instructions', () => {
    const text = [
      '.live_out @r, $3.x',
      'loop: %x = ld_reg @r',
      '%bad = add %x',
      '%y = add -%x, -$3.x',
      '%z = mul - %y, a0.x',
      'st_reg @r, %y',
      'branch_cond loop, %z',
    ].join('\n');
    const { symbols } = bound(text);
    const f = lowered(text);
    let checked = 0;
    for (let k = 0; k < symbols.occurrenceStart.length; k++) {
      const i = symbols.occurrenceInstruction[k];
      const symbol = symbols.symbols[symbols.occurrenceSymbol[k]];
      if (i < 0) continue;
      const role = symbols.occurrenceRole[k];
      const wanted =
        (role & Role.Write) !== 0 ? OperandFlag.Definition : (role & Role.Read) !== 0 ? OperandFlag.Use : 0;
      const operands: number[] = [];
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) operands.push(o);
      assert.ok(
        operands.some(
          (o) =>
            f.operandSpanStart[o] <= symbols.occurrenceStart[k] &&
            symbols.occurrenceEnd[k] <= f.operandSpanEnd[o] &&
            (f.operandFlags[o] === wanted || symbol.register < 0) &&
            (symbol.register < 0 || f.operandPlace[o] === symbol.register),
        ),
        `${symbol.name} at ${symbols.occurrenceStart[k]}`,
      );
      checked++;
    }
    assert.equal(checked, 14);
    for (let i = 1; i < f.instructionCount; i++) assert.ok(f.spanStart[i - 1] <= f.spanStart[i]);
  });
});
