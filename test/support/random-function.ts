import fc from 'fast-check';
import { FunctionBuilder } from '../../server/src/ir/builder.js';
import { InstructionFlag, OpcodeTable, OperandFlag, type Function } from '../../server/src/ir/function.js';
import { NoRegister, virtual } from '../../server/src/ir/place.js';

/**
 * Random well-formed functions for the passes: any control-flow graph (irreducible regions, unreachable blocks,
 * empty blocks, self loops), two register classes, widths 1, 2 and 4, predicated and partial definitions, operands
 * that are read and written, several operands of one register in one instruction, uses that nothing defines.
 */
export interface FunctionShape {
  readonly maxBlocks?: number;
  readonly maxInstructions?: number;
  readonly maxRegisters?: number;
  /** Definitions that are predicated or partial are tied to nothing: an allocator treats them as kept in place. */
  readonly wide?: boolean;
}

interface OperandPlan {
  readonly register: number;
  readonly role: number;
  readonly part: number;
}

interface InstructionPlan {
  readonly kind: number;
  readonly operands: readonly OperandPlan[];
}

interface BlockPlan {
  readonly instructions: readonly InstructionPlan[];
  readonly successors: readonly number[];
}

interface Plan {
  readonly registers: readonly { readonly class: number; readonly width: number }[];
  readonly blocks: readonly BlockPlan[];
}

export const classes = [
  { name: 'general', unit: '32-bit register' },
  { name: 'predicate', unit: 'predicate register' },
];

export function randomFunction(shape: FunctionShape = {}): fc.Arbitrary<Function> {
  const { maxBlocks = 8, maxInstructions = 6, maxRegisters = 7, wide = true } = shape;
  const operand = fc.record({ register: fc.nat(1000), role: fc.nat(9), part: fc.nat(7) });
  const instruction = fc.record({
    kind: fc.nat(11),
    operands: fc.array(operand, { maxLength: 5, size: 'max' }),
  });
  const block = fc.record({
    instructions: fc.array(instruction, { maxLength: maxInstructions, size: 'max' }),
    successors: fc.array(fc.nat(1000), { maxLength: 3, size: 'max' }),
  });
  const register = fc.record({
    class: fc.nat(4).map((n) => (n === 0 ? 1 : 0)),
    width: wide ? fc.constantFrom(1, 1, 2, 4) : fc.constant(1),
  });
  return fc
    .record({
      registers: fc.array(register, { minLength: 1, maxLength: maxRegisters, size: 'max' }),
      blocks: fc.array(block, { minLength: 1, maxLength: maxBlocks, size: 'max' }),
    })
    .map(build);
}

/** Definitions first, as texts have them. */
const ROLES = [
  OperandFlag.Definition,
  OperandFlag.Definition,
  OperandFlag.Definition | OperandFlag.Predicated,
  OperandFlag.Definition | OperandFlag.Partial,
  OperandFlag.UseDefinition,
  OperandFlag.UseDefinition | OperandFlag.Predicated,
  OperandFlag.Use,
  OperandFlag.Use,
  OperandFlag.Use | OperandFlag.Address,
  OperandFlag.Use,
];

function build(plan: Plan): Function {
  const builder = new FunctionBuilder({ name: 'random', isEntry: true }, new OpcodeTable(), classes);
  const widths = plan.registers.map((r) => (r.class === 1 ? 1 : r.width));
  plan.registers.forEach((r, n) => builder.register(`%r${n}`, r.class, widths[n]));
  for (const block of plan.blocks) {
    const number = builder.block();
    const ends = block.successors.length > 1;
    block.instructions.forEach((instruction, n) => {
      const isLast = n + 1 === block.instructions.length;
      addInstruction(builder, instruction, plan, widths, ends && isLast);
    });
    for (const to of block.successors) builder.successor(number, to % plan.blocks.length);
  }
  return builder.finish();
}

function addInstruction(
  builder: FunctionBuilder,
  { kind, operands }: InstructionPlan,
  plan: Plan,
  widths: readonly number[],
  isBranch: boolean,
): void {
  const at = builder.instructionCount;
  if (isBranch) {
    builder.instruction('branch', InstructionFlag.Branch | InstructionFlag.SideEffect, at, at + 1);
    for (const o of operands)
      builder.operand(virtual(o.register % widths.length), OperandFlag.Use | OperandFlag.Guard);
    return;
  }
  if (kind === 0 && operands.length >= 2) {
    const [to, from] = operands.map((o) => o.register % widths.length);
    const same = plan.registers[to].class === plan.registers[from].class && widths[to] === widths[from];
    if (same) {
      builder.instruction('move', InstructionFlag.Copy, at, at + 1);
      builder.operand(virtual(to), OperandFlag.Definition);
      builder.operand(virtual(from), OperandFlag.Use);
      return;
    }
  }
  if (kind === 1 && operands.length >= 1) {
    builder.instruction('constant', InstructionFlag.Constant, at, at + 1);
    builder.operand(virtual(operands[0].register % widths.length), OperandFlag.Definition);
    builder.operand(NoRegister.Immediate, OperandFlag.Use);
    return;
  }
  const flags = [0, 0, 0, 0, InstructionFlag.SideEffect, InstructionFlag.ReadsMemory][kind % 6];
  builder.instruction(
    `operation${kind}`,
    kind === 11 ? InstructionFlag.WritesMemory | InstructionFlag.SideEffect : flags,
    at,
    at + 1,
  );
  const defined = new Set<number>();
  const sorted = [...operands].sort((a, b) => a.role - b.role);
  for (const { register, role, part } of sorted) {
    const r = register % widths.length;
    let operandFlags = ROLES[role];
    if ((operandFlags & OperandFlag.Definition) !== 0) {
      if (defined.has(r)) operandFlags = OperandFlag.Use;
      defined.add(r);
    }
    const isPartial = (operandFlags & OperandFlag.Partial) !== 0;
    const width = isPartial || part === 0 ? Math.max(1, widths[r] >> 1) : widths[r];
    const offset = width < widths[r] && (part & 1) === 1 ? widths[r] - width : 0;
    if (width < widths[r] && (operandFlags & OperandFlag.Definition) !== 0)
      operandFlags |= OperandFlag.Partial;
    builder.operand(virtual(r), operandFlags, { width, offset });
  }
}
