import { typeSize, type Instruction, type Operand } from '../program.js';
import type { Place, Rule } from './rule.js';

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

/**
 * NoDDClr leaves the register marked as busy for the next writer, which must be the one that goes on with NoDDChk, in
 * the same block, before anybody reads the register, and in other channels (facts B.7, F31).
 */
export const dependencyRuns: Rule = (instruction, place, report) => {
  if (!instruction.noDDClear || instruction.opcode.name === 'pack_bytes') return;
  if (unsafeReason(instruction) !== undefined) return;
  const [destination] = instruction.destinations;
  if (destination === undefined || destination.file === 'immediate') return;
  const next = nextTouch(place, destination);
  if (next === 'unknown') return;
  const fix = { title: 'Remove NoDDClr', kind: 'remove' as const, marks: ['NoDDClr'] };
  if (next === undefined || next.reads || !next.instruction.noDDCheck) {
    report({
      code: 'hw/dependency-control',
      message:
        next === undefined
          ? 'no later write in the block goes on with NoDDChk: the register stays marked as busy'
          : next.reads
            ? `${next.instruction.opcode.name} reads the register before a write with NoDDChk: it waits for a scoreboard entry that is never cleared`
            : `${next.instruction.opcode.name} writes the register next and has no NoDDChk: it waits for a scoreboard entry that is never cleared`,
      at: { mark: 'NoDDClr' },
      ...(next !== undefined && { related: [{ instruction: next.instruction, message: 'here' }] }),
      fix,
    });
    return;
  }
  const [other] = next.instruction.destinations;
  if (other.file !== 'immediate' && (other.mask & destination.mask) !== 0 && place.program.dialect === 'vec4')
    report({
      code: 'hw/dependency-control',
      message: `${next.instruction.opcode.name} writes a channel with NoDDChk that this one writes, too: without the scoreboard the two may end in any order`,
      at: { mark: 'NoDDClr' },
      related: [{ instruction: next.instruction, message: 'here' }],
      fix,
    });
};

/** How far runs are followed: the scheduler keeps them together. */
const LONGEST_RUN = 256;

function nextTouch(
  { program, index, blockEnd }: Place,
  destination: Operand,
): { instruction: Instruction; reads: boolean } | 'unknown' | undefined {
  const end = Math.min(blockEnd, index + 1 + LONGEST_RUN);
  for (let i = index + 1; i < end; i++) {
    const instruction = program.instructions[i];
    if (reads(instruction, destination)) return { instruction, reads: true };
    if (instruction.destinations.some((d) => isSamePlace(d, destination)))
      return { instruction, reads: false };
  }
  return end < blockEnd ? 'unknown' : undefined;
}

function reads({ sources, message, opcode }: Instruction, place: Operand): boolean {
  if (sources.some((source) => isSamePlace(source, place))) return true;
  if (place.file !== 'message' || message.mlen === 0 || opcode.sendsFromGrf) return false;
  return message.baseMrf <= place.number && place.number < message.baseMrf + message.mlen;
}

function isSamePlace(a: Operand, b: Operand): boolean {
  if (a.file === 'immediate' || b.file === 'immediate' || a.offset !== b.offset) return false;
  if (a.file === 'virtual' && b.file === 'virtual') return a.register === b.register;
  if (a.file === 'grf' && b.file === 'grf') return a.grf === b.grf;
  return a.file === 'message' && b.file === 'message' && a.number === b.number;
}
