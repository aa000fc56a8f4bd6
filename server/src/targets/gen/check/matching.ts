import type { Instruction, Operand, Program } from '../program.js';
import type { Allocated } from '../allocation.js';

/**
 * Which instruction of an allocated program is which of its source: in each block the source's instructions come in
 * their order, the same in everything but the places of virtual registers, with the allocator's own between them.
 * Instructions that are missing were dropped: copies whose two registers share a place, or dead code.
 */
export interface Step {
  /** Instruction of the source, -1 for code of the allocator. */
  readonly source: number;
  /** Instruction of the allocated program, -1 for what was dropped. */
  readonly code: number;
}

export interface Matching {
  readonly steps: readonly Step[];
  /** First step of each block; one more than there are blocks. */
  readonly blockStart: Int32Array;
  readonly faults: readonly { readonly code: number; readonly message: string }[];
}

/** How far ahead a dropped instruction is looked past. */
const LOOK_AHEAD = 256;

export function matchPrograms(source: Program, { code, carries }: Allocated): Matching {
  const steps: Step[] = [];
  const faults: { code: number; message: string }[] = [];
  const blocks = source.blockStart.length - 1;
  const blockStart = new Int32Array(blocks + 1);
  if (code.blockStart.length !== source.blockStart.length)
    return {
      steps,
      blockStart,
      faults: [{ code: -1, message: `${code.blockStart.length - 1} blocks instead of ${blocks}` }],
    };
  for (let block = 0; block < blocks; block++) {
    blockStart[block] = steps.length;
    let next = source.blockStart[block];
    const end = source.blockStart[block + 1];
    for (let c = code.blockStart[block]; c < code.blockStart[block + 1]; c++) {
      const instruction = code.instructions[c];
      if (carries !== undefined && carries[c] >= 0) {
        steps.push({ source: -1, code: c });
        continue;
      }
      let found = next;
      const limit = Math.min(end, next + LOOK_AHEAD);
      while (found < limit && !isImage(source.instructions[found], instruction)) found++;
      const mayBeMade = instruction.origin < 0;
      if (found === limit || (mayBeMade && found > next)) {
        if (!mayBeMade && carries?.[c] === undefined)
          faults.push({ code: c, message: 'is no instruction that the source has here' });
        else if (!mayBeMade && carries![c] < 0)
          faults.push({ code: c, message: `is not what the source has here (${nameAt(source, next, end)})` });
        steps.push({ source: -1, code: c });
        continue;
      }
      for (; next < found; next++) steps.push({ source: next, code: -1 });
      steps.push({ source: next++, code: c });
    }
    for (; next < end; next++) steps.push({ source: next, code: -1 });
  }
  blockStart[blocks] = steps.length;
  return { steps, blockStart, faults };
}

const nameAt = (program: Program, i: number, end: number): string =>
  i < end ? `${program.instructions[i].opcode.name}, instruction ${i}` : 'the end of the block';

/** The same instruction, places of virtual registers aside. */
export function isImage(source: Instruction, code: Instruction): boolean {
  if (source === code) return true;
  const [m, n] = [source.message, code.message];
  return (
    source.opcode.name === code.opcode.name &&
    source.execSize === code.execSize &&
    source.group === code.group &&
    source.noMask === code.noMask &&
    source.saturate === code.saturate &&
    source.origin === code.origin &&
    source.condition?.test === code.condition?.test &&
    sameFlag(source.condition?.flag, code.condition?.flag) &&
    source.predicate?.inverse === code.predicate?.inverse &&
    source.predicate?.mode === code.predicate?.mode &&
    sameFlag(source.predicate?.flag, code.predicate?.flag) &&
    source.target === code.target &&
    source.writesAccumulator === code.writesAccumulator &&
    m.mlen === n.mlen &&
    m.exMlen === n.exMlen &&
    m.baseMrf === n.baseMrf &&
    m.rlen === n.rlen &&
    m.header === n.header &&
    m.isEndOfThread === n.isEndOfThread &&
    m.scratchOffset === n.scratchOffset &&
    m.descriptor === n.descriptor &&
    m.sharedFunction === n.sharedFunction &&
    source.destinations.length === code.destinations.length &&
    source.sources.length === code.sources.length &&
    source.destinations.every((operand, k) => sameOperand(operand, code.destinations[k])) &&
    source.sources.every((operand, k) => sameOperand(operand, code.sources[k]))
  );
}

type Flag = NonNullable<Instruction['condition']>['flag'] | undefined;

const sameFlag = (a: Flag, b: Flag): boolean =>
  a === undefined || b === undefined
    ? a === b
    : b.kind === 'hardware' && (a.kind === 'virtual' || a.flag === b.flag);

function sameOperand(a: Operand, b: Operand): boolean {
  if (a.file === 'immediate' || b.file === 'immediate')
    return (
      a.file === 'immediate' &&
      b.file === 'immediate' &&
      a.type === b.type &&
      a.low === b.low &&
      a.high === b.high
    );
  if (
    a.type !== b.type ||
    a.negate !== b.negate ||
    a.absolute !== b.absolute ||
    a.swizzle !== b.swizzle ||
    a.mask !== b.mask ||
    a.stride !== b.stride ||
    !sameRegion(a.region, b.region)
  )
    return false;
  if (a.file === 'virtual') return b.file === 'grf';
  if (a.file !== b.file || a.offset !== b.offset) return false;
  return a.file === 'grf' ? b.file === 'grf' && a.grf === b.grf : 'number' in b && a.number === b.number;
}

type Regions = readonly [number, number, number] | undefined;

const sameRegion = (a: Regions, b: Regions): boolean =>
  a === b || (a !== undefined && b !== undefined && a[0] === b[0] && a[1] === b[1] && a[2] === b[2]);
