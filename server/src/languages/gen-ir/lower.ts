import { FunctionBuilder } from '../../ir/builder.js';
import { InstructionFlag, OpcodeTable, OperandFlag, type Function } from '../../ir/function.js';
import { NoRegister, physical, virtual, type Place } from '../../ir/place.js';
import { destinationBytes, slackBytes, sourceBytes, startByte } from './access.js';
import type { MesaBound } from './bind/index.js';
import { headText, operandText, writtenFlag } from './canonical.js';
import { GenClass, genClasses } from './classes.js';
import { FlowKind } from './flow.js';
import { marksOf } from './marks.js';
import type { Operand } from './operand.js';
import { FULL_MASK, maskOf, type Instruction } from './tree.js';
import { typeSizes } from './types.js';

/**
 * A bound Mesa program as `ir/`: heads and operands in canonical texts (canonical.ts). Operands stand in the order
 * destination, sources, flag of the predicate, flag that a condition writes. In a program of phase `allocated` the
 * number behind `vgrf` is the register itself.
 *
 * Behind them are the marks (marks.ts). Attributes are those of facts.ts; `graph` is `incomplete` where the target of a jump is not known. The last
 * instruction of a program with `.live_out` is the pseudo instruction `live_out`, which reads what outlives it.
 */
export function lower(bound: MesaBound): Function | undefined {
  const { instructions, facts, registers, blocks } = bound;
  if (instructions.length === 0) return undefined;
  const { name } = facts;
  const texts = new OpcodeTable();
  texts.number('');
  const builder = new FunctionBuilder(
    {
      name: name.text,
      isEntry: true,
      nameStart: name.start,
      nameEnd: name.end,
      attributes: { ...facts.attributes, ...(!blocks.isComplete && { graph: 'incomplete' }) },
      operandTexts: texts,
    },
    new OpcodeTable(),
    genClasses,
  );
  const isVirtual = facts.phase === 'virtual';
  if (isVirtual)
    registers.numbers.forEach((number, r) =>
      builder.register(`vgrf${number}`, GenClass.General, registers.sizes[r]),
    );
  const context: Context = { bound, builder, texts, isVirtual };
  for (let b = 0; b < blocks.blockCount; b++) {
    builder.block(blocks.names[b]);
    for (let i = blocks.start[b]; i < blocks.start[b + 1]; i++) addInstruction(context, instructions[i], i);
    if (b === blocks.blockCount - 1) addLiveOuts(context);
  }
  for (let b = 0; b < blocks.blockCount; b++)
    for (let e = blocks.successorStart[b]; e < blocks.successorStart[b + 1]; e++)
      builder.successor(b, blocks.successors[e]);
  return builder.finish();
}

interface Context {
  readonly bound: MesaBound;
  readonly builder: FunctionBuilder;
  readonly texts: OpcodeTable;
  readonly isVirtual: boolean;
}

function addInstruction(context: Context, instruction: Instruction, i: number): void {
  const { bound, builder } = context;
  const kind = bound.flowKinds[i] as FlowKind;
  const target = bound.blocks.jumpTargets.get(i);
  builder.instruction(
    headText(instruction, target !== undefined, target ?? -1),
    instructionFlags(instruction, kind),
    instruction.start,
    instruction.end,
  );
  const { destination, sources, predicate } = instruction;
  if (destination.file === 'word') addOperand(context, destination, OperandFlag.Use, 0, false);
  else {
    const bytes = destinationBytes(instruction);
    let flags: number = OperandFlag.Definition;
    if (isPartial(context, instruction, bytes)) flags |= OperandFlag.Partial;
    if (predicate !== undefined && instruction.opcode.text !== 'sel') flags |= OperandFlag.Predicated;
    addOperand(context, destination, flags, bytes, true);
  }
  const count = sourceCount(instruction);
  for (let k = 0; k < count; k++)
    addOperand(context, sources[k], OperandFlag.Use, sourceBytes(instruction, k), false);
  if (predicate !== undefined)
    flagOperand(builder, predicate.flag, OperandFlag.Use | OperandFlag.Guard, predicate.flagStart);
  const written = writtenFlag(instruction);
  const { condition } = instruction;
  if (written >= 0 && condition !== undefined)
    flagOperand(
      builder,
      written,
      OperandFlag.Definition | OperandFlag.Partial,
      condition.flagStart >= 0 ? condition.flagStart : condition.start,
      condition.end,
    );
  if (hasMarks(instruction)) addMarks(context, instruction);
}

const hasMarks = (i: Instruction): boolean =>
  i.attributes !== undefined ||
  i.predicate !== undefined ||
  i.condition !== undefined ||
  i.saturate ||
  i.noMask ||
  i.group >= 0;

function addMarks({ bound, builder, texts }: Context, instruction: Instruction): void {
  for (const { name, start, end } of marksOf(bound.parsed.text, instruction)) {
    const number = builder.plainOperand(NoRegister.Unknown, 0, start, end);
    builder.payload(number, texts.number(`mark:${name}`));
  }
}

function flagOperand(
  builder: FunctionBuilder,
  flag: number,
  flags: number,
  start: number,
  end = start + 4,
): void {
  builder.plainOperand(physical(GenClass.Flag, flag), flags, start, end);
}

/** Sources without the `null`s that stand for missing ones in a dump of what the back-end made. */
export function sourceCount({ sources }: Instruction): number {
  let count = sources.length;
  while (count > 0 && sources[count - 1].file === 'null') count--;
  return count;
}

function instructionFlags(instruction: Instruction, kind: FlowKind): number {
  if (kind !== FlowKind.None) return InstructionFlag.Branch;
  const { destination, attributes } = instruction;
  const isKept =
    destination.file === 'none' ||
    destination.file === 'null' ||
    destination.file === 'message' ||
    attributes?.isEndOfThread === true;
  return isKept ? InstructionFlag.SideEffect : 0;
}

/** Leaves bytes of the registers that it touches as they were. */
function isPartial({ bound }: Context, instruction: Instruction, bytes: number): boolean {
  const { destination } = instruction;
  if (bytes < 0) return false;
  if (bytes % 32 !== 0 || startByte(destination, 32) % 32 !== 0) return true;
  if (bound.parsed.dialect === 'vec4') return maskOf(destination) !== FULL_MASK;
  return destination.stride > 1 || typeSizes[destination.type] === 0;
}

/** `bytes`: what access.ts says, negative where it does not know. */
function addOperand(
  context: Context,
  operand: Operand,
  flags: number,
  bytes: number,
  isDestination: boolean,
): void {
  const { bound, builder, texts } = context;
  const { parsed } = bound;
  const unit = operand.file === 'uniform' ? (parsed.dialect === 'vec4' ? 16 : 4) : 32;
  const word = operand.file === 'word' ? parsed.text.slice(operand.nameStart, operand.nameEnd) : '';
  const text = operandText(operand, isDestination, unit, word);
  const payload = texts.number(context.isVirtual ? text : text.replace(/^(-?\|?)v/, `$1g${operand.number}`));
  const place = placeOf(context, operand);
  const { offset, width } = extentOf(context, operand, bytes);
  builder.operand(place, flags, {
    offset,
    width,
    payload,
    spanStart: operand.start,
    spanEnd: operand.end,
  });
}

/** First register of the operand's that is touched, and how many are. */
function extentOf(
  { bound, isVirtual }: Context,
  operand: Operand,
  bytes: number,
): { readonly offset: number; readonly width: number } {
  const { file } = operand;
  if (file === 'message' || file === 'flag') return { offset: 0, width: 1 };
  if (file !== 'virtual' && file !== 'grf') return { offset: 0, width: 0 };
  const start = startByte(operand, 32);
  const offset = Math.floor(start / 32);
  const isKnown = bytes >= 0;
  const touched = Math.max(bytes - slackBytes(operand), 1);
  const width = isKnown ? Math.floor((start + touched - 1) / 32) - offset + 1 : 1;
  if (file === 'grf' || !isVirtual) return { offset, width };
  const size = bound.registers.sizes[bound.registers.indexOf(operand.number)];
  const first = Math.min(offset, size - 1);
  return { offset: first, width: isKnown ? Math.min(width, size - first) : size - first };
}

const GRF_COUNT = 128;

function placeOf({ bound, isVirtual }: Context, operand: Operand): Place {
  switch (operand.file) {
    case 'virtual':
      if (isVirtual) return virtual(bound.registers.indexOf(operand.number));
      return grf(operand.number);
    case 'grf':
      return grf(operand.number);
    case 'message':
      return operand.number < 32 ? physical(GenClass.Message, operand.number) : NoRegister.Unknown;
    case 'flag':
      return physical(GenClass.Flag, operand.number);
    case 'immediate':
      return NoRegister.Immediate;
    case 'uniform':
    case 'attribute':
      return NoRegister.SpecialConstant;
    case 'accumulator':
    case 'address':
    case 'architecture':
      return NoRegister.SpecialVolatile;
    case 'slot':
      return NoRegister.Symbol;
    case 'word':
      return NoRegister.Label;
    case 'null':
    case 'none':
      return NoRegister.Sink;
    case 'missing':
      return NoRegister.Unknown;
  }
}

const grf = (number: number): Place =>
  number < GRF_COUNT ? physical(GenClass.General, number) : NoRegister.Unknown;

function addLiveOuts(context: Context): void {
  const { facts, parsed, registers } = context.bound;
  const operands = facts.liveOuts.flatMap((directive) => directive.operands);
  if (operands.length === 0) return;
  const { end } = parsed.statements[parsed.statements.length - 1];
  context.builder.instruction(`live_out(${facts.width})`, InstructionFlag.SideEffect, end, end);
  for (const operand of operands) {
    const size = operand.file === 'virtual' ? registers.sizes[registers.indexOf(operand.number)] : 1;
    addOperand(context, operand, OperandFlag.Use, 32 * size - startByte(operand, 32), false);
  }
}
