import { nameOf, placeOf as sourcePlace, type Function } from '../../ir/function.js';
import { isVirtual } from '../../ir/place.js';
import type { GenCompilation } from './compilation.js';
import type { FlagReference, Instruction, Message, Operand } from './program.js';
import { instructionText, maskText, swizzleText } from './text.js';

/**
 * The compiled program for other programs: every instruction with all its fields, operands with places and regions,
 * messages with payload and scratch addresses, blocks with edges, and where each virtual register went. Enough to
 * execute the code and to check it against the source. docs/gen-code.schema.json describes it.
 */
export function compilationJson(c: GenCompilation): object {
  const program = c.code ?? c.lowered;
  const { platform, width, dialect, phase, firstFree, registerLimit, uniforms } = program;
  return {
    version: 1,
    name: program.name,
    dialect,
    platform: platform.name,
    width,
    phase,
    backEnd: c.strategy,
    attempts: c.attempts,
    payload: firstFree,
    registerLimit,
    uniforms,
    ...(platform.messageWindow !== undefined && { messageWindow: platform.messageWindow }),
    scratchBytes: c.stats.scratchBytes ?? null,
    cycles: c.stats.cycles ?? null,
    blocks: Array.from({ length: program.blockStart.length - 1 }, (_, block) => ({
      first: program.blockStart[block],
      end: program.blockStart[block + 1],
      successors: program.successors[block],
    })),
    registers: program.registers.map(({ name, bytes, family, isUniform }, r) => ({
      name,
      bytes,
      ...(family !== undefined && { family, isUniform }),
      address: placeOf(c, r),
    })),
    spilled: c.spilled.map(({ register, bytes, scratchOffset, cost, how }) => ({
      register,
      bytes,
      scratchOffset,
      cost: Number.isFinite(cost) ? cost : null,
      how,
    })),
    instructions: program.instructions.map((instruction, i) => ({
      text: instructionText({ program, source: c.source }, instruction),
      ...instructionJson(c.source, instruction),
      ...(c.estimate !== undefined && { clocks: c.estimate.clocks[i], waits: c.estimate.waits[i] }),
      ...(c.allocation?.carries !== undefined &&
        program.instructions.length === c.allocation.carries.length &&
        c.allocation.carries[i] >= 0 && { carries: c.allocation.carries[i] }),
    })),
  };
}

function placeOf({ allocation }: GenCompilation, register: number): number | null {
  if (allocation === undefined || register >= allocation.address.length) return null;
  return allocation.address[register] < 0 ? null : allocation.address[register];
}

function instructionJson(f: Function, instruction: Instruction): object {
  const { message, condition, predicate } = instruction;
  return {
    opcode: instruction.opcode.name,
    execSize: instruction.execSize,
    group: instruction.group,
    ...(instruction.noMask && { noMask: true }),
    ...(instruction.saturate && { saturate: true }),
    ...(condition !== undefined && { condition: { test: condition.test, flag: flagJson(condition.flag) } }),
    ...(predicate !== undefined && {
      predicate: { flag: flagJson(predicate.flag), inverse: predicate.inverse, mode: predicate.mode },
    }),
    destinations: instruction.destinations.map((operand) => operandJson(f, operand, true)),
    sources: instruction.sources.map((operand) => operandJson(f, operand, false)),
    ...((message.mlen > 0 || message.rlen !== undefined || message.scratchOffset !== undefined) && {
      message: messageJson(message),
    }),
    ...(instruction.noDDClear && { noDDClear: true }),
    ...(instruction.noDDCheck && { noDDCheck: true }),
    ...(instruction.writesAccumulator && { writesAccumulator: true }),
    ...(instruction.target >= 0 && { target: instruction.target }),
    source: instruction.origin,
  };
}

function messageJson(message: Message): object {
  const { mlen, exMlen, baseMrf, rlen, header, isEndOfThread, scratchOffset } = message;
  return {
    mlen,
    exMlen,
    baseMrf,
    header,
    ...(rlen !== undefined && { rlen }),
    ...(isEndOfThread && { isEndOfThread }),
    ...(scratchOffset !== undefined && { scratchOffset }),
    ...(message.sharedFunction !== undefined && { sharedFunction: message.sharedFunction }),
    ...(message.descriptor !== undefined && { descriptor: message.descriptor }),
    ...(message.assumed.length > 0 && { assumed: message.assumed }),
  };
}

const flagJson = (flag: FlagReference): object =>
  flag.kind === 'hardware' ? { hardware: flag.flag } : { virtual: flag.register };

function operandJson(f: Function, operand: Operand, isDestination: boolean): object {
  if (operand.file === 'immediate') {
    const { type, low, high, vector } = operand;
    return {
      file: 'immediate',
      type,
      low: low >>> 0,
      high: high >>> 0,
      ...(vector !== undefined && { vector }),
    };
  }
  const { file, type, offset, negate, absolute, stride, region } = operand;
  const register = registerOf(f, operand.operand);
  const number =
    operand.file === 'virtual'
      ? { register: operand.register }
      : operand.file === 'grf'
        ? { grf: operand.grf }
        : { number: operand.number };
  return {
    file,
    ...number,
    type,
    offset,
    ...(negate && { negate }),
    ...(absolute && { absolute }),
    ...(isDestination
      ? { mask: maskText(operand.mask).slice(1) || 'xyzw' }
      : { swizzle: swizzleText(operand.swizzle).slice(1) }),
    stride,
    ...(region !== undefined && { region }),
    ...(operand.file === 'grf' && register !== undefined && { of: register }),
  };
}

/** The virtual register that stands in the source where an operand of the code comes from. */
function registerOf(f: Function, operand: number): string | undefined {
  if (operand < 0) return undefined;
  const place = sourcePlace(f, operand);
  return isVirtual(place) ? nameOf(f, place) : undefined;
}
