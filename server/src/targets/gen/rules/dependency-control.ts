import type { Instruction, Operand } from '../program.js';
import { typeSize } from '../program.js';
import type { Rule } from './rule.js';

/**
 * NoDDClr and NoDDChk switch the scoreboard off for one destination. The last instruction of such a sequence must
 * execute in at least one channel (the manual's rule as i965 quotes it), messages and the math unit do not take part,
 * and 64-bit execution cannot be encoded with it (facts B.7, E). An operation that becomes several hardware
 * instructions would set the bits on each of them; the generator refuses that (F34).
 */
export const dependencyControl: Rule = (instruction, _place, report) => {
  const { opcode, noDDClear, noDDCheck } = instruction;
  const marks = [...(noDDClear ? ['NoDDClr'] : []), ...(noDDCheck ? ['NoDDChk'] : [])];
  const title = `Remove ${marks.join(' and ')}`;
  const bits = marks.join(' and ');
  if (marks.length > 0) {
    if (opcode.name === 'pack_bytes') {
      const [destination] = instruction.destinations;
      if (destination !== undefined && destination.file !== 'immediate' && !isOneChannel(destination.mask))
        report({
          code: 'hw/dependency-control',
          message: `pack_bytes with ${bits} must write exactly one channel: it becomes two moves that pass the bits on to each other`,
          at: destination,
          fix: { title, kind: 'remove', marks },
        });
    } else {
      const reason = unsafeReason(instruction);
      if (reason !== undefined)
        report({
          code: 'hw/dependency-control',
          message: `${bits} on ${opcode.name}: ${reason}`,
          at: { mark: marks[0] },
          fix: { title, kind: 'remove', marks },
        });
    }
  }
  const { condition } = instruction;
  const setsFlag = condition !== undefined && !selects(opcode.name);
  if (setsFlag && opcode.expands)
    report({
      code: 'hw/expanded-condition',
      message: `${opcode.name} becomes several hardware instructions, so that .${condition.test} would be taken from each of them: compare the result with a cmp behind it`,
      at: { mark: 'cond' },
      fix: { title: `Remove .${condition.test}`, kind: 'remove', marks: ['cond'] },
    });
};

/** sel takes the condition as minimum or maximum, if and while compare their operands: no flag is written. */
const selects = (name: string): boolean =>
  name === 'sel' || name === 'csel' || name === 'if' || name === 'while';

const isOneChannel = (mask: number): boolean => mask !== 0 && (mask & (mask - 1)) === 0;

function unsafeReason(instruction: Instruction): string | undefined {
  const { opcode } = instruction;
  if (opcode.kind === 'message' || instruction.message.mlen > 0)
    return 'a message is tracked until its answer comes and takes no part in dependency control';
  if (opcode.expands) return 'it becomes several hardware instructions, of which each would carry the bits';
  if (opcode.kind === 'math') return 'the math unit does not honour them';
  if (instruction.predicate !== undefined)
    return 'predicated, it may execute in no channel, and then the scoreboard entry is never cleared';
  if ([...instruction.destinations, ...instruction.sources].some(is64Bit))
    return 'they cannot be combined with 64-bit operands';
  return undefined;
}

const is64Bit = (o: Operand): boolean =>
  o.file !== 'none' && o.file !== 'null' && o.file !== 'immediate' && typeSize(o.type) === 8;
