import { isFloat, typeSize, XYZW, type Instruction, type Operand } from '../program.js';
import type { Rule } from './rule.js';

/**
 * Where immediates, modifiers, masks and swizzles cannot stand (facts B.4, B.12): an instruction has room for one
 * immediate, in its last source; the math unit takes none; some operations have no bits for source modifiers, ignore
 * write masks, or run in align1 where a swizzle means nothing.
 */
export const immediates: Rule = (instruction, { program }, report) => {
  const { opcode, sources } = instruction;
  if (program.dialect === 'selection' || (opcode.kind !== 'alu' && opcode.kind !== 'math')) return;
  const present = sources.filter((s) => s.file !== 'none' && !(s.file === 'null' && sources.length > 2));
  if (opcode.kind === 'math') {
    // the generator copies an immediate to a register in virtual code
    if (program.phase === 'hw')
      for (const source of present)
        if (source.file === 'immediate')
          report({
            code: 'hw/immediate',
            message: `the math unit takes no immediate: move the number to a register first`,
            at: source,
          });
    return;
  }
  if (present.length !== 2 || present[0].file !== 'immediate' || !oneInstruction(instruction)) return;
  const [first, second] = present;
  const canSwap = commutes(instruction) && second.file !== 'immediate';
  report({
    code: 'hw/immediate',
    message: `an immediate can stand only in the last source of ${opcode.name}`,
    at: first,
    ...(canSwap && {
      fix: { title: 'Swap the sources', kind: 'swap' as const, operands: [first, second] as const },
    }),
  });
};

const oneInstruction = (instruction: Instruction): boolean => !instruction.opcode.expands;

/** An integer multiplication reads 16 bits of one of its sources: its sources are not alike. */
function commutes({ opcode, sources, condition }: Instruction): boolean {
  if (opcode.name === 'mul') return sources.every((s) => isFloat(s.type));
  if (opcode.name === 'sel') return condition !== undefined;
  return commutative.has(opcode.name);
}

const commutative = new Set(['add', 'and', 'or', 'xor', 'avg', 'dp2', 'dp3', 'dp4']);

export const modifiers: Rule = (instruction, { program }, report) => {
  const { opcode } = instruction;
  const noModifiers = !opcode.takesModifiers || (opcode.kind === 'math' && program.platform.generation < 7);
  if (!noModifiers) return;
  for (const source of instruction.sources)
    if (source.file !== 'immediate' && (source.negate || source.absolute))
      report({
        code: 'hw/source-modifier',
        message: `${opcode.name} takes no source modifier: move ${source.negate ? 'the negated' : 'the absolute'} value to a register first`,
        at: source,
      });
};

export const masks: Rule = (instruction, { program }, report) => {
  if (program.dialect !== 'vec4') return;
  const { opcode } = instruction;
  const [destination] = instruction.destinations;
  if (destination === undefined || destination.file === 'immediate' || destination.file === 'none') return;
  if (destination.file === 'null') return;
  const isGen6Math = opcode.kind === 'math' && program.platform.generation < 7;
  if (destination.mask !== 15 && (isGen6Math || (!opcode.canWriteMask && program.phase !== 'virtual')))
    report({
      code: 'hw/write-mask',
      message: `${opcode.name} writes all four channels whatever the mask says: give it a register of its own and move the channels wanted`,
      at: destination,
    });
  if (opcode.isAlign1)
    for (const source of instruction.sources)
      if (source.file !== 'immediate' && source.file !== 'none' && source.swizzle !== XYZW)
        report({
          code: 'hw/swizzle',
          message: `${opcode.name} runs in align1, where a swizzle is ignored: move the channels to their places first`,
          at: source,
        });
  if (opcode.name === 'mov_indirect' && destination.mask !== 15)
    report({
      code: 'hw/write-mask',
      message: 'mov_indirect must write .xyzw',
      at: destination,
    });
  if (opcode.name === 'broadcast') {
    if (!instruction.noMask)
      report({
        code: 'hw/execution-mask',
        message: 'broadcast must be NoMask: the channel that it reads may be switched off',
      });
    for (const source of instruction.sources)
      if (source.file !== 'immediate' && (source.negate || source.absolute))
        report({ code: 'hw/source-modifier', message: 'broadcast takes plain sources', at: source });
  }
};

/** The result of an instruction that is wider than a register, or whose parts come one after another, overwrites sources. */
export const hazards: Rule = (instruction, { program }, report) => {
  const [destination] = instruction.destinations;
  if (destination?.file !== 'virtual' && destination?.file !== 'grf') return;
  if (!instruction.opcode.hasHazard || instruction.opcode.name === 'simd4x2_merge') return;
  const same = instruction.sources.find((s) => isSame(s, destination));
  if (same !== undefined && program.dialect === 'vec4')
    report({
      code: 'hw/overlap',
      message: `${instruction.opcode.name} writes a part of its destination before it has read all of its sources: they must be different registers`,
      at: same,
    });
};

export const isSame = (a: Operand, b: Operand): boolean =>
  (a.file === 'virtual' && b.file === 'virtual' && a.register === b.register) ||
  (a.file === 'grf' && b.file === 'grf' && a.grf === b.grf);

/** Conversions without an encoding (facts B.12, types). */
export const conversions: Rule = (instruction, _place, report) => {
  const { opcode } = instruction;
  const [destination] = instruction.destinations;
  if (opcode.name !== 'mov' || destination === undefined || destination.file === 'immediate') return;
  if (destination.file === 'none' || destination.file === 'null') return;
  const [source] = instruction.sources;
  if (source === undefined || source.file === 'immediate' || source.file === 'none') return;
  const from = typeSize(source.type);
  const to = typeSize(destination.type);
  const isHalf = (type: string): boolean => type === 'HF';
  const direct =
    (from === 8 && to === 1) ||
    (from === 1 && to === 8) ||
    (from === 8 && isHalf(destination.type)) ||
    (to === 8 && isHalf(source.type));
  if (direct)
    report({
      code: 'hw/conversion',
      message: `there is no conversion from ${source.type} to ${destination.type} in one instruction: go through a 32-bit type`,
      at: destination,
    });
};

/** Packed vector immediates fill their destination as eight words or four floats (facts B.12). */
export const vectorImmediates: Rule = (instruction, { program }, report) => {
  const [destination] = instruction.destinations;
  if (destination === undefined || destination.file === 'immediate' || program.dialect === 'selection')
    return;
  if (destination.file !== 'virtual' && destination.file !== 'grf') return;
  for (const source of instruction.sources) {
    if (source.file !== 'immediate') continue;
    const want = source.type === 'VF' ? 4 : source.type === 'V' || source.type === 'UV' ? 2 : 0;
    if (want === 0) continue;
    if (destination.stride * typeSize(destination.type) !== want)
      report({
        code: 'hw/vector-immediate',
        message: `a ${source.type} immediate needs a destination with elements ${want} bytes apart, not ${destination.stride * typeSize(destination.type)}`,
        at: destination,
      });
    else if (destination.offset % 16 !== 0)
      report({
        code: 'hw/vector-immediate',
        message: `a ${source.type} immediate needs a destination that begins at a multiple of 16 bytes, not at byte ${destination.offset}`,
        at: destination,
      });
  }
};
