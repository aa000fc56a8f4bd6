import { GRF_BYTES, isFloat, typeSize } from '../program.js';
import type { Rule } from './rule.js';

/**
 * What the register file and the opcode's generation allow (facts B.1, B.4, E): 128 general registers; in vec4 code
 * on Gen7 the upper 16 stand for message registers, so that virtual code cannot name them as anything else.
 */
export const registerNumbers: Rule = (instruction, { program }, report) => {
  const { registers, messageWindow, messageRegisters, name } = program.platform;
  for (const operand of [...instruction.destinations, ...instruction.sources]) {
    if (operand.file === 'grf') {
      const last = operand.grf + Math.floor(operand.offset / GRF_BYTES);
      // a number beyond the file is said by the language
      if (operand.grf < registers && last >= registers)
        report({
          code: 'hw/register',
          message: `there is no g${last}: a thread has g0 to g${registers - 1}`,
          at: operand,
        });
      else if (
        program.dialect === 'vec4' &&
        program.phase === 'virtual' &&
        messageWindow !== undefined &&
        last >= messageWindow &&
        last < registers
      )
        report({
          code: 'hw/register',
          severity: 'warning',
          message: `g${last} stands for m${last - messageWindow} on ${name}: in code with message registers it is overwritten by their writes`,
          at: operand,
        });
    } else if (operand.file === 'message' && operand.number >= messageRegisters)
      report({
        code: 'hw/register',
        message: `there is no m${operand.number}: ${name} has m0 to m${messageRegisters - 1}`,
        at: operand,
      });
  }
};

/** Integers of 64 bits came with Gen8; Beignet's selection makes its own sequences of them before. */
export const types: Rule = (instruction, { program }, report) => {
  if (program.dialect === 'selection' || program.platform.generation >= 8) return;
  for (const operand of [...instruction.destinations, ...instruction.sources])
    if (operand.type === 'Q' || operand.type === 'UQ')
      report({
        code: 'hw/generation',
        message: `64-bit integers came with Gen8: ${program.platform.name} is Gen${program.platform.generation}`,
        at: operand,
      });
};

/** The math unit computes floats; the two divisions alone take integers. */
export const mathTypes: Rule = ({ opcode, destinations, sources }, { program }, report) => {
  if (opcode.kind !== 'math' || program.dialect === 'selection') return;
  const isInteger = opcode.name === 'int_quot' || opcode.name === 'int_rem';
  const wrong = [...destinations, ...sources].find(
    (operand) => operand.file !== 'none' && operand.file !== 'null' && isFloat(operand.type) === isInteger,
  );
  if (wrong === undefined) return;
  report({
    code: 'hw/math-type',
    message: isInteger
      ? `${opcode.name} divides integers: ${wrong.type} must be converted first`
      : `${opcode.name} works on floats: convert ${wrong.type} with a mov first`,
    at: wrong,
  });
};

export const generations: Rule = (instruction, { program }, report) => {
  const { opcode } = instruction;
  const [first, last] = opcode.generations;
  const { generation, name } = program.platform;
  if (generation >= first && generation <= last) return;
  report({
    code: 'hw/generation',
    message:
      generation < first
        ? `${opcode.name} came with Gen${first}: ${name} is Gen${generation}`
        : `${opcode.name} exists up to Gen${last}: ${name} is Gen${generation}`,
  });
};

/**
 * Doubles on Gen7 in align16 (facts B.12): a mask of two channels that share a quarter must be split, uniforms may
 * not be read at z or w, and Ivy Bridge executes at most four 64-bit channels at once. Virtual code is split later.
 */
export const doubles: Rule = (instruction, { program }, report) => {
  if (program.dialect !== 'vec4' || program.phase !== 'hw') return;
  const [destination] = instruction.destinations;
  if (destination === undefined || destination.file === 'immediate') return;
  const is64 =
    (destination.file === 'virtual' || destination.file === 'grf') && typeSize(destination.type) === 8;
  if (!is64) return;
  if (destination.mask === 0b0011 || destination.mask === 0b1100)
    report({
      code: 'hw/double',
      message: `a 64-bit write of ${destination.mask === 3 ? '.xy' : '.zw'} must be split into one instruction a channel on Gen7`,
      at: destination,
    });
  if (program.platform.generation === 7 && instruction.execSize > 4)
    report({
      code: 'hw/double',
      message: `${program.platform.name} executes 64-bit operations four wide: split the instruction with group0 and group4`,
      at: destination,
    });
  for (const source of instruction.sources)
    if (source.file === 'uniform' && readsUpperHalf(source.swizzle))
      report({
        code: 'hw/double',
        message: 'a 64-bit uniform can be read at .x and .y only',
        at: source,
      });
};

const readsUpperHalf = (swizzle: number): boolean =>
  [0, 1, 2, 3].some((c) => ((swizzle >>> (2 * c)) & 3) > 1);

/** Ivy Bridge has no SIMD4x2 form of untyped writes and atomics: the payload is transposed and .x alone enabled. */
export const untypedWrites: Rule = (instruction, { program }, report) => {
  const { name } = instruction.opcode;
  if (program.dialect !== 'vec4' || program.phase !== 'hw' || program.platform.generation !== 7) return;
  if (name !== 'untyped_surface_write' && name !== 'untyped_atomic') return;
  report({
    code: 'hw/generation',
    severity: 'warning',
    message: `${name} has no SIMD4x2 form on ${program.platform.name}: i965 transposes the payload to SIMD8 and enables one channel a vertex`,
  });
};
