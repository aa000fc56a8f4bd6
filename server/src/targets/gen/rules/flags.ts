import { isFloat, type Instruction } from '../program.js';
import type { Rule } from './rule.js';

/**
 * Flags and the accumulator (facts B.11, B.12, F42, F45). The reference's scheduler takes for granted that a predicate
 * was computed in the same block; on Gen7 a compare whose destination is null needs the thread switch bit.
 */
export const predicates: Rule = (instruction, { program, flagsWritten }, report) => {
  const { predicate } = instruction;
  if (predicate === undefined || program.dialect !== 'vec4' || predicate.flag.kind !== 'hardware') return;
  const { flag } = predicate.flag;
  if ((flagsWritten & (1 << flag)) !== 0) return;
  report({
    code: 'hw/flag-in-block',
    severity: 'warning',
    message: `f${flag >> 1}.${flag & 1} is not written before this in its block: i965's vec4 scheduler takes for granted that it is, and may move the instruction`,
    at: { mark: 'pred' },
  });
};

/** Flags that an instruction writes, f0.0 in bit 0; all of them where only the machine knows. */
export function flagsWrittenBy({ condition, opcode, destinations }: Instruction): number {
  if (destinations.some((d) => d.file === 'flag' || d.file === 'architecture')) return 15;
  if (condition === undefined || condition.flag.kind !== 'hardware' || selecting.has(opcode.name)) return 0;
  return 1 << condition.flag.flag;
}

const selecting = new Set(['sel', 'csel', 'if', 'while']);

export const accumulator: Rule = (instruction, { program, isAccumulatorWritten }, report) => {
  if (!instruction.opcode.readsAccumulator || program.dialect !== 'vec4' || isAccumulatorWritten) return;
  report({
    code: 'hw/accumulator-in-block',
    severity: 'warning',
    message: `${instruction.opcode.name} reads the accumulator, which nothing before it in its block writes`,
  });
};

export const writesAccumulator = ({ writesAccumulator: says, opcode, destinations }: Instruction): boolean =>
  says || accumulating.has(opcode.name) || destinations.some((d) => d.file === 'accumulator');

const accumulating = new Set(['mac', 'mach', 'sada2', 'addc', 'subb']);

export const compares: Rule = (instruction, { program }, report) => {
  const { opcode } = instruction;
  if (opcode.name !== 'cmp' && opcode.name !== 'cmpn') return;
  const [destination] = instruction.destinations;
  if (destination?.file === 'accumulator' && program.platform.generation < 8)
    report({
      code: 'hw/compare',
      message: `${opcode.name} cannot write the accumulator before Gen8`,
      at: destination,
    });
  const { generation } = program.platform;
  if (
    program.phase === 'hw' &&
    destination?.file === 'null' &&
    generation >= 7 &&
    generation < 8 &&
    !instruction.switchesThread
  )
    report({
      code: 'hw/compare',
      message: `on Gen7 ${opcode.name} with a null destination needs {Switch}`,
      at: destination,
      fix: { title: 'Add {Switch}', kind: 'add', attribute: 'Switch' },
    });
  if (instruction.condition === undefined)
    report({
      code: 'hw/compare',
      message: `${opcode.name} without a condition compares nothing: add .ge, .l or another`,
    });
};

/** A saturated integer result is no error; a saturated comparison means nothing. */
export const saturation: Rule = (instruction, _place, report) => {
  const [destination] = instruction.destinations;
  if (!instruction.saturate || destination === undefined || destination.file === 'immediate') return;
  if (instruction.opcode.name !== 'cmp' || isFloat(destination.type)) return;
  report({
    code: 'hw/compare',
    severity: 'warning',
    message: '.sat on a comparison has no effect',
    at: { mark: 'sat' },
    fix: { title: 'Remove .sat', kind: 'remove', marks: ['sat'] },
  });
};
